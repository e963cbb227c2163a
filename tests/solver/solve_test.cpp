// The solvers that close the gap, one as the other: the optimum of every kind of problem, proven by
// the naive formulas and met by another solver, LIBLINEAR and LIBSVM; odd data; warm starts;
// interruption; and the same bits for any number of threads.
#include "solver/solve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "certify/objective.h"
#include "math/losses.h"
#include "pegasos/error.h"
#include "solver/newton_direction.h"
#include "solver/sampler.h"
#include "support/naive_objective.h"
#include "support/real_data.h"
#include "support/small_problem.h"
#include "support/solved.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::describe;
using testing::expect_solved;
using testing::kAllBiases;
using testing::kAllLosses;
using testing::make_problem;
using testing::naive_optimum;
using testing::naive_primal;
using testing::ProblemShape;
using testing::SmallProblem;

SolverOptions options_for(Solver solver, double tolerance) {
  SolverOptions options;
  options.kind = solver;
  options.tolerance = tolerance;
  options.max_epochs = solver == Solver::newton ? 2000 : 200000;
  return options;
}

SolverResult solve(const SmallProblem& problem, const SolverOptions& options,
                   const Watch& watch = {}, int threads = 1) {
  ThreadPool pool(threads);
  return solve_linear(problem.linear(), options, watch, pool);
}

// Options and where to begin.
struct Started : SolverOptions {
  WarmStart start = {};
};

SolverResult solve(const SmallProblem& problem, const Started& options) {
  ThreadPool pool(1);
  return solve_linear(problem.linear(), options, {}, pool, options.start);
}

SolverResult solve(const SmallProblem& problem, Solver solver, double tolerance) {
  return solve(problem, options_for(solver, tolerance));
}

class Solvers : public ::testing::TestWithParam<Solver> {};
INSTANTIATE_TEST_SUITE_P(All, Solvers, ::testing::Values(Solver::sdca, Solver::newton),
                         [](const auto& solver) { return name_of(solver.param); });

TEST_P(Solvers, CloseTheGapOfEveryKindOfProblem) {
  std::uint64_t seed = 0;
  for (const Loss loss : kAllLosses) {
    for (const Bias bias : kAllBiases) {
      for (int kind = 0; kind < 8; ++kind) {
        ProblemShape shape;
        shape.rows = kind < 4 ? 40 : 12;
        shape.features = kind < 4 ? 6 : 25;
        shape.weighted = kind % 2 == 1;
        shape.dense = kind % 4 >= 2;
        shape.density = shape.dense ? 1.0 : 0.4;
        shape.lambda = kind % 3 == 0 ? 0.3 : 0.01;
        shape.loss = loss;
        shape.bias = bias;
        shape.seed = ++seed;
        SmallProblem problem = make_problem(shape);
        problem.bias_feature = 0.6;
        SCOPED_TRACE(describe(problem) + " seed " + std::to_string(seed));
        expect_solved(problem, solve(problem, GetParam(), 1e-8), 1.01e-8);
      }
    }
  }
}

TEST_P(Solvers, MeetASlowReference) {
  for (const Loss loss : kAllLosses) {
    for (const Bias bias : {Bias::none, Bias::regularised}) {
      SmallProblem problem = make_problem(
          {.rows = 15, .features = 4, .weighted = true, .lambda = 0.1, .loss = loss, .bias = bias});
      SCOPED_TRACE(describe(problem));
      const auto reference = naive_optimum(problem, 1e-8, 3000);
      ASSERT_LE(reference.primal - reference.dual, 1e-7 * reference.dual);
      const auto result = solve(problem, GetParam(), 1e-9);
      EXPECT_NEAR(result.report.primal.objective(), reference.primal, 1e-6 * reference.primal);
    }
  }
}

