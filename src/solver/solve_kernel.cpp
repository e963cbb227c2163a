#include "solver/solve_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "pegasos/error.h"
#include "solver/kernel_pegasos.h"
#include "solver/merged_rows.h"
#include "solver/stop_when.h"

namespace pegasos {
namespace {

constexpr std::uint64_t kMostEpochs = 1000;

bool is_pure_pegasos(Solver kind, const KernelOptions& kernel) {
  if (kind != Solver::automatic && kind != Solver::pegasos) {
    throw InvalidOption(
        "solver", fmt::format("{} is for linear models; kernel models support auto and pegasos",
                              name_of(kind)));
  }
  return kind == Solver::pegasos || !kernel.is_positive_semidefinite();
}

KernelResult ascend(const KernelProblem& problem, const SolverOptions& options,
                    KernelSolverOptions solver, const Watch& watch, ThreadPool& pool,
                    const std::vector<double>& start, const SolverState& state) {
  const std::uint64_t epochs = options.max_epochs.value_or(kMostEpochs);
  const auto merged = MergedRows::of(problem, watch.stop);
  if (!merged) {
    solver.most_visits = visits_of_epochs(epochs, problem.rows());
    return ascend_kernel_dual(problem, solver, watch, pool, {start, state});
  }
  const KernelProblem fewer = merged->problem();
  solver.most_visits = visits_of_epochs(epochs, fewer.rows());
  const auto point_of = [&](std::span<const double> a, double b) {
    KernelPoint point{{a.begin(), a.end()}, b};
    const double unit = 1.0 / (problem.lambda * problem.m());
    for (double& coefficient : point.coefficients) coefficient *= unit;
    return point;
  };
  // Observers know the original rows, not the merged ones.
  Watch of_rows{.stop = watch.stop, .hurry = watch.hurry};
  if (watch.event) {
    of_rows.event = [&](const TrainingEvent& of_merged) {
      TrainingEvent event = of_merged;
      event.duals = [&] { return merged->duals_of_rows(of_merged.duals()); };
      event.kernel_point = [&] {
        return point_of(merged->duals_of_rows(of_merged.duals()), of_merged.kernel_point().b);
      };
      watch.event(event);
    };
  }
  KernelResult result = ascend_kernel_dual(
      fewer, solver, of_rows, pool, {start.empty() ? start : merged->merged_duals(start), state});
  result.a = merged->duals_of_rows(result.a);
  result.scores = merged->scores_of_rows(result.scores);
  result.point = point_of(result.a, result.point.b);
  return result;
}

KernelResult descend(const KernelProblem& problem, const SolverOptions& options,
                     const KernelSolverOptions& solver, const Watch& watch, ThreadPool& pool,
                     const SolverState& state) {
  PegasosOptions pegasos = options.pegasos;
  pegasos.epochs = options.max_epochs.value_or(pegasos.epochs);
  StopWhen proven(watch,
                  [&](const TrainingReport& report) { return report.within(options.tolerance); });
  KernelResult result = train_kernel_pegasos(problem, pegasos, solver, proven.watch(), pool, state);
  result.interrupted = proven.interrupted();
  return result;
}

}  // namespace

std::uint64_t visits_of_epochs(std::uint64_t epochs, std::size_t rows) {
  const std::uint64_t visits = std::max<std::uint64_t>(1, rows);
  return epochs > UINT64_MAX / visits ? UINT64_MAX : epochs * visits;
}

KernelResult solve_kernel(const KernelProblem& problem, const SolverOptions& options,
                          std::uint64_t cache_bytes, const Watch& watch, ThreadPool& pool,
                          const std::vector<double>& start, const SolverState& state) {
  KernelSolverOptions solver;
  solver.cache_bytes = cache_bytes;
  solver.tolerance = options.tolerance;
  return is_pure_pegasos(options.kind, problem.kernel)
             ? descend(problem, options, solver, watch, pool, state)
             : ascend(problem, options, solver, watch, pool, start, state);
}

}  // namespace pegasos
