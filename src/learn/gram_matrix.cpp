#include "learn/gram_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "pegasos/error.h"

namespace pegasos {
namespace {

float value_of(const RowView& row, FeatureId feature) {
  if (row.dense) return feature < row.values.size() ? row.values[feature] : 0.0F;
  const auto found = std::lower_bound(row.ids.begin(), row.ids.end(), feature);
  if (found == row.ids.end() || *found != feature) return 0.0F;
  return row.values[static_cast<std::size_t>(found - row.ids.begin())];
}

// The serial numbers, if that is what feature 0 holds.
std::optional<std::vector<FeatureId>> serials_of(const Dataset& data) {
  const Schema& schema = data.schema();
  if (schema.csv || schema.indices.base() != 0 || !schema.indices.is_contiguous()) {
    return std::nullopt;
  }
  std::vector<FeatureId> serials;
  std::set<FeatureId> different;
  constexpr float kLargest = 1 << 24;  // whole numbers are exact up to here
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const float serial = value_of(data.row(i), 0);
    if (!(serial >= 1 && serial <= kLargest) || serial != std::trunc(serial)) return std::nullopt;
    serials.push_back(static_cast<FeatureId>(serial));
    if (!different.insert(serials.back()).second) return std::nullopt;
  }
  return serials;
}

Dataset rearranged(const Dataset& data, const std::vector<FeatureId>& columns) {
  const std::size_t m = data.rows();
  const auto values = std::make_shared<std::vector<float>>(m * m, 0.0F);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) (*values)[i * m + j] = value_of(data.row(i), columns[j]);
  }
  DatasetParts parts;
  parts.rows = parts.features = m;
  parts.dense = DenseMatrix{*values, m};
  parts.labels = data.labels();
  parts.weights = data.weights();
  parts.owner =
      std::make_shared<std::pair<Dataset, std::shared_ptr<std::vector<float>>>>(data, values);
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

}  // namespace

KernelRows kernel_rows_of(const KernelOptions& kernel, const Dataset& data) {
  if (kernel.kind != KernelKind::precomputed) return {data, {}};
  if (auto serials = serials_of(data)) {
    for (const FeatureId serial : *serials) {
      if (serial < data.features()) continue;
      throw InvalidOption("kernel", fmt::format("no row has the serial number {}", serial));
    }
    return {rearranged(data, *serials), std::move(*serials)};
  }
  std::vector<FeatureId> columns(data.rows());
  std::iota(columns.begin(), columns.end(), FeatureId{0});
  return {data, std::move(columns)};
}

}  // namespace pegasos
