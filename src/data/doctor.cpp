// One pass over the rows, on all threads, finds the range of each feature and the hash of each row;
// the rest is counting.
#include "pegasos/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "data/equal_rows.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// The largest value of some features this many times that of the median feature.
constexpr double kLargeRatio = 100;
constexpr double kWildRatio = 1000;
// A class with this share of the rows or less.
constexpr double kRareShare = 0.01;
constexpr std::size_t kMostClasses = 100;
// Shares of rows from which on equal rows are serious.
constexpr double kManyDuplicates = 0.05;
constexpr double kManyConflicts = 0.005;
constexpr double kMuchOverlap = 0.01;

struct FeatureRange {
  float smallest = std::numeric_limits<float>::infinity();
  float largest = -std::numeric_limits<float>::infinity();
  std::uint32_t non_zeros = 0;

  void add(float value) {
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
    ++non_zeros;
  }
  void add(const FeatureRange& other) {
    smallest = std::min(smallest, other.smallest);
    largest = std::max(largest, other.largest);
    non_zeros += other.non_zeros;
  }
  double size() const { return std::max(std::abs(double{smallest}), std::abs(double{largest})); }
};

struct Census {
  std::vector<FeatureRange> features;
  std::vector<std::uint64_t> hashes;  // of rows
};

std::vector<std::uint64_t> hashes_of(const Dataset& data, ThreadPool& pool) {
  constexpr std::size_t kRows = 4096;
  std::vector<std::uint64_t> hashes(data.rows());
  pool.for_each((data.rows() + kRows - 1) / kRows, [&](std::size_t task) {
    std::vector<std::uint64_t> scratch;
    const std::size_t end = std::min(data.rows(), (task + 1) * kRows);
    for (std::size_t i = task * kRows; i < end; ++i) {
      hashes[i] = hash_of_row(data.row(i), scratch);
    }
  });
  return hashes;
}

// Each part of the rows has ranges of its own, as many parts as keep these below the data in size.
std::vector<FeatureRange> ranges_of(const Dataset& data, ThreadPool& pool) {
  const std::size_t affordable =
      data.features() == 0 ? 1 : static_cast<std::size_t>(data.non_zeros() / data.features());
  const std::size_t parts =
      std::clamp<std::size_t>(affordable, 1, static_cast<std::size_t>(pool.threads()));
  std::vector<std::vector<FeatureRange>> ranges(parts);
  pool.for_each(parts, [&](std::size_t part) {
    ranges[part].resize(data.features());
    const std::size_t end = data.rows() * (part + 1) / parts;
    for (std::size_t i = data.rows() * part / parts; i < end; ++i) {
      const RowView row = data.row(i);
      for (std::size_t j = 0; j < row.values.size(); ++j) {
        if (row.values[j] != 0.0F) ranges[part][row.dense ? j : row.ids[j]].add(row.values[j]);
      }
    }
  });
  for (std::size_t part = 1; part < parts; ++part) {
    for (std::size_t j = 0; j < data.features(); ++j) ranges[0][j].add(ranges[part][j]);
  }
  return std::move(ranges.front());
}

// 1,234,567
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

// "3 of 20 features are"
std::string share_in_words(std::uint64_t count, std::uint64_t of, const char* what) {
  return fmt::format("{} of {} {} {}", grouped(count), grouped(of), what,
                     count == 1 ? "is" : "are");
}

bool at_least(std::uint64_t count, std::uint64_t of, double share) {
  return static_cast<double>(count) >= share * static_cast<double>(of);
}

