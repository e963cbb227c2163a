// Kernel problems for tests, and the plainest way to compute with them.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "pegasos/kernel_problem.h"
#include "support/small_problem.h"

namespace pegasos::testing {

// The rows of a small problem under a kernel; `problem` must outlive it.
inline KernelProblem with_kernel(const SmallProblem& problem, const KernelOptions& kernel) {
  KernelProblem result;
  result.data = problem.linear().data;
  result.y = problem.y;
  result.weights = problem.weights;
  result.loss = problem.loss;
  result.lambda = problem.lambda;
  result.bias = problem.bias;
  result.kernel = kernel;
  return result;
}

inline KernelOptions kernel_of(KernelKind kind, double gamma = 0.5, double coef0 = 1.0,
                               unsigned degree = 3) {
  KernelOptions kernel;
  kernel.kind = kind;
  kernel.gamma = gamma;
  kernel.coef0 = coef0;
  kernel.degree = degree;
  if (kind == KernelKind::callable) {
    kernel.function = [gamma](const RowView& x, const RowView& other) {
      return kernel_value(kernel_of(KernelKind::rbf, gamma), x, other);
    };
    kernel.vouched_positive_semidefinite = true;
  }
  return kernel;
}

inline constexpr KernelKind kFormulaKernels[] = {
    KernelKind::linear,  KernelKind::polynomial,  KernelKind::rbf,     KernelKind::laplacian,
    KernelKind::sigmoid, KernelKind::chi_squared, KernelKind::callable};

// A kernel's formula over dense rows, in double, shared with nothing.
inline double naive_kernel(const KernelOptions& kernel, const std::vector<float>& x,
                           const std::vector<float>& other) {
  double dot = 0;
  double squares = 0;
  double absolute = 0;
  double chi = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double a{x[k]};
    const double b{other[k]};
    dot += a * b;
    squares += (a - b) * (a - b);
    absolute += std::abs(a - b);
    if (a + b != 0) chi += (a - b) * (a - b) / (a + b);
  }
  switch (kernel.kind) {
    case KernelKind::polynomial:
      return std::pow(kernel.gamma * dot + kernel.coef0, kernel.degree);
    case KernelKind::rbf:
    case KernelKind::callable:
      return std::exp(-kernel.gamma * squares);
    case KernelKind::laplacian:
      return std::exp(-kernel.gamma * absolute);
    case KernelKind::sigmoid:
      return std::tanh(kernel.gamma * dot + kernel.coef0);
    case KernelKind::chi_squared:
      return std::exp(-kernel.gamma * chi);
    default:
      return dot;
  }
}

inline std::vector<std::vector<double>> naive_gram(const SmallProblem& problem,
                                                   const KernelOptions& kernel) {
  std::vector<std::vector<double>> K(problem.rows(), std::vector<double>(problem.rows()));
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    for (std::size_t j = 0; j < problem.rows(); ++j) {
      K[i][j] = naive_kernel(kernel, problem.x[i], problem.x[j]);
    }
  }
  return K;
}

}  // namespace pegasos::testing
