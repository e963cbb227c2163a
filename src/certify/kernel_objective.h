// Primal and dual objective of a kernel problem, from the scores of its rows.
//
//   f_i = sum_j c_j K_ij,    |f|^2 = sum_i c_i f_i,    c(a) = a/(lambda m)
//   P   = lambda/2 |f|^2 + 1/m sum_i s_i loss(f_i + b; y_i)
//   D   = 1/m sum_i s_i gain(a_i/s_i) - lambda/2 |f(a)|^2
//
// D ≤ min P for a kernel that is positive semidefinite. A free bias asks for sum_i a_i = 0. A row
// that no function of the space reaches (K_ii = 0, no bias) has a constant loss and a known dual.
#pragma once

#include <span>
#include <vector>

#include "certify/objective.h"
#include "math/kernel_blocks.h"
#include "pegasos/kernel_problem.h"

namespace pegasos {

// f_i without the bias, in double throughout: a pass over all rows for each coefficient that is
// not zero.
std::vector<double> kernel_scores(const KernelBlocks& blocks, std::span<const double> coefficients,
                                  ThreadPool& pool);

// P of coefficients whose scores are known. With a free bias, first moves b to its minimum.
PrimalValue evaluate_kernel_primal(const KernelProblem& problem,
                                   std::span<const double> coefficients,
                                   std::span<const double> scores, double& b);

// The nearest feasible duals: clamped, rows out of reach set, balanced for a free bias.
void make_kernel_duals_feasible(const KernelProblem& problem, std::span<const double> diagonal,
                                std::span<double> a);

// D of feasible duals, from the scores of c(a).
DualValue evaluate_kernel_dual(const KernelProblem& problem, std::span<const double> a,
                               std::span<const double> scores);

}  // namespace pegasos
