#include "certify/joint_objective.h"

#include <algorithm>
#include <cmath>

#include "math/passes.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

double regulariser_of(const JointProblem& problem, const JointPoint& point) {
  double squares = 0;
  for (const double weight : point.w) squares += weight * weight;
  if (problem.bias_feature != 0.0) {
    for (const double b : point.b) {
      const double weight = b / problem.bias_feature;
      squares += weight * weight;
    }
  }
  return 0.5 * problem.lambda * squares;
}

bool out_of_reach(const JointProblem& problem, std::size_t i) {
  if (problem.bias_feature != 0.0) return false;
  const auto values = problem.data.row(i).values;
  return std::all_of(values.begin(), values.end(), [](float value) { return value == 0.0F; });
}

// Returns a_iy. A row that no weight reaches has the loss 1 whatever W is, and its best dual.
double make_row_feasible(const JointProblem& problem, std::size_t i, std::span<double> a) {
  const std::size_t y = problem.y[i];
  const double s = problem.weight(i);
  if (out_of_reach(problem, i)) {
    std::fill(a.begin(), a.end(), 0.0);
    a[y == 0 ? 1 : 0] = -s;
  }
  double total = 0;
  for (std::size_t r = 0; r < a.size(); ++r) {
    a[r] = r == y ? 0.0 : std::min(a[r], 0.0);
    total -= a[r];
  }
  if (total > s) {
    const double factor = s / total;
    total = 0;
    for (double& value : a) {
      value *= factor;
      total -= value;
    }
    total = std::min(total, s);
  }
  a[y] = total;
  return total;
}

JointPoint point_of(const JointProblem& problem, std::span<const double> a, ThreadPool& pool) {
  const double unit = 1.0 / (problem.lambda * problem.m());
  const double B = problem.bias_feature;
  JointPoint point;
  point.w = combine_columns(problem.data, a, problem.classes, unit, pool);
  point.b = column_sums(a, problem.classes, pool.ranks());
  for (double& b : point.b) b *= B * B * unit;
  return point;
}

}  // namespace

void JointProblem::validate() const {
  if (!(lambda > 0) || std::isinf(lambda)) throw InvalidOption("lambda", "must be greater than 0");
  if (y.empty() || y.size() != data.rows()) throw InvalidOption("y", "one label per row is needed");
  if (total_rows > 0 && total_rows < y.size()) {
    throw InvalidOption("total_rows", "must not be less than the number of rows");
  }
  if (classes < 2) throw InvalidOption("classes", "two classes are needed");
  if (!weights.empty() && weights.size() != y.size()) {
    throw InvalidOption("weights", "one weight per row is needed");
  }
  for (const std::uint32_t label : y) {
    if (label >= classes) throw InvalidOption("y", "a label is not one of the classes");
  }
  if (!std::isfinite(bias_feature)) throw InvalidOption("bias_feature", "must be finite");
}

void joint_scores(const JointProblem& problem, const JointPoint& point, std::size_t row,
                  std::span<double> z) {
  std::copy(point.b.begin(), point.b.end(), z.begin());
  const RowView x = problem.data.row(row);
  const std::size_t K = z.size();
  for (std::size_t j = 0; j < x.values.size(); ++j) {
    const double* w = point.w.data() + (x.dense ? j : x.ids[j]) * K;
    const double value = double{x.values[j]};
    for (std::size_t r = 0; r < K; ++r) z[r] += value * w[r];
  }
}

JointLoss joint_loss(std::span<const double> z, std::size_t y) {
  JointLoss loss{0.0, y};
  for (std::size_t r = 0; r < z.size(); ++r) {
    const double excess = r == y ? 0.0 : 1.0 + z[r] - z[y];
    if (excess > loss.value) loss = {excess, r};
  }
  return loss;
}

PrimalValue evaluate_joint_primal(const JointProblem& problem, const JointPoint& point,
                                  ThreadPool& pool) {
  const auto [losses, wrong] =
      sums_over_blocks<2>(problem.rows(), pool, [&](std::size_t begin, std::size_t end) {
        std::vector<double> z(problem.classes);
        RowSums<2> sums = {};
        for (std::size_t i = begin; i < end; ++i) {
          joint_scores(problem, point, i, z);
          sums[0] += problem.weight(i) * joint_loss(z, problem.y[i]).value;
          const auto best =
              static_cast<std::size_t>(std::max_element(z.begin(), z.end()) - z.begin());
          sums[1] += best != problem.y[i] ? 1.0 : 0.0;
        }
        return sums;
      });
  PrimalValue value;
  value.regulariser = regulariser_of(problem, point);
  value.mean_loss = losses / problem.m();
  value.wrong = static_cast<std::uint64_t>(wrong);
  return value;
}

double evaluate_joint_dual(const JointProblem& problem, std::span<double> a, ThreadPool& pool,
                           JointPoint* w) {
  const std::size_t K = problem.classes;
  const double gains =
      sum_over_blocks(problem.rows(), pool, [&](std::size_t begin, std::size_t end) {
        double total = 0;
        for (std::size_t i = begin; i < end; ++i) {
          total += make_row_feasible(problem, i, a.subspan(i * K, K));
        }
        return total;
      });
  JointPoint point = point_of(problem, a, pool);
  const double bound = gains / problem.m() - regulariser_of(problem, point);
  if (w != nullptr) *w = std::move(point);
  return bound;
}

}  // namespace pegasos
