// The joint loss of many classes (Crammer and Singer, JMLR 2001; the multiclass extension of
// Pegasos), its primal and dual objective in fresh passes.
//
//   P(W) = lambda/2 sum_r |w_r|^2 + 1/m sum_i s_i max over r of ([r ≠ y_i] + z_ir - z_iy),
//                                                            z_ir = <w_r, x_i> + b_r
//   D(a) = 1/m sum_i a_iy - lambda/2 sum_r |w_r(a)|^2,        w_r(a) = 1/(lambda m) sum_i a_ir x_i
//
// where a_i sums to zero, a_iy ≤ s_i and a_ir ≤ 0 for r ≠ y. For such an a and any W
//
//   a_iy - <a_i, z_i> = sum over r ≠ y of -a_ir (1 + z_ir - z_iy) ≤ s_i loss_i(z),
//
// so D(a) ≤ min P. With K = 2 this is the hinge of w_1 - w_0 at half the regulariser.
//
// W and a have the classes of one feature, or row, side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "pegasos/problem.h"
#include "pegasos/progress.h"

namespace pegasos {

struct JointProblem {
  Dataset data = {};
  std::span<const std::uint32_t> y = {};  // classes from 0
  std::span<const double> weights = {};   // or none
  std::size_t classes = 0;
  double lambda = 0.0;
  double bias_feature = 0.0;  // B of a regularised bias; 0: no bias
  // m, the rows of the whole problem, where those here are only some of them; 0: they are all.
  std::uint64_t total_rows = 0;

  std::size_t rows() const { return y.size(); }
  double m() const { return static_cast<double>(total_rows > 0 ? total_rows : rows()); }
  std::size_t features() const { return data.features(); }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }

  void validate() const;  // throws InvalidOption
};

struct JointPoint {
  std::vector<double> w = {};  // features x classes
  std::vector<double> b = {};  // B times the weights of the constant feature
};

// z of one row: classes() numbers.
void joint_scores(const JointProblem& problem, const JointPoint& point, std::size_t row,
                  std::span<double> z);

// The loss of one row, and the class where it is largest: y itself where it is 0.
struct JointLoss {
  double value = 0.0;
  std::size_t at = 0;
};
JointLoss joint_loss(std::span<const double> z, std::size_t y);

PrimalValue evaluate_joint_primal(const JointProblem& problem, const JointPoint& point,
                                  ThreadPool& pool);

// Makes a feasible in place: positive parts of others are cut off, rows scaled to their weight.
// Returns D(a); `w` receives W(a) if it is not null.
double evaluate_joint_dual(const JointProblem& problem, std::span<double> a, ThreadPool& pool,
                           JointPoint* w = nullptr);

}  // namespace pegasos
