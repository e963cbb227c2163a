// Metrics of probabilities: how surprised one should have been, and whether 80 % means 80 %.
#include <algorithm>
#include <cmath>

#include "eval/checks.h"
#include "pegasos/metrics.h"

namespace pegasos {
namespace {

template <typename Loss>
double mean_of(std::span<const bool> positive, std::span<const double> probabilities,
               std::span<const double> weights, const Loss& loss) {
  check_probabilities(probabilities, positive.size());
  check_weights(weights, positive.size());
  const RowWeights weight{weights};
  double sum = 0;
  double rows = 0;
  for (std::size_t i = 0; i < positive.size(); ++i) {
    sum += weight(i) * loss(positive[i], probabilities[i]);
    rows += weight(i);
  }
  return ratio_or(sum, rows, kUndefined);
}

}  // namespace

double probability_of_outcome(double probability) {
  constexpr double kLeast = 0x1p-52;
  return std::clamp(probability, kLeast, 1.0 - kLeast);
}

double log_loss(std::span<const bool> positive, std::span<const double> probabilities,
                std::span<const double> weights) {
  return mean_of(positive, probabilities, weights, [](bool is, double p) {
    return -std::log(probability_of_outcome(is ? p : 1.0 - p));
  });
}

double brier_score(std::span<const bool> positive, std::span<const double> probabilities,
                   std::span<const double> weights) {
  return mean_of(positive, probabilities, weights, [](bool is, double p) {
    const double distance = (is ? 1.0 : 0.0) - p;
    return distance * distance;
  });
}

Reliability reliability(std::span<const bool> came_true, std::span<const double> probabilities,
                        std::span<const double> weights, std::size_t bins) {
  if (bins == 0) throw InvalidOption("bins", "must be 1 or more");
  check_probabilities(probabilities, came_true.size());
  check_weights(weights, came_true.size());
  const RowWeights weight{weights};
  std::vector<CalibrationBin> sums(bins);  // of probabilities and outcomes, until divided
  double rows = 0;
  for (std::size_t i = 0; i < came_true.size(); ++i) {
    const auto place = static_cast<std::size_t>(probabilities[i] * static_cast<double>(bins));
    CalibrationBin& bin = sums[std::min(place, bins - 1)];
    bin.rows += weight(i);
    bin.mean_probability += weight(i) * probabilities[i];
    bin.share += came_true[i] ? weight(i) : 0.0;
    rows += weight(i);
  }
  Reliability result;
  for (CalibrationBin bin : sums) {
    if (!(bin.rows > 0)) continue;
    result.error += std::abs(bin.mean_probability - bin.share);
    bin.mean_probability /= bin.rows;
    bin.share /= bin.rows;
    result.bins.push_back(bin);
  }
  result.error = ratio_or(result.error, rows, kUndefined);
  return result;
}

}  // namespace pegasos
