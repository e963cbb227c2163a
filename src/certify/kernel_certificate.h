// The certificate of a kernel machine as a theorem; see certify/certificate.h for the formula.
//
// A function f = sum_j c_j K(x_j, .) is known by its scores, each with a bound on its error: kernel
// values are computed in double from float32 rows, with
//
//   v = sum_k x_k x'_k          |error| ≤ n u |x| |x'|                        n: the longest row
//   polynomial, linear          |error of K| ≤ p (n + 8) u q q',  q = (gamma |x|^2 + coef0)^(p/2)
//   Gaussian                    K = e^-t,  |error of t| ≤ gamma (2 n + 16) u (|x|^2 + |x'|^2)
//   Laplacian, chi-squared      K = e^-t,  |error of t| ≤ gamma (8 n + 64) u (|x|_1 + |x'|_1)
//   sigmoid                     |error of K| ≤ |error of the argument| + 2 units in the last place
//   precomputed, callable       the value is what is given
//
// exp and tanh are taken to be within 2 units in the last place, which is tested.
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "certify/certificate.h"
#include "math/kernel_blocks.h"
#include "pegasos/kernel_problem.h"

namespace pegasos {

// Scores without the bias, sum_r coefficients[r] K(left_r, right_j) for all j, and how far they may
// be from the truth. A pass over all columns for each coefficient that is not zero.
KernelScores enclose_scores(const KernelBlocks& blocks, std::span<const double> coefficients,
                            ThreadPool& pool);

// |f|^2 = sum_j c_j f(x_j), from the scores at the rows of the coefficients.
Nearer squared_norm_of(std::span<const double> coefficients, const KernelScores& at_them);

// A function at the rows of a problem.
struct KernelFunction {
  KernelScores scores = {};
  Nearer squared_norm = {};
};

// The function when all of it may be off by another one of this norm: |g(x)| ≤ |g| sqrt(K(x, x)).
// For positive semidefinite kernels.
void widen(KernelFunction& f, std::span<const double> diagonal, double norm);

// Rows' own kernel values, rounded up.
std::vector<double> diagonal_above(const KernelBlocks& blocks);

// Makes `a` exactly feasible for a problem whose rows have these values with themselves.
void make_exactly_feasible(const KernelProblem& problem, std::span<const double> diagonal,
                           std::span<double> a);

// P of f and b; D of exactly feasible duals, none if empty, whose function f(a) is within
// `distance` of `of_duals`. The latter may be f itself.
Proof certify_kernel(const KernelProblem& problem, const KernelFunction& f, double b,
                     std::span<const double> a, const KernelFunction& of_duals, double distance);

}  // namespace pegasos
