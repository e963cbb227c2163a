// States: a run that is written down at any event and goes on ends as the run that never stopped,
// bit for bit; and bytes that are not a state of this run are refused.
#include "solver/state.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "pegasos/error.h"
#include "solver/joint.h"
#include "solver/kernel_ascent.h"
#include "solver/kernel_pegasos.h"
#include "solver/pegasos.h"
#include "solver/solve.h"
#include "solver/solve_kernel.h"
#include "support/kernel_problems.h"
#include "support/small_problem.h"

namespace pegasos {
namespace {

using testing::kernel_of;
using testing::make_problem;
using testing::SmallProblem;
using testing::with_kernel;

// What a run leaves, whatever its solver.
struct End {
  std::vector<double> weights;  // or coefficients
  std::vector<double> biases;
  std::vector<double> duals;
  TrainingReport report;
};

End end_of(const SolverResult& result) {
  return {result.point.w, {result.point.b}, result.a, result.report};
}
End end_of(const KernelResult& result) {
  return {result.point.coefficients, {result.point.b}, result.a, result.report};
}
End end_of(const JointResult& result) {
  return {result.point.w, result.point.b, result.a, result.report};
}

void expect_same(const End& one, const End& other) {
  EXPECT_EQ(one.weights, other.weights);
  EXPECT_EQ(one.biases, other.biases);
  EXPECT_EQ(one.duals, other.duals);
  EXPECT_EQ(one.report.solver, other.report.solver);
  EXPECT_EQ(one.report.epoch, other.report.epoch);
  EXPECT_EQ(one.report.steps, other.report.steps);
  EXPECT_EQ(one.report.rows_seen, other.report.rows_seen);
  EXPECT_EQ(one.report.violations, other.report.violations);
  EXPECT_EQ(one.report.all_violations, other.report.all_violations);
  EXPECT_EQ(one.report.primal.objective(), other.report.primal.objective());
  EXPECT_EQ(one.report.primal.wrong, other.report.primal.wrong);
  EXPECT_EQ(one.report.dual, other.report.dual);
  EXPECT_EQ(one.report.norm, other.report.norm);
  ASSERT_EQ(one.report.lemma.has_value(), other.report.lemma.has_value());
  if (one.report.lemma) {
    EXPECT_EQ(one.report.lemma->tight_bound, other.report.lemma->tight_bound);
    EXPECT_EQ(one.report.lemma->mean_objective, other.report.lemma->mean_objective);
  }
  ASSERT_EQ(one.report.kernel.has_value(), other.report.kernel.has_value());
  if (one.report.kernel) {
    EXPECT_EQ(one.report.kernel->blocks, other.report.kernel->blocks);
    EXPECT_EQ(one.report.kernel->support_vectors, other.report.kernel->support_vectors);
  }
}

// A run from a state, or from the beginning where it is empty.
using Solving = std::function<End(const Watch&, const SolverState&)>;

// Stops at several of the run's events and goes on; returns how many there were.
std::size_t expect_resumes(const Solving& run) {
  std::vector<SolverState> states;
  const End whole =
      run({.event = [&](const TrainingEvent& event) { states.push_back(event.state()); }}, {});
  for (std::size_t k = 0; k < states.size(); k += 1 + states.size() / 5) {
    SCOPED_TRACE("event " + std::to_string(k));
    std::size_t seen = 0;
    SolverState state;
    run({.event =
             [&](const TrainingEvent& event) {
               if (seen++ == k) state = event.state();
             },
         .stop = [&] { return seen > k; }},
        {});
    EXPECT_EQ(state.bytes, states[k].bytes);
    expect_same(whole, run({}, state));
  }
  if (!states.empty()) expect_same(whole, run({}, states.back()));
  return states.size();
}

Solving linear_run(const SmallProblem& problem, const SolverOptions& options) {
  return [&problem, options](const Watch& watch, const SolverState& state) {
    ThreadPool pool(2);
    WarmStart start;
    start.state = state;
    return end_of(solve_linear(problem.linear(), options, watch, pool, start));
  };
}

TEST(SolverState, PegasosGoesOn) {
  for (const Sampling sampling : {Sampling::shuffle, Sampling::iid}) {
    for (const Average average :
         {Average::last, Average::mean, Average::suffix, Average::weighted}) {
      for (const Bias bias : {Bias::regularised, Bias::unregularised, Bias::exact}) {
        const SmallProblem problem = make_problem(
            {.rows = 60, .features = 5, .weighted = true, .lambda = 1e-3, .bias = bias});
        SolverOptions options{.kind = Solver::pegasos, .tolerance = 0.0};
        options.pegasos = {.batch = 7,
                           .sampling = sampling,
                           .project = average != Average::mean,
                           .average = average,
                           .epochs = 9};
        EXPECT_EQ(expect_resumes(linear_run(problem, options)), 9U);
      }
    }
  }
}

// The factor of a projection is folded in when it becomes small; sums and averages have to agree
// about it afterwards.
TEST(SolverState, PegasosGoesOnAfterManyProjections) {
  const SmallProblem problem = make_problem(
      {.rows = 300, .features = 4, .value_scale = 30, .lambda = 1e-6, .loss = Loss::squared_hinge});
  SolverOptions options{.kind = Solver::pegasos, .tolerance = 0.0};
  options.pegasos = {.project = true, .average = Average::mean, .step_offset = 0.0, .epochs = 6};
  EXPECT_EQ(expect_resumes(linear_run(problem, options)), 6U);
}

TEST(SolverState, PegasosGoesOnFromAWarmStart) {
  const SmallProblem problem =
      make_problem({.rows = 40, .features = 5, .lambda = 1e-2, .bias = Bias::regularised});
  ThreadPool pool(1);
  const SolverResult before = train_pegasos(problem.linear(), {.epochs = 3}, {}, pool);
  const Solving run = [&](const Watch& watch, const SolverState& state) {
    WarmStart start{.point = before.point, .a = before.a, .epochs = 3};
    if (!state.empty()) start = {.state = state};
    return end_of(train_pegasos(problem.linear(), {.epochs = 5}, watch, pool, start));
  };
  EXPECT_EQ(expect_resumes(run), 5U);
}

// In the middle of an epoch a certificate is one more look, which changes no step.
TEST(SolverState, PegasosGoesOnInTheMiddleOfAnEpoch) {
  const SmallProblem problem = make_problem({.rows = 2000, .features = 5, .lambda = 1e-3});
  const PegasosOptions options{.epochs = 4, .measure_gradients = false};
  ThreadPool pool(1);
  const SolverResult whole = train_pegasos(problem.linear(), options, {}, pool);
  int polls = 0;
  SolverState state;
  std::uint64_t rows = 0;
  train_pegasos(problem.linear(), options,
                {.event =
                     [&](const TrainingEvent& event) {
                       state = event.state();
                       rows = event.report.rows_seen;
                     },
                 .stop = [&] { return ++polls > 6; }},
                pool);
  EXPECT_NE(rows % 2000, 0U);
  const SolverResult rest = train_pegasos(problem.linear(), options, {}, pool, {.state = state});
  EXPECT_EQ(rest.point.w, whole.point.w);
  EXPECT_EQ(rest.report.rows_seen, whole.report.rows_seen);
  EXPECT_EQ(rest.report.epoch, whole.report.epoch);
  EXPECT_GE(*rest.report.dual, *whole.report.dual);
}

class LinearStates : public ::testing::TestWithParam<Solver> {};
INSTANTIATE_TEST_SUITE_P(All, LinearStates,
                         ::testing::Values(Solver::sdca, Solver::newton, Solver::automatic),
                         [](const auto& solver) { return name_of(solver.param); });

TEST_P(LinearStates, GoOn) {
  for (const Loss loss : {Loss::hinge, Loss::logistic, Loss::epsilon_insensitive}) {
    for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised}) {
      const SmallProblem problem = make_problem({.rows = 300,
                                                 .features = 8,
                                                 .weighted = true,
                                                 .lambda = 1e-4,
                                                 .loss = loss,
                                                 .bias = bias});
      SolverOptions options{.kind = GetParam(), .tolerance = 1e-7};
      EXPECT_GT(expect_resumes(linear_run(problem, options)), 1U);
    }
  }
}

