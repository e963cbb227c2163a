// Merging equal rows changes no objective, no function and no bound.
#include "solver/merged_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "data/row_groups.h"
#include "pegasos/read.h"
#include "pegasos/train.h"
#include "pegasos/verify.h"
#include "solver/merged_linear.h"
#include "solver/solve.h"
#include "support/kernel_problems.h"
#include "support/naive_objective.h"
#include "support/small_problem.h"
#include "support/solved.h"
#include "support/trained.h"

namespace pegasos {
namespace {

using testing::predicted;
using testing::trained_classes;
using testing::trained_kernel;
using testing::trained_linear;

Dataset read(const std::string& text) {
  return read_dataset_from_memory(text, "memory").data;
}

// Rows 0, 2 and 5 are equal; row 3 is the same point with the other label.
struct Example {
  Dataset data = read("1 1:1 2:2\n-1 1:3\n1 1:1 2:2\n-1 1:1 2:2\n1 2:-1\n1 1:1 2:2\n");
  std::vector<double> y = {1, -1, 1, -1, 1, 1};
  std::vector<double> weights = {1, 2, 0.5, 1, 3, 0.25};
  KernelProblem problem = [this] {
    KernelProblem result;
    result.data = data;
    result.y = y;
    result.weights = weights;
    result.lambda = 0.3;
    result.kernel = testing::kernel_of(KernelKind::rbf);
    return result;
  }();
};

TEST(MergedRows, JoinsEqualRowsOfEqualTargets) {
  const Example example;
  const auto merged = MergedRows::of(example.problem);
  ASSERT_TRUE(merged);
  const KernelProblem fewer = merged->problem();
  ASSERT_EQ(fewer.rows(), 4u);
  EXPECT_EQ(fewer.copies_of(0), 3u);
  EXPECT_EQ(fewer.copies_of(2), 1u);
  EXPECT_DOUBLE_EQ(fewer.weight(0), 1.75 * 4 / 6);
  EXPECT_DOUBLE_EQ(fewer.weight(3), 3.0 * 4 / 6);
}

TEST(MergedRows, DualsOfRowsGiveTheSameFunctionAndKeepTheirBounds) {
  const Example example;
  const auto merged = MergedRows::of(example.problem);
  ASSERT_TRUE(merged);
  const KernelProblem fewer = merged->problem();
  const std::vector<double> groups = {fewer.weight(0), 0.0, -0.2, 0.4};  // the first at its bound
  const std::vector<double> rows = merged->duals_of_rows(groups);
  EXPECT_EQ(rows[0], 1.0);
  EXPECT_EQ(rows[2], 0.5);
  EXPECT_EQ(rows[5], 0.25);
  EXPECT_EQ(rows[1], 0.0);
  const std::vector<std::vector<float>> points = {{1, 2}, {3, 0}, {1, 2}, {1, 2}, {0, -1}, {1, 2}};
  const std::vector<std::vector<float>> fewer_points = {{1, 2}, {3, 0}, {1, 2}, {0, -1}};
  const auto function = [&](const std::vector<double>& a, const std::vector<std::vector<float>>& at,
                            const auto& x) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += a[i] * testing::naive_kernel(example.problem.kernel, at[i], x);
    }
    return sum / (0.3 * static_cast<double>(a.size()));
  };
  for (const auto& x : points) {
    EXPECT_NEAR(function(rows, points, x), function(groups, fewer_points, x), 1e-12);
  }
  const std::vector<double> again = merged->merged_duals(rows);
  for (std::size_t g = 0; g < groups.size(); ++g) EXPECT_NEAR(again[g], groups[g], 1e-15);
}

TEST(MergedRows, LeavesDataAloneThatHasFewEqualRows) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "1 1:" + std::to_string(i) + "\n";
  const Dataset data = read(text);
  const std::vector<double> y(100, 1.0);
  KernelProblem problem;
  problem.data = data;
  problem.y = y;
  EXPECT_FALSE(MergedRows::of(problem));
}

