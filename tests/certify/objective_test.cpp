// Primal and dual objective against plain loops, weak duality, and the same bits on any number of
// threads.
#include "certify/objective.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "pegasos/certificate.h"
#include "support/naive_objective.h"
#include "support/small_problem.h"

namespace pegasos {
namespace {

using testing::arbitrary_problem;
using testing::feasible_duals;
using testing::kAllBiases;
using testing::kAllLosses;
using testing::make_problem;
using testing::naive_ascent;
using testing::naive_dual;
using testing::naive_point_of_duals;
using testing::naive_primal;
using testing::SmallProblem;

Random arbitrary_random() {
  return {*rc::gen::resize(1000, rc::gen::inRange<std::uint64_t>(0, 1000000)), 8};
}

LinearPoint random_point(const SmallProblem& problem, Random& random) {
  LinearPoint point;
  for (std::size_t j = 0; j < problem.features; ++j) point.w.push_back(random.normal());
  if (problem.bias != Bias::none) point.b = random.normal();
  return point;
}

// Feasible row by row; unbounded sides end at 3.
std::vector<double> random_duals(const SmallProblem& problem, Random& random) {
  std::vector<double> a;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const auto domain = feasible_duals(problem.loss, problem.y[i]);
    const double low = std::max(domain.low, -3.0);
    const double high = std::min(domain.high, 3.0);
    a.push_back(problem.weight(i) * (low + (high - low) * random.uniform()));
  }
  return a;
}

bool is_zero_row(const SmallProblem& problem, std::size_t i) {
  for (const float value : problem.x[i]) {
    if (value != 0.0F) return false;
  }
  return true;
}

TEST(Primal, IsTheFormula) {
  EXPECT_TRUE(rc::check("plain loops agree", [] {
    const SmallProblem problem = arbitrary_problem({.odd_rows = true});
    Random random = arbitrary_random();
    const LinearPoint point = random_point(problem, random);
    ThreadPool pool(1);
    const PrimalValue value = evaluate_primal(problem.linear(), point, pool);
    const double expected = naive_primal(problem, point);
    RC_ASSERT(std::abs(value.objective() - expected) <= 1e-12 * (1 + expected));
    RC_ASSERT(std::abs(regulariser_of(problem.linear(), point) - value.regulariser) == 0);
    if (!is_classification(problem.loss.loss)) {
      RC_ASSERT(value.wrong == 0u);
      return;
    }
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      const bool positive = problem.dot(i, point.w) + point.b > 0;
      wrong += positive != (problem.y[i] > 0) ? 1 : 0;
    }
    RC_ASSERT(value.wrong == wrong);
  }));
}

TEST(Primal, AtTheBestBiasIsLeast) {
  EXPECT_TRUE(rc::check("no bias is better", [] {
    const SmallProblem problem = arbitrary_problem({});
    Random random = arbitrary_random();
    LinearPoint point = random_point(problem, random);
    const LinearPoint given = point;
    ThreadPool pool(1);
    const double least = evaluate_primal_at_best_bias(problem.linear(), point, pool).objective();
    RC_ASSERT(std::abs(least - naive_primal(problem, point)) <= 1e-12 * (1 + least));
    if (!problem.has_free_bias()) {
      RC_ASSERT(point.b == given.b);
      return;
    }
    for (double b = -10; b <= 10; b += 0.05) {
      RC_ASSERT(least <= naive_primal(problem, {point.w, b}) + 1e-10 * (1 + least));
    }
  }));
}

TEST(Primal, NearTheBestBiasIsWithinWhatMayBeLeft) {
  EXPECT_TRUE(rc::check("no bias is better by more", [] {
    const SmallProblem problem = arbitrary_problem({});
    Random random = arbitrary_random();
    LinearPoint point = random_point(problem, random);
    const LinearPoint given = point;
    ThreadPool pool(1);
    const double left = std::pow(10.0, -6 * random.uniform());
    std::vector<double> z(problem.linear().rows());
    const double reached =
        evaluate_primal_near_best_bias(problem.linear(), point, left, z, pool).objective();
    RC_ASSERT(std::abs(reached - naive_primal(problem, point)) <= 1e-12 * (1 + reached));
    RC_ASSERT(point.w == given.w);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double score = problem.dot(i, point.w) + point.b;
      RC_ASSERT(std::abs(z[i] - score) <= 1e-12 * (1 + std::abs(score)));
    }
    if (problem.bias == Bias::none) RC_ASSERT(point.b == given.b);
    if (problem.bias != Bias::regularised) return;
    for (double b = -10; b <= 10; b += 0.05) {
      RC_ASSERT(reached <= naive_primal(problem, {point.w, b}) + left + 1e-10 * (1 + reached));
    }
  }));
}

