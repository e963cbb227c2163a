// What the models' validate() and == are made of.
#pragma once

#include <algorithm>

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
