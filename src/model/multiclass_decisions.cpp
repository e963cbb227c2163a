// Scores of many rows for many classes.
//
// Every row is walked once for all classifiers: its features against rows of W, or its kernel
// values against rows of coefficients. One against one then turns the scores of pairs into one a
// class,
//
//   votes + s/(3 (|s| + 1)),   s the sum of the margins with which the class was preferred
//
// so that a vote always counts more than all margins.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "math/kernel_blocks.h"
#include "model/column_weights.h"
#include "model/scaled_blocks.h"
#include "pegasos/model.h"

namespace pegasos {
namespace {

constexpr std::size_t kRowsPerTask = 256;
constexpr std::size_t kMappedRows = 1024;

// A matrix of rows x classifiers.
struct Scores {
  std::size_t classifiers;
  std::vector<double> values;

  std::span<double> row(std::size_t i) {
    return std::span(values).subspan(i * classifiers, classifiers);
  }
};

void add_feature(double value, const double* w, std::span<double> scores) {
  for (std::size_t k = 0; k < scores.size(); ++k) scores[k] += value * w[k];
}

// Adds X W to the rows of `scores` from `first` on.
void add_products(const Dataset& rows, const std::vector<double>& w, std::size_t first,
                  Scores& scores, ThreadPool& pool) {
  pool.for_each((rows.rows() + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task) {
    const std::size_t end = std::min(rows.rows(), (task + 1) * kRowsPerTask);
    for (std::size_t i = task * kRowsPerTask; i < end; ++i) {
      const RowView row = rows.row(i);
      const auto sums = scores.row(first + i);
      for (std::size_t j = 0; j < row.values.size(); ++j) {
        const std::size_t feature = row.dense ? j : row.ids[j];
        add_feature(double{row.values[j]}, w.data() + feature * scores.classifiers, sums);
      }
    }
  });
}

void add_linear(const LinearClassifiers& model, const Dataset& rows, Scores& scores,
                ThreadPool& pool) {
  if (!model.map) {
    add_products(rows, model.w, 0, scores, pool);
    return;
  }
  for (std::size_t first = 0; first < rows.rows(); first += kMappedRows) {
    const std::size_t count = std::min(kMappedRows, rows.rows() - first);
    add_products(model.map->apply(rows.slice(first, count), pool.threads()), model.w, first, scores,
                 pool);
  }
}

// The classifier of classes c < d.
std::size_t classifier_of(std::size_t c, std::size_t d, std::size_t classes) {
  return c * (2 * classes - c - 1) / 2 + d - c - 1;
}

// The classifier that coefficient `slot` of a vector of class c belongs to.
std::size_t classifier_of_slot(const MulticlassModel& model, std::size_t c, std::size_t slot) {
  const std::size_t other = slot < c ? slot : slot + 1;
  return classifier_of(std::min(c, other), std::max(c, other), model.classes.size());
}

// The columns of a precomputed kernel are features, and coefficients their weights.
void add_columns(const MulticlassModel& model, const KernelClassifiers& kernels,
                 const Dataset& rows, Scores& scores, ThreadPool& pool) {
  const std::size_t width = model.coefficients_per_vector();
  const UsedColumns used(kernels.columns);
  std::vector<double> w(used.size() * scores.classifiers, 0.0);
  for (std::size_t j = 0; j < kernels.columns.size(); ++j) {
    for (std::size_t slot = 0; slot < width; ++slot) {
      const std::size_t classifier = kernels.vector_class.empty()
                                         ? slot
                                         : classifier_of_slot(model, kernels.vector_class[j], slot);
      w[used.place_of(kernels.columns[j]) * scores.classifiers + classifier] +=
          kernels.coefficients[j * width + slot];
    }
  }
  pool.for_each((rows.rows() + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task) {
    const std::size_t end = std::min(rows.rows(), (task + 1) * kRowsPerTask);
    for (std::size_t i = task * kRowsPerTask; i < end; ++i) {
      used.for_values(rows.row(i), [&](std::size_t place, double value) {
        add_feature(value, w.data() + place * scores.classifiers, scores.row(i));
      });
    }
  });
}

void add_pairs(const MulticlassModel& model, const KernelClassifiers& kernels,
               const KernelBlocks& blocks, Scores& scores, ThreadPool& pool) {
  const std::size_t width = model.coefficients_per_vector();
  const std::size_t rows = blocks.columns();
  for (std::size_t c = 0, begin = 0; c < model.classes.size(); ++c) {
    std::size_t end = begin;
    while (end < kernels.vector_class.size() && kernels.vector_class[end] == c) ++end;
    std::vector<RowId> ids(end - begin);
    std::iota(ids.begin(), ids.end(), static_cast<RowId>(begin));
    std::vector<double> sums(rows * width, 0.0);
    blocks.add_scores(ids,
                      std::span(kernels.coefficients).subspan(begin * width, ids.size() * width),
                      width, sums, pool);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t slot = 0; slot < width; ++slot) {
        scores.row(i)[classifier_of_slot(model, c, slot)] += sums[i * width + slot];
      }
    }
    begin = end;
  }
}

