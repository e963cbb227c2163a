// A linear problem with equal rows of equal labels merged into one row with their total weight.
//
//   1/m sum_i s_i loss(z_i; y_i)  =  1/m sum_g S_g loss(z_g; y_g),      S_g = sum_{i in g} s_i
//
// The same objective over fewer rows: m, lambda and the bound stay. Duals go back by shares,
// a_i = s_i A_g/S_g, which keeps w(a) and leaves a dual at its bound exactly there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "data/row_groups.h"
#include "pegasos/problem.h"

namespace pegasos {

class MergedLinear {
 public:
  // Nothing where so few rows are equal that it is not worth the copy. The problem's arrays must
  // outlive it.
  static std::optional<MergedLinear> of(const LinearProblem& problem, ThreadPool& pool);

  // The problem of the merged rows; views of this.
  LinearProblem problem() const;

  std::vector<double> merged_duals(std::span<const double> a) const;
  // One value for each row of the data again.
  std::vector<double> duals_of_rows(std::span<const double> merged) const;

 private:
  MergedLinear(const LinearProblem& original, RowGroups groups);

  LinearProblem original_;
  RowGroups groups_;
  Dataset data_;
  std::vector<double> y_;
  std::vector<double> weights_;        // S_g
  std::vector<std::uint32_t> copies_;  // rows in the group
};

}  // namespace pegasos
