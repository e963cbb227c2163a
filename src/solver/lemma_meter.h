// What the paper's convergence lemma is about (LemmaReport in watch.h), measured while Pegasos
// steps:
//
//   |grad_t|^2 = lambda^2 |w|^2 - 2 lambda <w, g> + |g|^2,    g = 1/|A| sum over i in A of u_i x_i
//   f_t(w_t)   = lambda/2 |w|^2 + 1/|A| sum over i in A of s_i loss_i
//
// Everything but |g|^2 is at hand in a step, and for a batch with one violating row that is too.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "math/rows.h"
#include "pegasos/watch.h"
#include "solver/row_batch.h"

namespace pegasos {

class LemmaMeter {
 public:
  LemmaMeter(double lambda, double B, std::size_t features)
      : lambda_(lambda), B_(B), features_(features) {}

  // What a step knows of its rows before it moves w = scale v.
  struct Step {
    std::span<const double> dots;    // <v, x>
    std::span<const double> slopes;  // u
    double losses = 0.0;             // their sum
    double scale = 0.0;
    double squared_norm = 0.0;  // |w|^2
    double rows_before = 0.0;   // seen before this step
  };

  template <typename Rows>
  void measure(const RowBatch<Rows>& A, const Step& step) {
    const auto size = static_cast<double>(A.size());
    double w_dot_g = 0;
    double violators = 0;
    double g_squared = 0;  // right for one violating row; corrected below for more
    for (std::size_t j = 0; j < A.size(); ++j) {
      const double u = step.slopes[j];
      if (u == 0.0) continue;
      ++violators;
      w_dot_g += u * step.scale * step.dots[j];
      g_squared += u * u * squared_norm_of(A, j);
    }
    if (violators > 1) g_squared = squared_norm_of_sum(A, step.slopes);
    w_dot_g /= size;
    g_squared /= size * size;
    const double squared =
        std::max(0.0, lambda_ * lambda_ * step.squared_norm - 2 * lambda_ * w_dot_g + g_squared);
    largest_gradient_ = std::max(largest_gradient_, squared);
    gradient_sum_ += size * size * squared / (step.rows_before + size);
    objective_sum_ += size * 0.5 * lambda_ * step.squared_norm + step.losses;
  }

  // After n rows in batches of this size.
  LemmaReport report(double n, double batch) const {
    const double T = n / batch;
    LemmaReport report;
    report.largest_gradient = std::sqrt(largest_gradient_);
    report.bound = largest_gradient_ * (1.0 + std::log(T)) / (2.0 * lambda_ * T);
    report.tight_bound = gradient_sum_ / (2.0 * lambda_ * n);
    report.mean_objective = objective_sum_ / n;
    return report;
  }

  template <typename Archive>
  void archive(Archive& a) {
    a(largest_gradient_, gradient_sum_, objective_sum_);
  }

 private:
  // |x|^2 with the constant feature.
  template <typename Rows>
  double squared_norm_of(const RowBatch<Rows>& A, std::size_t j) const {
    return squared_norm(A.x(j)) + B_ * B_;
  }

  // |sum of u x|^2, built up in a scratch vector that is cleared again row by row.
  template <typename Rows>
  double squared_norm_of_sum(const RowBatch<Rows>& A, std::span<const double> slopes) {
    if (scratch_.empty()) scratch_.assign(features_, 0.0);
    double squared = 0;
    double bias = 0;
    for (std::size_t j = 0; j < A.size(); ++j) {
      const double u = slopes[j];
      if (u == 0.0) continue;
      const auto x = A.x(j);
      squared += 2 * u * (dot(x, scratch_.data()) + B_ * bias) + u * u * squared_norm_of(A, j);
      add(x, u, scratch_.data());
      bias += u * B_;
    }
    for (std::size_t j = 0; j < A.size(); ++j) {
      if (slopes[j] != 0.0) clear(A.x(j), scratch_.data());
    }
    return squared;
  }

  double lambda_;
  double B_;  // the constant feature of a regularised bias, or 0
  std::size_t features_;
  double largest_gradient_ = 0.0;  // squared
  double gradient_sum_ = 0.0;
  double objective_sum_ = 0.0;
  std::vector<double> scratch_;
};

}  // namespace pegasos
