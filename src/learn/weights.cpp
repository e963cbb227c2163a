#include "learn/weights.h"

#include <algorithm>
#include <map>

#include "learn/labels.h"
#include "learn/resolve.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

std::map<double, double> rows_of_labels(const Dataset& data, const TrainOptions& options,
                                        const WholeRows& whole) {
  std::map<double, double> rows_of;
  for (const double label : whole.labels.labels()) rows_of[label] = 0.0;
  for (const double label : data.labels()) rows_of[label] += 1.0;
  std::vector<double> counts;
  counts.reserve(rows_of.size());
  for (const auto& [label, rows] : rows_of) counts.push_back(rows);
  ranks_of(options).sum(counts);
  std::size_t next = 0;
  for (auto& [label, rows] : rows_of) rows = counts[next++];
  return rows_of;
}

// rows / (classes · rows of the class), the classes being the positive label and the rest where one
// is named.
std::map<double, double> balanced_weights(const Dataset& data, const TrainOptions& options,
                                          const WholeRows& whole) {
  const std::map<double, double> rows_of = rows_of_labels(data, options, whole);
  const auto all = static_cast<double>(whole.rows);
  std::map<double, double> weights;
  if (!options.positive_label) {
    const auto classes = static_cast<double>(rows_of.size());
    for (const auto& [label, rows] : rows_of) weights[label] = all / (classes * rows);
    return weights;
  }
  const double positive = find_label(whole.labels, *options.positive_label, "positive_label");
  const double of_positive = rows_of.at(positive);
  for (const auto& [label, rows] : rows_of) {
    weights[label] = all / (2.0 * (label == positive ? of_positive : all - of_positive));
  }
  return weights;
}

}  // namespace

std::vector<LabelWeight> label_weights_of(const Dataset& data, const TrainOptions& options,
                                          const WholeRows& whole) {
  if (options.class_weights.empty() && !options.balanced) return {};
  const char* const field = options.balanced ? "balanced" : "class_weights";
  check_labels_present(data);
  const bool regression =
      options.task == Task::regression ||
      (!options.task && !options.positive_label && suggest_task(whole.labels) == Task::regression);
  if (regression) throw InvalidOption(field, "regression has no classes");
  if (data.schema().multilabel) {
    throw InvalidOption(field, "not available for multilabel data; use row weights");
  }
  std::map<double, double> weights;
  if (options.balanced) weights = balanced_weights(data, options, whole);
  for (const ClassWeight& one : options.class_weights) {
    const double label = find_label(whole.labels, one.label, field);
    if (!weights.emplace(label, one.weight).second) {
      throw InvalidOption(field, "the label " + one.label + " has two weights");
    }
  }
  std::vector<LabelWeight> result;
  for (const auto& [label, weight] : weights) {
    if (weight != 1.0) result.push_back({label, weight});
  }
  return result;
}

std::vector<double> row_weights(const Dataset& data, std::span<const LabelWeight> label_weights) {
  std::vector<double> weights(data.weights().begin(), data.weights().end());
  if (label_weights.empty()) return weights;
  if (weights.empty()) weights.assign(data.rows(), 1.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double label = data.label(i);
    const auto found =
        std::lower_bound(label_weights.begin(), label_weights.end(), label,
                         [](const LabelWeight& one, double value) { return one.label < value; });
    if (found != label_weights.end() && found->label == label) weights[i] *= found->weight;
  }
  return weights;
}

}  // namespace pegasos
