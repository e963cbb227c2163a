#include "data/term_weights.h"

#include <array>
#include <cmath>

namespace pegasos {

std::vector<double> term_rarities(const TextColumn& text) {
  std::vector<double> rarities;
  rarities.reserve(text.term_rows.size());
  const double rows = 1.0 + static_cast<double>(text.rows);
  for (const std::uint32_t with_term : text.term_rows) {
    rarities.push_back(1.0 + std::log(rows / (1.0 + static_cast<double>(with_term))));
  }
  return rarities;
}

namespace {

// 1 + ln(count) of the counts that nearly all terms have.
const std::array<double, 64> kOfCount = [] {
  std::array<double, 64> all = {};
  for (std::size_t count = 1; count < all.size(); ++count) {
    all[count] = 1.0 + std::log(static_cast<double>(count));
  }
  return all;
}();

double weight_of(float count) {
  if (count < static_cast<float>(kOfCount.size())) return kOfCount[static_cast<std::size_t>(count)];
  return 1.0 + std::log(static_cast<double>(count));
}

}  // namespace

void weigh_terms(std::span<const double> rarities, FeatureId first,
                 std::span<const FeatureId> features, std::span<const float> counts,
                 float* values) {
  double squares = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double value = weight_of(counts[i]) * rarities[features[i] - first];
    values[i] = static_cast<float>(value);
    squares += value * value;
  }
  if (squares == 0.0) return;
  const double norm = std::sqrt(squares);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    values[i] = static_cast<float>(static_cast<double>(values[i]) / norm);
  }
}

}  // namespace pegasos
