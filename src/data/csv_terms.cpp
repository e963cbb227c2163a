#include "data/csv_terms.h"

#include <algorithm>

#include "data/term_weights.h"

namespace pegasos {

void CsvTerms::store(std::string_view text, std::size_t column, std::size_t bytes_left) {
  const CsvTarget& target = plan_.targets[column];
  const TextRules& rules = target.about->text.rules;
  if (!plan_.by_schema && rules.hash_bits == 0) {
    index_of(target).store(text, target.feature, bytes_left, values_);
    return;
  }
  if (!terms_ || terms_of_ != column) terms_.emplace(rules);
  terms_of_ = column;
  find_terms(text, target);
  values_.make_room(found_.size(), bytes_left);
  store_sorted(target);
}

TermIndex& CsvTerms::index_of(const CsvTarget& target) {
  auto& indices = words_.indices;
  if (indices.size() <= target.column) indices.resize(target.column + 1);
  auto& index = indices[target.column];
  if (!index) {
    index =
        std::make_unique<TermIndex>(target.about->text.rules, target.column, words_.table.list());
  }
  return *index;
}

void CsvTerms::finish() {
  auto& hashes = rows_.hashed_terms;
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

void CsvTerms::find_terms(std::string_view text, const CsvTarget& target) {
  const std::uint32_t hash_bits = target.about->text.rules.hash_bits;
  found_.clear();
  if (hash_bits > 0) {
    const std::uint64_t mask = (std::uint64_t{1} << hash_bits) - 1;
    terms_->each(text, [&](std::string_view term) {
      const std::uint64_t hash = hash_of_term(term);
      if (!plan_.by_schema) rows_.hashed_terms.push_back(hash);
      found_.push_back(target.feature + static_cast<FeatureId>(hash & mask));
    });
    return;
  }
  batch_.clear();
  terms_->each(
      text,
      [this](std::string_view words) {
        batch_.push_back({words, false});
      },
      [this](std::string_view chars) {
        batch_.push_back({chars, true});
      });
  plan_.known_words.find_all(target.column, batch_, hashes_, found_);
  for (FeatureId& feature : found_) feature += target.feature;
}

void CsvTerms::store_sorted(const CsvTarget& target) {
  std::sort(found_.begin(), found_.end());
  const std::size_t begin = values_.stored();
  for (std::size_t i = 0; i < found_.size();) {
    std::size_t next = i + 1;
    while (next < found_.size() && found_[next] == found_[i]) ++next;
    values_.store(found_[i], static_cast<float>(next - i));
    i = next;
  }
  if (!plan_.by_schema) return;
  weigh_terms(plan_.rarities[target.column], target.about->first_feature,
              values_.features_from(begin), values_.values_from(begin),
              values_.values_from(begin).data());
}

}  // namespace pegasos
