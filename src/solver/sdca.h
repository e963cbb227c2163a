// Dual coordinate ascent for the linear problem: closes the gap after Pegasos when features are
// many.
//
// See sdca.cpp for the algorithm.
#pragma once

#include <cstdint>
#include <optional>

#include "base/thread_pool.h"
#include "pegasos/problem.h"
#include "pegasos/solver_options.h"
#include "pegasos/watch.h"
#include "solver/result.h"

namespace pegasos {

struct SdcaOptions {
  double tolerance = 1e-3;  // the relative gap at which certificates begin to be worth their passes
  std::uint64_t epochs = 1000;
  std::uint64_t seed = 1;
  // Leave the rest to another solver, which takes as long as so many epochs, when the progress
  // between two certificates predicts more; but not before the gap is small, where progress says
  // little about what follows, or patience is at its end.
  std::optional<std::uint64_t> give_up_beyond = {};
};

// Starts from the duals of `start`, or zero. Calls watch.event with a fresh certificate at the
// start and after some epochs, the last among them.
SolverResult train_sdca(const LinearProblem& problem, WarmStart start, const SdcaOptions& options,
                        const Watch& watch, ThreadPool& pool);

}  // namespace pegasos