// Every row three times is the same problem; verify proves it over the rows as they are.
TEST(MergedRows, TrainingOnEqualRowsProvesWhatTrainingOnOneOfEachDoes) {
  std::string once;
  for (int i = 0; i < 60; ++i) {
    const double angle = 0.7 * i;
    const double radius = i % 2 == 0 ? 1.0 : 1.4 + 0.3 * std::sin(5.0 * i);
    once += (i % 2 == 0 || i % 15 == 1 ? "1 1:" : "-1 1:") +
            std::to_string(radius * std::cos(angle)) +
            " 2:" + std::to_string(radius * std::sin(angle)) + "\n";
  }
  for (const Bias bias : {Bias::none, Bias::unregularised}) {
    TrainOptions options;
    options.kernel.emplace().kind = KernelKind::rbf;
    options.gamma_rule = GammaRule::scale;
    options.lambda = 0.01;
    options.bias = bias;
    options.solver.tolerance = 1e-6;
    const auto single = trained_kernel(read(once), options).model;
    const Dataset tripled = read(once + once + once);
    auto result = trained_kernel(tripled, options);
    EXPECT_NEAR(result.model.certificate->primal, single.certificate->primal,
                2e-6 * single.certificate->primal);
    EXPECT_EQ(result.model.certificate->wrong, 3 * *single.certificate->wrong);
    EXPECT_EQ(result.model.support.rows % 3, 0u);
    EXPECT_GE(result.model.support.rows, 3 * result.model.coefficients.size());
    result.model.duals = std::move(result.duals);
    EXPECT_EQ(verify(result.model, tripled).finding, Finding::holds);
  }
}

// Rows of a small problem, each several times, in an order that mixes them.
testing::SmallProblem repeated_problem(Loss loss, Bias bias) {
  testing::SmallProblem once = testing::make_problem({.rows = 200,
                                                      .features = 6,
                                                      .density = 0.5,
                                                      .weighted = true,
                                                      .lambda = 1e-2,
                                                      .loss = loss,
                                                      .bias = bias});
  testing::SmallProblem problem = once;
  problem.x.clear();
  problem.y.clear();
  problem.weights.clear();
  for (std::size_t k = 0; k < 1200; ++k) {
    const std::size_t i = k * k % 199;
    problem.x.push_back(once.x[i]);
    problem.y.push_back(once.y[i]);
    problem.weights.push_back(once.weights[k % 200]);
  }
  return problem;
}

TEST(RowGroups, AreTheRowsThatAreEqual) {
  for (const bool dense : {false, true}) {
    testing::SmallProblem small = repeated_problem(Loss::hinge, Bias::none);
    small.dense = dense;
    small.y[700] = -small.y[700];  // the same point with another label is another row
    const LinearProblem problem = small.linear();
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      const auto groups = group_equal_rows(problem.data, problem.y, 0.9, pool);
      ASSERT_TRUE(groups);
      for (std::size_t i = 0; i < problem.rows(); ++i) {
        std::size_t first = 0;
        while (small.x[first] != small.x[i] || small.y[first] != small.y[i]) ++first;
        EXPECT_EQ(groups->firsts[groups->group_of[i]], first);
      }
    }
    ThreadPool pool(1);
    EXPECT_FALSE(group_equal_rows(problem.data, problem.y, 0.05, pool));
  }
  const testing::SmallProblem different = testing::make_problem({.rows = 2000, .features = 3});
  ThreadPool pool(1);
  EXPECT_FALSE(group_equal_rows(different.linear().data, different.y, 1.0, pool));
}

// Newton steps on merged rows solve, and report, the problem of the rows as they are.
TEST(MergedLinear, IsTheSameProblem) {
  for (const Loss loss : testing::kAllLosses) {
    for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised}) {
      const testing::SmallProblem problem = repeated_problem(loss, bias);
      SCOPED_TRACE(describe(problem));
      ThreadPool pool(1);
      ASSERT_TRUE(MergedLinear::of(problem.linear(), pool));
      SolverOptions options{.kind = Solver::newton, .tolerance = 1e-8};
      Watch watch;
      watch.event = [&](const TrainingEvent& event) {
        const std::vector<double> a = event.duals();
        ASSERT_EQ(a.size(), problem.rows());
        EXPECT_NEAR(naive_dual(problem, a), *event.report.dual, 1e-9);
      };
      const SolverResult result = solve_linear(problem.linear(), options, watch, pool);
      testing::expect_solved(problem, result, 1.01e-8);
      if (!is_classification(loss)) continue;
      std::uint64_t wrong = 0;
      for (std::size_t i = 0; i < problem.rows(); ++i) {
        const double z = problem.dot(i, result.point.w) + result.point.b;
        wrong += (z > 0) != (problem.y[i] > 0) ? 1 : 0;
      }
      EXPECT_EQ(result.report.primal.wrong, wrong);
      WarmStart start;
      start.a = result.a;
      EXPECT_LE(solve_linear(problem.linear(), options, {}, pool, start).report.epoch, 3U);
    }
  }
}

}  // namespace
}  // namespace pegasos
