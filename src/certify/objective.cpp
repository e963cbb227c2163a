#include "certify/objective.h"

#include <algorithm>
#include <cmath>

#include "math/best_bias.h"
#include "math/losses.h"
#include "math/rows.h"

namespace pegasos {
namespace {

constexpr std::size_t kRowsPerBlock = 2048;

std::size_t blocks_of(std::size_t rows) {
  return (rows + kRowsPerBlock - 1) / kRowsPerBlock;
}

// Calls task(block, begin, end) for every block of rows.
template <typename Task>
void for_row_blocks(std::size_t rows, ThreadPool& pool, Task&& task) {
  pool.for_each(blocks_of(rows), [&](std::size_t block) {
    const std::size_t begin = block * kRowsPerBlock;
    task(block, begin, std::min(rows, begin + kRowsPerBlock));
  });
}

double sum(std::span<const double> parts) {
  double total = 0;
  for (const double part : parts) total += part;
  return total;
}

// No weight can reach the row: its score is 0 whatever w is.
bool out_of_reach(const LinearProblem& problem, std::size_t i) {
  if (problem.bias != Bias::none) return false;
  const auto values = problem.data.row(i).values;
  return std::all_of(values.begin(), values.end(), [](float value) { return value == 0.0F; });
}

// Feasible duals row by row, and their gain.
double make_feasible(const LinearProblem& problem, std::span<double> a, ThreadPool& pool) {
  std::vector<double> parts(blocks_of(a.size()));
  with_loss(problem.loss, [&](const auto& loss) {
    for_row_blocks(a.size(), pool, [&](std::size_t block, std::size_t begin, std::size_t end) {
      double gain = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const double s = problem.weight(i);
        const double y = problem.y[i];
        if (s == 0.0) {
          a[i] = 0.0;
          continue;
        }
        const double unit =
            out_of_reach(problem, i) ? loss.ascent(0.0, y) : loss.clamp(a[i] / s, y);
        a[i] = s * unit;
        gain += s * loss.gain(unit, y);
      }
      parts[block] = gain;
    });
  });
  return sum(parts);
}

// Shrinks the heavier side until the duals sum to zero; shrinking keeps them feasible.
void balance(std::span<double> a) {
  double up = 0;
  double down = 0;
  for (const double value : a) (value > 0 ? up : down) += std::abs(value);
  if (up == down) return;
  const double factor = std::min(up, down) / std::max(up, down);
  for (auto& value : a) {
    if ((value > 0) == (up > down)) value *= factor;
  }
}

// sum_i a_i x_i. Every block of rows adds into a vector of its own, and the vectors are added in
// order. How many there are depends on the data alone, and no more than pays for clearing them.
std::vector<double> combine_rows(const LinearProblem& problem, std::span<const double> a,
                                 ThreadPool& pool) {
  const std::size_t d = problem.features();
  const std::size_t stored = problem.data.is_dense()
                                 ? problem.data.dense().values.size()
                                 : static_cast<std::size_t>(problem.data.non_zeros());
  const std::size_t parts = std::clamp<std::size_t>(stored / (4 * d + 1), 1, 8);
  std::vector<std::vector<double>> partial(parts);
  with_rows(problem.data, [&](const auto& rows) {
    pool.for_each(parts, [&](std::size_t part) {
      partial[part].assign(d, 0.0);
      const std::size_t begin = a.size() * part / parts;
      const std::size_t end = a.size() * (part + 1) / parts;
      for (std::size_t i = begin; i < end; ++i) {
        if (a[i] != 0.0) add(rows.row(i), a[i], partial[part].data());
      }
    });
  });
  for (std::size_t part = 1; part < parts; ++part) {
    for (std::size_t j = 0; j < d; ++j) partial[0][j] += partial[part][j];
  }
  return std::move(partial[0]);
}

std::vector<double> scores_without_bias(const LinearProblem& problem, const LinearPoint& point,
                                        ThreadPool& pool) {
  std::vector<double> z(problem.rows());
  with_rows(problem.data, [&](const auto& rows) {
    for_row_blocks(z.size(), pool, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) z[i] = dot(rows.row(i), point.w.data());
    });
  });
  return z;
}

}  // namespace

double regulariser_of(const LinearProblem& problem, const LinearPoint& point) {
  double squares = 0;
  for (const double weight : point.w) squares += weight * weight;
  if (problem.bias == Bias::regularised) {
    const double weight = point.b / problem.bias_feature;
    squares += weight * weight;
  }
  return 0.5 * problem.lambda * squares;
}

PrimalValue evaluate_primal(const LinearProblem& problem, const LinearPoint& point,
                            ThreadPool& pool) {
  const std::size_t m = problem.rows();
  std::vector<double> losses(blocks_of(m));
  std::vector<std::uint64_t> wrong(blocks_of(m));
  with_loss(problem.loss, [&](const auto& loss) {
    with_rows(problem.data, [&](const auto& rows) {
      for_row_blocks(m, pool, [&](std::size_t block, std::size_t begin, std::size_t end) {
        double total = 0;
        std::uint64_t mistakes = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const double z = dot(rows.row(i), point.w.data()) + point.b;
          total += problem.weight(i) * loss.value(z, problem.y[i]);
          mistakes += (z > 0) != (problem.y[i] > 0) ? 1 : 0;
        }
        losses[block] = total;
        wrong[block] = mistakes;
      });
    });
  });
  PrimalValue value;
  value.regulariser = regulariser_of(problem, point);
  value.mean_loss = sum(losses) / static_cast<double>(m);
  if (is_classification(problem.loss.loss)) {
    for (const auto count : wrong) value.wrong += count;
  }
  return value;
}

PrimalValue evaluate_primal_at_best_bias(const LinearProblem& problem, LinearPoint& point,
                                         ThreadPool& pool) {
  if (problem.has_free_bias()) {
    const auto z = scores_without_bias(problem, point, pool);
    point.b = best_bias(problem.loss, z, problem.y, problem.weights);
  }
  return evaluate_primal(problem, point, pool);
}

DualValue evaluate_dual(const LinearProblem& problem, std::span<double> a, ThreadPool& pool,
                        LinearPoint* w) {
  const auto m = static_cast<double>(problem.rows());
  double gain = make_feasible(problem, a, pool);
  if (problem.has_free_bias()) {
    balance(a);
    gain = make_feasible(problem, a, pool);
  }
  LinearPoint point;
  point.w = combine_rows(problem, a, pool);
  const double scale = 1.0 / (problem.lambda * m);
  for (auto& weight : point.w) weight *= scale;
  if (problem.bias == Bias::regularised) {
    const double B = problem.bias_feature;
    point.b = B * B * scale * sum(a);
  }
  DualValue value;
  value.gain = gain / m;
  value.regulariser = regulariser_of(problem, point);
  if (w != nullptr) *w = std::move(point);
  return value;
}

}  // namespace pegasos
