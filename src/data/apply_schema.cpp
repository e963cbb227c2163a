#include "data/apply_schema.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/number_scale.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// The scale of every feature of a table; of those that are not scaled the identity.
std::vector<ColumnScale> scales_of(const Schema& schema) {
  std::vector<ColumnScale> scales(schema.csv ? static_cast<std::size_t>(schema.feature_count())
                                             : 0);
  if (!schema.csv) return scales;
  for (const auto& column : schema.csv->columns) {
    for (std::size_t k = 0; k < column.scales.size(); ++k) {
      scales[column.first_feature + k] = column.scales[k];
    }
  }
  return scales;
}

// Feature ids of one schema in another. Written indices need no table; names are looked up once.
class FeatureTranslation {
 public:
  FeatureTranslation(const Schema& from, const Schema& to) : from_(from), to_(to) {
    if (!by_name()) return;
    std::unordered_map<std::string, std::uint32_t> ids;
    for (std::uint64_t id = 0; id < to.feature_count(); ++id) {
      ids.emplace(to.feature_name(static_cast<std::uint32_t>(id)), static_cast<std::uint32_t>(id));
    }
    for (std::uint64_t id = 0; id < from.feature_count(); ++id) {
      const auto found = ids.find(from.feature_name(static_cast<std::uint32_t>(id)));
      table_.push_back(found == ids.end() ? std::nullopt : std::optional(found->second));
    }
    if (!from.csv || !to.csv) return;
    from_scales_ = scales_of(from);
    to_scales_ = scales_of(to);
    for (std::uint32_t id = 0; id < table_.size(); ++id) {
      if (table_[id] && from_scales_[id] != to_scales_[*table_[id]]) rescaled_.push_back(id);
    }
  }

  // Features whose values change; zeros, which need not be stored, too.
  const std::vector<std::uint32_t>& rescaled() const { return rescaled_; }
  float rescale(std::uint32_t id, float value) const {
    const ColumnScale& to = to_scales_[*table_[id]];
    return scaled(less_origin(unscaled(static_cast<double>(value), from_scales_[id]), to), to);
  }

  std::optional<std::uint32_t> operator()(std::uint32_t id) const {
    return by_name() ? table_[id] : to_.indices.id_of(from_.indices.index_of(id));
  }

  bool changes_nothing() const {
    if (!by_name()) return from_.indices == to_.indices;
    if (table_.size() != to_.feature_count() || !rescaled_.empty()) return false;
    for (std::uint32_t id = 0; id < table_.size(); ++id) {
      if (table_[id] != id) return false;
    }
    return true;
  }

 private:
  bool by_name() const { return from_.csv || to_.csv; }

  const Schema& from_;
  const Schema& to_;
  std::vector<std::optional<std::uint32_t>> table_;
  std::vector<ColumnScale> from_scales_;
  std::vector<ColumnScale> to_scales_;
  std::vector<std::uint32_t> rescaled_;  // ascending
};

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

void copy_row(const RowView& row, const FeatureTranslation& translate, Copied& copy,
              ReadNotes& notes) {
  std::vector<std::pair<FeatureId, float>> known;
  const auto& rescaled = translate.rescaled();
  std::vector<float> numbers(rescaled.size(), 0.0F);
  for (std::size_t j = 0; j < row.values.size(); ++j) {
    const FeatureId id = row.dense ? static_cast<FeatureId>(j) : row.ids[j];
    const auto place = std::lower_bound(rescaled.begin(), rescaled.end(), id);
    if (place != rescaled.end() && *place == id) {
      numbers[static_cast<std::size_t>(place - rescaled.begin())] = row.values[j];
      continue;
    }
    if (row.values[j] == 0.0F) continue;
    if (const auto there = translate(id)) {
      known.emplace_back(*there, row.values[j]);
    } else {
      ++notes.unknown_features;
    }
  }
  for (std::size_t k = 0; k < rescaled.size(); ++k) {
    const float value = translate.rescale(rescaled[k], numbers[k]);
    if (value != 0.0F) known.emplace_back(*translate(rescaled[k]), value);
  }
  std::sort(known.begin(), known.end());
  // Two columns of one name would give two values of one feature; the first counts.
  known.erase(std::unique(known.begin(), known.end(),
                          [](const auto& a, const auto& b) { return a.first == b.first; }),
              known.end());
  for (const auto& [id, value] : known) {
    copy.features.push_back(id);
    copy.values.push_back(value);
  }
  copy.offsets.push_back(copy.features.size());
}

}  // namespace

Dataset apply_schema(const Dataset& data, std::shared_ptr<const Schema> schema, ReadNotes& notes) {
  const Schema& from = data.schema();
  if (data.has_labels() && from.label_words.empty() != schema->label_words.empty()) {
    throw UnusableData(
        "the data and the model disagree about the labels: one has words, the other numbers");
  }
  const FeatureTranslation translate(from, *schema);
  const bool same = from.label_words == schema->label_words && translate.changes_nothing();
  DatasetParts parts = data.parts();
  if (!same) {
    auto copy = std::make_shared<Copied>();
    for (std::size_t i = 0; i < data.rows(); ++i) copy_row(data.row(i), translate, *copy, notes);
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
