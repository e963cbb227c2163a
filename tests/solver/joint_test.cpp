// The joint loss: certificates against sums written out anew, the optimum against a slow descent.
#include "solver/joint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace pegasos::testing {
namespace {

constexpr std::size_t kRows = 24;
constexpr std::size_t kFeatures = 3;
constexpr std::size_t kClasses = 4;

struct Small {
  std::vector<float> values;
  std::vector<std::uint32_t> y;
  std::vector<double> weights;

  Small() {
    Random random(5, 0);
    for (std::size_t i = 0; i < kRows; ++i) {
      y.push_back(random.below32(kClasses));
      weights.push_back(0.5 + random.uniform());
      for (std::size_t j = 0; j < kFeatures; ++j) {
        values.push_back(static_cast<float>(random.normal() + (y.back() == j ? 1.5 : 0.0)));
      }
    }
  }
  JointProblem problem() const {
    DatasetParts parts;
    parts.rows = kRows;
    parts.features = kFeatures;
    parts.dense = DenseMatrix{values, kFeatures};
    JointProblem result;
    result.data = Dataset::from_parts(parts);
    result.y = y;
    result.weights = weights;
    result.classes = kClasses;
    result.lambda = 0.05;
    result.bias_feature = 0.7;
    return result;
  }
};

double score(const JointProblem& p, const JointPoint& point, std::size_t i, std::size_t r) {
  double z = point.b[r];
  for (std::size_t j = 0; j < kFeatures; ++j) {
    z += double{p.data.row(i).values[j]} * point.w[j * kClasses + r];
  }
  return z;
}

// Straight from the definition.
double primal(const JointProblem& p, const JointPoint& point) {
  double value = 0;
  for (const double w : point.w) value += 0.5 * p.lambda * w * w;
  for (const double b : point.b)
    value += 0.5 * p.lambda * (b / p.bias_feature) * (b / p.bias_feature);
  for (std::size_t i = 0; i < kRows; ++i) {
    double worst = 0;
    for (std::size_t r = 0; r < kClasses; ++r) {
      const double margin = score(p, point, i, r) - score(p, point, i, p.y[i]);
      worst = std::max(worst, (r == p.y[i] ? 0.0 : 1.0) + margin);
    }
    value += p.weight(i) * worst / kRows;
  }
  return value;
}

JointPoint random_point(Random& random, double size) {
  JointPoint point;
  for (std::size_t k = 0; k < kFeatures * kClasses; ++k) point.w.push_back(size * random.normal());
  for (std::size_t r = 0; r < kClasses; ++r) point.b.push_back(size * random.normal());
  return point;
}

// The best of plain sub-gradient descent by numbers: slow, and knows nothing of duals.
double slow_minimum(const JointProblem& p) {
  JointPoint point = {std::vector<double>(kFeatures * kClasses), std::vector<double>(kClasses)};
  double best = primal(p, point);
  for (int t = 1; t <= 60000; ++t) {
    const double eta = 1.0 / (p.lambda * (t + 20));
    JointPoint gradient = point;
    for (double& g : gradient.w) g *= p.lambda;
    for (double& g : gradient.b) g *= p.lambda;
    for (std::size_t i = 0; i < kRows; ++i) {
      std::size_t worst = p.y[i];
      double excess = 0;
      for (std::size_t r = 0; r < kClasses; ++r) {
        const double value =
            (r == p.y[i] ? 0.0 : 1.0) + score(p, point, i, r) - score(p, point, i, p.y[i]);
        if (value > excess) {
          excess = value;
          worst = r;
        }
      }
      const double s = p.weight(i) / kRows;
      for (std::size_t j = 0; j < kFeatures; ++j) {
        gradient.w[j * kClasses + worst] += s * double{p.data.row(i).values[j]};
        gradient.w[j * kClasses + p.y[i]] -= s * double{p.data.row(i).values[j]};
      }
      const double B2 = p.bias_feature * p.bias_feature;
      gradient.b[worst] += s * B2;
      gradient.b[p.y[i]] -= s * B2;
    }
    for (std::size_t k = 0; k < point.w.size(); ++k) point.w[k] -= eta * gradient.w[k];
    for (std::size_t r = 0; r < kClasses; ++r) point.b[r] -= eta * gradient.b[r];
    if (t % 50 == 0) best = std::min(best, primal(p, point));
  }
  return best;
}

TEST(Joint, ObjectiveIsThatOfTheDefinitionAndNoDualIsAboveIt) {
  const Small small;
  const JointProblem p = small.problem();
  ThreadPool pool(2);
  Random random(9, 0);
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (int round = 0; round < 50; ++round) {
    const JointPoint point = random_point(random, round * 0.05);
    EXPECT_NEAR(evaluate_joint_primal(p, point, pool).objective(), primal(p, point), 1e-12);
    lowest = std::min(lowest, primal(p, point));
    std::vector<double> a(kRows * kClasses);
    for (double& value : a) value = 0.3 * random.normal();  // not feasible yet
    highest = std::max(highest, evaluate_joint_dual(p, a, pool));
    for (std::size_t i = 0; i < kRows; ++i) {
      double sum = 0;
      for (std::size_t r = 0; r < kClasses; ++r) {
        const double value = a[i * kClasses + r];
        sum += value;
        EXPECT_TRUE(r == p.y[i] ? value >= 0 && value <= p.weight(i) + 1e-12 : value <= 0);
      }
      EXPECT_NEAR(0.0, sum, 1e-12);
    }
  }
  EXPECT_LE(highest, lowest);
}

TEST(Joint, DualAscentFindsTheMinimumOfASlowDescent) {
  const Small small;
  const JointProblem p = small.problem();
  ThreadPool pool(2);
  SolverOptions options;
  options.tolerance = 1e-7;
  const JointResult result = solve_joint(p, options, {}, pool);
  EXPECT_TRUE(result.report.within(1e-7));
  EXPECT_NEAR(primal(p, result.point), result.report.primal.objective(), 1e-12);
  const double slow = slow_minimum(p);
  EXPECT_GE(slow, *result.report.dual);
  EXPECT_NEAR(slow, result.report.primal.objective(), 1e-3 * slow);
}

TEST(Joint, PegasosComesNearAndItsBoundHoldsAtEveryEpoch) {
  const Small small;
  const JointProblem p = small.problem();
  ThreadPool pool(1);
  SolverOptions exact;
  exact.tolerance = 1e-8;
  const double optimum = solve_joint(p, exact, {}, pool).report.primal.objective();
  SolverOptions options;
  options.kind = Solver::pegasos;
  options.max_epochs = 400;
  options.tolerance = 0.0;
  Watch watch;
  watch.event = [&](const TrainingEvent& event) {
    EXPECT_LE(*event.report.dual, optimum * (1 + 1e-7));
    EXPECT_GE(event.report.primal.objective(), optimum * (1 - 1e-7));
  };
  const JointResult result = solve_joint(p, options, watch, pool);
  EXPECT_EQ(400U, result.report.epoch);
  EXPECT_LT(result.report.primal.objective(), 1.03 * optimum);
  EXPECT_GT(*result.report.dual, 0.97 * optimum);
}

TEST(Joint, RefusesWhatItDoesNotHave) {
  const Small small;
  ThreadPool pool(1);
  SolverOptions newton;
  newton.kind = Solver::newton;
  EXPECT_THROW(solve_joint(small.problem(), newton, {}, pool), std::exception);
}

}  // namespace
}  // namespace pegasos::testing
