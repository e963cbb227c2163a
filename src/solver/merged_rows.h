// Merges duplicate rows with equal targets into one row with their total weight.
//
//   1/m sum_i s_i loss(f(x_i); y_i)  =  1/n sum_g S_g loss(f(x_g); y_g),   S_g = n/m sum_{i in g}
//   s_i
//
// The same objective over n ≤ m rows, so the same optimum and the same bound; and a kernel matrix
// that is smaller on both sides. Duals go back and forth by shares of the bound,
//
//   a_i/s_i = A_g/S_g,
//
// which gives the same f, and leaves a dual at its bound exactly there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pegasos/kernel_problem.h"

namespace pegasos {

class MergedRows {
 public:
  // Nothing where so few rows are equal that it is not worth the copy, or where `stop` says true
  // meanwhile. The problem's arrays must outlive it.
  static std::optional<MergedRows> of(const KernelProblem& problem,
                                      const std::function<bool()>& stop = {});

  // The problem of the merged rows; views of this.
  KernelProblem problem() const;

  std::vector<double> merged_duals(std::span<const double> a) const;
  // One value for each row of the data again.
  std::vector<double> duals_of_rows(std::span<const double> merged) const;
  // Of each row the score of its group; coefficients are at the first row of a group.
  KernelScores scores_of_rows(const KernelScores& merged) const;

 private:
  explicit MergedRows(const KernelProblem& original) : original_(original) {}

  KernelProblem original_;
  Dataset data_;
  std::vector<RowId> group_of_;  // by row of the data
  std::vector<RowId> firsts_;    // of the groups
  std::vector<double> y_;
  std::vector<double> weights_;        // S_g
  std::vector<std::uint32_t> copies_;  // rows in the group
};

}  // namespace pegasos