void add_kernels(const MulticlassModel& model, const KernelClassifiers& kernels,
                 const Dataset& rows, Scores& scores, ThreadPool& pool) {
  if (kernels.kernel.kind == KernelKind::precomputed) {
    add_columns(model, kernels, rows, scores, pool);
    return;
  }
  if (rows.rows() == 0 || kernels.vectors() == 0) return;
  const KernelBlocks blocks(kernels.kernel, kernels.support_vectors, rows, pool);
  if (model.strategy == Strategy::one_against_one) {
    add_pairs(model, kernels, blocks, scores, pool);
    return;
  }
  std::vector<RowId> all(kernels.vectors());
  std::iota(all.begin(), all.end(), RowId{0});
  blocks.add_scores(all, kernels.coefficients, scores.classifiers, scores.values, pool);
}

std::vector<double> votes_of(Scores& pairs, std::size_t classes, std::size_t rows) {
  const std::vector<ClassPair> names = class_pairs(classes);
  std::vector<double> result(rows * classes, 0.0);
  std::vector<double> margins(classes);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto scores = pairs.row(i);
    const auto votes = std::span(result).subspan(i * classes, classes);
    std::fill(margins.begin(), margins.end(), 0.0);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto [first, second] = names[k];
      votes[scores[k] > 0 ? first : second] += 1.0;
      margins[first] += scores[k];
      margins[second] -= scores[k];
    }
    for (std::size_t c = 0; c < classes; ++c) {
      votes[c] += margins[c] / (3.0 * (std::abs(margins[c]) + 1.0));
    }
  }
  return result;
}

std::vector<double> classifier_scores(const MulticlassModel& model, const Dataset& rows,
                                      ThreadPool& pool) {
  const std::size_t classifiers = model.classifiers.size();
  Scores scores{classifiers, std::vector<double>(rows.rows() * classifiers, 0.0)};
  if (const KernelClassifiers* kernels = model.kernels()) {
    add_kernels(model, *kernels, rows, scores, pool);
  } else {
    add_linear(*model.linear(), rows, scores, pool);
  }
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < classifiers; ++k) scores.row(i)[k] += model.classifiers[k].b;
  }
  return std::move(scores.values);
}

}  // namespace

std::vector<double> decisions(const MulticlassModel& model, const Dataset& rows, int threads) {
  ThreadPool pool(threads > 0 ? threads : available_cores());
  std::vector<double> values = on_scaled_blocks(model.scaling, rows, [&](const Dataset& scaled) {
    return classifier_scores(model, scaled, pool);
  });
  if (model.strategy != Strategy::one_against_one) return values;
  Scores pairs{model.classifiers.size(), std::move(values)};
  return votes_of(pairs, model.classes.size(), rows.rows());
}

std::size_t outputs(const Model& model) {
  const auto* many = std::get_if<MulticlassModel>(&model);
  return many == nullptr ? 1 : many->classes.size();
}

}  // namespace pegasos