// Sixteen rows of a fixed table, and the optima that others find on them.
SmallProblem table(Loss loss, Bias bias) {
  SmallProblem problem;
  problem.features = 3;
  for (int i = 0; i < 16; ++i) {
    // Multiples of 1/8 are the same numbers in every program.
    const auto value = [](int n) { return static_cast<float>(n % 17 - 8) / 8.0F; };
    problem.x.push_back({value(5 * i + 1), value(7 * i * i + 3), value(3 * i * i * i + i)});
    const double score =
        double{problem.x.back()[0]} - double{problem.x.back()[1]} / 2 + (i % 5 == 0 ? -0.5 : 0.25);
    problem.y.push_back(is_classification(loss) ? (score > 0 ? 1.0 : -1.0) : score);
  }
  problem.loss = {.loss = loss, .epsilon = 0.125};
  problem.lambda = 1.0 / 16;  // C = 1
  problem.bias = bias;
  return problem;
}

TEST_P(Solvers, MeetLiblinearAndLibsvm) {
  struct Peer {
    Loss loss;
    Bias bias;
    double optimum;  // of 1/2 |w|^2 + C sum of losses: P/lambda
  };
  // liblinear-train -s 3, 2, 0, 13 and 11, -c 1 -e 1e-12 -p 0.125 and -B -1 or -B 1; svm-train
  // -s 0 and 3, -t 0 -c 1 -e 1e-9 -p 0.125. The objective of the weights in their model files.
  const Peer peers[] = {{Loss::hinge, Bias::none, 7.4793074324},
                        {Loss::hinge, Bias::regularised, 7.1976073892},
                        {Loss::squared_hinge, Bias::none, 6.0452362834},
                        {Loss::squared_hinge, Bias::regularised, 5.8581526240},
                        {Loss::logistic, Bias::none, 7.8281642725},
                        {Loss::logistic, Bias::regularised, 7.8092340220},
                        {Loss::epsilon_insensitive, Bias::none, 2.7831054079},
                        {Loss::epsilon_insensitive, Bias::regularised, 2.5582057917},
                        {Loss::squared_epsilon_insensitive, Bias::none, 1.1828091057},
                        {Loss::squared_epsilon_insensitive, Bias::regularised, 1.1814854136},
                        {Loss::hinge, Bias::unregularised, 7.1200010035},
                        {Loss::hinge, Bias::exact, 7.1200010035},
                        {Loss::epsilon_insensitive, Bias::unregularised, 2.5454475182}};
  for (const auto& [loss, bias, optimum] : peers) {
    const SmallProblem problem = table(loss, bias);
    SCOPED_TRACE(describe(problem));
    const auto result = solve(problem, GetParam(), 1e-9);
    EXPECT_NEAR(result.report.primal.objective() / problem.lambda, optimum, 1e-6 * optimum);
  }
}

TEST_P(Solvers, OddData) {
  const auto base = [](Loss loss, Bias bias, double lambda = 0.01) {
    return make_problem({.rows = 30, .features = 4, .lambda = lambda, .loss = loss, .bias = bias});
  };
  const auto change_columns = [](SmallProblem problem, auto&& change) {
    for (auto& row : problem.x) change(row);
    return problem;
  };
  for (const Loss loss : kAllLosses) {
    for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised}) {
      const SmallProblem plain = base(loss, bias);
      std::vector<std::pair<std::string, SmallProblem>> odd = {
          {"same columns", change_columns(plain, [](auto& row) { row[1] = row[0]; })},
          {"dependent columns",
           change_columns(plain, [](auto& row) { row[3] = row[0] + row[1] - row[2]; })},
          {"constant column", change_columns(plain, [](auto& row) { row[2] = 3.0F; })},
          {"empty column", change_columns(plain, [](auto& row) { row[2] = 0.0F; })},
          {"all zero", change_columns(plain, [](auto& row) { row.assign(4, 0.0F); })},
          {"huge lambda", base(loss, bias, 1e6)}};
      SmallProblem one = plain;
      one.x.resize(1);
      one.y.resize(1);
      odd.emplace_back("one row", one);
      SmallProblem one_class = plain;
      for (auto& y : one_class.y) y = 1.0;
      odd.emplace_back("one label", one_class);
      for (const auto& [name, problem] : odd) {
        SCOPED_TRACE(name + ": " + describe(problem));
        const double tolerance = GetParam() == Solver::sdca ? 1e-4 : 1e-7;  // dual ascent crawls
        SolverOptions options = options_for(GetParam(), tolerance);
        options.max_epochs = 20000;
        expect_solved(problem, solve(problem, options), 1.01 * tolerance);
      }
    }
  }
}

