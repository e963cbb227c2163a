#include "data/take_rows.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/grow_buffer.h"
#include "base/residency.h"

namespace pegasos {
namespace {

struct Rows {
  explicit Rows(const std::shared_ptr<Residency>& residency)
      : offsets(residency),
        features(residency),
        values(residency),
        is_paged(residency != nullptr) {}

  GrowBuffer<std::uint64_t> offsets;
  GrowBuffer<FeatureId> features;
  GrowBuffer<float> values;
  std::vector<double> labels;
  std::vector<double> weights;
  bool is_paged;
};

// Copies to where there is room already; GrowBuffer::append would be a system call for each row.
template <typename T>
T* copy_to(T* to, std::span<const T> values, bool is_paged) {
  if (is_paged) Residency::visit(to, values.size_bytes(), Residency::Visits::in_windows);
  return std::copy(values.begin(), values.end(), to);
}

void take_sparse(const Dataset& data, std::span<const RowId> ids, Rows& rows) {
  const auto of_all = data.sparse().offsets;
  rows.offsets.resize_uninitialised(ids.size() + 1);
  rows.offsets[0] = 0;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::size_t i = ids[k];
    rows.offsets[k + 1] = rows.offsets[k] + (of_all[i + 1] - of_all[i]);
  }
  rows.features.resize_uninitialised(rows.offsets.back());
  rows.values.resize_uninitialised(rows.offsets.back());
  FeatureId* features = rows.features.data();
  float* values = rows.values.data();
  for (const RowId i : ids) {
    const RowView row = data.row(i);
    features = copy_to(features, row.ids, rows.is_paged);
    values = copy_to(values, row.values, rows.is_paged);
  }
}

void take_dense(const Dataset& data, std::span<const RowId> ids, Rows& rows) {
  rows.values.resize_uninitialised(ids.size() * data.dense().columns);
  float* values = rows.values.data();
  for (const RowId i : ids) values = copy_to(values, data.row(i).values, rows.is_paged);
}

}  // namespace

Dataset take_rows(const Dataset& data, std::span<const RowId> ids,
                  const std::shared_ptr<Residency>& residency) {
  const auto rows = std::make_shared<Rows>(residency);
  DatasetParts parts;
  parts.rows = ids.size();
  parts.features = data.features();
  parts.schema = data.shared_schema();
  parts.residency = residency;
  if (data.is_dense()) {
    take_dense(data, ids, *rows);
    parts.dense = DenseMatrix{.values = rows->values.view(), .columns = data.dense().columns};
  } else {
    take_sparse(data, ids, *rows);
    parts.sparse = SparseMatrix{.offsets = rows->offsets.view(),
                                .features = rows->features.view(),
                                .values = rows->values.view()};
  }
  if (data.has_labels()) {
    rows->labels.reserve(ids.size());
    for (const RowId i : ids) rows->labels.push_back(data.label(i));
    parts.labels = rows->labels;
  }
  if (data.has_weights()) {
    rows->weights.reserve(ids.size());
    for (const RowId i : ids) rows->weights.push_back(data.weight(i));
    parts.weights = rows->weights;
  }
  parts.owner = rows;
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

Dataset without_zeros(const Dataset& dense) {
  const auto rows = std::make_shared<Rows>(nullptr);
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
  parts.sparse = SparseMatrix{.offsets = rows->offsets.view(),
                              .features = rows->features.view(),
                              .values = rows->values.view()};
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
