#include <array>
#include <cassert>
#include <cmath>
#include <memory>
#include <utility>

#include "model/checks.h"
#include "pegasos/model.h"

namespace pegasos {
namespace {

// The row alone, without copying it.
Dataset dataset_of(const RowView& row, std::size_t features) {
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

}  // namespace

double LinearModel::decision(const RowView& row) const {
  if (map) return decisions(*this, dataset_of(row, map->features()), 1).front();
  assert(row.dense ? row.values.size() <= w.size() : row.ids.empty() || row.ids.back() < w.size());
  return row.dot(w) + b;
}

void LinearModel::validate() const {
  validate_shared();
  validate_two_labels();
  require(calibrations.size() <= (classifies ? 1U : 0U), "calibrations",
          "must be one, for the one score of a row, and none of a regression");
  require(!map || map->features() == schema->feature_count(), "map",
          "must be for the features of the schema");
  require(w.size() == (map ? map->components() : schema->feature_count()), "w",
          "must have one weight per feature");
  for (const double weight : w) require(std::isfinite(weight), "w", "must be finite");
}

bool operator==(const LinearModel& a, const LinearModel& b) {
  const bool same_maps =
      a.map.has_value() == b.map.has_value() && (!a.map || same_map(*a.map, *b.map));
  return ModelBase::same_shared(a, b) && a.w == b.w && same_maps;
}

}  // namespace pegasos