// What coordinate ascent is slow on is Newton's task.
class Newton : public ::testing::TestWithParam<Loss> {
 protected:
  void expect_solved_with_every_bias(double lambda, float factor) {
    for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised}) {
      SmallProblem problem = make_problem({.rows = 60,
                                           .features = 4,
                                           .noise = 2.0,
                                           .lambda = lambda,
                                           .loss = GetParam(),
                                           .bias = bias});
      for (auto& row : problem.x) row[1] *= factor;
      SCOPED_TRACE(describe(problem));
      expect_solved(problem, solve(problem, Solver::newton, 1e-5), 1.01e-5);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(All, Newton, ::testing::ValuesIn(kAllLosses), [](const auto& loss) {
  std::string name = name_of(loss.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Newton, TinyLambda) {
  expect_solved_with_every_bias(1e-12, 1.0F);
}

TEST_P(Newton, OneHugeFeature) {
  expect_solved_with_every_bias(1e-3, 1e6F);
}

TEST_P(Newton, FreeBiasUnderStrongRegularisation) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const double lambda : {0.3, 0.1}) {
      const SmallProblem problem = make_problem({.rows = 300,
                                                 .features = 10,
                                                 .lambda = lambda,
                                                 .loss = GetParam(),
                                                 .bias = Bias::unregularised,
                                                 .seed = seed});
      SolverOptions options = options_for(Solver::newton, 1e-6);
      options.max_epochs = 200;
      expect_solved(problem, solve(problem, options), 1.01e-6);
    }
  }
}

// Where the weights can follow the bias, the matrix has a curvature of about lambda in its
// direction; a ridge of the bias that was larger took a thousand steps.
TEST_P(Newton, FreeBiasThatTheWeightsFollow) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SmallProblem problem = make_problem({.rows = 30,
                                               .features = 10,
                                               .lambda = 1e-6,
                                               .loss = GetParam(),
                                               .bias = Bias::unregularised,
                                               .seed = seed});
    SCOPED_TRACE(describe(problem) + " seed " + std::to_string(seed));
    SolverOptions options = options_for(Solver::newton, 1e-9);
    options.max_epochs = 100;
    expect_solved(problem, solve(problem, options), 1.01e-9);
  }
}

// At the end the optimality conditions hold for every row, those that were left out on the way too:
// ascending any single coordinate does not move it.
TEST_P(Solvers, LeaveNoRowViolated) {
  for (const Loss loss : kAllLosses) {
    const SmallProblem problem =
        make_problem({.rows = 300, .features = 8, .lambda = 0.01, .loss = loss});
    SCOPED_TRACE(describe(problem));
    const auto result = solve(problem, GetParam(), 1e-12);
    with_loss(problem.loss, [&](const auto& l) {
      for (std::size_t i = 0; i < problem.rows(); ++i) {
        const double z = problem.dot(i, result.point.w);
        const double gap =
            l.value(z, problem.y[i]) + result.a[i] * z - l.gain(result.a[i], problem.y[i]);
        EXPECT_LE(gap, 1e-8) << i;
      }
    });
  }
}

