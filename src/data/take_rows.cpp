#include "data/take_rows.h"

#include <memory>
#include <vector>

namespace pegasos {
namespace {

struct Rows {
  std::vector<std::uint64_t> offsets;
  std::vector<FeatureId> features;
  std::vector<float> values;
  std::vector<double> labels;
  std::vector<double> weights;
};

void take_sparse(const Dataset& data, std::span<const RowId> ids, Rows& rows) {
  rows.offsets.reserve(ids.size() + 1);
  rows.offsets.push_back(0);
  for (const RowId i : ids) {
    rows.offsets.push_back(rows.offsets.back() + data.row(i).values.size());
  }
  rows.features.reserve(rows.offsets.back());
  rows.values.reserve(rows.offsets.back());
  for (const RowId i : ids) {
    const RowView row = data.row(i);
    rows.features.insert(rows.features.end(), row.ids.begin(), row.ids.end());
    rows.values.insert(rows.values.end(), row.values.begin(), row.values.end());
  }
}

void take_dense(const Dataset& data, std::span<const RowId> ids, Rows& rows) {
  rows.values.reserve(ids.size() * data.dense().columns);
  for (const RowId i : ids) {
    const RowView row = data.row(i);
    rows.values.insert(rows.values.end(), row.values.begin(), row.values.end());
  }
}

}  // namespace

Dataset take_rows(const Dataset& data, std::span<const RowId> ids) {
  const auto rows = std::make_shared<Rows>();
  DatasetParts parts;
  parts.rows = ids.size();
  parts.features = data.features();
  parts.schema = data.shared_schema();
  if (data.is_dense()) {
    take_dense(data, ids, *rows);
    parts.dense = DenseMatrix{.values = rows->values, .columns = data.dense().columns};
  } else {
    take_sparse(data, ids, *rows);
    parts.sparse =
        SparseMatrix{.offsets = rows->offsets, .features = rows->features, .values = rows->values};
  }
  if (data.has_labels()) {
    for (const RowId i : ids) rows->labels.push_back(data.label(i));
    parts.labels = rows->labels;
  }
  if (data.has_weights()) {
    for (const RowId i : ids) rows->weights.push_back(data.weight(i));
    parts.weights = rows->weights;
  }
  parts.owner = rows;
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

}  // namespace pegasos
