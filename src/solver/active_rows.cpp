#include "solver/active_rows.h"

#include <numeric>
#include <utility>

#include "data/take_rows.h"

namespace pegasos {
namespace {

template <typename T>
std::vector<T> taken(std::span<const T> values, std::span<const RowId> rows) {
  std::vector<T> some;
  if (values.empty()) return some;
  some.reserve(rows.size());
  for (const RowId row : rows) some.push_back(values[row]);
  return some;
}

}  // namespace

ActiveRows::ActiveRows(const KernelProblem& whole, std::vector<RowId> rows)
    : problem_(whole), rows_(std::move(rows)) {
  if (rows_.size() == whole.rows()) return;
  problem_.total_rows = static_cast<std::uint64_t>(whole.m());
  problem_.data = take_rows(whole.data, rows_);
  problem_.y = y_ = taken(whole.y, rows_);
  problem_.weights = weights_ = taken(whole.weights, rows_);
  problem_.copies = copies_ = taken(whole.copies, rows_);
}

std::vector<double> ActiveRows::take(std::span<const double> whole) const {
  return taken(whole, rows_);
}

void ActiveRows::put(std::span<const double> values, std::span<double> whole) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) whole[rows_[k]] = values[k];
}

std::vector<RowId> all_rows(std::size_t count) {
  std::vector<RowId> rows(count);
  std::iota(rows.begin(), rows.end(), RowId{0});
  return rows;
}

}  // namespace pegasos