TEST_P(LinearStates, OfRepeatedRowsGoOn) {
  SmallProblem problem = make_problem({.rows = 1200, .features = 4, .lambda = 1e-3});
  for (std::size_t i = 300; i < problem.rows(); ++i) {
    problem.x[i] = problem.x[i % 300];
    problem.y[i] = problem.y[i % 300];
  }
  SolverOptions options{.kind = GetParam(), .tolerance = 1e-6};
  EXPECT_GT(expect_resumes(linear_run(problem, options)), 1U);
}

// With conjugate gradients, and where dual ascent hands over to them on the way.
TEST_P(LinearStates, OfManyFeaturesGoOn) {
  const SmallProblem problem = testing::crawling_problem();
  SolverOptions options{.kind = GetParam(), .tolerance = 1e-7};
  EXPECT_GT(expect_resumes(linear_run(problem, options)), 1U);
}

// An end by the number of epochs and not by the gap: more may be asked for the second time.
TEST_P(LinearStates, MayBeGivenMoreEpochs) {
  const SmallProblem problem = make_problem({.rows = 300, .features = 8, .lambda = 1e-5});
  SolverOptions options{.kind = GetParam(), .tolerance = 1e-9, .max_epochs = 100000};
  const End whole = linear_run(problem, options)({}, {});
  options.max_epochs = 2;
  SolverState state;
  const Watch watch{.event = [&](const TrainingEvent& event) { state = event.state(); }};
  const End part = linear_run(problem, options)(watch, {});
  EXPECT_LT(part.report.epoch, whole.report.epoch);
  options.max_epochs = 100000;
  const End rest = linear_run(problem, options)({}, state);
  EXPECT_TRUE(rest.report.within(1e-9));
}

