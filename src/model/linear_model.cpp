#include <cassert>
#include <cmath>
#include <utility>

#include "model/checks.h"
#include "pegasos/model.h"

namespace pegasos {
double LinearModel::decision(const RowView& row) const {
  if (map || scaling) return decisions(*this, dataset_of(row, schema->feature_count()), 1).front();
  assert(row.dense ? row.values.size() <= w.size() : row.ids.empty() || row.ids.back() < w.size());
  return row.dot(w) + b;
}

LinearModel with_scaling_in_weights(const LinearModel& model) {
  LinearModel plain = model;
  if (!model.scaling || model.map || model.scaling->kind == ScalingKind::unit_row) return plain;
  unscale_weights(*model.scaling, plain.w, plain.b);
  plain.scaling.reset();
  return plain;
}

void LinearModel::validate() const {
  validate_single();
  require(!map || map->features() == schema->feature_count(), "map",
          "must have the same features as the schema");
  require(w.size() == (map ? map->components() : schema->feature_count()), "w",
          "must have one weight per feature");
  for (const double weight : w) require(std::isfinite(weight), "w", "must be finite");
}

bool operator==(const LinearModel& a, const LinearModel& b) {
  const bool same_maps =
      a.map.has_value() == b.map.has_value() && (!a.map || same_map(*a.map, *b.map));
  return LinearModel::same_single(a, b) && a.w == b.w && same_maps;
}

}  // namespace pegasos
