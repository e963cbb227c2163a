// Newton steps on the augmented Lagrangian: to any precision in a few dozen passes, with a matrix
// where features are few and by conjugate gradients where they are many.
//
// See newton.cpp for the algorithm.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "pegasos/problem.h"
#include "pegasos/solver_options.h"
#include "pegasos/watch.h"
#include "solver/result.h"

namespace pegasos {

struct NewtonOptions {
  double tolerance = 1e-3;
  std::uint64_t steps = 1000;
  std::uint64_t first = 0;  // of these, how many epochs of another solver have used up
  bool rough = false;       // end where a run on more rows would begin
};

// Starts from the point and the duals of `start`, or zero. Calls watch.event at the start and after
// every step; the report of the last holds up to rounding.
SolverResult train_newton(const LinearProblem& problem, WarmStart start,
                          const NewtonOptions& options, const Watch& watch, ThreadPool& pool);

}  // namespace pegasos
