// Bounds where rounding is at its worst, duals that are feasible to the last bit, and kernel values
// on every instruction set. Random models are in tests/learn/certificate_property_test.cpp.
#include "certify/certificate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "certify/feasible_duals.h"
#include "certify/kernel_certificate.h"
#include "simd/target.h"
#include "support/exact_objective.h"
#include "support/kernel_problems.h"
#include "support/small_problem.h"

namespace pegasos {
namespace {

using testing::ExactProblem;
using testing::Real;
using testing::SmallProblem;

ExactProblem exact_of(const SmallProblem& problem) {
  return {.x = problem.x,
          .y = problem.y,
          .weights =
              problem.weights.empty() ? std::vector<double>(problem.rows(), 1.0) : problem.weights,
          .loss = problem.loss,
          .lambda = problem.lambda,
          .bias = problem.bias,
          .bias_feature = problem.bias_feature};
}

// 1 + u + u + ...: every addition of u is lost, all in one direction. Half the bound is too little.
TEST(Certificate, HoldsWhereEveryRoundingGoesTheSameWay) {
  ThreadPool pool(1);
  constexpr std::size_t kFeatures = 4000;
  SmallProblem problem;
  problem.features = kFeatures;
  problem.x = {std::vector<float>(kFeatures, 1.0F)};
  problem.y = {-1.0};
  problem.lambda = 1e-3;
  std::vector<double> w(kFeatures, 0x1p-53);
  w[0] = 1.0;
  for (const bool dense : {false, true}) {
    problem.dense = dense;
    const LinearProblem view = problem.linear();
    std::vector<double> a = {-1.0};
    const Proof proof = certify(view, {w, 0.0}, a, pool, Arithmetic::doubles);
    const Real P = exact_primal(exact_of(problem), w, 0.0);
    EXPECT_TRUE(P <= Real(proof.certificate.primal));
    EXPECT_TRUE(Real(proof.primal_below) <= P);
    EXPECT_LE(proof.certificate.primal - P.nearest(), 4 * 1000 * kUnit);
    const Proof pairs = certify(view, {w, 0.0}, a, pool, Arithmetic::pairs);
    EXPECT_TRUE(P <= Real(pairs.certificate.primal));
    EXPECT_LE(pairs.certificate.primal - pairs.primal_below, 32 * kUnit * P.nearest());
  }
}

// Large terms that cancel leave nothing of the score in double precision; pairs take over.
TEST(Certificate, TakesPairsWhereDoublesAreTooLittle) {
  ThreadPool pool(1);
  SmallProblem problem;
  problem.features = 3;
  problem.x = {{3e7F, -3e7F, 1.0F}, {1.0F, 1.0F, 0.5F}};
  problem.y = {1.0, -1.0};
  problem.lambda = 1e-18;
  const std::vector<double> w = {1e5, 1e5 + 1e-8, 0.3};
  std::vector<double> a = {1e-9, -1e-9};
  const Proof proof = certify(problem.linear(), {w, 0.0}, a, pool);
  EXPECT_EQ(proof.used, Arithmetic::pairs);
  const Real P = exact_primal(exact_of(problem), w, 0.0);
  EXPECT_TRUE(P <= Real(proof.certificate.primal));
  EXPECT_LE(proof.certificate.primal - P.nearest(), 1e-12 * P.nearest());
}

TEST(FeasibleDuals, SumToZeroExactly) {
  Random random(9, 1);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> a(1 + random.below(40));
    for (double& value : a) {
      value = (static_cast<double>(random.below(1U << 30)) * 0x1p-29 - 1.0) *
              std::ldexp(1.0, static_cast<int>(random.below(60)) - 30);
    }
    std::vector<double> balanced = a;
    balance_duals(balanced, alone());
    balance_exactly(balanced, alone());
    Real sum;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += Real(balanced[i]);
      EXPECT_LE(std::abs(balanced[i]), std::abs(a[i]));  // towards zero: still in its range
      EXPECT_GE(balanced[i] * a[i], 0.0);
    }
    EXPECT_TRUE(sum == Real(0.0));
  }
}

TEST(FeasibleDuals, StayInTheirRanges) {
  LossOptions huber{.loss = Loss::huber, .delta = 0.1};
  for (int k = 1; k < 2000; ++k) {
    const double s = 0.001 * k;
    const double a = feasible_dual(huber, 1e9, 0.0, s);
    EXPECT_TRUE(Real(a) <= Real(0.1) * Real(s));
    EXPECT_NEAR(a, 0.1 * s, 1e-15 * s);
  }
  EXPECT_EQ(feasible_dual({.loss = Loss::hinge}, -3.0, -1.0, 2.0), -2.0);
  EXPECT_EQ(feasible_dual({.loss = Loss::hinge}, 3.0, -1.0, 2.0), 0.0);
  EXPECT_EQ(feasible_dual({.loss = Loss::hinge}, std::nan(""), 1.0, 2.0), 0.0);
  EXPECT_EQ(feasible_dual({.loss = Loss::squared_hinge}, 7.0, 1.0, 0.0), 0.0);
}

// Scores of all kernels against 400 bits, exp and tanh of the vector code included.
TEST(KernelCertificate, ScoresAreWithinTheirErrors) {
  ThreadPool pool(1);
  const std::string before = simd::current_target();
  for (const std::string& target : simd::usable_targets()) {
    ASSERT_TRUE(simd::force_target(target));
    for (const KernelKind kind : testing::kFormulaKernels) {
      if (kind == KernelKind::callable) continue;
      for (const double scale : {0.3, 30.0}) {
        SmallProblem problem = testing::make_problem({.rows = 70, .value_scale = scale, .seed = 5});
        for (auto& row : problem.x) {
          for (float& value : row) {
            if (kind == KernelKind::chi_squared) value = std::abs(value);
          }
        }
        const KernelOptions kernel =
            testing::kernel_of(kind, kind == KernelKind::sigmoid ? 1e-3 : 0.7 / (scale * scale));
        const KernelProblem view = testing::with_kernel(problem, kernel);
        const KernelBlocks blocks(kernel, view.data, pool);
        std::vector<double> c(problem.rows());
        for (std::size_t i = 0; i < c.size(); ++i) c[i] = std::sin(3.7 * static_cast<double>(i));
        const KernelScores scores = enclose_scores(blocks, c, pool);
        for (std::size_t j = 0; j < c.size(); j += 7) {
          Real truth;
          for (std::size_t i = 0; i < c.size(); ++i) {
            truth += Real(c[i]) * testing::exact_kernel(kernel, problem.x[i], problem.x[j]);
          }
          EXPECT_TRUE(abs(Real(scores.values[j]) - truth) <= Real(scores.errors[j]))
              << name_of(kind) << " " << target;
          EXPECT_LE(scores.errors[j],
                    1e-9 * (1.0 + std::abs(scores.values[j])) + 1e-12 * scale * scale)
              << name_of(kind);
        }
      }
    }
  }
  simd::force_target(before);
}

}  // namespace
}  // namespace pegasos
