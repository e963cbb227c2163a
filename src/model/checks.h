// What the models' validate() and == are made of.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "pegasos/dataset.h"
#include "pegasos/error.h"
#include "pegasos/kernel.h"

namespace pegasos {

inline void require(bool holds, const char* field, const char* rule) {
  if (!holds) throw InvalidOption(field, rule);
}

// By what they compute; a function is equal to none.
inline bool same_kernel(const KernelOptions& a, const KernelOptions& b) {
  return a.kind == b.kind && a.gamma == b.gamma && a.coef0 == b.coef0 && a.degree == b.degree &&
         a.vouched_positive_semidefinite == b.vouched_positive_semidefinite && !a.function &&
         !b.function;
}

// The row alone, without copying it.
inline Dataset dataset_of(const RowView& row, std::size_t features) {
  const auto offsets = std::make_shared<const std::array<std::uint64_t, 2>>(
      std::array<std::uint64_t, 2>{0, row.values.size()});
  DatasetParts parts;
  parts.rows = 1;
  parts.features = row.dense ? row.values.size() : features;
  if (row.dense) {
    parts.dense = DenseMatrix{row.values, row.values.size()};
  } else {
    parts.sparse = SparseMatrix{*offsets, row.ids, row.values};
  }
  parts.owner = offsets;
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

// In the same layout.
inline bool same_rows(const Dataset& a, const Dataset& b) {
  if (a.rows() != b.rows() || a.features() != b.features()) return false;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const RowView x = a.row(i);
    const RowView y = b.row(i);
    if (x.dense != y.dense || !std::ranges::equal(x.ids, y.ids) ||
        !std::ranges::equal(x.values, y.values)) {
      return false;
    }
  }
  return true;
}

}  // namespace pegasos
