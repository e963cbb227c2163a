// Summary statistics of a data set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

// What the labels look like; see suggest_task.
enum class Task { none, binary, multiclass, regression };

struct LabelCount {
  double value = 0.0;
  std::string name;  // the word, or the number as text
  std::uint64_t rows = 0;
};

struct DatasetSummary {
  std::uint64_t rows = 0;
  std::uint64_t features = 0;
  std::uint64_t features_used = 0;  // that are not zero somewhere
  std::uint64_t non_zeros = 0;
  double density = 0.0;  // non-zeros / (rows · features)
  bool dense = false;
  std::uint64_t memory_bytes = 0;
  std::uint64_t empty_rows = 0;
  std::uint64_t longest_row = 0;
  double smallest_value = 0.0;  // over the stored values
  double largest_value = 0.0;
  double smallest_norm = 0.0;  // of a row
  double largest_norm = 0.0;
  double smallest_feature = 0.0;  // of the features used, the largest size of their values
  double largest_feature = 0.0;

  Task task = Task::none;
  std::uint64_t unlabelled_rows = 0;
  std::uint64_t distinct_labels = 0;  // counted up to 101; more means "more than 100"
  std::vector<LabelCount> labels;     // when there are at most 100 kinds; by value
  double smallest_label = 0.0;
  double largest_label = 0.0;
  double mean_label = 0.0;
};

DatasetSummary summarise(const Dataset& data, int threads = 0);

// Words are classes, and so are two distinct values, up to 20 kinds of whole numbers, and up to 100
// if there are at least three rows of a kind on average and no kind has less than a tenth of the
// average. Other numbers are regression. One value alone, or no label, is no task.
Task suggest_task(const Dataset& data);

}  // namespace pegasos
