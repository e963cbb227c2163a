// Pegasos with kernels, and the solver that uses it as its beginning.
//
// See kernel_pegasos.cpp for the algorithm. Silent and without a clock; the caller watches.
#pragma once

#include "base/thread_pool.h"
#include "pegasos/kernel_problem.h"
#include "pegasos/pegasos_options.h"
#include "solver/kernel_ascent.h"

namespace pegasos {

// Pure Pegasos. options.measure_gradients means nothing here. Throws InvalidOption for options or a
// problem out of range.
KernelResult train_kernel_pegasos(const KernelProblem& problem, const PegasosOptions& options,
                                  const KernelSolverOptions& solver, const KernelWatch& watch,
                                  ThreadPool& pool);

// Pegasos epochs as a beginning for dual ascent: the duals they hold, and the scores of these.
KernelStart start_with_kernel_pegasos(const KernelProblem& problem, const PegasosOptions& options,
                                      const KernelBlocks& blocks, KernelRowCache& cache,
                                      const KernelWatch& watch, ThreadPool& pool);

}  // namespace pegasos