TEST(Dual, IsTheFormula) {
  EXPECT_TRUE(rc::check("plain loops agree", [] {
    const SmallProblem problem = arbitrary_problem({.odd_rows = true});
    Random random = arbitrary_random();
    std::vector<double> a = random_duals(problem, random);
    const std::vector<double> given = a;
    ThreadPool pool(1);
    LinearPoint point;
    const DualValue value = evaluate_dual(problem.linear(), a, pool, &point);
    // What it made of the duals: unchanged, but for rows out of reach and the balance.
    double sum = 0;
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += a[i];
      size += std::abs(a[i]);
      const double s = problem.weight(i);
      if (s == 0) {
        RC_ASSERT(a[i] == 0.0);
        continue;
      }
      const auto domain = feasible_duals(problem.loss, problem.y[i]);
      RC_ASSERT(a[i] >= s * domain.low && a[i] <= s * domain.high);
      if (problem.bias == Bias::none && is_zero_row(problem, i)) {
        RC_ASSERT(a[i] == s * naive_ascent(problem.loss, 0.0, problem.y[i]));
      } else if (problem.has_free_bias()) {
        RC_ASSERT(std::abs(a[i]) <= std::abs(given[i]) * (1 + 1e-15));
        RC_ASSERT(a[i] * given[i] >= 0);
      } else {
        RC_ASSERT(std::abs(a[i] - given[i]) <= 1e-15 * std::abs(given[i]));
      }
    }
    if (problem.has_free_bias()) RC_ASSERT(std::abs(sum) <= 1e-13 * size);
    // And its value.
    const double expected = naive_dual(problem, a);
    const double scale = 1 + std::abs(value.gain) + value.regulariser;
    RC_ASSERT(std::abs(value.objective() - expected) <= 1e-12 * scale);
    const LinearPoint expected_point = naive_point_of_duals(problem, a);
    for (std::size_t j = 0; j < problem.features; ++j) {
      RC_ASSERT(std::abs(point.w[j] - expected_point.w[j]) <=
                1e-12 * (1 + std::abs(expected_point.w[j])));
    }
    RC_ASSERT(std::abs(point.b - expected_point.b) <= 1e-12 * (1 + std::abs(expected_point.b)));
  }));
}

TEST(Dual, ClampsWhatIsNotFeasible) {
  SmallProblem problem = make_problem({.rows = 4, .features = 2, .seed = 4});
  problem.y = {1, 1, -1, -1};
  problem.weights = {2, 1, 3, 0};
  std::vector<double> a = {5.0, -1.0, -7.0, -1.0};
  ThreadPool pool(1);
  evaluate_dual(problem.linear(), a, pool);
  EXPECT_EQ(a, (std::vector<double>{2.0, 0.0, -3.0, 0.0}));
}

TEST(Dual, OfEmptyRowsIsTheirBest) {
  for (const bool dense : {false, true}) {
    for (const Loss loss : kAllLosses) {
      SmallProblem problem =
          make_problem({.rows = 6, .features = 3, .dense = dense, .loss = loss, .seed = 2});
      for (auto& row : problem.x) row.assign(3, 0.0F);
      ThreadPool pool(1);
      std::vector<double> a(6, 0.0);
      const double dual = evaluate_dual(problem.linear(), a, pool).objective();
      // Nothing can be learned: the optimum is the mean loss at 0, and the bound must say so.
      const double primal = naive_primal(problem, {{0, 0, 0}, 0.0});
      EXPECT_NEAR(dual, primal, 1e-12 * (1 + primal)) << name_of(loss);
    }
  }
}

