// Pegasos with kernels: stochastic sub-gradient descent on the primal.
//
// See kernel_pegasos.cpp for the algorithm. Silent and without a clock; the caller watches.
#pragma once

#include "base/thread_pool.h"
#include "pegasos/kernel_problem.h"
#include "pegasos/pegasos_options.h"
#include "pegasos/watch.h"
#include "solver/result.h"

namespace pegasos {

// Pure Pegasos, from zero or from a state. options.measure_gradients means nothing here. Throws
// InvalidOption for options or a problem out of range.
KernelResult train_kernel_pegasos(const KernelProblem& problem, const PegasosOptions& options,
                                  const KernelSolverOptions& solver, const Watch& watch,
                                  ThreadPool& pool, const SolverState& state = {});

}  // namespace pegasos
