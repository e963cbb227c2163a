// Inner products of mapped rows against kernel values, and what a linear machine learns from them
// against the kernel machine.
#include "pegasos/feature_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pegasos/error.h"
#include "solver/kernel_ascent.h"
#include "support/kernel_problems.h"

namespace pegasos {
namespace {

using testing::kernel_of;
using testing::make_problem;
using testing::naive_kernel;
using testing::SmallProblem;
using testing::with_kernel;

FeatureMapOptions options_of(Approximation approximation, const KernelOptions& kernel,
                             std::size_t components, std::uint64_t seed = 1) {
  FeatureMapOptions options;
  options.approximation = approximation;
  options.kernel = kernel;
  options.components = components;
  options.seed = seed;
  return options;
}

// The root of the mean squared error of <z, z'>, relative to that of K.
double error_of(const SmallProblem& problem, const FeatureMapOptions& options) {
  const Dataset data = problem.linear().data;
  const Dataset z = FeatureMap::fit(data, options).apply(data, 1);
  double wrong = 0;
  double size = 0;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    for (std::size_t j = 0; j < problem.rows(); ++j) {
      const double exact = naive_kernel(options.kernel, problem.x[i], problem.x[j]);
      const double product = kernel_value(kernel_of(KernelKind::linear), z.row(i), z.row(j));
      wrong += (product - exact) * (product - exact);
      size += exact * exact;
    }
  }
  return std::sqrt(wrong / size);
}

TEST(FeatureMap, ProductsApproachTheKernel) {
  const SmallProblem problem = make_problem({.rows = 60, .features = 5, .density = 0.7});
  struct Case {
    Approximation approximation;
    KernelOptions kernel;
  };
  for (const auto& [approximation, kernel] :
       {Case{Approximation::rff, kernel_of(KernelKind::rbf, 0.2)},
        Case{Approximation::rff, kernel_of(KernelKind::laplacian, 0.2)},
        Case{Approximation::tensorsketch, kernel_of(KernelKind::polynomial, 0.3, 1.0, 2)},
        Case{Approximation::tensorsketch, kernel_of(KernelKind::polynomial, 0.3, 1.0, 3)}}) {
    const double coarse = error_of(problem, options_of(approximation, kernel, 64));
    const double fine = error_of(problem, options_of(approximation, kernel, 8192));
    EXPECT_LT(fine, 0.04) << name_of(approximation) << ' ' << name_of(kernel.kind);
    EXPECT_LT(fine, 0.3 * coarse) << "the error falls with the root of the components";
  }
}

TEST(FeatureMap, NystroemWithAllRowsIsTheKernel) {
  const SmallProblem problem = make_problem({.rows = 50, .features = 6});
  for (const auto kind : {KernelKind::rbf, KernelKind::laplacian, KernelKind::polynomial}) {
    const auto kernel = kernel_of(kind, 0.2, 1.0, 2);
    EXPECT_LT(error_of(problem, options_of(Approximation::nystroem, kernel, 50)), 1e-4);
    EXPECT_LT(error_of(problem, options_of(Approximation::nystroem, kernel, 30)), 0.4);
  }
  EXPECT_EQ(FeatureMap::fit(problem.linear().data,
                            options_of(Approximation::nystroem, kernel_of(KernelKind::rbf), 999))
                .components(),
            50U);
}

TEST(FeatureMap, LinearMachineOnTheMapIsNearlyTheKernelMachine) {
  const SmallProblem problem =
      make_problem({.rows = 300, .features = 4, .noise = 1.0, .lambda = 5e-3});
  const auto kernel = kernel_of(KernelKind::rbf, 0.3);
  ThreadPool pool(1);
  const auto exact = ascend_kernel_dual(with_kernel(problem, kernel), {}, {}, pool);
  for (const auto approximation : {Approximation::rff, Approximation::nystroem}) {
    const Dataset data = problem.linear().data;
    KernelProblem mapped = with_kernel(problem, kernel_of(KernelKind::linear));
    mapped.data = FeatureMap::fit(data, options_of(approximation, kernel, 256)).apply(data);
    const auto linear = ascend_kernel_dual(mapped, {}, {}, pool);
    const double truth = exact.report.primal.objective();
    EXPECT_NEAR(linear.report.primal.objective(), truth, 0.05 * truth) << name_of(approximation);
  }
}

TEST(FeatureMap, SeedDecidesAndThreadsDoNot) {
  const SmallProblem problem = make_problem({.rows = 600, .features = 4, .weighted = true});
  const Dataset data = problem.linear().data;
  const auto kernel = kernel_of(KernelKind::rbf);
  for (const auto approximation : {Approximation::rff, Approximation::nystroem}) {
    const auto values = [&](std::uint64_t seed, int threads) {
      const auto z =
          FeatureMap::fit(data, options_of(approximation, kernel, 16, seed)).apply(data, threads);
      return std::vector<float>(z.dense().values.begin(), z.dense().values.end());
    };
    EXPECT_EQ(values(1, 1), values(1, 3));
    EXPECT_NE(values(1, 1), values(2, 1));
  }
}

TEST(FeatureMap, WhatDoesNotFitIsRefusedByName) {
  const auto field = [](const FeatureMapOptions& options) -> std::string {
    try {
      options.validate();
    } catch (const InvalidOption& error) {
      return error.field();
    }
    return "";
  };
  using enum Approximation;
  EXPECT_EQ(field(options_of(rff, kernel_of(KernelKind::polynomial), 16)), "approximation");
  EXPECT_EQ(field(options_of(rff, kernel_of(KernelKind::rbf), 15)), "components");
  EXPECT_EQ(field(options_of(tensorsketch, kernel_of(KernelKind::rbf), 16)), "approximation");
  EXPECT_EQ(field(options_of(tensorsketch, kernel_of(KernelKind::polynomial), 24)), "components");
  EXPECT_EQ(field(options_of(nystroem, kernel_of(KernelKind::sigmoid), 16)), "approximation");
  EXPECT_EQ(field(options_of(nystroem, kernel_of(KernelKind::chi_squared), 16)), "");
  EXPECT_EQ(field(options_of(rff, kernel_of(KernelKind::rbf, -1), 16)), "gamma");
  EXPECT_EQ(field(options_of(nystroem, kernel_of(KernelKind::rbf), 1)), "components");
}

}  // namespace
}  // namespace pegasos