TEST_P(Solvers, SameBitsForAnyNumberOfThreads) {
  for (const bool dense : {false, true}) {
    for (const Bias bias : {Bias::regularised, Bias::unregularised}) {
      const SmallProblem problem = make_problem({.rows = 5000,
                                                 .features = 10,
                                                 .density = dense ? 1.0 : 0.3,
                                                 .dense = dense,
                                                 .lambda = 1e-3,
                                                 .bias = bias});
      const auto one = solve(problem, options_for(GetParam(), 1e-6), {}, 1);
      for (const int threads : {2, 4, 8}) {
        const auto other = solve(problem, options_for(GetParam(), 1e-6), {}, threads);
        EXPECT_EQ(one.point.w, other.point.w);
        EXPECT_EQ(one.point.b, other.point.b);
        EXPECT_EQ(one.a, other.a);
        EXPECT_EQ(one.report.dual, other.report.dual);
        EXPECT_EQ(one.report.epoch, other.report.epoch);
      }
    }
  }
}

TEST_P(Solvers, AnInterruptedRunIsStillTrue) {
  for (const Bias bias : {Bias::none, Bias::unregularised}) {
    const SmallProblem problem =
        make_problem({.rows = 3000, .features = 9, .lambda = 1e-4, .bias = bias});
    for (const int polls : {0, 1, 9, 25}) {
      int left = polls;
      Watch watch;
      watch.stop = [&left] { return left-- <= 0; };
      const auto result = solve(problem, options_for(GetParam(), 0.0), watch);
      EXPECT_TRUE(result.interrupted);
      expect_solved(problem, result, INFINITY);
    }
  }
}

TEST_P(Solvers, StopAtTheEpochOrTheWordThatEndsThem) {
  const SmallProblem problem = make_problem({.rows = 200, .features = 9, .lambda = 1e-5});
  SolverOptions options = options_for(GetParam(), 0.0);
  for (const std::uint64_t most : {1U, 3U}) {
    options.max_epochs = most;
    const auto result = solve(problem, options);
    EXPECT_LE(result.report.epoch, most);
    EXPECT_FALSE(result.interrupted);
    expect_solved(problem, result, INFINITY);
  }
  Watch once;
  int calls = 0;
  once.event = [&](const TrainingEvent&) { ++calls; };
  once.stop = [&] { return calls > 0; };
  const auto stopped = solve(problem, options, once);
  expect_solved(problem, stopped, INFINITY);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(calls, 1);
}

TEST_P(Solvers, BoundsNeverFallAndPointsAreThoseReported) {
  const SmallProblem problem = make_problem({.rows = 400, .features = 9, .lambda = 1e-4});
  double bound = -INFINITY;
  double objective = INFINITY;
  Watch watch;
  watch.event = [&](const TrainingEvent& event) {
    const TrainingReport& report = event.report;
    EXPECT_GE(*report.dual, bound - 1e-12);
    EXPECT_LE(report.primal.objective(), objective + 1e-12);
    EXPECT_NEAR(naive_primal(problem, event.linear_point()), report.primal.objective(), 1e-10);
    EXPECT_NEAR(naive_dual(problem, event.duals()), *report.dual, 1e-10);
    EXPECT_EQ(report.solver, GetParam());
    bound = *report.dual;
    objective = report.primal.objective();
  };
  solve(problem, options_for(GetParam(), 1e-9), watch);
  EXPECT_GT(bound, 0);
}

TEST_P(Solvers, WarmStartsAreShorterAndStillProven) {
  for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised}) {
    SmallProblem problem = make_problem({.rows = 500, .features = 10, .bias = bias});
    SCOPED_TRACE(describe(problem));
    std::uint64_t cold_steps = 0;
    std::uint64_t warm_steps = 0;
    std::uint64_t repeated_steps = 0;
    WarmStart last;
    for (double lambda = 0.1; lambda > 1e-3; lambda /= 1.5) {
      problem.lambda = lambda;
      Started options{options_for(GetParam(), 1e-4)};
      const auto cold = solve(problem, options);
      options.start = last;
      const auto warm = solve(problem, options);
      expect_solved(problem, warm, 1.01e-4);
      EXPECT_NEAR(warm.report.primal.objective(), cold.report.primal.objective(),
                  1.01e-4 * *cold.report.dual);
      last = {warm.point, warm.a, 1};
      options.start = last;
      const auto repeated = solve(problem, options);
      expect_solved(problem, repeated, 1.01e-4);
      options.start.a.clear();
      expect_solved(problem, solve(problem, options), 1.01e-4);
      cold_steps += cold.report.steps;
      warm_steps += warm.report.steps;
      repeated_steps += repeated.report.steps;
    }
    EXPECT_LT(warm_steps, cold_steps);
    EXPECT_LT(4 * repeated_steps, cold_steps);  // where it is done, there is little to do
  }
}

