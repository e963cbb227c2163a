// Dual variables that are feasible exactly, as the numbers they are: what weak duality asks for.
#pragma once

#include <span>

#include "pegasos/collective.h"
#include "pegasos/loss.h"

namespace pegasos {

// The dual of a row nearest to a: hinge and logistic in [0, s] times y, squared hinge with the sign
// of y, epsilon-insensitive in [-s, s], Huber in [-delta s, delta s]. No rounding can leave these.
double feasible_dual(const LossOptions& loss, double a, double y, double s);

// The dual of a row whose score is 0 whatever the model: the one of the best bound.
double dual_out_of_reach(const LossOptions& loss, double y, double s);

// Shrinks the heavier side until the duals sum to zero up to rounding; shrinking keeps them
// feasible. The sum is over all ranks, each of which passes its own; likewise in the next.
void balance_duals(std::span<double> a, Collective& ranks);

// Makes the sum of feasible duals exactly zero, as a free bias asks. They become multiples of the
// last place of the largest, towards zero, whose sum is a whole number of these; what it is too
// much is taken off the heavier side, which always has it. Duals stay within their ranges, all of
// which contain 0.
void balance_exactly(std::span<double> a, Collective& ranks);

}  // namespace pegasos
