// Primal and dual objective in 400 bits, from their definitions, sharing nothing with the library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pegasos/kernel.h"
#include "pegasos/loss.h"
#include "pegasos/problem.h"
#include "support/real.h"

namespace pegasos::testing {

struct ExactProblem {
  std::vector<std::vector<float>> x;
  std::vector<double> y;
  std::vector<double> weights;  // one per row
  LossOptions loss;
  double lambda = 0.0;
  Bias bias = Bias::none;
  double bias_feature = 1.0;

  bool has_free_bias() const { return bias == Bias::unregularised || bias == Bias::exact; }
  std::size_t rows() const { return y.size(); }
};

Real exact_loss(const LossOptions& loss, const Real& z, double y);
Real exact_kernel(const KernelOptions& kernel, const std::vector<float>& x,
                  const std::vector<float>& other);

// lambda/2 |w|^2 + 1/m sum s loss.
Real exact_primal(const ExactProblem& problem, const std::vector<double>& w, double b);
Real exact_kernel_primal(const ExactProblem& problem, const KernelOptions& kernel,
                         const std::vector<std::vector<float>>& vectors,
                         const std::vector<double>& coefficients, double b);

// Why these duals are not feasible, or "".
std::string infeasible(const ExactProblem& problem, const std::vector<double>& a);
// 1/m sum s gain(a/s) - lambda/2 |w(a)|^2.
Real exact_dual(const ExactProblem& problem, const std::vector<double>& a);
Real exact_kernel_dual(const ExactProblem& problem, const KernelOptions& kernel,
                       const std::vector<double>& a);

// The joint loss: w and a have the classes of a feature, or row, side by side. a_iy is taken to be
// minus the sum of the others.
Real exact_joint_primal(const ExactProblem& problem, const std::vector<std::uint32_t>& y,
                        std::size_t classes, const std::vector<double>& w,
                        const std::vector<double>& b);
Real exact_joint_dual(const ExactProblem& problem, const std::vector<std::uint32_t>& y,
                      std::size_t classes, const std::vector<double>& a, std::string& why_not);

}  // namespace pegasos::testing
