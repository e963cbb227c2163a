// Pegasos, the linear solver: stochastic sub-gradient descent on the primal.
//
// See pegasos_iterate.h for the algorithm. The solver is silent and knows no clock; its caller
// watches every epoch and may stop it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/thread_pool.h"
#include "pegasos/pegasos_options.h"
#include "pegasos/problem.h"
#include "pegasos/solver_options.h"
#include "pegasos/watch.h"
#include "solver/result.h"

namespace pegasos {

// Throws InvalidOption for options or a problem out of range.
SolverResult train_pegasos(const LinearProblem& problem, const PegasosOptions& options,
                           const Watch& watch, ThreadPool& pool, const WarmStart& start = {});

// The duals after so many shuffled epochs, without a certificate on the way: what other solvers
// warm up with.
std::vector<double> pegasos_duals(const LinearProblem& problem, std::uint64_t epochs,
                                  std::uint64_t seed, const std::function<bool()>& stop,
                                  ThreadPool& pool);

}  // namespace pegasos
