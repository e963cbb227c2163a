#include "solver/solve.h"

#include <fmt/format.h>

#include <utility>

#include "certify/objective.h"
#include "math/losses.h"
#include "math/passes.h"
#include "pegasos/error.h"
#include "solver/newton.h"
#include "solver/pegasos.h"
#include "solver/sdca.h"

namespace pegasos {
namespace {

constexpr std::uint64_t kWarmUpEpochs = 2;
constexpr std::uint64_t kMostEpochs = 1000;

void check(const LinearProblem& problem, const WarmStart& start) {
  if (!start.a.empty() && start.a.size() != problem.rows()) {
    throw InvalidOption("start", fmt::format("has duals of {} rows, the data has {}",
                                             start.a.size(), problem.rows()));
  }
  if (!start.point.w.empty() && start.point.w.size() != problem.features()) {
    throw InvalidOption("start", fmt::format("has {} weights, the data has {} features",
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

}  // namespace

SolverChoice choose_solver(const LinearProblem& problem, Solver wish) {
  if (wish != Solver::automatic) return {wish, ""};
  if (problem.features() <= 2000) return {Solver::newton, "few"};
  return {Solver::sdca, "many"};
}

SolverResult solve_linear(const LinearProblem& problem, const SolverOptions& options,
                          const TrainWatch& watch, ThreadPool& pool) {
  problem.validate();
  options.validate();
  check(problem, options.start);
  TrainWatch until_proven = watch;
  until_proven.epoch = [&](const EpochReport& report, const LinearPoint& point) {
    const Verdict verdict = watch.epoch ? watch.epoch(report, point) : Verdict::go_on;
    return report.certificate().within(options.tolerance) ? Verdict::stop : verdict;
  };
  const Solver solver = choose_solver(problem, options.kind).solver;
  if (solver == Solver::pegasos) {
    PegasosOptions pegasos = options.pegasos;
    pegasos.epochs = options.max_epochs.value_or(pegasos.epochs);
    return train_pegasos(problem, pegasos, until_proven, pool, options.start);
  }
  WarmStart start = options.start;
  if (start.a.empty() && !start.empty()) start.a = duals_at(problem, start.point, pool);
  if (start.empty())
    start.a = pegasos_duals(problem, kWarmUpEpochs, options.pegasos.seed, watch.interrupted, pool);
  const std::uint64_t epochs = options.max_epochs.value_or(kMostEpochs);
  if (solver == Solver::newton) {
    return train_newton(problem, std::move(start), {options.tolerance, epochs}, until_proven, pool);
  }
  return train_sdca(problem, std::move(start.a), {options.tolerance, epochs, options.pegasos.seed},
                    until_proven, pool);
}

}  // namespace pegasos
