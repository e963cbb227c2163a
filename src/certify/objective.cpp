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

template <typename LossType, typename Score>
PrimalValue primal_of_scores(const LinearProblem& problem, const LossType& loss,
                             const LinearPoint& point, ThreadPool& pool, const Score& score) {
  // Of losses, of rows on the wrong side.
  const auto sums =
      sums_over_blocks<2>(problem.rows(), pool, [&](std::size_t begin, std::size_t end) {
        double total = 0;
        std::uint64_t mistakes = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const double z = score(i);
          total += problem.weight(i) * loss.value(z, problem.y[i]);
          mistakes += (z > 0) != (problem.y[i] > 0) ? problem.copies_of(i) : 0;
        }
        return RowSums<2>{total, static_cast<double>(mistakes)};
      });
  PrimalValue value;
  value.regulariser = regulariser_of(problem, point);
  value.mean_loss = sums[0] / problem.m();
  if (is_classification(problem.loss.loss)) value.wrong = static_cast<std::uint64_t>(sums[1]);
  return value;
}

// The b near `start` at which P is at most `left` above its minimum over b, the weights being what
// they are. P is convex in b: between two places where its slope has different signs lies the
// minimum, and no more can be gained at either than the slope there times their distance. The next
// place is where a straight slope would be zero; a side that stays twice is doubted (the Illinois
// rule).
template <typename LossType>
double near_best_bias(const LinearProblem& problem, const LossType& loss, std::span<const double> z,
                      double start, double left, ThreadPool& pool) {
  constexpr int kMostSteps = 40;
  const auto slope_at = [&](double b) {
    const double ascents = sum_over_blocks(z.size(), pool, [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) {
        sum += problem.weight(i) * loss.ascent(z[i] + b, problem.y[i]);
      }
      return sum;
    });
    return problem.lambda * b / (problem.bias_feature * problem.bias_feature) -
           ascents / problem.m();
  };
  double near = start;
  double near_slope = slope_at(near);
  double step = 0.01 * (1.0 + std::abs(start));
  double far = near;
  double far_slope = near_slope;
  for (int i = 0; i < kMostSteps && far_slope * near_slope > 0; ++i, step *= 2) {
    near = far;
    near_slope = far_slope;
    far += near_slope > 0 ? -step : step;
    far_slope = slope_at(far);
  }
  double near_counts = near_slope;  // halved where a side stayed
  double far_counts = far_slope;
  int stayed = 0;
  for (int i = 0; i < kMostSteps; ++i) {
    const double least = std::min(std::abs(near_slope), std::abs(far_slope));
    if (least * std::abs(far - near) <= left) break;
    const double b = near + (far - near) * near_counts / (near_counts - far_counts);
    const double slope = slope_at(b);
    if ((slope > 0) == (near_slope > 0)) {
      near = b;
      near_slope = near_counts = slope;
      if (stayed == 1) far_counts *= 0.5;
      stayed = 1;
    } else {
      far = b;
      far_slope = far_counts = slope;
      if (stayed == 2) near_counts *= 0.5;
      stayed = 2;
    }
  }
  return std::abs(near_slope) < std::abs(far_slope) ? near : far;
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
                            ThreadPool& pool, std::span<double> z) {
  return with_loss(problem.loss, [&](const auto& loss) {
    return with_rows(problem.data, [&](const auto& rows) {
      return primal_of_scores(problem, loss, point, pool, [&](std::size_t i) {
        const double score = dot(rows.row(i), point.w.data()) + point.b;
        if (!z.empty()) z[i] = score;
        return score;
      });
    });
  });
}

PrimalValue evaluate_primal_at_best_bias(const LinearProblem& problem, LinearPoint& point,
                                         ThreadPool& pool, std::span<double> z) {
  if (!problem.has_free_bias()) return evaluate_primal(problem, point, pool, z);
  if (!z.empty()) return evaluate_primal_near_best_bias(problem, point, 0.0, z, pool);
  std::vector<double> scores(problem.rows());
  return evaluate_primal_near_best_bias(problem, point, 0.0, scores, pool);
}

PrimalValue evaluate_primal_near_best_bias(const LinearProblem& problem, LinearPoint& point,
                                           double left, std::span<double> z, ThreadPool& pool) {
  multiply(problem.data, point.w, z, pool);
  return with_loss(problem.loss, [&](const auto& loss) {
    if (problem.has_free_bias()) {
      point.b = best_bias_over_ranks(problem.loss, z, problem.y, problem.weights, pool);
    } else if (problem.bias == Bias::regularised && pool.is_alone()) {
      point.b = near_best_bias(problem, loss, z, point.b, left, pool);
    }
    for (double& score : z) score += point.b;
    return primal_of_scores(problem, loss, point, pool, [&](std::size_t i) { return z[i]; });
  });
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
