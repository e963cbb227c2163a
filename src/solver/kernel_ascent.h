// Block dual ascent for kernel machines: to a certified gap in few rows of the kernel matrix.
//
// See kernel_ascent.cpp for the algorithm. Silent and without a clock; its caller watches it.
#pragma once

#include <vector>

#include "base/thread_pool.h"
#include "pegasos/kernel_problem.h"
#include "solver/kernel_row_cache.h"

namespace pegasos {

// Feasible duals to start from, with the scores f_i of c(a). Empty: from zero.
struct KernelStart {
  std::vector<double> a = {};
  std::vector<double> scores = {};
  KernelReport report = {};  // what was done so far
};

// Ends at options.tolerance, which objective and bound recomputed in double must meet; where it
// cannot be met (no kernel row improves anything more); or when the watcher says so. Throws
// InvalidOption for a kernel that is not positive semidefinite: its dual has no maximum to climb.
KernelResult ascend_kernel_dual(const KernelProblem& problem, const KernelSolverOptions& options,
                                const KernelBlocks& blocks, KernelRowCache& cache,
                                KernelStart start, const KernelWatch& watch, ThreadPool& pool);

}  // namespace pegasos
