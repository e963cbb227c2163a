// Pegasos on rows as they come: every row is seen once, in order, and not kept.
#pragma once

#include "pegasos/problem.h"

namespace pegasos {

// Where a stream of rows has led. This is all that Pegasos needs to go on.
struct OnlinePoint {
  LinearPoint point = {};  // no weights: nothing was seen yet
  double counted = 0.0;    // rows seen, and the offset of the step size
};

// A step of batch size 1 on each row of the problem, with eta = 1/(lambda (counted + t)). For the
// squared losses `counted` is first raised to what the largest row asks for, without which steps
// diverge.
OnlinePoint learn_online(const LinearProblem& problem, OnlinePoint from);

}  // namespace pegasos