// Rows of a caller may store zeros; they are as empty as those without.
TEST(Dual, OfStoredZerosIsTheirBest) {
  const std::vector<std::uint64_t> offsets = {0, 1, 2};
  const std::vector<FeatureId> features = {0, 1};
  const std::vector<float> values = {0.0F, 0.0F};
  const std::vector<double> y = {1.0, -1.0};
  DatasetParts parts{.rows = 2, .features = 2};
  parts.sparse = SparseMatrix{offsets, features, values};
  const LinearProblem problem{.data = Dataset::from_parts(parts), .y = y, .lambda = 1.0};
  ThreadPool pool(1);
  std::vector<double> a = {0.0, 0.0};
  EXPECT_EQ(evaluate_dual(problem, a, pool).objective(), 1.0);
}

TEST(Dual, NeverExceedsThePrimal) {
  EXPECT_TRUE(rc::check("weak duality", [] {
    const SmallProblem problem =
        arbitrary_problem({.smallest_lambda = 1e-8, .largest_lambda = 1e8, .odd_rows = true});
    Random random = arbitrary_random();
    ThreadPool pool(1);
    std::vector<double> a = random_duals(problem, random);
    LinearPoint of_duals;
    const double dual = evaluate_dual(problem.linear(), a, pool, &of_duals).objective();
    for (LinearPoint point : {random_point(problem, random), of_duals,
                              LinearPoint{std::vector<double>(problem.features, 0.0), 0.0}}) {
      const double primal = evaluate_primal_at_best_bias(problem.linear(), point, pool).objective();
      RC_ASSERT(dual <= primal + 1e-12 * (1 + std::abs(primal)));
    }
  }));
}

// Several blocks of rows: the split over threads must not show in a single bit.
TEST(Objectives, AreTheSameBitsOnAnyNumberOfThreads) {
  for (const bool dense : {false, true}) {
    for (const Bias bias : kAllBiases) {
      const SmallProblem problem = make_problem({.rows = 11000,
                                                 .features = 30,
                                                 .density = dense ? 1.0 : 0.3,
                                                 .weighted = true,
                                                 .dense = dense,
                                                 .loss = Loss::logistic,
                                                 .bias = bias,
                                                 .seed = 6});
      const LinearProblem linear = problem.linear();
      Random random(4, 0);
      const LinearPoint given = random_point(problem, random);
      const std::vector<double> given_duals = random_duals(problem, random);
      PrimalValue first_primal;
      DualValue first_dual;
      LinearPoint first_point, first_of_duals;
      std::vector<double> first_duals;
      for (const int threads : {1, 2, 4, 8}) {
        ThreadPool pool(threads);
        LinearPoint point = given;
        const PrimalValue primal = evaluate_primal_at_best_bias(linear, point, pool);
        std::vector<double> a = given_duals;
        LinearPoint of_duals;
        const DualValue dual = evaluate_dual(linear, a, pool, &of_duals);
        if (threads == 1) {
          first_primal = primal;
          first_dual = dual;
          first_point = point;
          first_of_duals = of_duals;
          first_duals = a;
          EXPECT_NEAR(primal.objective(), naive_primal(problem, point), 1e-12);
          EXPECT_NEAR(dual.objective(), naive_dual(problem, a), 1e-10);
          continue;
        }
        EXPECT_EQ(primal.objective(), first_primal.objective());
        EXPECT_EQ(primal.wrong, first_primal.wrong);
        EXPECT_EQ(point.b, first_point.b);
        EXPECT_EQ(dual.objective(), first_dual.objective());
        EXPECT_EQ(of_duals.w, first_of_duals.w);
        EXPECT_EQ(of_duals.b, first_of_duals.b);
        EXPECT_EQ(a, first_duals);
      }
    }
  }
}

TEST(Certificate, NeedsAPositiveBoundForARelativeGap) {
  EXPECT_DOUBLE_EQ((Certificate{1.1, 1.0}).relative_gap(), 1.1 - 1.0);
  EXPECT_TRUE(std::isinf((Certificate{1.0, 0.0}).relative_gap()));
  EXPECT_TRUE(std::isinf((Certificate{1.0, -1.0}).relative_gap()));
}

}  // namespace
}  // namespace pegasos
