#include "learn/warm_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "data/row_table.h"
#include "learn/gram_matrix.h"
#include "pegasos/error.h"

namespace pegasos {

namespace {

// Do duals of these rows have the signs that their labels allow? Of numbers any sign is allowed.
bool fit_labels(const SingleOutputModel& model, const Dataset& data) {
  if (!data.has_labels()) return false;
  if (!model.labels) return true;
  const std::string positive = model.positive_text();
  std::unordered_map<double, bool> is_positive;
  for (std::size_t i = 0; i < model.duals.size(); ++i) {
    const double label = data.label(i);
    const auto [known, is_new] = is_positive.try_emplace(label, false);
    if (is_new) known->second = data.schema().label_text(label) == positive;
    if (model.duals[i] != 0.0 && (model.duals[i] > 0.0) != known->second) return false;
  }
  return true;
}

// Duals for the first rows of the data, or none.
std::vector<double> duals_for(const SingleOutputModel& model, const Dataset& data, int threads) {
  if (model.duals.empty() || model.duals.size() > data.rows()) return {};
  const bool usable = begins_with_rows_of(model.record, data, threads) || fit_labels(model, data);
  return usable ? model.duals : std::vector<double>();
}

std::string in_words(const SingleOutputModel& model, std::size_t duals, std::size_t rows) {
  if (duals == 0) {
    return model.duals.empty()
               ? "its weights (it has no dual variables)"
               : "its weights (its dual variables are not for the first rows of this file)";
  }
  if (duals == rows) return "its weights and dual variables";
  return fmt::format("its weights and the dual variables of its {} rows; {} rows are new", duals,
                     rows - duals);
}

constexpr FeatureId kNone = std::numeric_limits<FeatureId>::max();

bool has_words(const CsvColumn& column) {
  return column.role == CsvColumn::Role::words || column.role == CsvColumn::Role::text;
}

// The words of a column in both files, which are in ascending order in either: a vocabulary has a
// hundred thousand terms, whose names would take longer than the rows of the file.
void match_words(const CsvColumn& before, const CsvColumn& now, std::vector<FeatureId>& ids) {
  std::size_t k = 0;
  for (std::size_t j = 0; j < now.words.size(); ++j) {
    while (k < before.words.size() && before.words[k] < now.words[j]) ++k;
    if (k < before.words.size() && before.words[k] == now.words[j]) {
      ids[now.first_feature + j] = before.first_feature + static_cast<FeatureId>(k);
    }
  }
}

// The features of svmlight files are the same where their indices are.
std::vector<FeatureId> indices_before(const IndexMap& before, const IndexMap& now,
                                      std::size_t features) {
  std::vector<FeatureId> ids(features, kNone);
  for (std::size_t j = 0; j < features; ++j) {
    const auto found = before.id_of(now.index_of(static_cast<FeatureId>(j)));
    if (found) ids[j] = *found;
  }
  return ids;
}

bool has_only_indices(const Schema& schema, std::size_t features) {
  return !schema.csv && schema.feature_names.empty() && schema.indices.features() == features;
}

// For every feature of a file the one of the same name in the model's, or kNone.
std::vector<FeatureId> features_before(const Schema& before, std::size_t features_of_model,
                                       const Schema& now, std::size_t features) {
  if (has_only_indices(before, features_of_model) && has_only_indices(now, features)) {
    return indices_before(before.indices, now.indices, features);
  }
  std::vector<FeatureId> ids(features, kNone);
  std::vector<bool> matched(features);
  const bool by_column =
      before.csv && now.csv && before.feature_names.empty() && now.feature_names.empty();
  for (const CsvColumn& column : by_column ? now.csv->columns : std::vector<CsvColumn>()) {
    if (!has_words(column)) continue;
    std::fill_n(matched.begin() + column.first_feature, column.words.size(), true);
    for (const CsvColumn& other : before.csv->columns) {
      if (other.name == column.name && other.role == column.role) match_words(other, column, ids);
    }
  }
  std::unordered_map<std::string, FeatureId> named;
  const auto is_word = [&](FeatureId id) {
    if (!by_column) return false;
    return std::any_of(before.csv->columns.begin(), before.csv->columns.end(),
                       [id](const CsvColumn& column) {
                         return has_words(column) && id >= column.first_feature &&
                                id - column.first_feature < column.words.size();
                       });
  };
  for (std::size_t j = 0; j < features_of_model; ++j) {
    const auto id = static_cast<FeatureId>(j);
    if (!is_word(id)) named.emplace(before.feature_name(id), id);
  }
  for (std::size_t j = 0; j < features; ++j) {
    if (matched[j]) continue;
    const auto found = named.find(now.feature_name(static_cast<FeatureId>(j)));
    if (found != named.end()) ids[j] = found->second;
  }
  return ids;
}

LinearPoint weights_for(const LinearModel& model, const Dataset& data) {
  const std::vector<FeatureId> before =
      features_before(*model.schema, model.w.size(), data.schema(), data.features());
  LinearPoint point;
  point.b = model.b;
  point.w.assign(data.features(), 0.0);
  for (std::size_t j = 0; j < before.size(); ++j) {
    if (before[j] == kNone || model.w[before[j]] == 0.0) continue;
    const auto id = static_cast<FeatureId>(j);
    const double weight = model.w[before[j]];
    // A number of a file is zero + unit * value, by either schema.
    const double zero = data.schema().number_in_file(id, 0.0);
    const double unit = data.schema().number_in_file(id, 1.0) - zero;
    const double zero_before = model.schema->number_in_file(before[j], 0.0);
    const double unit_before = model.schema->number_in_file(before[j], 1.0) - zero_before;
    const bool same = zero == zero_before && unit == unit_before;
    point.w[j] = same ? weight : weight * unit / unit_before;
    if (!same) point.b += weight * (zero - zero_before) / unit_before;
  }
  return point;
}

}  // namespace

bool begins_with_rows_of(const TrainingRecord& record, const Dataset& data, int threads) {
  if (record.rows == 0 || record.rows > data.rows()) return false;
  return fingerprint(data.slice(0, record.rows), threads) == record.data_fingerprint;
}

Model start_for_rank(Model model, const Dataset& data, std::uint64_t rows_before, int threads,
                     Collective& ranks) {
  TrainingRecord& record = base_of(model).record;
  const std::uint64_t old_here =
      std::clamp<std::uint64_t>(record.rows - std::min(record.rows, rows_before), 0, data.rows());
  const Dataset old_rows = data.slice(0, static_cast<std::size_t>(old_here));
  const bool same = fingerprint(old_rows, threads, rows_before, ranks) == record.data_fingerprint;
  const auto of_rank = [&](std::vector<double>& duals) {
    if (!same || duals.size() != record.rows) {
      duals.clear();
      return;
    }
    const auto begin =
        duals.begin() + static_cast<std::ptrdiff_t>(std::min(rows_before, record.rows));
    duals = {begin, begin + static_cast<std::ptrdiff_t>(old_here)};
    duals.resize(data.rows(), 0.0);
  };
  if (auto* single = single_output(model)) of_rank(single->duals);
  if (auto* many = std::get_if<MulticlassModel>(&model)) {
    for (auto& classifier : many->classifiers) of_rank(classifier.duals);
  }
  record.rows = data.rows();
  record.data_fingerprint = same ? fingerprint(data, threads) : 0;
  return model;
}

Continuation continue_from(const LinearModel& scaled, const Dataset& data, int threads) {
  if (scaled.map) {
    throw InvalidOption("start",
                        "the model has a feature map, so its weights do not apply to the features");
  }
  const LinearModel model = with_scaling_in_weights(scaled);
  WarmStart start;
  start.epochs = std::max<std::uint64_t>(1, model.record.epochs);
  start.point = weights_for(model, data);
  start.a = duals_for(model, data, threads);
  std::string made_of = in_words(model, start.a.size(), data.rows());
  if (!start.a.empty()) start.a.resize(data.rows(), 0.0);
  return {std::move(start), std::move(made_of)};
}

Continuation continue_from(const KernelModel& model, const Dataset& data, int threads) {
  WarmStart start;
  start.a = duals_for(model, data, threads);
  if (!start.a.empty()) {
    const std::size_t old_rows = start.a.size();
    start.a.resize(data.rows(), 0.0);
    return {std::move(start),
            old_rows == data.rows()
                ? "its dual variables"
                : fmt::format("the dual variables of its {} rows; {} rows are new", old_rows,
                              data.rows() - old_rows)};
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
  return {std::move(start), "its coefficients"};
}

}  // namespace pegasos
