// Pegasos with kernels: stochastic sub-gradient descent on the primal.
//
// See kernel_pegasos.cpp for the algorithm. Silent and without a clock; the caller watches.
#pragma once

#include "base/thread_pool.h"
#include "pegasos/kernel_problem.h"
#include "pegasos/pegasos_options.h"

namespace pegasos {

// Pure Pegasos. options.measure_gradients means nothing here. Throws InvalidOption for options or a
// problem out of range.
KernelResult train_kernel_pegasos(const KernelProblem& problem, const PegasosOptions& options,
                                  const KernelSolverOptions& solver, const KernelWatch& watch,
                                  ThreadPool& pool);

}  // namespace pegasos
