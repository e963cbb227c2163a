#include "pegasos/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/number_scale.h"
#include "pegasos/error.h"

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

void TextRules::validate() const {
  if (word_grams > kMostWords) throw InvalidOption("word_grams", "must be from 0 to 8");
  if (char_to > kMostChars) throw InvalidOption("char_to", "must be from 0 to 16");
  if (char_from > char_to) throw InvalidOption("char_from", "must not be greater than char_to");
  if (word_grams == 0 && char_from == 0) {
    throw InvalidOption("word_grams", "text needs word or character n-grams");
  }
  if (least_rows < 1) throw InvalidOption("least_rows", "must be at least 1");
  if (hash_bits > kMostHashBits) throw InvalidOption("hash_bits", "must be from 0 to 26");
}

namespace {

// The blanks of a term of characters would not be seen at its ends.
std::string shown_term(const std::string& term) {
  if (!term.starts_with('~')) return term;
  std::string shown;
  for (const char c : term) shown += c == ' ' ? std::string("␣") : std::string(1, c);
  return shown;
}

}  // namespace

std::uint64_t CsvColumn::features() const {
  std::uint64_t count = missing_feature ? 1 : 0;
  switch (role) {
    case Role::number:
      return count + 1;
    case Role::words:
      return count + words.size();
    case Role::text:
      return count +
             (text.rules.hash_bits > 0 ? std::uint64_t{1} << text.rules.hash_bits : words.size());
    case Role::date:
      return count + numbers() + kMonths + kWeekdays + (has_time ? kHours : 0);
    case Role::label:
    case Role::weight:
    case Role::ignored:
      break;
  }
  return 0;
}

std::string CsvColumn::feature_name(std::uint64_t k) const {
  if (missing_feature && k + 1 == features()) return name + " (missing)";
  if (role == Role::number) return name;
  if (role == Role::words) return fmt::format("{}={}", name, words[k]);
  if (role == Role::text) {
    return k < words.size() ? fmt::format("{}:{}", name, shown_term(words[k]))
                            : fmt::format("{}#{}", name, k);
  }
  constexpr const char* kDays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
  if (k < 2) return fmt::format("{}.{}", name, k == 0 ? "age" : "year");
  k -= numbers();
  if (k < kMonths) return fmt::format("{}.month={}", name, k + 1);
  k -= kMonths;
  if (k < kWeekdays) return fmt::format("{}.weekday={}", name, kDays[k]);
  return fmt::format("{}.hour={}", name, k - kWeekdays);
}

std::uint64_t Schema::feature_count() const {
  if (!csv) return indices.features();
  std::uint64_t count = 0;
  for (const auto& column : csv->columns) count += column.features();
  return count;
}

double Schema::number_in_file(std::uint32_t id, double value) const {
  if (!csv) return value;
  for (const auto& column : csv->columns) {
    if (id < column.first_feature || id - column.first_feature >= column.scales.size()) continue;
    // The age of a date stays in days, or in the units it was scaled to.
    if (column.role != CsvColumn::Role::number) return value;
    return unscaled(value, column.scales[0]);
  }
  return value;
}

std::string Schema::feature_name(std::uint32_t id) const {
  if (id < feature_names.size()) return feature_names[id];
  if (!csv) return std::to_string(indices.index_of(id));
  for (const auto& column : csv->columns) {
    const std::uint64_t features = column.features();
    if (id < column.first_feature || id - column.first_feature >= features) continue;
    return column.feature_name(id - column.first_feature);
  }
  return std::to_string(id + 1);
}

}  // namespace pegasos
