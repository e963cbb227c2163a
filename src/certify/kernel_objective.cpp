#include "certify/kernel_objective.h"

#include <algorithm>
#include <cmath>

#include "certify/objective.h"
#include "math/best_bias.h"
#include "math/losses.h"

namespace pegasos {
namespace {

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

std::vector<double> kernel_scores(const KernelBlocks& blocks, std::span<const double> coefficients,
                                  ThreadPool& pool) {
  std::vector<RowId> rows;
  std::vector<double> factors;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] == 0.0) continue;
    rows.push_back(static_cast<RowId>(i));
    factors.push_back(coefficients[i]);
  }
  std::vector<double> scores(blocks.columns(), 0.0);
  blocks.add_scores(rows, factors, scores, pool);
  return scores;
}

PrimalValue evaluate_kernel_primal(const KernelProblem& problem,
                                   std::span<const double> coefficients,
                                   std::span<const double> scores, double& b) {
  if (problem.has_free_bias()) b = best_bias(problem.loss, scores, problem.y, problem.weights);
  PrimalValue value;
  value.regulariser = 0.5 * problem.lambda * product(coefficients, scores);
  const bool classifies = is_classification(problem.loss.loss);
  with_loss(problem.loss, [&](const auto& loss) {
    double total = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double z = scores[i] + b;
      total += problem.weight(i) * loss.value(z, problem.y[i]);
      if (classifies && (z > 0) != (problem.y[i] > 0)) value.wrong += problem.copies_of(i);
    }
    value.mean_loss = total / problem.m();
  });
  return value;
}

void make_kernel_duals_feasible(const KernelProblem& problem, std::span<const double> diagonal,
                                std::span<double> a) {
  with_loss(problem.loss, [&](const auto& loss) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double s = problem.weight(i);
      const double y = problem.y[i];
      const bool out_of_reach = diagonal[i] == 0.0 && !problem.has_free_bias() &&
                                problem.kernel.is_positive_semidefinite();
      if (s == 0.0) {
        a[i] = 0.0;
      } else {
        a[i] = s * (out_of_reach ? loss.ascent(0.0, y) : loss.clamp(a[i] / s, y));
      }
    }
  });
  if (problem.has_free_bias()) balance_duals(a, alone());
}

DualValue evaluate_kernel_dual(const KernelProblem& problem, std::span<const double> a,
                               std::span<const double> scores) {
  const double m = problem.m();
  DualValue value;
  with_loss(problem.loss, [&](const auto& loss) {
    double gain = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double s = problem.weight(i);
      if (s > 0.0) gain += s * loss.gain(a[i] / s, problem.y[i]);
    }
    value.gain = gain / m;
  });
  // lambda/2 |f(a)|^2 with c = a/(lambda m).
  value.regulariser = 0.5 * product(a, scores) / m;
  return value;
}

}  // namespace pegasos