std::optional<Symptom> look_at_scale(const Dataset& data, const std::vector<FeatureRange>& ranges,
                                     const DoctorOptions& options) {
  std::vector<std::pair<double, FeatureId>> sizes;
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    if (ranges[j].non_zeros > 0) sizes.emplace_back(ranges[j].size(), static_cast<FeatureId>(j));
  }
  if (sizes.size() < 2) return std::nullopt;
  std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  const double median = sizes[sizes.size() / 2].first;
  Symptom symptom;
  symptom.kind = SymptomKind::scale;
  symptom.of = sizes.size();
  for (const auto& [size, feature] : sizes) {
    if (!(size >= kLargeRatio * median)) break;
    ++symptom.count;
    if (symptom.examples.size() < options.examples) {
      symptom.examples.push_back(
          fmt::format("{} (up to {:.3g})", data.schema().feature_name(feature), size));
    }
  }
  if (symptom.count == 0) return std::nullopt;
  const double ratio = sizes.front().first / median;
  symptom.severity = ratio >= kWildRatio ? Severity::serious : Severity::slight;
  symptom.finding = fmt::format("{} up to {:.2g} times as large as the median feature",
                                share_in_words(symptom.count, symptom.of, "features"), ratio);
  symptom.remedy = {"scale them with {}", {{"scaling", "standard"}}};
  return symptom;
}

// A value of a feature as it stands in the file, if it is a column of numbers or the year of dates.
double as_in_file(const Schema& schema, FeatureId feature, double value) {
  if (!schema.csv) return value;
  for (const CsvColumn& column : schema.csv->columns) {
    const std::size_t part = feature - column.first_feature;
    if (feature < column.first_feature || part >= column.scales.size()) continue;
    const ColumnScale& scale = column.scales[part];
    return value / scale.factor + scale.shift + scale.origin;
  }
  return value;
}

std::optional<Symptom> look_at_constants(const Dataset& data,
                                         const std::vector<FeatureRange>& ranges,
                                         const DoctorOptions& options) {
  if (data.rows() < 2) return std::nullopt;
  Symptom symptom;
  symptom.kind = SymptomKind::constant;
  symptom.of = ranges.size();
  // A svmlight index that never occurs is not a column of the data.
  const bool table = data.schema().csv.has_value();
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    const FeatureRange& range = ranges[j];
    const bool always_zero = range.non_zeros == 0 && table;
    const bool same = range.non_zeros == data.rows() && range.smallest == range.largest;
    if (!always_zero && !same) continue;
    ++symptom.count;
    if (symptom.examples.size() < options.examples) {
      const auto feature = static_cast<FeatureId>(j);
      const auto value = static_cast<double>(always_zero ? 0.0F : range.largest);
      symptom.examples.push_back(fmt::format("{} (always {:.6g})",
                                             data.schema().feature_name(feature),
                                             as_in_file(data.schema(), feature, value)));
    }
  }
  if (symptom.count == 0) return std::nullopt;
  symptom.finding =
      fmt::format("{} constant", share_in_words(symptom.count, symptom.of, "features"));
  if (table) {
    symptom.remedy = Hint("constant features carry no information: remove them with {}",
                          {{"ignored_columns", "NAME"}});
  } else {
    symptom.remedy = Hint("constant features only duplicate the bias: remove them");
  }
  return symptom;
}

bool is_class_data(const std::map<double, std::uint64_t>& labels) {
  return labels.size() >= 2 && labels.size() <= kMostClasses &&
         (labels.size() == 2 || std::all_of(labels.begin(), labels.end(), [](const auto& label) {
            return std::floor(label.first) == label.first;
          }));
}

// Rows by label, or more than kMostClasses of them.
std::map<double, std::uint64_t> count_labels(const Dataset& data) {
  std::map<double, std::uint64_t> counts;
  auto last = counts.end();
  for (const double label : data.labels()) {
    if (std::isnan(label)) continue;
    if (last == counts.end() || last->first != label) last = counts.try_emplace(label, 0).first;
    ++last->second;
    if (counts.size() > kMostClasses) break;
  }
  return counts;
}

