// The door to the linear solvers: picks one, warms it up, stops it at the tolerance.
#pragma once

#include <string>

#include "base/thread_pool.h"
#include "pegasos/problem.h"
#include "pegasos/progress.h"
#include "pegasos/solver_options.h"
#include "solver/result.h"

namespace pegasos {

struct SolverChoice {
  Solver solver = Solver::pegasos;
  std::string reason = {};  // half a sentence: "28 features make a small matrix"
};

// What Solver::automatic means for this problem; any other choice is returned as it is.
SolverChoice choose_solver(const LinearProblem& problem, Solver wish);

// Throws InvalidOption for options or a problem out of range.
SolverResult solve_linear(const LinearProblem& problem, const SolverOptions& options,
                          const TrainWatch& watch, ThreadPool& pool);

}  // namespace pegasos