TEST_P(Solvers, StartsThatAreNotFeasibleBecomeSo) {
  const SmallProblem problem =
      make_problem({.rows = 50, .features = 5, .bias = Bias::unregularised});
  Started options{options_for(GetParam(), 1e-8)};
  options.start.a.assign(problem.rows(), 5.0);
  expect_solved(problem, solve(problem, options), 1.01e-8);
  options.start.point = {std::vector<double>(problem.features, 1e3), -7.0};
  expect_solved(problem, solve(problem, options), 1.01e-8);
  options.start.a.clear();
  expect_solved(problem, solve(problem, options), 1.01e-8);
}

TEST(Solve, RefusesStartsOfAnotherShape) {
  const SmallProblem problem = make_problem({.rows = 10, .features = 3});
  Started options;
  options.start.a.assign(9, 0.0);
  EXPECT_THROW(solve(problem, options), InvalidOption);
  options.start = {};
  options.start.point.w.assign(4, 0.0);
  EXPECT_THROW(solve(problem, options), InvalidOption);
}

TEST(Solve, ChoosesByTheNumberOfFeatures) {
  const SmallProblem few = make_problem({.rows = 10, .features = 3});
  EXPECT_EQ(choose_solver(few.linear(), Solver::automatic).solver, Solver::newton);
  EXPECT_FALSE(choose_solver(few.linear(), Solver::automatic).reason.empty());
  const SmallProblem many = make_problem({.rows = 3, .features = 60000, .density = 0.001});
  EXPECT_EQ(choose_solver(many.linear(), Solver::automatic).solver, Solver::sdca);
  for (const Solver wish : {Solver::pegasos, Solver::sdca, Solver::newton}) {
    EXPECT_EQ(choose_solver(few.linear(), wish).solver, wish);
    EXPECT_EQ(choose_solver(many.linear(), wish).solver, wish);
  }
}

// After E0 epochs' worth of duals a: w = w(a), t = E0 m, and from there the textbook loop
// w <- (1 - 1/t) w + u x/(lambda t) in the order of the sampler.
TEST(PegasosWarmStart, GoesOnFromDualsByTheFormula) {
  const SmallProblem problem = make_problem({.rows = 12, .features = 3, .lambda = 0.05});
  const std::size_t m = problem.rows();
  Started options;
  options.kind = Solver::pegasos;
  options.tolerance = 0;
  options.pegasos.sampling = Sampling::fixed;
  options.max_epochs = 4;
  const auto first = solve(problem, options);
  const auto from_duals = testing::naive_point_of_duals(problem, first.a);
  options.max_epochs = 5;
  options.start = {{}, first.a, 4};
  const auto resumed = solve(problem, options);
  expect_solved(problem, resumed, INFINITY);
  std::vector<double> w = from_duals.w;
  Sampler sampler(Sampling::fixed, m, 1, options.pegasos.seed);
  double t = 4.0 * static_cast<double>(m);
  for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
    for (const auto i : sampler.epoch(epoch)) {
      const double u = testing::naive_ascent(problem.loss, problem.dot(i, w), problem.y[i]);
      t += 1;
      for (std::size_t j = 0; j < problem.features; ++j) {
        w[j] = (1 - 1 / t) * w[j] + u * double{problem.x[i][j]} / (problem.lambda * t);
      }
    }
  }
  for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(resumed.point.w[j], w[j], 1e-12);
}

