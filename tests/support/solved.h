// What must hold of every answer of a linear solver, checked with the naive formulas.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solver/result.h"
#include "support/naive_objective.h"

namespace pegasos::testing {

// Feasible duals, P and D as reported, D ≤ P, and (P - D)/D ≤ gap (infinite: not asked). Together
// these prove that P is the optimum up to the gap, without any other solver.
inline void expect_solved(const SmallProblem& problem, const SolverResult& result, double gap) {
  ASSERT_EQ(result.a.size(), problem.rows());
  ASSERT_EQ(result.point.w.size(), problem.features);
  double total = 0;
  double size = 0;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const double s = problem.weight(i);
    const Interval domain = feasible_duals(problem.loss, problem.y[i]);
    const double unit = s > 0 ? result.a[i] / s : 0.0;
    ASSERT_TRUE(unit >= domain.low - 1e-12 && unit <= domain.high + 1e-12)
        << "dual " << i << " is " << result.a[i];
    if (s == 0) {
      ASSERT_EQ(result.a[i], 0.0);
    }
    total += result.a[i];
    size += std::abs(result.a[i]);
  }
  if (problem.has_free_bias()) {
    EXPECT_LE(std::abs(total), 1e-12 * (1 + size));
  }
  const double P = naive_primal(problem, result.point);
  const double D = naive_dual(problem, result.a);
  EXPECT_NEAR(result.report.primal.objective(), P, 1e-11 * (1 + P));
  EXPECT_NEAR(*result.report.dual, D, 1e-11 * (1 + P));
  EXPECT_LE(D, P + 1e-12 * (1 + P));
  if (std::isfinite(gap)) {
    EXPECT_LE(P - D, gap * D + 1e-14) << "after " << result.report.epoch << " epochs";
  }
}

}  // namespace pegasos::testing
