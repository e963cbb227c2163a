#include "eval/errors.h"

#include <algorithm>
#include <numeric>

namespace pegasos {

Errors errors_by_size(std::span<const double> labels, std::span<const double> predicted) {
  check_numbers(predicted, labels.size(), "predicted");
  check_numbers(labels, labels.size(), "labels");
  Errors errors;
  if (labels.empty()) return errors;
  const auto size = [&](std::uint32_t row) { return std::abs(labels[row] - predicted[row]); };
  errors.order.resize(labels.size());
  std::iota(errors.order.begin(), errors.order.end(), 0U);
  std::sort(errors.order.begin(), errors.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return size(a) != size(b) ? size(a) < size(b) : a < b;
  });
  const auto [least, most] = std::minmax_element(labels.begin(), labels.end());
  errors.same_labels = *least == *most;
  double mean = 0;
  for (const double label : labels) mean += label / static_cast<double>(labels.size());
  for (const std::uint32_t row : errors.order) {
    errors.sizes.push_back(size(row));
    errors.labels.push_back(labels[row] - mean);
  }
  return errors;
}

RegressionMetrics regression_metrics(std::span<const double> labels,
                                     std::span<const double> predicted,
                                     std::span<const double> weights) {
  check_weights(weights, labels.size());
  const Errors errors = errors_by_size(labels, predicted);
  const RowWeights weight{weights};
  return metrics_of(errors, [&](std::size_t place) { return weight(errors.order[place]); });
}

}  // namespace pegasos
