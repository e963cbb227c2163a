// Entry point of the linear solvers: chooses one, warm-starts it and stops it at the tolerance.
#pragma once

#include <string>

#include "base/thread_pool.h"
#include "pegasos/problem.h"
#include "pegasos/solver_options.h"
#include "pegasos/watch.h"
#include "solver/result.h"

namespace pegasos {

struct SolverChoice {
  Solver solver = Solver::pegasos;
  std::string reason = {};  // half a sentence: "with 28 features, Newton steps are cheap"
};

// What Solver::automatic means for this problem; any other choice is returned as it is.
SolverChoice choose_solver(const LinearProblem& problem, Solver asked);

// Begins at `start`, if it holds anything. Throws InvalidOption for options or a problem out of
// range.
SolverResult solve_linear(const LinearProblem& problem, const SolverOptions& options,
                          const Watch& watch, ThreadPool& pool, WarmStart start = {});

}  // namespace pegasos
