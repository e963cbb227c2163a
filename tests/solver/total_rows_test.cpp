// Rows that are a part of a problem's: m is then not theirs. The same problem in other words has
// rows of weight zero for those that are elsewhere.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "certify/joint_objective.h"
#include "certify/objective.h"
#include "pegasos/error.h"
#include "solver/joint.h"
#include "solver/kernel_ascent.h"
#include "solver/kernel_pegasos.h"
#include "solver/pegasos.h"
#include "solver/solve.h"
#include "support/kernel_problems.h"
#include "support/small_problem.h"

namespace pegasos {
namespace {

using testing::kernel_of;
using testing::make_problem;
using testing::SmallProblem;
using testing::with_kernel;

constexpr std::size_t kRows = 80;
constexpr std::uint64_t kTotal = 200;

SmallProblem part(Loss loss, Bias bias) {
  SmallProblem problem = make_problem(
      {.rows = kRows, .features = 6, .weighted = true, .lambda = 1e-2, .loss = loss, .bias = bias});
  return problem;
}

// The rows elsewhere, whose losses are none of this part's business.
SmallProblem padded(SmallProblem problem) {
  for (std::size_t i = kRows; i < kTotal; ++i) {
    problem.x.push_back(problem.x[i % kRows]);
    problem.y.push_back(problem.y[i % kRows]);
    problem.weights.push_back(0.0);
  }
  return problem;
}

TEST(TotalRows, ObjectiveAndBoundAreThoseOfTheWholeProblem) {
  ThreadPool pool(1);
  for (const Loss loss : testing::kAllLosses) {
    for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised}) {
      const SmallProblem small = part(loss, bias);
      const SmallProblem large = padded(small);
      LinearProblem problem = small.linear();
      problem.total_rows = kTotal;
      LinearPoint point{std::vector<double>(6, 0.3), bias == Bias::none ? 0.0 : 0.2};
      EXPECT_NEAR(evaluate_primal(problem, point, pool).objective(),
                  evaluate_primal(large.linear(), point, pool).objective(), 1e-13);
      std::vector<double> a(kRows, 0.1);
      std::vector<double> all(kTotal, 0.1);
      EXPECT_NEAR(evaluate_dual(problem, a, pool).objective(),
                  evaluate_dual(large.linear(), all, pool).objective(), 1e-13);
    }
  }
}

TEST(TotalRows, LinearSolversFindTheOptimumOfTheWholeProblem) {
  ThreadPool pool(1);
  for (const Solver solver : {Solver::sdca, Solver::newton}) {
    for (const Loss loss : {Loss::hinge, Loss::logistic, Loss::epsilon_insensitive}) {
      for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised}) {
        const SmallProblem small = part(loss, bias);
        const SmallProblem large = padded(small);
        LinearProblem problem = small.linear();
        problem.total_rows = kTotal;
        const SolverOptions options{.kind = solver, .tolerance = 1e-9, .max_epochs = 100000};
        const auto found = solve_linear(problem, options, {}, pool);
        const auto expected = solve_linear(large.linear(), options, {}, pool);
        EXPECT_TRUE(found.report.within(1e-9));
        EXPECT_NEAR(found.report.primal.objective(), expected.report.primal.objective(),
                    2e-9 * expected.report.primal.objective())
            << name_of(solver) << name_of(loss) << name_of(bias);
      }
    }
  }
}

// A share of the mean loss is the same as so much more of the regulariser.
TEST(TotalRows, PegasosStepsAsWithMoreOfTheRegulariser) {
  ThreadPool pool(1);
  for (const bool project : {false, true}) {
    const SmallProblem small = part(Loss::hinge, Bias::regularised);
    LinearProblem problem = small.linear();
    problem.total_rows = 4 * kRows;
    LinearProblem more = small.linear();
    more.lambda *= 4;
    const PegasosOptions options{.project = project, .epochs = 7};
    const auto found = train_pegasos(problem, options, {}, pool);
    const auto expected = train_pegasos(more, options, {}, pool);
    EXPECT_EQ(found.point.w, expected.point.w);
    EXPECT_EQ(found.point.b, expected.point.b);
    EXPECT_NEAR(4 * *found.report.dual, *expected.report.dual, 1e-12);
    EXPECT_NEAR(4 * found.report.primal.objective(), expected.report.primal.objective(), 1e-12);
  }
}

TEST(TotalRows, KernelSolversFindTheOptimumOfTheWholeProblem) {
  ThreadPool pool(1);
  for (const Bias bias : {Bias::none, Bias::unregularised}) {
    const SmallProblem small = part(Loss::hinge, bias);
    const SmallProblem large = padded(small);
    KernelProblem problem = with_kernel(small, kernel_of(KernelKind::rbf));
    problem.total_rows = kTotal;
    const auto whole = with_kernel(large, kernel_of(KernelKind::rbf));
    const auto found = ascend_kernel_dual(problem, {.tolerance = 1e-6}, {}, pool);
    const auto expected = ascend_kernel_dual(whole, {.tolerance = 1e-6}, {}, pool);
    EXPECT_TRUE(found.report.within(1e-6));
    const double optimum = expected.report.primal.objective();
    EXPECT_NEAR(found.report.primal.objective(), optimum, 2e-6 * optimum);
    const auto slow = train_kernel_pegasos(problem, {.epochs = 300}, {}, {}, pool);
    EXPECT_LE(*slow.report.dual, optimum * (1 + 1e-6));
    EXPECT_GE(slow.report.primal.objective(), optimum * (1 - 1e-6));
    EXPECT_LE(slow.report.primal.objective(), 1.1 * optimum);
  }
}

TEST(TotalRows, JointSolversFindTheOptimumOfTheWholeProblem) {
  ThreadPool pool(1);
  const SmallProblem small = part(Loss::hinge, Bias::none);
  const SmallProblem large = padded(small);
  const auto joint = [](const SmallProblem& rows, std::vector<std::uint32_t>& y) {
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      y.push_back(rows.y[i] > 0 ? 0 : 1 + static_cast<std::uint32_t>(i % kRows % 2));
    }
    return JointProblem{.data = rows.linear().data,
                        .y = y,
                        .weights = rows.weights,
                        .classes = 3,
                        .lambda = 1e-2,
                        .bias_feature = 1.0};
  };
  std::vector<std::uint32_t> y;
  std::vector<std::uint32_t> all;
  JointProblem problem = joint(small, y);
  problem.total_rows = kTotal;
  const JointProblem whole = joint(large, all);
  const SolverOptions options{.tolerance = 1e-8};
  const auto found = solve_joint(problem, options, {}, pool);
  const double optimum = solve_joint(whole, options, {}, pool).report.primal.objective();
  EXPECT_TRUE(found.report.within(1e-8));
  EXPECT_NEAR(found.report.primal.objective(), optimum, 2e-8 * optimum);
  SolverOptions pegasos{.kind = Solver::pegasos, .tolerance = 0.0, .max_epochs = 200};
  const auto slow = solve_joint(problem, pegasos, {}, pool);
  EXPECT_LE(*slow.report.dual, optimum * (1 + 1e-7));
  EXPECT_LE(slow.report.primal.objective(), 1.1 * optimum);
}

TEST(TotalRows, AreNotFewerThanThereAre) {
  const SmallProblem small = part(Loss::hinge, Bias::none);
  LinearProblem problem = small.linear();
  problem.total_rows = kRows - 1;
  EXPECT_THROW(problem.validate(), InvalidOption);
  problem.total_rows = kRows;
  EXPECT_NO_THROW(problem.validate());
}

}  // namespace
}  // namespace pegasos
