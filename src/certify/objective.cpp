#include "certify/objective.h"

#include <algorithm>
#include <cmath>

#include "math/best_bias.h"
#include "math/losses.h"
#include "math/passes.h"
#include "math/rows.h"

namespace pegasos {
namespace {

// No weight can reach the row: its score is 0 whatever w is.
bool out_of_reach(const LinearProblem& problem, std::size_t i) {
  if (problem.bias != Bias::none) return false;
  const auto values = problem.data.row(i).values;
  return std::all_of(values.begin(), values.end(), [](float value) { return value == 0.0F; });
}

// Feasible duals row by row, and their gain.
double make_feasible(const LinearProblem& problem, std::span<double> a, ThreadPool& pool) {
  return with_loss(problem.loss, [&](const auto& loss) {
    return sum_over_blocks(a.size(), pool, [&](std::size_t begin, std::size_t end) {
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
      return gain;
    });
  });
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
  RowSums<2> sums = {};  // of losses, of rows on the wrong side
  with_loss(problem.loss, [&](const auto& loss) {
    with_rows(problem.data, [&](const auto& rows) {
      sums = sums_over_blocks<2>(problem.rows(), pool, [&](std::size_t begin, std::size_t end) {
        double total = 0;
        std::uint64_t mistakes = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const double z = dot(rows.row(i), point.w.data()) + point.b;
          total += problem.weight(i) * loss.value(z, problem.y[i]);
          mistakes += (z > 0) != (problem.y[i] > 0) ? problem.copies_of(i) : 0;
        }
        return RowSums<2>{total, static_cast<double>(mistakes)};
      });
    });
  });
  PrimalValue value;
  value.regulariser = regulariser_of(problem, point);
  value.mean_loss = sums[0] / problem.m();
  if (is_classification(problem.loss.loss)) value.wrong = static_cast<std::uint64_t>(sums[1]);
  return value;
}

PrimalValue evaluate_primal_at_best_bias(const LinearProblem& problem, LinearPoint& point,
                                         ThreadPool& pool) {
  if (problem.has_free_bias()) {
    std::vector<double> z(problem.rows());
    multiply(problem.data, point.w, z, pool);
    point.b = best_bias_over_ranks(problem.loss, z, problem.y, problem.weights, pool);
  }
  return evaluate_primal(problem, point, pool);
}

DualValue evaluate_dual(const LinearProblem& problem, std::span<double> a, ThreadPool& pool,
                        LinearPoint* w) {
  const double m = problem.m();
  double gain = make_feasible(problem, a, pool);
  if (problem.has_free_bias()) {
    balance_duals(a, pool.ranks());
    gain = make_feasible(problem, a, pool);
  }
  LinearPoint point;
  point.w = combine(problem.data, a, pool);
  const double scale = 1.0 / (problem.lambda * m);
  for (auto& weight : point.w) weight *= scale;
  if (problem.bias == Bias::regularised) {
    const double B = problem.bias_feature;
    point.b = B * B * scale * sum_over_rows(a, pool.ranks());
  }
  DualValue value;
  value.gain = gain / m;
  value.regulariser = regulariser_of(problem, point);
  if (w != nullptr) *w = std::move(point);
  return value;
}

}  // namespace pegasos
