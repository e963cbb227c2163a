// Pegasos, the linear solver: stochastic sub-gradient descent on the primal.
//
// See pegasos.cpp for the algorithm. The solver is silent and knows no clock; its caller watches
// every epoch and may stop it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "pegasos/pegasos_options.h"
#include "pegasos/problem.h"
#include "pegasos/progress.h"

namespace pegasos {

struct PegasosResult {
  LinearPoint point = {};
  std::vector<double> a = {};  // feasible duals of the best bound
  EpochReport report = {};     // of the end
  bool interrupted = false;
};

// Throws InvalidOption for options or a problem out of range.
PegasosResult train_pegasos(const LinearProblem& problem, const PegasosOptions& options,
                            const TrainWatch& watch, ThreadPool& pool);

}  // namespace pegasos
