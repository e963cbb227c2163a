// The rows of one step, wherever they are kept.
#pragma once

#include <cstddef>
#include <span>

#include "pegasos/dataset.h"

namespace pegasos {

// Rows: one of the layouts of math/rows.h.
template <typename Rows>
struct RowBatch {
  const Rows& rows;
  std::span<const double> labels;   // of all rows, as the loss wants them
  std::span<const double> weights;  // of all rows, or none
  std::span<const RowId> ids;       // which of them

  std::size_t size() const { return ids.size(); }
  auto x(std::size_t j) const { return rows.row(ids[j]); }
  double y(std::size_t j) const { return labels[ids[j]]; }
  double s(std::size_t j) const { return weights.empty() ? 1.0 : weights[ids[j]]; }
};

}  // namespace pegasos
