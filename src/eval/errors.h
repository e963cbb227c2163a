// Regression errors sorted by size, and the metrics computed from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "eval/checks.h"
#include "pegasos/metrics.h"

namespace pegasos {

struct Errors {
  std::vector<std::uint32_t> order;  // rows by ascending |error|
  std::vector<double> sizes;         // |error| at this place
  std::vector<double> labels;        // less the mean of all, which keeps their squares small
  bool same_labels = false;
};

Errors errors_by_size(std::span<const double> labels, std::span<const double> predicted);

// The least size with half of the weight at or below it; where exactly half is, the middle between
// it and the next.
template <typename Weight>
double weighted_median(std::span<const double> ascending, const Weight& weight, double total) {
  double below = 0;
  for (std::size_t place = 0; place < ascending.size(); ++place) {
    below += weight(place);
    if (2 * below < total || below == 0) continue;
    if (2 * below > total) return ascending[place];
    std::size_t next = place + 1;
    while (next < ascending.size() && weight(next) == 0) ++next;
    return next < ascending.size() ? 0.5 * (ascending[place] + ascending[next]) : ascending[place];
  }
  return kUndefined;
}

// weight(place): how much the row at this place of the order counts.
template <typename Weight>
RegressionMetrics metrics_of(const Errors& errors, const Weight& weight) {
  double rows = 0;
  double counted = 0;
  double absolute = 0;
  double squared = 0;
  double labels = 0;
  double squared_labels = 0;
  for (std::size_t place = 0; place < errors.sizes.size(); ++place) {
    const double w = weight(place);
    const double size = errors.sizes[place];
    const double label = errors.labels[place];
    rows += w;
    counted += w > 0 ? 1 : 0;
    absolute += w * size;
    squared += w * size * size;
    labels += w * label;
    squared_labels += w * label * label;
  }
  if (!(rows > 0)) return {0, kUndefined, kUndefined, kUndefined, kUndefined};
  RegressionMetrics metrics;
  metrics.rows = rows;
  metrics.mae = absolute / rows;
  metrics.rmse = std::sqrt(squared / rows);
  metrics.median_error = weighted_median(std::span<const double>(errors.sizes), weight, rows);
  const double total = squared_labels - labels * labels / rows;
  if (counted < 2) {
    metrics.r2 = kUndefined;
  } else if (errors.same_labels || !(total > 0)) {
    metrics.r2 = squared == 0 ? 1.0 : 0.0;
  } else {
    metrics.r2 = 1.0 - squared / total;
  }
  return metrics;
}

}  // namespace pegasos
