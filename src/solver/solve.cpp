#include "solver/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "base/quantity_text.h"
#include "base/random.h"
#include "certify/objective.h"
#include "data/take_rows.h"
#include "math/losses.h"
#include "math/passes.h"
#include "pegasos/error.h"
#include "solver/merged_linear.h"
#include "solver/newton.h"
#include "solver/newton_direction.h"
#include "solver/pegasos.h"
#include "solver/sdca.h"
#include "solver/state.h"
#include "solver/stop_when.h"

namespace pegasos {
namespace {

constexpr std::uint64_t kWarmUpEpochs = 1;
constexpr std::uint64_t kMostEpochs = 1000;

// One row in four makes the sample; below the smallest, all rows are as cheap.
constexpr std::uint32_t kSampleEvery = 4;
constexpr std::size_t kSmallestSample = 2000;
// Fewer rows a feature do not determine the weights.
constexpr std::size_t kSampleRowsPerFeature = 10;
constexpr double kSampleTolerance = 0.02;
constexpr std::uint64_t kSampleSteps = 30;

// What Newton steps by conjugate gradients take, in epochs of dual ascent.
constexpr std::uint64_t kNewtonInEpochs = 60;

void check(const LinearProblem& problem, const WarmStart& start) {
  if (start.epochs == 0) throw InvalidOption("start", "must count for at least one epoch");
  if (!start.a.empty() && start.a.size() != problem.rows()) {
    throw InvalidOption("start", fmt::format("has dual variables for {} rows, but the data has {}",
                                             start.a.size(), problem.rows()));
  }
  if (!start.point.w.empty() && start.point.w.size() != problem.features()) {
    throw InvalidOption("start", fmt::format("has {} weights, but the data has {} features",
                                             start.point.w.size(), problem.features()));
  }
}

// Feasible duals for a point: minus the slopes of its losses, times the power of 1/2 that makes the
// best bound. Far from the optimum the slopes are much too large together.
std::vector<double> duals_at(const LinearProblem& problem, const LinearPoint& point,
                             ThreadPool& pool) {
  std::vector<double> slopes(problem.rows());
  multiply(problem.data, point.w, slopes, pool);
  with_loss(problem.loss, [&](const auto& loss) {
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      slopes[i] = problem.weight(i) * loss.ascent(slopes[i] + point.b, problem.y[i]);
    }
  });
  std::vector<double> best = slopes;
  double bound = evaluate_dual(problem, best, pool).objective();
  for (int halvings = 0; halvings < 30; ++halvings) {
    for (auto& slope : slopes) slope *= 0.5;
    std::vector<double> a = slopes;
    const double next = evaluate_dual(problem, a, pool).objective();
    if (next <= bound) break;
    bound = next;
    best = std::move(a);
  }
  return best;
}

// Duals of an epoch of Pegasos. Ranks run it each on its own rows as if they were all: together
// they have the mean of their weights.
std::vector<double> warm_up(const LinearProblem& problem, std::uint64_t epochs, std::uint64_t seed,
                            const std::function<bool()>& stop, ThreadPool& pool) {
  if (pool.is_alone()) return pegasos_duals(problem, epochs, seed, stop, pool);
  LinearProblem own = problem;
  own.total_rows = own.total_non_zeros = 0;
  ThreadPool threads(pool.threads());
  return pegasos_duals(own, epochs, seed, stop, threads);
}

// Every row's fate is decided by a random number of its own, so the sample is in the data's order.
// It is copied into memory: of rows in a file it is as large as what may be there of them.
std::vector<RowId> sample_of(const Dataset& data, std::uint64_t seed) {
  const std::size_t rows = data.rows();
  const auto every = static_cast<std::uint32_t>(
      std::max<std::size_t>(kSampleEvery, data.is_paged() ? rows / data.rows_at_a_time() : 0));
  constexpr std::uint64_t kStream = 0x5a3b1e;  // apart from those of the epochs
  Random random(seed, kStream);
  std::vector<RowId> ids;
  for (std::size_t i = 0; i < rows; ++i) {
    if (random.below32(every) == 0) ids.push_back(static_cast<RowId>(i));
  }
  return ids;
}

// Newton steps visit every row each time, so equal ones are merged. Who watches knows the rows of
// the data.
SolverResult newton_on_merged(const LinearProblem& problem, WarmStart start,
                              const NewtonOptions& options, const Watch& watch, ThreadPool& pool) {
  const auto merged = MergedLinear::of(problem, pool);
  if (!merged) return train_newton(problem, std::move(start), options, watch, pool);
  if (!start.a.empty()) start.a = merged->merged_duals(start.a);
  Watch of_rows{.stop = watch.stop, .hurry = watch.hurry};
  if (watch.event) {
    of_rows.event = [&](const TrainingEvent& of_merged) {
      TrainingEvent event = of_merged;
      event.duals = [&] { return merged->duals_of_rows(of_merged.duals()); };
      watch.event(event);
    };
  }
  SolverResult result = train_newton(merged->problem(), std::move(start), options, of_rows, pool);
  result.a = merged->duals_of_rows(result.a);
  return result;
}

// Where Newton's steps on all rows begin. They cost passes over the data, and most of the way can
// be gone on a sample of it, whose own beginning is a sample of the sample; the smallest begins at
// zero.
WarmStart start_on_sample(const LinearProblem& problem, std::uint64_t seed, const Watch& watch,
                          ThreadPool& pool) {
  WarmStart start;
  const std::vector<RowId> ids = sample_of(problem.data, seed);
  const auto sampled = static_cast<std::uint64_t>(
      sum_over_rows(std::array{static_cast<double>(ids.size())}, pool.ranks()));
  if (sampled < std::max(kSmallestSample, kSampleRowsPerFeature * problem.features())) {
    return start;
  }
  std::vector<double> y;
  std::vector<double> weights;
  for (const RowId i : ids) {
    y.push_back(problem.y[i]);
    if (!problem.weights.empty()) weights.push_back(problem.weights[i]);
  }
  LinearProblem sample = problem;
  sample.data = take_rows(problem.data, ids);
  sample.y = y;
  sample.weights = weights;
  if (!pool.is_alone()) sample.total_rows = sampled;
  const Watch caller{.stop = watch.stop, .hurry = watch.hurry};
  StopWhen near(caller,
                [](const TrainingReport& report) { return report.within(kSampleTolerance); });
  start.point =
      newton_on_merged(sample, start_on_sample(sample, seed, watch, pool),
                       {.tolerance = kSampleTolerance, .steps = kSampleSteps, .rough = true},
                       near.watch(), pool)
          .point;
  return start;
}

// The choice, its warm-up and the run itself.
SolverResult run(const LinearProblem& problem, const SolverOptions& options, const Watch& watch,
                 StopWhen& proven, ThreadPool& pool, WarmStart start) {
  const std::uint64_t seed = options.pegasos.seed;
  const Solver solver = choose_solver(problem, options.kind).solver;
  const SolverState state = start.state;
  if (solver == Solver::pegasos) {
    PegasosOptions pegasos = options.pegasos;
    pegasos.epochs = options.max_epochs.value_or(pegasos.epochs);
    return train_pegasos(problem, pegasos, proven.watch(), pool, start);
  }

  const std::uint64_t epochs = options.max_epochs.value_or(kMostEpochs);
  if (solver == Solver::newton) {
    if (start.empty()) start = start_on_sample(problem, seed, watch, pool);
    return newton_on_merged(problem, std::move(start), {options.tolerance, epochs}, proven.watch(),
                            pool);
  }
  const bool may_change = options.kind == Solver::automatic;
  NewtonOptions instead{options.tolerance, epochs};
  if (may_change && !state.empty() && kind_of(state) == StateKind::newton) {
    return train_newton(problem, std::move(start), instead, proven.watch(), pool);
  }
  if (start.empty()) {
    start.a = warm_up(problem, kWarmUpEpochs, seed, watch.stop, pool);
  } else if (start.a.empty() && state.empty()) {
    start.a = duals_at(problem, start.point, pool);
  }
  SdcaOptions ascent{options.tolerance, epochs, seed};
  if (may_change) ascent.give_up_beyond = kNewtonInEpochs;
  SolverResult result = train_sdca(problem, std::move(start), ascent, proven.watch(), pool);
  instead.first = result.report.epoch;
  if (!may_change || result.interrupted || instead.first >= epochs) return result;
  return train_newton(problem, {std::move(result.point), std::move(result.a)}, instead,
                      proven.watch(), pool);
}

}  // namespace

SolverChoice choose_solver(const LinearProblem& problem, Solver asked) {
  if (asked != Solver::automatic) return {asked, ""};
  const bool small = has_small_matrix(problem);
  const std::string features = counted(problem.features(), "feature");
  if (!small && problem.is_divided()) {
    return {
        Solver::newton,
        fmt::format("with {} and divided rows, Newton steps need fewer passes and sums than dual "
                    "rounds",
                    features)};
  }
  return {small ? Solver::newton : Solver::sdca,
          small ? fmt::format("with {}, Newton steps are cheap", features)
                : fmt::format("with {}, Newton steps would be too expensive", features)};
}

SolverResult solve_linear(const LinearProblem& problem, const SolverOptions& options,
                          const Watch& watch, ThreadPool& pool, WarmStart start) {
  problem.validate();
  options.validate();
  check(problem, start);
  StopWhen proven(watch,
                  [&](const TrainingReport& report) { return report.within(options.tolerance); });
  SolverResult result = run(problem, options, watch, proven, pool, std::move(start));
  const double asked = proven.interrupted() ? 1.0 : 0.0;
  result.interrupted = sum_over_rows({&asked, 1}, pool.ranks()) > 0.0;
  return result;
}

}  // namespace pegasos
