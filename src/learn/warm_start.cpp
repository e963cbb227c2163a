#include "learn/warm_start.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "data/row_table.h"
#include "learn/gram_matrix.h"
#include "pegasos/error.h"

namespace pegasos {

WarmStart warm_start_from(const LinearModel& scaled, const Dataset& data, int threads) {
  if (scaled.map) {
    throw InvalidOption("start", "the model maps its rows; its weights are not of features");
  }
  const LinearModel model = with_scaling_in_weights(scaled);
  WarmStart start;
  start.epochs = std::max<std::uint64_t>(1, model.record.epochs);
  start.point.b = model.b;
  start.point.w.assign(data.features(), 0.0);
  std::unordered_map<std::string, double> weights;
  for (std::size_t id = 0; id < model.w.size(); ++id) {
    if (model.w[id] != 0.0) {
      weights.emplace(model.schema->feature_name(static_cast<FeatureId>(id)), model.w[id]);
    }
  }
  for (std::size_t id = 0; id < data.features(); ++id) {
    const auto found = weights.find(data.schema().feature_name(static_cast<FeatureId>(id)));
    if (found != weights.end()) start.point.w[id] = found->second;
  }
  if (model.duals.size() == data.rows() &&
      fingerprint(data, threads) == model.record.data_fingerprint) {
    start.a = model.duals;
  }
  return start;
}

WarmStart warm_start_from(const KernelModel& model, const Dataset& data, int threads) {
  WarmStart start;
  if (model.duals.size() == data.rows() &&
      fingerprint(data, threads) == model.record.data_fingerprint) {
    start.a = model.duals;
    return start;
  }
  // a = lambda m c, shared by the rows that are equal.
  const bool precomputed = model.kernel.kind == KernelKind::precomputed;
  const Dataset rows = model.scaling ? apply(*model.scaling, data) : data;
  const KernelRows inputs = kernel_rows_of(model.kernel, rows);
  RowTable table;
  for (std::size_t j = 0; j < model.support_vectors.rows(); ++j) {
    table.add(model.support_vectors.row(j));
  }
  const auto place_of = [&](std::size_t i) -> std::optional<std::size_t> {
    if (!precomputed) return table.find(rows.row(i));
    const auto& columns = model.columns;
    const auto found = std::find(columns.begin(), columns.end(), inputs.columns[i]);
    if (found == columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - columns.begin());
  };
  std::vector<std::optional<std::size_t>> places(data.rows());
  std::vector<double> sharing(model.coefficients.size(), 0.0);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    places[i] = place_of(i);
    if (places[i]) sharing[*places[i]] += 1.0;
  }
  const double scale = model.lambda * static_cast<double>(data.rows());
  start.a.assign(data.rows(), 0.0);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (places[i]) start.a[i] = scale * model.coefficients[*places[i]] / sharing[*places[i]];
  }
  return start;
}

}  // namespace pegasos
