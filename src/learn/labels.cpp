#include "learn/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/did_you_mean.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// The first few distinct labels, ascending; stops looking at `most`.
std::set<double> distinct_labels(const Dataset& data, std::size_t most) {
  std::set<double> distinct;
  double last = std::numeric_limits<double>::quiet_NaN();
  double other = last;
  for (const double label : data.labels()) {
    if (label == last || label == other) continue;  // two kinds in any order need no looking up
    distinct.insert(label);
    if (distinct.size() >= most) break;
    other = std::exchange(last, label);
  }
  return distinct;
}

std::string list_of(const Schema& schema, const std::set<double>& labels) {
  constexpr std::size_t kMost = 8;
  std::string list;
  std::size_t shown = 0;
  for (const double label : labels) {
    if (shown == kMost) return list + ", ...";
    list += (shown++ > 0 ? ", " : "") + schema.label_text(label);
  }
  return list;
}

Targets numbers(const Dataset& data, TargetTransform transform) {
  if (!data.schema().label_words.empty()) {
    throw InvalidOption("task", "the labels are words; regression needs numbers");
  }
  Targets targets;
  targets.y.assign(data.labels().begin(), data.labels().end());
  if (transform == TargetTransform::none) return targets;
  for (double& y : targets.y) {
    y = transformed(transform, y);
    if (!std::isfinite(y)) {
      throw InvalidOption("target", "the logarithm needs targets greater than 0");
    }
  }
  return targets;
}

}  // namespace

Targets targets_with(const Dataset& data, const BinaryLabels& labels) {
  Targets targets;
  targets.labels = labels;
  targets.y.reserve(data.rows());
  for (const double label : data.labels()) {
    targets.y.push_back(label == labels.positive ? 1.0 : -1.0);
  }
  return targets;
}

double find_label(const Dataset& data, const std::string& text, const char* field) {
  const Schema& schema = data.schema();
  const auto& words = schema.label_words;
  if (!words.empty()) {
    const auto found = std::find(words.begin(), words.end(), text);
    const auto label = static_cast<double>(found - words.begin());
    const auto labels = data.labels();
    if (found != words.end() && std::find(labels.begin(), labels.end(), label) != labels.end()) {
      return label;
    }
    throw InvalidOption(
        field, fmt::format("no row has the label '{}'.{}", text, did_you_mean(text, words)));
  }
  double value = 0;
  const char* begin = text.c_str() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.c_str() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  const auto labels = data.labels();
  if (error != std::errc() || stop != end ||
      std::find(labels.begin(), labels.end(), value) == labels.end()) {
    throw InvalidOption(field, fmt::format("no row has the label '{}'; the labels are {}", text,
                                           list_of(schema, distinct_labels(data, 9))));
  }
  return value;
}

TargetTransform log_for(const Dataset& data, Collective& ranks) {
  double zeros = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const double label = data.label(i);
    if (label < 0) {
      throw InvalidOption("target", fmt::format("row {} has the target {}, but the logarithm needs "
                                                "targets of 0 or more; train without it",
                                                i + 1, label));
    }
    zeros += label == 0 ? 1 : 0;
  }
  ranks.sum({&zeros, 1});
  return zeros > 0 ? TargetTransform::log1p : TargetTransform::log;
}

Targets targets_of(const Dataset& data, std::optional<Task> task,
                   const std::optional<std::string>& positive_label, TargetTransform transform) {
  if (data.schema().multilabel && positive_label) {
    throw InvalidOption("positive_label",
                        "not supported for multilabel data, which has a classifier per label");
  }
  check_labels_present(data);
  if (task == Task::regression && positive_label) {
    throw InvalidOption("positive_label", "regression has no positive label");
  }
  const Task chosen = task.value_or(suggest_task(data));
  if (chosen == Task::regression && !positive_label) return numbers(data, transform);
  if (transform != TargetTransform::none) {
    throw InvalidOption("target", "is only for regression");
  }
  const auto distinct = distinct_labels(data, 102);
  if (distinct.size() < 2) {
    throw UnusableData(
        fmt::format("every row has the label {}; classification needs at least two classes",
                    list_of(data.schema(), distinct)));
  }
  if (positive_label) {
    const double positive = find_label(data, *positive_label, "positive_label");
    BinaryLabels labels{positive, std::nullopt};
    if (distinct.size() == 2) {
      labels.negative = *distinct.begin() == positive ? *distinct.rbegin() : *distinct.begin();
    }
    return targets_with(data, labels);
  }
  if (distinct.size() > 2) {
    throw InvalidOption("positive_label",
                        fmt::format("there are more than two labels ({}); choose a positive label, "
                                    "or train a multiclass model",
                                    list_of(data.schema(), distinct)));
  }
  return targets_with(data, {*distinct.rbegin(), *distinct.begin()});
}

Targets targets_for(const Dataset& data, const SingleOutputModel& model) {
  check_labels_present(data);
  return model.labels ? targets_with(data, *model.labels) : numbers(data, model.transform);
}

}  // namespace pegasos
