// Decision values of many rows at a time.
//
// Rows go through a feature map or a kernel in blocks: what does not depend on the row, such as the
// panels of the support vectors, is then prepared once for a whole block of them.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "math/kernel_blocks.h"
#include "math/rows.h"
#include "model/column_weights.h"
#include "model/finite_scores.h"
#include "model/scaled_blocks.h"
#include "pegasos/model.h"

namespace pegasos {
namespace {

// Mapped rows are dense: so many at a time are a few megabytes.
constexpr std::size_t kMappedRows = 1024;
constexpr std::size_t kRowsPerTask = 256;

int count_of(int threads) {
  return threads > 0 ? threads : available_cores();
}

template <typename Visit>
void for_rows(const Dataset& rows, ThreadPool& pool, Visit&& visit) {
  pool.for_each((rows.rows() + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task) {
    const std::size_t end = std::min(rows.rows(), (task + 1) * kRowsPerTask);
    for (std::size_t i = task * kRowsPerTask; i < end; ++i) visit(i);
  });
}

// Several rows of a dense matrix side by side, as pairs of them: each sum waits for its last
// addition, as RowView::dot does, whose bits these are, and the others are made meanwhile.
std::size_t add_dense_dots(const DenseMatrix& matrix, std::size_t begin, std::size_t end,
                           std::span<const double> w, std::span<double> scores) {
  constexpr std::size_t kPairs = 4;
  const std::size_t d = matrix.columns;
  for (; begin + 2 * kPairs <= end; begin += 2 * kPairs) {
    const float* const values = matrix.values.data() + begin * d;
    std::array<PairOfDoubles, kPairs> sums = {};
    std::size_t j = 0;
    for (; j + 4 <= d; j += 4) {
      for (std::size_t p = 0; p < kPairs; ++p) {
        FourFloats upper;
        FourFloats lower;
        std::memcpy(&upper, values + 2 * p * d + j, sizeof upper);
        std::memcpy(&lower, values + (2 * p + 1) * d + j, sizeof lower);
        const FourFloats first = __builtin_shufflevector(upper, lower, 0, 4, 1, 5);
        const FourFloats second = __builtin_shufflevector(upper, lower, 2, 6, 3, 7);
        sums[p] += w[j] * first_two(first);
        sums[p] += w[j + 1] * last_two(first);
        sums[p] += w[j + 2] * first_two(second);
        sums[p] += w[j + 3] * last_two(second);
      }
    }
    for (; j < d; ++j) {
      for (std::size_t p = 0; p < kPairs; ++p) {
        const float* const pair = values + 2 * p * d + j;
        sums[p] += w[j] * PairOfDoubles{double{pair[0]}, double{pair[d]}};
      }
    }
    for (std::size_t p = 0; p < kPairs; ++p) {
      scores[begin + 2 * p] += sums[p][0];
      scores[begin + 2 * p + 1] += sums[p][1];
    }
  }
  return begin;
}

void add_dots(const Dataset& rows, std::span<const double> w, std::span<double> scores,
              ThreadPool& pool) {
  pool.for_each((rows.rows() + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task) {
    const std::size_t end = std::min(rows.rows(), (task + 1) * kRowsPerTask);
    std::size_t i = task * kRowsPerTask;
    if (rows.is_dense()) i = add_dense_dots(rows.dense(), i, end, w, scores);
    for (; i < end; ++i) scores[i] += rows.row(i).dot(w);
  });
}

// <c, row> over the columns of the support vectors.
void add_columns(const KernelModel& model, const Dataset& rows, std::span<double> scores,
                 ThreadPool& pool) {
  const UsedColumns used(model.columns);
  std::vector<double> w(used.size(), 0.0);
  for (std::size_t j = 0; j < model.columns.size(); ++j) {
    w[used.place_of(model.columns[j])] += model.coefficients[j];
  }
  for_rows(rows, pool, [&](std::size_t i) {
    used.for_values(rows.row(i),
                    [&](std::size_t place, double value) { scores[i] += w[place] * value; });
  });
}

std::vector<double> decide(const LinearModel& model, const Dataset& rows, int threads) {
  std::vector<double> scores(rows.rows(), model.b);
  ThreadPool pool(count_of(threads));
  if (!model.map) {
    add_dots(rows, model.w, scores, pool);
    return scores;
  }
  for (std::size_t first = 0; first < rows.rows(); first += kMappedRows) {
    const std::size_t count = std::min(kMappedRows, rows.rows() - first);
    const Dataset mapped = model.map->apply(rows.slice(first, count), threads);
    add_dots(mapped, model.w, std::span(scores).subspan(first, count), pool);
  }
  return scores;
}

std::vector<double> decide(const KernelModel& model, const Dataset& rows, int threads) {
  std::vector<double> scores(rows.rows(), 0.0);
  ThreadPool pool(count_of(threads));
  if (model.kernel.kind == KernelKind::precomputed) {
    add_columns(model, rows, scores, pool);
  } else if (!scores.empty() && !model.coefficients.empty()) {
    const KernelBlocks blocks(model.kernel, model.support_vectors, rows, pool);
    std::vector<RowId> all(model.coefficients.size());
    std::iota(all.begin(), all.end(), RowId{0});
    blocks.add_scores(all, model.coefficients, scores, pool);
  }
  for (double& score : scores) score += model.b;
  return scores;
}

}  // namespace

std::vector<double> decisions(const LinearModel& model, const Dataset& rows, int threads) {
  const bool in_weights =
      model.scaling && !model.map && model.scaling->kind != ScalingKind::unit_row;
  if (in_weights) return decide(with_scaling_in_weights(model), rows, threads);
  return on_scaled_blocks(model.scaling, rows,
                          [&](const Dataset& scaled) { return decide(model, scaled, threads); });
}

std::vector<double> decisions(const KernelModel& model, const Dataset& rows, int threads) {
  return on_scaled_blocks(model.scaling, rows,
                          [&](const Dataset& scaled) { return decide(model, scaled, threads); });
}

std::vector<double> decisions(const Model& model, const Dataset& rows, int threads) {
  std::vector<double> scores =
      std::visit([&](const auto& kind) { return decisions(kind, rows, threads); }, model);
  refuse_scores_that_overflow(scores, outputs(model), 0);
  return scores;
}

std::vector<Calibration> calibrations_of(const Model& model) {
  const ModelBase& facts = base_of(model);
  if (facts.has_probabilities() || facts.loss.loss != Loss::logistic) return facts.calibrations;
  if (!facts.label_weights.empty()) return {};  // log odds of rows as they were weighed
  const auto* many = std::get_if<MulticlassModel>(&model);
  if (many != nullptr && many->strategy != Strategy::one_against_rest) return {};
  return std::vector<Calibration>(outputs(model), Calibration{.a = -1.0});
}

}  // namespace pegasos
