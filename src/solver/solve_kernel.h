// The door to the kernel solvers: picks one, stops it at the tolerance.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "pegasos/kernel_problem.h"
#include "pegasos/solver_options.h"
#include "pegasos/watch.h"
#include "solver/kernel_ascent.h"

namespace pegasos {

// Solver::automatic is block dual ascent from `start`, or none, over merged rows where there are
// equal ones; Pegasos where the kernel is not known to be positive semidefinite. Throws
// InvalidOption for solvers that kernel machines do not have. A `state` resumes the run that
// handed it out; `start` is then ignored.
KernelResult solve_kernel(const KernelProblem& problem, const SolverOptions& options,
                          std::uint64_t cache_bytes, const Watch& watch, ThreadPool& pool,
                          const std::vector<double>& start = {}, const SolverState& state = {});

// So many epochs in visits of rows, at least one.
std::uint64_t visits_of_epochs(std::uint64_t epochs, std::size_t rows);

}  // namespace pegasos
