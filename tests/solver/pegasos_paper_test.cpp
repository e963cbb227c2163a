// What the paper found, found again: which samplings and settings converge how fast, and that real
// data sets reach their known optimum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "solver/pegasos.h"
#include "support/real_data.h"
#include "support/small_problem.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::make_problem;
using testing::SmallProblem;

// Noisy classes that no plane separates.
SmallProblem noisy_problem(double lambda) {
  return make_problem({.rows = 2000,
                       .features = 30,
                       .density = 0.5,
                       .noise = 3.0,
                       .lambda = lambda,
                       .bias = Bias::regularised,
                       .seed = 17});
}

// The objective after a run, over several seeds.
double mean_objective(const SmallProblem& problem, PegasosOptions options) {
  constexpr int kSeeds = 10;
  const LinearProblem linear = problem.linear();
  ThreadPool pool(1);
  double sum = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    options.seed = static_cast<std::uint64_t>(100 + seed);
    sum += train_pegasos(linear, options, {}, pool).report.primal.objective();
  }
  return sum / kSeeds;
}

// A dual bound is all that is needed to measure what is left.
double optimum_of(const SmallProblem& problem) {
  ThreadPool pool(1);
  const auto result =
      train_pegasos(problem.linear(), {.average = Average::weighted, .epochs = 400}, {}, pool);
  EXPECT_LT(result.report.certificate()->relative_gap(), 0.02);
  return result.report.primal.objective();
}

TEST(PegasosPaper, PermutationsBeatDrawingWithReplacement) {
  for (const double lambda : {1e-3, 1e-2}) {
    const SmallProblem problem = noisy_problem(lambda);
    const double optimum = optimum_of(problem);
    const PegasosOptions shuffle{.sampling = Sampling::shuffle, .epochs = 10};
    const PegasosOptions iid{.sampling = Sampling::iid, .epochs = 10};
    EXPECT_LT(mean_objective(problem, shuffle) - optimum,
              0.95 * (mean_objective(problem, iid) - optimum))
        << lambda;
  }
}

// Progress depends on the rows seen, k T, not on how they are batched.
TEST(PegasosPaper, BatchesGetAsFarPerRow) {
  const SmallProblem problem = noisy_problem(1e-2);
  const double optimum = optimum_of(problem);
  const PegasosOptions one{.batch = 1, .sampling = Sampling::iid, .epochs = 5};
  const double excess = mean_objective(problem, one) - optimum;
  ASSERT_GT(excess, 0.0);
  for (const std::uint64_t batch : {4, 16}) {
    PegasosOptions options = one;
    options.batch = batch;
    const double other = mean_objective(problem, options) - optimum;
    EXPECT_LT(other, 1.6 * excess) << batch;
    EXPECT_GT(other, 0.4 * excess) << batch;
  }
}

TEST(PegasosPaper, SmallerLambdaIsFurtherAwayAfterTheSameSteps) {
  double before = 0;
  for (const double lambda : {1e-1, 1e-2, 1e-3, 1e-4}) {
    const SmallProblem problem = noisy_problem(lambda);
    ThreadPool pool(1);
    const auto long_run =
        train_pegasos(problem.linear(), {.average = Average::weighted, .epochs = 300}, {}, pool);
    const double excess =
        mean_objective(problem, {.epochs = 2}) - long_run.report.primal.objective();
    EXPECT_GT(excess, 1.5 * before) << lambda;
    before = excess;
  }
}

TEST(PegasosPaper, ProjectionMakesNoMajorDifference) {
  for (const double lambda : {1e-3, 1e-2}) {
    const SmallProblem problem = noisy_problem(lambda);
    const double optimum = optimum_of(problem);
    const double with = mean_objective(problem, {.project = true, .epochs = 10}) - optimum;
    const double without = mean_objective(problem, {.project = false, .epochs = 10}) - optimum;
    EXPECT_LT(with, 1.5 * without) << lambda;
    EXPECT_LT(without, 1.5 * with) << lambda;
  }
}

struct Known {
  const char* name;
  double lambda;
  double optimum;  // of the hinge without bias, as other solvers found it
  std::uint64_t epochs;
};

void PrintTo(const Known& known, std::ostream* out) {
  *out << known.name;
}

class PegasosOnRealData : public ::testing::TestWithParam<Known> {};

TEST_P(PegasosOnRealData, ComesWithinOnePercentOfTheOptimum) {
  const std::string folder = testing::real_data_folder();
  if (folder.empty()) GTEST_SKIP() << "PEGASOS_DATA is not set";
  const Known& known = GetParam();
  const auto real = testing::read_real_data(folder, known.name);
  const LinearProblem problem = real.problem(known.lambda);
  ThreadPool pool(2);
  const auto result = train_pegasos(
      problem, {.average = Average::weighted, .epochs = known.epochs, .measure_gradients = false},
      {.event =
           [&](const TrainingEvent& event) {
             EXPECT_LE(*event.report.dual, known.optimum * (1 + 1e-6));
             EXPECT_GE(event.report.primal.objective(), known.optimum * (1 - 1e-6));
           }},
      pool);
  EXPECT_LT(result.report.primal.objective(), 1.01 * known.optimum);
}

INSTANTIATE_TEST_SUITE_P(Sets, PegasosOnRealData,
                         ::testing::Values(Known{"a9a", 1.0 / 32561, 0.35115026, 90},
                                           Known{"w8a", 1.0 / 49749, 0.13276398, 30},
                                           Known{"ijcnn1", 1.0 / 49990, 0.17195425, 20},
                                           Known{"covtype_20k.scale01", 1e-5, 0.33640024, 350},
                                           Known{"rcv1_ccat", 1e-4, 0.17280746, 20}),
                         [](const auto& one) {
                           std::string name = one.param.name;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace pegasos
