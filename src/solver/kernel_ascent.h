// Block dual ascent for kernel SVMs: reaches a certified gap while computing few rows of the kernel
// matrix.
//
// See kernel_ascent.cpp for the algorithm. Silent and without a clock; its caller watches it.
#pragma once

#include <vector>

#include "base/thread_pool.h"
#include "pegasos/kernel_problem.h"
#include "pegasos/watch.h"
#include "solver/result.h"

namespace pegasos {

// Dual variables to begin with, made feasible first; none: zero. Those of an earlier run with
// another lambda or a looser tolerance save most of the work.
struct KernelStart {
  std::vector<double> a = {};
  SolverState state = {};  // of an earlier run of the same problem and tolerance
};

// Ends at options.tolerance, which objective and bound recomputed in double must meet; where it
// cannot be met (no row gains anything more); or when the watcher says so. Throws InvalidOption for
// a kernel that is not known to be positive semidefinite: its dual has no maximum to climb.
KernelResult ascend_kernel_dual(const KernelProblem& problem, const KernelSolverOptions& options,
                                const Watch& watch, ThreadPool& pool, KernelStart start = {});

}  // namespace pegasos
