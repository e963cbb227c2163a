// What solvers leave behind.
#pragma once

#include <vector>

#include "pegasos/kernel_problem.h"
#include "pegasos/problem.h"
#include "pegasos/watch.h"

namespace pegasos {

struct SolverResult {
  LinearPoint point = {};
  std::vector<double> a = {};  // feasible duals of the best bound
  TrainingReport report = {};  // of the end
  bool interrupted = false;    // the watch said stop
  bool unproven = false;       // and was in a hurry: report and duals are of an earlier moment
};

struct KernelResult {
  KernelPoint point = {};
  KernelScores scores = {};  // of the point
  std::vector<double> a = {};
  TrainingReport report = {};
  bool interrupted = false;
  bool unproven = false;
};

}  // namespace pegasos
