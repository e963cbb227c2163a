#include "pegasos/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pegasos {

IndexMap IndexMap::contiguous(std::uint32_t base, std::uint64_t features) {
  IndexMap map;
  map.base_ = base;
  map.features_ = features;
  return map;
}

IndexMap IndexMap::of_seen(std::uint32_t base, std::vector<std::uint32_t> seen) {
  IndexMap map;
  map.base_ = base;
  map.seen_ = std::move(seen);
  return map;
}

std::optional<std::uint32_t> IndexMap::id_of(std::uint32_t index) const {
  if (seen_.empty()) {
    if (index < base_ || index - base_ >= features_) return std::nullopt;
    return index - base_;
  }
  const auto found = std::lower_bound(seen_.begin(), seen_.end(), index);
  if (found == seen_.end() || *found != index) return std::nullopt;
  return static_cast<std::uint32_t>(found - seen_.begin());
}

std::string Schema::label_text(double label) const {
  if (label >= 0 && label < static_cast<double>(label_words.size())) {
    return label_words[static_cast<std::size_t>(label)];
  }
  return fmt::format("{}", label);
}

std::uint64_t Schema::feature_count() const {
  if (!csv) return indices.features();
  std::uint64_t count = 0;
  for (const auto& column : csv->columns) {
    if (column.role == CsvColumn::Role::number) count += 1;
    if (column.role == CsvColumn::Role::words) count += column.words.size();
  }
  return count;
}

std::string Schema::feature_name(std::uint32_t id) const {
  if (id < feature_names.size()) return feature_names[id];
  if (!csv) return std::to_string(indices.index_of(id));
  for (const auto& column : csv->columns) {
    if (id < column.first_feature) continue;
    if (column.role == CsvColumn::Role::number && id == column.first_feature) return column.name;
    if (column.role == CsvColumn::Role::words && id - column.first_feature < column.words.size()) {
      return fmt::format("{}={}", column.name, column.words[id - column.first_feature]);
    }
  }
  return std::to_string(id + 1);
}

}  // namespace pegasos
