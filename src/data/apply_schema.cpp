#include "data/apply_schema.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pegasos {
namespace {

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

// For every feature of `from` its id in `to`, or kUnknown.
std::vector<std::uint32_t> feature_table(const Schema& from, const Schema& to) {
  const auto features = static_cast<std::uint32_t>(from.feature_count());
  std::vector<std::uint32_t> table(features, kUnknown);
  if (!from.csv && !to.csv) {
    for (std::uint32_t id = 0; id < features; ++id) {
      table[id] = to.indices.id_of(from.indices.index_of(id)).value_or(kUnknown);
    }
    return table;
  }
  std::unordered_map<std::string, std::uint32_t> ids;
  for (std::uint32_t id = 0; id < to.feature_count(); ++id) ids.emplace(to.feature_name(id), id);
  for (std::uint32_t id = 0; id < features; ++id) {
    const auto found = ids.find(from.feature_name(id));
    if (found != ids.end()) table[id] = found->second;
  }
  return table;
}

std::vector<double> label_table(const Schema& from, const Schema& to) {
  std::vector<double> table;
  std::size_t unknown = to.label_words.size();
  for (const auto& word : from.label_words) {
    const auto found = std::find(to.label_words.begin(), to.label_words.end(), word);
    table.push_back(static_cast<double>(
        found != to.label_words.end() ? static_cast<std::size_t>(found - to.label_words.begin())
                                      : unknown++));
  }
  return table;
}

struct Copied {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<FeatureId> features = {};
  std::vector<float> values = {};
  std::vector<double> labels = {};
  Dataset original = {};  // the weights stay where they are
};

void copy_row(const RowView& row, const std::vector<std::uint32_t>& table, Copied& copy,
              ReadNotes& notes) {
  std::vector<std::pair<FeatureId, float>> known;
  for (std::size_t j = 0; j < row.values.size(); ++j) {
    const FeatureId id = row.dense ? static_cast<FeatureId>(j) : row.ids[j];
    if (row.values[j] == 0.0F) continue;
    if (table[id] == kUnknown) {
      ++notes.unknown_features;
    } else {
      known.emplace_back(table[id], row.values[j]);
    }
  }
  std::sort(known.begin(), known.end());
  for (const auto& [id, value] : known) {
    copy.features.push_back(id);
    copy.values.push_back(value);
  }
  copy.offsets.push_back(copy.features.size());
}

}  // namespace

Dataset apply_schema(const Dataset& data, std::shared_ptr<const Schema> schema, ReadNotes& notes) {
  const Schema& from = data.schema();
  const auto features = feature_table(from, *schema);
  bool same = from.label_words == schema->label_words && features.size() == schema->feature_count();
  for (std::uint32_t id = 0; same && id < features.size(); ++id) same = features[id] == id;
  DatasetParts parts = data.parts();
  if (!same) {
    auto copy = std::make_shared<Copied>();
    for (std::size_t i = 0; i < data.rows(); ++i) copy_row(data.row(i), features, *copy, notes);
    copy->labels.assign(data.labels().begin(), data.labels().end());
    if (!from.label_words.empty()) {
      const auto labels = label_table(from, *schema);
      for (auto& label : copy->labels) {
        if (!std::isnan(label)) label = labels[static_cast<std::size_t>(label)];
      }
    }
    copy->original = data;
    parts.features = static_cast<std::size_t>(schema->feature_count());
    parts.dense.reset();
    parts.sparse = SparseMatrix{copy->offsets, copy->features, copy->values};
    parts.labels = copy->labels;
    parts.owner = std::move(copy);
  }
  parts.schema = std::move(schema);
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

}  // namespace pegasos
