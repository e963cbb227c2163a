// The joint loss of many classes: Pegasos, and the dual coordinate ascent that closes its gap.
//
// See joint.cpp for the algorithms. Silent and without a clock; the caller watches.
#pragma once

#include <vector>

#include "base/thread_pool.h"
#include "certify/joint_objective.h"
#include "pegasos/solver_options.h"
#include "pegasos/watch.h"

namespace pegasos {

struct JointResult {
  JointPoint point = {};
  std::vector<double> a = {};  // feasible duals of the best bound
  TrainingReport report = {};
  bool interrupted = false;
};

struct JointStart {
  std::vector<double> a = {};  // duals to begin with, or none
  SolverState state = {};      // of an earlier run of the same problem and options
};

// Solver::pegasos is Pegasos alone; the others are two epochs of it and then dual ascent, from
// the duals of `start` if it has some. Ends at options.tolerance or max_epochs. Throws
// InvalidOption for what the joint loss does not have: projection, averages, Newton steps.
JointResult solve_joint(const JointProblem& problem, const SolverOptions& options,
                        const Watch& watch, ThreadPool& pool, JointStart start = {});

}  // namespace pegasos
