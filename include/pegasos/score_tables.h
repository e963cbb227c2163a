// Tables for a report: the confusion counts at every threshold, and the distribution of scores.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pegasos {

// Exact counts at some thresholds. A row is called positive if its score is above the threshold.
struct ThresholdTable {
  struct Step {
    double threshold = 0.0;
    double true_positive = 0.0;
    double false_positive = 0.0;
  };
  double positives = 0.0;
  double negatives = 0.0;
  std::vector<Step> steps = {};  // by ascending threshold; from all rows called positive to none
};

// About `most_steps` thresholds so that about as many rows lie between any two, and `always` among
// them. None without rows. Throws InvalidOption where arrays differ in length or a score is NaN.
// Rows count by their weights, if there are any.
ThresholdTable threshold_table(std::span<const bool> positive, std::span<const double> scores,
                               double always, std::span<const double> weights = {},
                               std::size_t most_steps = 256);

// How many numbers of each group lie between neighbouring edges. The first and last bins also have
// what lies beyond: one in a thousand numbers on either side does not stretch the axis.
struct Histogram {
  std::vector<double> edges = {};                // one more than bins
  std::vector<std::vector<double>> counts = {};  // of each group, by bin
};

// group[i] < groups. Numbers that are not finite are left out. No edges without numbers.
Histogram histogram_of(std::span<const double> numbers, std::span<const std::size_t> group,
                       std::size_t groups, std::size_t bins = 40);

}  // namespace pegasos