std::optional<Symptom> look_at_balance(const Dataset& data,
                                       const std::map<double, std::uint64_t>& labels) {
  // A set of labels is no class.
  if (!is_class_data(labels) || data.schema().multilabel) return std::nullopt;
  std::uint64_t rows = 0;
  for (const auto& [label, count] : labels) rows += count;
  Symptom symptom;
  symptom.kind = SymptomKind::imbalance;
  symptom.severity = Severity::serious;
  symptom.of = labels.size();
  std::uint64_t fewest = rows;
  for (const auto& [label, count] : labels) {
    if (!(static_cast<double>(count) <= kRareShare * static_cast<double>(rows))) continue;
    ++symptom.count;
    fewest = std::min(fewest, count);
    symptom.examples.push_back(fmt::format("{} ({} {})", data.schema().label_text(label),
                                           grouped(count), count == 1 ? "row" : "rows"));
  }
  // With many classes every one may be rare.
  if (symptom.count == 0 || (labels.size() > 2 && symptom.count == labels.size())) {
    return std::nullopt;
  }
  symptom.finding = fmt::format("{} rare (at most 1 % of the rows); the smallest has {} of {}",
                                share_in_words(symptom.count, symptom.of, "classes"),
                                grouped(fewest), grouped(rows));
  symptom.remedy = {"train with {}, and use balanced accuracy or AUC (PR) instead of accuracy",
                    {{"balanced", "yes"}}};
  return symptom;
}

// Rows that have a property, the first few of them named.
struct Counter {
  std::uint64_t count = 0;
  std::vector<std::string> examples = {};

  template <typename Name>
  void add(const DoctorOptions& options, const Name& name) {
    ++count;
    if (examples.size() < options.examples) examples.push_back(name());
  }

  std::optional<Symptom> symptom(SymptomKind kind, Severity severity, std::uint64_t of,
                                 const char* finding, const char* advice,
                                 const char* what = "rows") {
    if (count == 0) return std::nullopt;
    Symptom result;
    result.kind = kind;
    result.severity = severity;
    result.count = count;
    result.of = of;
    result.examples = std::move(examples);
    result.finding = share_in_words(count, of, what) + " " + finding;
    result.remedy = advice;
    return result;
  }
};

bool is_empty(const RowView& row) {
  return std::all_of(row.values.begin(), row.values.end(), [](float v) { return v == 0.0F; });
}

struct RowCounts {
  Counter empty;
  Counter unlabelled;
  Counter duplicates;
  Counter conflicts;
};

// In a table with scaled columns a zero is the mean of a column, not a value that is not there.
bool zeros_are_means(const Schema& schema) {
  return schema.csv && std::any_of(schema.csv->columns.begin(), schema.csv->columns.end(),
                                   [](const CsvColumn& column) { return !column.scales.empty(); });
}

RowCounts count_rows(const Dataset& data, RowIndex& index, bool classes,
                     const DoctorOptions& options) {
  RowCounts counts;
  const bool may_be_empty = !zeros_are_means(data.schema());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const auto row = static_cast<RowId>(i);
    if (data.has_labels() && std::isnan(data.label(i))) {
      counts.unlabelled.add(options, [&] { return fmt::format("row {}", i + 1); });
    }
    const auto before = index.add(row);
    if (may_be_empty && is_empty(data.row(i))) {
      counts.empty.add(options, [&] { return fmt::format("row {}", i + 1); });
      continue;  // equal to one another, but that is what was just said
    }
    if (!before) continue;
    counts.duplicates.add(options,
                          [&] { return fmt::format("row {} = row {}", i + 1, *before + 1); });
    if (!classes || data.label(i) == data.label(*before) || std::isnan(data.label(i)) ||
        std::isnan(data.label(*before))) {
      continue;
    }
    counts.conflicts.add(options, [&] {
      return fmt::format("row {} is {}, row {} is {}", i + 1,
                         data.schema().label_text(data.label(i)), *before + 1,
                         data.schema().label_text(data.label(*before)));
    });
  }
  return counts;
}