TEST(SolverState, JointSolversGoOn) {
  Random random(5, 0);
  std::vector<float> values;
  std::vector<std::uint32_t> y;
  for (std::size_t i = 0; i < 80; ++i) {
    y.push_back(random.below32(4));
    for (std::size_t j = 0; j < 3; ++j) {
      values.push_back(static_cast<float>(random.normal() + (y.back() == j ? 1.0 : 0.0)));
    }
  }
  DatasetParts parts;
  parts.rows = 80;
  parts.features = 3;
  parts.dense = DenseMatrix{values, 3};
  const JointProblem problem{.data = Dataset::from_parts(parts),
                             .y = y,
                             .classes = 4,
                             .lambda = 1e-3,
                             .bias_feature = 1.0};
  for (const Solver kind : {Solver::pegasos, Solver::automatic}) {
    SolverOptions options{.kind = kind, .tolerance = 1e-8};
    options.pegasos.epochs = 12;
    const Solving run = [&](const Watch& watch, const SolverState& state) {
      ThreadPool pool(2);
      return end_of(solve_joint(problem, options, watch, pool, {.state = state}));
    };
    EXPECT_GT(expect_resumes(run), 2U) << name_of(kind);
  }
}

TEST(SolverState, KernelPegasosGoesOn) {
  for (const KernelKind kind : {KernelKind::rbf, KernelKind::sigmoid}) {
    for (const Average average : {Average::last, Average::mean}) {
      const SmallProblem problem =
          make_problem({.rows = 70, .lambda = 1e-3, .bias = Bias::unregularised});
      const auto view = with_kernel(problem, kernel_of(kind));
      const PegasosOptions options{.batch = 3, .project = true, .average = average, .epochs = 7};
      const Solving run = [&](const Watch& watch, const SolverState& state) {
        ThreadPool pool(2);
        return end_of(train_kernel_pegasos(view, options, {}, watch, pool, state));
      };
      EXPECT_EQ(expect_resumes(run), 7U);
    }
  }
}

