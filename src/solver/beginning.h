// The starting point of a solver: the given point, or zero if that is better.
//
// The first epochs of Pegasos at a tiny lambda, or a model of other data, can be worse than zero,
// and even Newton steps converge slowly from a distant point.
#pragma once

#include <vector>

#include "base/thread_pool.h"
#include "pegasos/problem.h"
#include "pegasos/progress.h"
#include "pegasos/solver_options.h"

namespace pegasos {

struct Beginning {
  std::vector<double> a = {};  // feasible: those offered, or zero (by their bounds)
  LinearPoint of_duals = {};   // w(a)
  double dual = 0.0;           // their bound
  std::vector<double> z = {};  // the scores of w(a) with its bias; none if a is zero
  LinearPoint point = {};      // the offered one, w(a), or zero (by their objectives)
  PrimalValue primal = {};     // its objective
};

Beginning begin_from(const LinearProblem& problem, WarmStart start, ThreadPool& pool);

}  // namespace pegasos
