// What every linear solver leaves behind.
#pragma once

#include <string>
#include <vector>

#include "pegasos/problem.h"
#include "pegasos/progress.h"

namespace pegasos {

struct SolverResult {
  LinearPoint point = {};
  std::vector<double> a = {};  // feasible duals of the best bound
  EpochReport report = {};     // of the end
  bool interrupted = false;
};

}  // namespace pegasos