std::optional<Symptom> look_for_overlap(const RowIndex& index, const Dataset& test,
                                        ThreadPool& pool, const DoctorOptions& options) {
  const auto hashes = hashes_of(test, pool);
  Counter counter;
  for (std::size_t i = 0; i < test.rows(); ++i) {
    if (is_empty(test.row(i))) continue;
    const auto found = index.find(test.row(i), hashes[i]);
    if (!found) continue;
    counter.add(options, [&] { return fmt::format("test row {} = row {}", i + 1, *found + 1); });
  }
  const Severity severity =
      at_least(counter.count, test.rows(), kMuchOverlap) ? Severity::serious : Severity::slight;
  return counter.symptom(SymptomKind::overlap, severity, test.rows(), "also in the training data",
                         "remove them from one of the files, or the test error will be too low",
                         "test rows");
}

std::vector<Symptom> diagnose_all(const Dataset& data, const Dataset* test,
                                  const DoctorOptions& options) {
  options.validate();
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  const Census census = {ranges_of(data, pool), hashes_of(data, pool)};
  const auto labels = count_labels(data);
  RowIndex index(data, census.hashes);
  RowCounts rows = count_rows(data, index, is_class_data(labels), options);
  const std::uint64_t all = data.rows();
  const auto severity = [all](const Counter& counter, double share) {
    return at_least(counter.count, all, share) ? Severity::serious : Severity::slight;
  };
  std::vector<std::optional<Symptom>> found;
  found.push_back(look_at_scale(data, census.features, options));
  found.push_back(look_at_constants(data, census.features, options));
  found.push_back(rows.duplicates.symptom(
      SymptomKind::duplicate, severity(rows.duplicates, kManyDuplicates), all,
      "equal to an earlier row",
      "keep one of each, or they count twice and may end up in both training and test data"));
  found.push_back(rows.conflicts.symptom(SymptomKind::conflict,
                                         severity(rows.conflicts, kManyConflicts), all,
                                         "equal to an earlier row but labelled differently",
                                         "check the labels, or add features that distinguish the "
                                         "rows: no model can predict both correctly"));
  found.push_back(look_at_balance(data, labels));
  found.push_back(rows.empty.symptom(SymptomKind::empty, severity(rows.empty, kManyDuplicates), all,
                                     "empty",
                                     "remove them, or find out where their values were lost: all "
                                     "of them get the same prediction"));
  if (!data.schema().multilabel) {  // where none is a set like others
    found.push_back(rows.unlabelled.symptom(SymptomKind::unlabelled, Severity::serious, all,
                                            "unlabelled",
                                            "label them or remove them before training"));
  }
  if (test != nullptr) found.push_back(look_for_overlap(index, *test, pool, options));
  std::vector<Symptom> symptoms;
  for (const Severity level : {Severity::serious, Severity::slight}) {
    for (auto& symptom : found) {
      if (symptom && symptom->severity == level) symptoms.push_back(std::move(*symptom));
    }
  }
  return symptoms;
}

}  // namespace

std::string name_of(SymptomKind kind) {
  switch (kind) {
    case SymptomKind::scale:
      return "scale";
    case SymptomKind::constant:
      return "constant";
    case SymptomKind::duplicate:
      return "duplicate";
    case SymptomKind::conflict:
      return "conflict";
    case SymptomKind::imbalance:
      return "imbalance";
    case SymptomKind::empty:
      return "empty";
    case SymptomKind::unlabelled:
      return "unlabelled";
    case SymptomKind::overlap:
      return "overlap";
  }
  return "unknown";
}

void DoctorOptions::validate() const {
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
}

std::vector<Symptom> diagnose(const Dataset& data, const DoctorOptions& options) {
  return diagnose_all(data, nullptr, options);
}

std::vector<Symptom> diagnose(const Dataset& data, const Dataset& test,
                              const DoctorOptions& options) {
  if (test.features() != data.features()) {
    throw InvalidOption("test", "must have the same features as the data");
  }
  return diagnose_all(data, &test, options);
}

}  // namespace pegasos