// From the point of its own last iterate it goes on as if it had never stopped.
TEST(PegasosWarmStart, TwoHalvesAreOneRun) {
  const SmallProblem problem =
      make_problem({.rows = 12, .features = 3, .lambda = 0.05, .bias = Bias::regularised});
  Started options;
  options.kind = Solver::pegasos;
  options.tolerance = 0;
  options.pegasos.sampling = Sampling::fixed;
  options.max_epochs = 9;
  const auto straight = solve(problem, options);
  options.max_epochs = 4;
  options.start.point = solve(problem, options).point;
  options.start.epochs = 4;
  options.max_epochs = 5;
  const auto resumed = solve(problem, options);
  for (std::size_t j = 0; j < problem.features; ++j) {
    EXPECT_NEAR(resumed.point.w[j], straight.point.w[j], 1e-12);
  }
  EXPECT_NEAR(resumed.point.b, straight.point.b, 1e-12);
  expect_solved(problem, resumed, INFINITY);
}

TEST(RealData, OptimaOfThePeers) {
  const std::string folder = testing::real_data_folder();
  if (folder.empty()) GTEST_SKIP() << "PEGASOS_DATA is not set";
  struct KnownOptimum {
    const char* name;
    double lambda;
    double optimum;
  };
  const KnownOptimum all[] = {{"a9a", 3.07e-5, 0.35115026},
                              {"w8a", 2.01e-5, 0.13276398},
                              {"ijcnn1", 2e-5, 0.17195425},
                              {"covtype_20k.scale01", 1e-5, 0.33640024}};
  ThreadPool pool(2);
  for (const auto& [name, lambda, optimum] : all) {
    const auto real = testing::read_real_data(folder, name);
    const auto result =
        solve_linear(real.problem(lambda), options_for(Solver::newton, 1e-7), {}, pool);
    EXPECT_NEAR(result.report.primal.objective(), optimum, 1e-6 * optimum) << name;
    EXPECT_LE(result.report.certificate()->relative_gap(), 1e-7) << name;
  }
}

// Features that are too many for a matrix.
SmallProblem wide_problem(Loss loss, Bias bias, int kind) {
  SmallProblem problem = make_problem({.rows = 50,
                                       .features = 400,
                                       .density = kind == 1 ? 1.0 : 0.05,
                                       .weighted = kind == 2,
                                       .dense = kind == 1,
                                       .lambda = kind == 0 ? 1e-3 : 1e-2,
                                       .loss = loss,
                                       .bias = bias,
                                       .seed = static_cast<std::uint64_t>(kind)});
  problem.bias_feature = 0.6;
  return problem;
}

TEST_P(Newton, ConjugateGradientsCloseTheGap) {
  for (const Bias bias : kAllBiases) {
    for (int kind = 0; kind < 3; ++kind) {
      const SmallProblem problem = wide_problem(GetParam(), bias, kind);
      SCOPED_TRACE(describe(problem) + " kind " + std::to_string(kind));
      ASSERT_FALSE(has_small_matrix(problem.linear()));
      expect_solved(problem, solve(problem, Solver::newton, 1e-8), 1.01e-8);
    }
  }
}

// Two ways to the same direction, whichever rows respond.
TEST(NewtonDirection, GradientsMeetTheMatrix) {
  ThreadPool pool(2);
  for (const Bias bias : kAllBiases) {
    for (const bool dense : {false, true}) {
      for (const std::size_t every : {1U, 2U, 9U, 1000U}) {
        const SmallProblem small = make_problem({.rows = 300,
                                                 .features = 40,
                                                 .density = dense ? 1.0 : 0.1,
                                                 .dense = dense,
                                                 .lambda = 0.01,
                                                 .bias = bias});
        const LinearProblem problem = small.linear();
        std::vector<double> c(problem.rows());
        for (std::size_t i = 1; i < c.size(); i += every) c[i] = 0.5 + static_cast<double>(i % 3);
        std::vector<double> g(problem.features() + (bias == Bias::none ? 0 : 1));
        for (std::size_t j = 0; j < g.size(); ++j) g[j] = std::sin(static_cast<double>(j));
        std::vector<double> v[2];
        for (const auto way :
             {NewtonDirection::Way::matrix, NewtonDirection::Way::conjugate_gradients}) {
          NewtonDirection direction(problem, 0.7, way);
          direction.solve(c, g, {.ridge = 1e-3, .precision = 1e-13}, v[static_cast<int>(way)],
                          pool);
        }
        ASSERT_EQ(v[0].size(), g.size());
        for (std::size_t j = 0; j < g.size(); ++j) {
          EXPECT_NEAR(v[0][j], v[1][j], 1e-8 * (1 + std::abs(v[0][j]))) << j << " of " << every;
        }
      }
    }
  }
}

