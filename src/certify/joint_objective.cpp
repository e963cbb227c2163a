#include "certify/joint_objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/passes.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::size_t kClassesPerTask = 8;

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

// W(a). Classes are shared out among the threads: every sum is over all rows in their order.
JointPoint point_of(const JointProblem& problem, std::span<const double> a, ThreadPool& pool) {
  const std::size_t K = problem.classes;
  JointPoint point;
  point.w.assign(problem.features() * K, 0.0);
  point.b.assign(K, 0.0);
  const double unit = 1.0 / (problem.lambda * static_cast<double>(problem.rows()));
  const double B = problem.bias_feature;
  pool.for_each((K + kClassesPerTask - 1) / kClassesPerTask, [&](std::size_t task) {
    const std::size_t first = task * kClassesPerTask;
    const std::size_t last = std::min(K, first + kClassesPerTask);
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      const double* of_row = a.data() + i * K;
      const bool any =
          std::any_of(of_row + first, of_row + last, [](double v) { return v != 0.0; });
      if (!any) continue;
      const RowView row = problem.data.row(i);
      for (std::size_t j = 0; j < row.values.size(); ++j) {
        double* w = point.w.data() + (row.dense ? j : row.ids[j]) * K;
        const double x = unit * double{row.values[j]};
        for (std::size_t r = first; r < last; ++r) w[r] += of_row[r] * x;
      }
      for (std::size_t r = first; r < last; ++r) point.b[r] += B * B * unit * of_row[r];
    }
  });
  return point;
}

}  // namespace

void JointProblem::validate() const {
  if (!(lambda > 0) || std::isinf(lambda)) throw InvalidOption("lambda", "must be more than 0");
  if (y.empty() || y.size() != data.rows()) throw InvalidOption("y", "one label per row is needed");
  if (classes < 2) throw InvalidOption("classes", "two classes are needed");
  if (!weights.empty() && weights.size() != y.size()) {
    throw InvalidOption("weights", "one weight per row is needed");
  }
  for (const std::uint32_t label : y) {
    if (label >= classes) throw InvalidOption("y", "a label is none of the classes");
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
  const std::size_t m = problem.rows();
  std::vector<double> losses(blocks_of(m));
  std::vector<std::uint64_t> wrong(blocks_of(m));
  for_row_blocks(m, pool, [&](std::size_t block, std::size_t begin, std::size_t end) {
    std::vector<double> z(problem.classes);
    for (std::size_t i = begin; i < end; ++i) {
      joint_scores(problem, point, i, z);
      losses[block] += problem.weight(i) * joint_loss(z, problem.y[i]).value;
      const auto best = static_cast<std::size_t>(std::max_element(z.begin(), z.end()) - z.begin());
      wrong[block] += best != problem.y[i] ? 1 : 0;
    }
  });
  PrimalValue value;
  value.regulariser = regulariser_of(problem, point);
  value.mean_loss = std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(m);
  for (const std::uint64_t count : wrong) value.wrong += count;
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
  const double bound = gains / static_cast<double>(problem.rows()) - regulariser_of(problem, point);
  if (w != nullptr) *w = std::move(point);
  return bound;
}

}  // namespace pegasos
