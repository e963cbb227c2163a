// The joint loss of many classes: Pegasos, and the dual coordinate ascent that closes its gap.
//
// See joint.cpp for the algorithms. Silent and without a clock; the caller watches.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/thread_pool.h"
#include "certify/joint_objective.h"
#include "pegasos/progress.h"
#include "pegasos/solver_options.h"

namespace pegasos {

struct JointWatch {
  std::function<Verdict(const EpochReport&)> epoch = {};
  std::function<bool()> interrupted = {};
};

struct JointResult {
  JointPoint point = {};
  std::vector<double> a = {};  // feasible duals of the best bound
  EpochReport report = {};
  bool interrupted = false;
};

// Solver::pegasos is Pegasos alone; the others are two epochs of it and then dual ascent, from
// `start` if it is not empty. Ends at options.tolerance or max_epochs. Throws InvalidOption for
// what the joint loss does not have: projection, averages, Newton steps.
JointResult solve_joint(const JointProblem& problem, const SolverOptions& options,
                        const JointWatch& watch, ThreadPool& pool, std::vector<double> start = {});

}  // namespace pegasos
