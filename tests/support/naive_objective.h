// Losses, objectives and the optimum again, in the plainest way: formulas as in a textbook, dense
// rows, one loop, doubles. Nothing here is shared with the code it checks.
#pragma once

#include <vector>

#include "pegasos/problem.h"
#include "support/small_problem.h"

namespace pegasos::testing {

double naive_loss(const LossOptions& options, double z, double y);
// Minus a sub-gradient; at a kink the end nearer to zero.
double naive_ascent(const LossOptions& options, double z, double y);
// -conj(-a) for a feasible a of a row of weight 1.
double naive_gain(const LossOptions& options, double a, double y);
// The feasible duals of a row of weight 1.
struct Interval {
  double low;
  double high;
};
Interval feasible_duals(const LossOptions& options, double y);

double naive_primal(const SmallProblem& problem, const LinearPoint& point);
// w(a) = 1/(lambda m) sum a_i x_i; b is that of a regularised bias.
LinearPoint naive_point_of_duals(const SmallProblem& problem, const std::vector<double>& a);
double naive_dual(const SmallProblem& problem, const std::vector<double>& a);

// P and D of a nearly optimal pair, D ≤ minimum ≤ P, found by dual coordinate ascent whose
// coordinate steps are ternary searches. Not with a free bias.
struct NaiveOptimum {
  LinearPoint point;
  double primal = 0.0;
  double dual = 0.0;
};
NaiveOptimum naive_optimum(const SmallProblem& problem, double relative_gap, int most_epochs);

}  // namespace pegasos::testing
