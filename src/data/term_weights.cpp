#include "data/term_weights.h"

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

void weigh_terms(std::span<const double> rarities, FeatureId first,
                 std::span<const FeatureId> features, std::span<float> counts) {
  double squares = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    const double value =
        (count > 1.0 ? 1.0 + std::log(count) : 1.0) * rarities[features[i] - first];
    counts[i] = static_cast<float>(value);
    squares += value * value;
  }
  if (squares == 0.0) return;
  const double norm = std::sqrt(squares);
  for (float& value : counts) value = static_cast<float>(static_cast<double>(value) / norm);
}

}  // namespace pegasos