TEST(SolverState, KernelAscentGoesOn) {
  for (const Bias bias : {Bias::none, Bias::unregularised}) {
    const SmallProblem problem =
        make_problem({.rows = 400, .noise = 2.0, .lambda = 1e-5, .bias = bias});
    const auto view = with_kernel(problem, kernel_of(KernelKind::rbf));
    const Solving run = [&](const Watch& watch, const SolverState& state) {
      ThreadPool pool(2);
      return end_of(ascend_kernel_dual(view, {.tolerance = 1e-6}, watch, pool, {.state = state}));
    };
    EXPECT_GT(expect_resumes(run), 2U) << name_of(bias);
  }
}

// Over merged rows the state is that of the merged problem; who resumes need not know.
TEST(SolverState, KernelSolversGoOnOverMergedRows) {
  SmallProblem problem = make_problem({.rows = 300, .noise = 2.0, .lambda = 1e-5});
  for (std::size_t i = 0; i < 300; ++i) {
    problem.x.push_back(problem.x[i]);
    problem.y.push_back(problem.y[i]);
  }
  const auto view = with_kernel(problem, kernel_of(KernelKind::rbf));
  for (const Solver kind : {Solver::automatic, Solver::pegasos}) {
    const Solving run = [&](const Watch& watch, const SolverState& state) {
      ThreadPool pool(2);
      SolverOptions options{.kind = kind, .tolerance = 1e-6};
      options.pegasos.epochs = 4;
      return end_of(solve_kernel(view, options, 0, watch, pool, {}, state));
    };
    EXPECT_GT(expect_resumes(run), 2U) << name_of(kind);
  }
}

std::string refusal(const std::function<void()>& run) {
  try {
    run();
  } catch (const InvalidOption& error) {
    return error.field();
  }
  return "";
}

TEST(SolverState, BytesThatAreNoStateOfThisRunAreRefused) {
  const SmallProblem problem = make_problem({.rows = 30, .features = 4, .lambda = 1e-2});
  SolverOptions options{.kind = Solver::sdca, .tolerance = 1e-9};
  SolverState state;
  const Watch watch{.event = [&](const TrainingEvent& event) { state = event.state(); }};
  linear_run(problem, options)(watch, {});
  const auto refused = [&](const SmallProblem& of, const SolverOptions& with,
                           const SolverState& from) {
    return refusal([&] { linear_run(of, with)({}, from); }) == "state";
  };
  EXPECT_FALSE(refused(problem, options, state));
  // Every bit counts, and every length.
  for (std::size_t at = 0; at < state.bytes.size(); at += 7) {
    SolverState damaged = state;
    damaged.bytes[at] = static_cast<char>(damaged.bytes[at] ^ (1 << (at % 8)));
    EXPECT_TRUE(refused(problem, options, damaged)) << at;
    if (at == 0) continue;  // no bytes are no state to resume from
    EXPECT_TRUE(refused(problem, options, {state.bytes.substr(0, at)})) << at;
  }
  EXPECT_TRUE(refused(problem, options, {state.bytes + "x"}));
  SmallProblem other = problem;
  other.y[3] = -other.y[3];
  EXPECT_TRUE(refused(other, options, state));
  other = problem;
  other.lambda *= 2;
  EXPECT_TRUE(refused(other, options, state));
  SolverOptions changed = options;
  changed.pegasos.seed = 77;
  EXPECT_TRUE(refused(problem, changed, state));
  changed = options;
  changed.kind = Solver::newton;
  EXPECT_TRUE(refused(problem, changed, state));
}

}  // namespace
}  // namespace pegasos
