// Primal and dual objective of any point, in fresh passes over the data and ordinary double
// precision: what solvers steer by. What is claimed in the end comes from certify/certificate.h.
//
//   P(w, b) = lambda/2 |w|^2 + 1/m sum_i s_i loss(z_i; y_i),            z_i = <w, x_i> + b
//   D(a)    = 1/m sum_i gain_i(a_i) - lambda/2 |w(a)|^2,                w(a) = 1/(lambda m) sum_i
//   a_i x_i
//
// D(a) ≤ min P for every feasible a (weak duality), so P - D is how far a point can be from the
// optimum at most. A free bias asks for sum_i a_i = 0. A row that no weight reaches (no features,
// no bias) has a constant loss; its best dual is known and always used.
//
// Sums are made over fixed blocks of rows in fixed order: the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "certify/feasible_duals.h"
#include "pegasos/problem.h"
#include "pegasos/progress.h"

namespace pegasos {

struct DualValue {
  double gain = 0.0;         // 1/m sum gain_i
  double regulariser = 0.0;  // lambda/2 |w(a)|^2

  double objective() const { return gain - regulariser; }
};

// `z` receives the scores, b included, if it is not empty.
PrimalValue evaluate_primal(const LinearProblem& problem, const LinearPoint& point,
                            ThreadPool& pool, std::span<double> z = {});

// With a free bias, first moves point.b to the minimum over b.
PrimalValue evaluate_primal_at_best_bias(const LinearProblem& problem, LinearPoint& point,
                                         ThreadPool& pool, std::span<double> z = {});

// Likewise with a regularised bias: moves b until at most `left` can be gained by it. One pass over
// the data all the same. On ranks, where every step of the search would be a round of messages, b
// stays. `z` has a place for every row and receives the scores, b included.
PrimalValue evaluate_primal_near_best_bias(const LinearProblem& problem, LinearPoint& point,
                                           double left, std::span<double> z, ThreadPool& pool);

// Makes a feasible in place (see above: clamped, rows out of reach set, balanced for a free bias)
// and computes D(a) with w(a) from a fresh pass. `w` receives w(a) if it is not null.
DualValue evaluate_dual(const LinearProblem& problem, std::span<double> a, ThreadPool& pool,
                        LinearPoint* w = nullptr);

// lambda/2 |w|^2 with the constant feature of a regularised bias.
double regulariser_of(const LinearProblem& problem, const LinearPoint& point);

}  // namespace pegasos
