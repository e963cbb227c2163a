#include "pegasos/score_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "eval/checks.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// Neighbours that the table does not go between: scores that are equal.
std::vector<double> thresholds_of(std::span<const double> sorted, double always,
                                  std::size_t most_steps) {
  const std::size_t pieces = std::max<std::size_t>(2, most_steps - 2);
  std::vector<double> thresholds = {always};
  for (std::size_t k = 0; k < pieces; ++k) {
    const std::size_t place = k * (sorted.size() - 1) / (pieces - 1);
    thresholds.push_back(sorted[place]);
  }
  // Below every score everything is called positive.
  const double width = std::max(sorted.back() - sorted.front(), std::abs(sorted.front()) * 1e-6);
  thresholds.push_back(sorted.front() - std::max(0.01 * width, 1e-300));
  std::sort(thresholds.begin(), thresholds.end());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  return thresholds;
}

double quantile(std::vector<double>& numbers, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(numbers.size() - 1));
  std::nth_element(numbers.begin(), numbers.begin() + place, numbers.end());
  return numbers[static_cast<std::size_t>(place)];
}

}  // namespace

ThresholdTable threshold_table(std::span<const bool> positive, std::span<const double> scores,
                               double always, std::span<const double> weights,
                               std::size_t most_steps) {
  if (positive.size() != scores.size()) {
    throw InvalidOption("scores", "there must be one per row");
  }
  check_weights(weights, scores.size());
  const RowWeights weight{weights};
  ThresholdTable table;
  if (scores.empty()) return table;
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  for (const double score : scores) {
    if (std::isnan(score)) throw InvalidOption("scores", "must not be NaN");
  }
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return scores[a] < scores[b]; });
  std::vector<double> sorted(scores.size());
  for (std::size_t k = 0; k < order.size(); ++k) sorted[k] = scores[order[k]];
  for (std::size_t i = 0; i < positive.size(); ++i) {
    (positive[i] ? table.positives : table.negatives) += weight(i);
  }

  // Going up, rows leave the called ones in the order of their scores.
  ThresholdTable::Step left = {0.0, table.positives, table.negatives};
  std::size_t next = 0;
  for (const double threshold : thresholds_of(sorted, always, most_steps)) {
    for (; next < sorted.size() && sorted[next] <= threshold; ++next) {
      (positive[order[next]] ? left.true_positive : left.false_positive) -= weight(order[next]);
    }
    left.threshold = threshold;
    if (next == sorted.size()) left.true_positive = left.false_positive = 0.0;  // without rounding
    table.steps.push_back(left);
  }
  return table;
}

Histogram histogram_of(std::span<const double> numbers, std::span<const std::size_t> group,
                       std::size_t groups, std::size_t bins) {
  Histogram histogram;
  if (numbers.empty() || bins == 0) return histogram;
  constexpr double kTail = 0.001;
  std::vector<double> copy;
  for (const double number : numbers) {
    if (std::isfinite(number)) copy.push_back(number);
  }
  if (copy.empty()) return histogram;
  double low = quantile(copy, kTail);
  double high = quantile(copy, 1 - kTail);
  if (!(high > low)) {
    const double around = std::max(std::abs(low), 1.0) * 0.5;
    low -= around;
    high += around;
  }
  const double width = (high - low) / static_cast<double>(bins);
  for (std::size_t b = 0; b <= bins; ++b) {
    histogram.edges.push_back(low + width * static_cast<double>(b));
  }
  histogram.counts.assign(groups, std::vector<double>(bins, 0.0));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) continue;
    const double place = std::clamp((numbers[i] - low) / width, 0.0, static_cast<double>(bins - 1));
    histogram.counts[group[i]][static_cast<std::size_t>(place)] += 1.0;
  }
  return histogram;
}

}  // namespace pegasos
