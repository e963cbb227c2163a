// Some rows of a kernel problem as a problem of their own.
//
// Rows whose dual is 0 and whose loss has no slope have no say: without them the dual objective is
// the same, and the primal one as long as they stay so. m and lambda are those of the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pegasos/kernel_problem.h"

namespace pegasos {

class ActiveRows {
 public:
  // Different rows, ascending. All of them: nothing is copied.
  ActiveRows(const KernelProblem& whole, std::vector<RowId> rows);
  ActiveRows(ActiveRows&&) = default;  // problem() has views of what moves along
  ActiveRows& operator=(ActiveRows&&) = default;

  const KernelProblem& problem() const { return problem_; }
  std::size_t size() const { return rows_.size(); }
  const std::vector<RowId>& rows() const { return rows_; }

  // The values of these rows out of those of the whole, and back to their places.
  std::vector<double> take(std::span<const double> whole) const;
  void put(std::span<const double> values, std::span<double> whole) const;

 private:
  KernelProblem problem_;
  std::vector<RowId> rows_;
  std::vector<double> y_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> copies_;
};

std::vector<RowId> all_rows(std::size_t count);

}  // namespace pegasos
