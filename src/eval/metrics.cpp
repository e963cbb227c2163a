#include "pegasos/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

void check_sizes(std::size_t rows, std::span<const double> predictions, const char* name) {
  if (predictions.size() != rows) {
    throw InvalidOption(name, fmt::format("{} of them for {} rows", predictions.size(), rows));
  }
  // A NaN has no place in any order and would pass as a prediction of the negative class.
  for (std::size_t i = 0; i < rows; ++i) {
    if (std::isnan(predictions[i])) {
      throw InvalidOption(name, fmt::format("row {} has none (NaN)", i));
    }
  }
}

double ratio_or_zero(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

// 1 - residual/total, where neither may be a victim of rounding: labels that are all the same have
// a total of exactly zero.
double r2_of(std::span<const double> labels, double residual) {
  if (labels.size() < 2) return kUndefined;
  const auto [least, most] = std::minmax_element(labels.begin(), labels.end());
  if (*least == *most) return residual == 0 ? 1.0 : 0.0;
  const double rows = static_cast<double>(labels.size());
  double mean = 0;
  for (const double y : labels) mean += y / rows;
  double total = 0;
  for (const double y : labels) total += (y - mean) * (y - mean);
  return 1.0 - residual / total;
}

}  // namespace

double BinaryMetrics::accuracy() const {
  if (rows() == 0) return kUndefined;
  return static_cast<double>(true_positive + true_negative) / static_cast<double>(rows());
}

double BinaryMetrics::precision() const {
  return ratio_or_zero(true_positive, true_positive + false_positive);
}

double BinaryMetrics::recall() const {
  return ratio_or_zero(true_positive, true_positive + false_negative);
}

double BinaryMetrics::f1() const {
  return ratio_or_zero(2 * true_positive, 2 * true_positive + false_positive + false_negative);
}

BinaryMetrics binary_metrics(std::span<const bool> positive, std::span<const double> scores) {
  BinaryMetrics metrics;
  metrics.auc = area_under_roc(positive, scores);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool called_positive = scores[i] > 0;
    if (positive[i]) {
      ++(called_positive ? metrics.true_positive : metrics.false_negative);
    } else {
      ++(called_positive ? metrics.false_positive : metrics.true_negative);
    }
  }
  return metrics;
}

// The share of (positive, negative) pairs in which the positive row has the higher score; equal
// scores count half (Mann and Whitney 1947). Going up through the scores, every positive row wins
// against all negative ones below. Pairs are counted twice, to stay with whole numbers.
double area_under_roc(std::span<const bool> positive, std::span<const double> scores) {
  check_sizes(positive.size(), scores, "scores");
  std::vector<std::pair<double, bool>> ranked;
  ranked.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) ranked.emplace_back(scores[i], positive[i]);
  std::sort(ranked.begin(), ranked.end());

  __extension__ using Wide = unsigned __int128;  // 2^32 rows make 2^65 half pairs
  Wide half_pairs_won = 0;
  std::uint64_t positives = 0;
  std::uint64_t negatives_below = 0;
  for (auto group = ranked.begin(); group != ranked.end();) {
    std::uint64_t in_group[2] = {0, 0};
    const double score = group->first;
    for (; group != ranked.end() && group->first == score; ++group) ++in_group[group->second];
    half_pairs_won += Wide{in_group[1]} * (2 * negatives_below + in_group[0]);
    negatives_below += in_group[0];
    positives += in_group[1];
  }
  if (positives == 0 || negatives_below == 0) return kUndefined;
  return static_cast<double>(half_pairs_won) /
         (2.0 * static_cast<double>(positives) * static_cast<double>(negatives_below));
}

RegressionMetrics regression_metrics(std::span<const double> labels,
                                     std::span<const double> predicted) {
  check_sizes(labels.size(), predicted, "predicted");
  check_sizes(labels.size(), labels, "labels");
  if (labels.empty()) return {0, kUndefined, kUndefined, kUndefined};
  double absolute = 0;
  double squared = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double error = labels[i] - predicted[i];
    absolute += std::abs(error);
    squared += error * error;
  }
  const double rows = static_cast<double>(labels.size());
  return {labels.size(), absolute / rows, std::sqrt(squared / rows), r2_of(labels, squared)};
}

}  // namespace pegasos
