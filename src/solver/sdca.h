// Dual coordinate ascent for the linear problem: the polish after Pegasos where features are many.
//
// See sdca.cpp for the algorithm.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "pegasos/problem.h"
#include "pegasos/progress.h"
#include "solver/result.h"

namespace pegasos {

struct SdcaOptions {
  double tolerance = 1e-3;  // the relative gap at which certificates begin to be worth their passes
  std::uint64_t epochs = 1000;
  std::uint64_t seed = 1;
};

// Starts from the duals a, m of them, which it makes feasible. Calls watch.epoch with a fresh
// certificate after some epochs, the last among them.
SolverResult train_sdca(const LinearProblem& problem, std::vector<double> a,
                        const SdcaOptions& options, const TrainWatch& watch, ThreadPool& pool);

}  // namespace pegasos