TEST(NewtonDirection, GradientsHaveTheSameBitsForAnyNumberOfThreads) {
  const SmallProblem problem =
      make_problem({.rows = 3000, .features = 500, .density = 0.01, .lambda = 1e-4});
  ASSERT_FALSE(has_small_matrix(problem.linear()));
  const auto one = solve(problem, options_for(Solver::newton, 1e-6), {}, 1);
  for (const int threads : {2, 8}) {
    const auto other = solve(problem, options_for(Solver::newton, 1e-6), {}, threads);
    EXPECT_EQ(one.point.w, other.point.w);
    EXPECT_EQ(one.a, other.a);
    EXPECT_EQ(one.report.dual, other.report.dual);
  }
}

// Columns that are almost the same: dual ascent crawls, and is told so by its own progress.
TEST(Solve, GoesOnWithNewtonStepsWhereDualAscentIsSlow) {
  const SmallProblem problem = testing::crawling_problem();
  ASSERT_FALSE(has_small_matrix(problem.linear()));
  const auto result = solve(problem, options_for(Solver::automatic, 1e-8));
  expect_solved(problem, result, 1.01e-8);
  EXPECT_EQ(result.report.solver, Solver::newton);
  const auto ascent = solve(problem, options_for(Solver::sdca, 1e-8));
  EXPECT_EQ(ascent.report.solver, Solver::sdca);
  EXPECT_GT(ascent.report.epoch, 2 * result.report.epoch);
  SolverOptions few = options_for(Solver::automatic, 1e-8);
  few.max_epochs = result.report.epoch - 1;
  EXPECT_LE(solve(problem, few).report.epoch, *few.max_epochs);
  // An easy problem stays with dual ascent.
  EXPECT_EQ(
      solve(wide_problem(Loss::squared_hinge, Bias::none, 2), options_for(Solver::automatic, 1e-6))
          .report.solver,
      Solver::sdca);
}

// A bias is a feature that all rows share, which would make coordinate steps half as long.
TEST(DualAscent, ABiasTakesHardlyMoreSteps) {
  const auto steps = [](Bias bias) {
    SmallProblem problem = make_problem(
        {.rows = 600, .features = 400, .density = 0.02, .lambda = 1.0 / 600, .bias = bias});
    const SolverResult result = solve(problem, Solver::sdca, 1e-4);
    expect_solved(problem, result, 1.01e-4);
    return static_cast<double>(result.report.all_violations);
  };
  const double without = steps(Bias::none);
  EXPECT_LT(steps(Bias::regularised), 1.25 * without);
  EXPECT_LT(steps(Bias::unregularised), 1.25 * without);
}

TEST(RealData, TextToHighPrecision) {
  const std::string folder = testing::real_data_folder();
  if (folder.empty()) GTEST_SKIP() << "PEGASOS_DATA is not set";
  ThreadPool pool(2);
  const auto real = testing::read_real_data(folder, "rcv1_ccat");
  const auto result = solve_linear(real.problem(1e-4), {.tolerance = 1e-6}, {}, pool);
  EXPECT_LE(result.report.certificate()->relative_gap(), 1e-6);
  EXPECT_LT(result.report.epoch, 200U);  // dual ascent alone: 443
  EXPECT_EQ(result.report.solver, Solver::newton);
}

}  // namespace
}  // namespace pegasos
