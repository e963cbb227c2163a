// What the models' validate() and == are made of.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "pegasos/dataset.h"
#include "pegasos/error.h"
#include "pegasos/feature_map.h"
#include "pegasos/kernel.h"
#include "pegasos/model_base.h"

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

inline bool same_map(const FeatureMap& a, const FeatureMap& b) {
  const FeatureMapOptions& x = a.options();
  const FeatureMapOptions& y = b.options();
  return x.approximation == y.approximation && same_kernel(x.kernel, y.kernel) &&
         x.components == y.components && x.seed == y.seed && a.features() == b.features() &&
         same_rows(a.landmarks(), b.landmarks());
}

inline bool is_finite_from_zero(double value) {
  return value >= 0 && std::isfinite(value);
}

inline void check_support(const SupportCounts& support, std::uint64_t rows) {
  require(is_finite_from_zero(support.norm), "norm", "must be finite, 0 or more");
  require(support.rows <= rows, "support_rows", "must not exceed the number of rows");
  require(support.bounded <= support.rows, "bounded",
          "must not exceed the number of support vectors");
}

inline void check_certificate(const Certificate& certificate, std::uint64_t rows) {
  require(is_finite_from_zero(certificate.primal), "primal", "must be finite, 0 or more");
  require(is_finite_from_zero(certificate.regulariser), "regulariser", "must be finite, 0 or more");
  require(is_finite_from_zero(certificate.mean_loss), "mean_loss", "must be finite, 0 or more");
  require(!certificate.dual || std::isfinite(*certificate.dual), "dual", "must be finite");
  require(!certificate.wrong || *certificate.wrong <= rows, "wrong",
          "must not exceed the number of rows");
}

}  // namespace pegasos
