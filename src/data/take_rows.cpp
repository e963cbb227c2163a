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

Dataset without_zeros(const Dataset& dense) {
  const auto rows = std::make_shared<Rows>();
  rows->offsets.push_back(0);
  for (std::size_t i = 0; i < dense.rows(); ++i) {
    const auto values = dense.row(i).values;
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (values[j] == 0.0F) continue;
      rows->features.push_back(static_cast<FeatureId>(j));
      rows->values.push_back(values[j]);
    }
    rows->offsets.push_back(rows->values.size());
  }
  DatasetParts parts;
  parts.rows = dense.rows();
  parts.features = dense.features();
  parts.schema = dense.shared_schema();
  parts.sparse =
      SparseMatrix{.offsets = rows->offsets, .features = rows->features, .values = rows->values};
  parts.owner = rows;
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

double density_of(const Dataset& dense) {
  std::size_t stored = 0;
  std::size_t all = 0;
  for (std::size_t i = 0; i < dense.rows(); ++i) {
    const auto values = dense.row(i).values;
    for (const float value : values) stored += value != 0.0F ? 1 : 0;
    all += values.size();
  }
  return all > 0 ? static_cast<double>(stored) / static_cast<double>(all) : 1.0;
}

}  // namespace pegasos
