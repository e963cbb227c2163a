// summary.h against loops a child could follow.
#include "pegasos/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/random.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr double kNoLabel = std::numeric_limits<double>::quiet_NaN();

struct Arrays {
  std::vector<std::uint64_t> offsets{0};
  std::vector<FeatureId> ids;
  std::vector<float> values;
  std::vector<double> labels;
  std::size_t features = 0;
  bool dense = false;
  Schema schema;

  std::size_t rows() const { return dense ? values.size() / features : offsets.size() - 1; }
  Dataset dataset() const {
    DatasetParts parts;
    parts.rows = rows();
    parts.features = features;
    parts.labels = labels;
    if (dense) {
      parts.dense = DenseMatrix{values, features};
    } else {
      parts.sparse = SparseMatrix{offsets, ids, values};
    }
    parts.schema = std::make_shared<const Schema>(schema);
    return Dataset::from_parts(std::move(parts));
  }
};

// Rows of all lengths, empty ones too, and among the stored values some zeros.
Arrays random_arrays(bool dense, std::size_t rows, std::uint64_t seed) {
  Arrays arrays;
  arrays.features = 50;
  arrays.dense = dense;
  Random random(seed, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t density = random.below(5);
    for (FeatureId id = 0; id < arrays.features; ++id) {
      const bool stored = id < 48 && random.below(10) < density;  // two features are never used
      const auto value = static_cast<float>(random.below(20) == 0 ? 0.0 : random.normal());
      if (dense) {
        arrays.values.push_back(stored ? value : 0.0F);
      } else if (stored) {
        arrays.ids.push_back(id);
        arrays.values.push_back(value);
      }
    }
    arrays.offsets.push_back(arrays.ids.size());
    arrays.labels.push_back(random.below(10) == 0 ? kNoLabel : random.normal());
  }
  return arrays;
}

void expect_naive(const DatasetSummary& summary, const Dataset& data) {
  std::set<std::size_t> used;
  std::uint64_t non_zeros = 0;
  std::uint64_t empty_rows = 0;
  std::uint64_t longest = 0;
  std::vector<double> values;
  std::vector<double> norms;
  std::vector<double> labels;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    std::uint64_t length = 0;
    double squares = 0.0;
    const RowView row = data.row(i);
    for (std::size_t j = 0; j < row.values.size(); ++j) {
      values.push_back(double{row.values[j]});
      squares += double{row.values[j]} * double{row.values[j]};
      if (row.values[j] == 0) continue;
      ++length;
      used.insert(row.dense ? j : row.ids[j]);
    }
    non_zeros += length;
    empty_rows += length == 0 ? 1 : 0;
    longest = std::max(longest, length);
    norms.push_back(std::sqrt(squares));
    if (!std::isnan(data.label(i))) labels.push_back(data.label(i));
  }
  EXPECT_EQ(summary.rows, data.rows());
  EXPECT_EQ(summary.features, data.features());
  EXPECT_EQ(summary.features_used, used.size());
  EXPECT_EQ(summary.non_zeros, non_zeros);
  EXPECT_DOUBLE_EQ(summary.density, static_cast<double>(non_zeros) /
                                        static_cast<double>(data.rows() * data.features()));
  EXPECT_EQ(summary.dense, data.is_dense());
  EXPECT_EQ(summary.memory_bytes, data.memory_bytes());
  EXPECT_EQ(summary.empty_rows, empty_rows);
  EXPECT_EQ(summary.longest_row, longest);
  EXPECT_EQ(summary.smallest_value, *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(summary.largest_value, *std::max_element(values.begin(), values.end()));
  EXPECT_EQ(summary.smallest_norm, *std::min_element(norms.begin(), norms.end()));
  EXPECT_EQ(summary.largest_norm, *std::max_element(norms.begin(), norms.end()));
  EXPECT_EQ(summary.unlabelled_rows, data.rows() - labels.size());
  EXPECT_EQ(summary.smallest_label, *std::min_element(labels.begin(), labels.end()));
  EXPECT_EQ(summary.largest_label, *std::max_element(labels.begin(), labels.end()));
  double sum = 0.0;
  for (const double label : labels) sum += label;
  EXPECT_NEAR(summary.mean_label, sum / static_cast<double>(labels.size()), 1e-12);
}

TEST(Summarise, CountsAsALoopDoes) {
  for (const bool dense : {false, true}) {
    for (const std::size_t rows : {1u, 7u, 4096u, 4097u, 20000u}) {
      auto arrays = random_arrays(dense, rows, rows);
      arrays.labels[0] = 1.5;
      if (arrays.values.empty()) continue;
      expect_naive(summarise(arrays.dataset()), arrays.dataset());
    }
  }
}

TEST(Summarise, SlicesCountTheirOwnRows) {
  for (const bool dense : {false, true}) {
    const auto arrays = random_arrays(dense, 9000, 3);
    const Dataset part = arrays.dataset().slice(1000, 5000);
    expect_naive(summarise(part), part);
  }
}

TEST(Summarise, DoesNotDependOnThreads) {
  const auto arrays = random_arrays(false, 30000, 4);
  const DatasetSummary one = summarise(arrays.dataset(), 1);
  for (const int threads : {2, 3, 8}) {
    const DatasetSummary many = summarise(arrays.dataset(), threads);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(many.mean_label),
              std::bit_cast<std::uint64_t>(one.mean_label));
    EXPECT_EQ(many.features_used, one.features_used);
    EXPECT_EQ(many.non_zeros, one.non_zeros);
    EXPECT_EQ(many.distinct_labels, one.distinct_labels);
  }
  EXPECT_THROW(summarise(arrays.dataset(), -1), InvalidOption);
}

TEST(Summarise, NothingIsAllZeros) {
  Arrays arrays;
  const DatasetSummary none = summarise(arrays.dataset());
  EXPECT_EQ(none.rows, 0u);
  EXPECT_EQ(none.density, 0.0);
  EXPECT_EQ(none.smallest_value, 0.0);
  EXPECT_EQ(none.largest_norm, 0.0);
  EXPECT_EQ(none.mean_label, 0.0);
  EXPECT_EQ(none.task, Task::none);

  arrays.offsets = {0, 0, 0};
  arrays.features = 10;
  const DatasetSummary empty = summarise(arrays.dataset());
  EXPECT_EQ(empty.empty_rows, 2u);
  EXPECT_EQ(empty.unlabelled_rows, 2u);
  EXPECT_EQ(empty.features_used, 0u);
  EXPECT_EQ(empty.smallest_value, 0.0);
  EXPECT_EQ(empty.largest_value, 0.0);
  EXPECT_EQ(empty.distinct_labels, 0u);
}

Dataset labelled(Arrays& arrays, std::vector<double> labels, std::vector<std::string> words = {}) {
  arrays = Arrays();
  arrays.features = 1;
  arrays.offsets.assign(labels.size() + 1, 0);
  arrays.labels = std::move(labels);
  arrays.schema.label_words = std::move(words);
  return arrays.dataset();
}

std::vector<double> numbers(int count, double step = 1.0) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(step * ((i * 37) % count));
  return values;
}

TEST(Summarise, CountsLabelsByValue) {
  Arrays arrays;
  const Dataset data = labelled(arrays, {2, -1, 2, kNoLabel, 0.5, 2, -0.0, 0.0});
  const DatasetSummary summary = summarise(data);
  EXPECT_EQ(summary.distinct_labels, 4u);
  ASSERT_EQ(summary.labels.size(), 4u);
  const std::vector<std::pair<std::string, std::uint64_t>> expected = {
      {"-1", 1}, {"0", 2}, {"0.5", 1}, {"2", 3}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(summary.labels[i].name, expected[i].first);
    EXPECT_EQ(summary.labels[i].rows, expected[i].second);
  }
}

TEST(Summarise, NamesWords) {
  Arrays arrays;
  const DatasetSummary summary = summarise(labelled(arrays, {1, 0, 1}, {"no", "yes"}));
  ASSERT_EQ(summary.labels.size(), 2u);
  EXPECT_EQ(summary.labels[0].name, "no");
  EXPECT_EQ(summary.labels[1].name, "yes");
  EXPECT_EQ(summary.labels[1].rows, 2u);
}

TEST(Summarise, StopsCountingKindsAt101) {
  Arrays arrays;
  // The kinds are spread over several chunks; none of these alone has more than 100.
  for (const int kinds : {99, 100, 101, 150, 20000}) {
    std::vector<double> labels;
    for (int i = 0; i < 40000; ++i)
      labels.push_back((i / 300) % 2 == 0 ? i / 300 % kinds : i % kinds);
    const std::set<double> distinct(labels.begin(), labels.end());
    const std::size_t counted = std::min<std::size_t>(101, distinct.size());
    for (const int threads : {1, 4}) {
      const DatasetSummary summary = summarise(labelled(arrays, labels), threads);
      EXPECT_EQ(summary.distinct_labels, counted);
      EXPECT_EQ(summary.labels.size(), counted > 100 ? 0 : counted);
      std::uint64_t rows = 0;
      for (const auto& label : summary.labels) rows += label.rows;
      EXPECT_EQ(rows, counted > 100 ? 0u : 40000u);
    }
  }
}

TEST(SuggestTask, FollowsTheLabels) {
  Arrays arrays;
  const auto task = [&arrays](std::vector<double> labels, std::vector<std::string> words = {}) {
    const Dataset data = labelled(arrays, std::move(labels), std::move(words));
    EXPECT_EQ(summarise(data).task, suggest_task(data));
    return suggest_task(data);
  };
  EXPECT_EQ(task({}), Task::none);
  EXPECT_EQ(task({1, 1, 1}), Task::none);
  EXPECT_EQ(task({kNoLabel, kNoLabel}), Task::none);
  EXPECT_EQ(task({kNoLabel, 5}), Task::none);
  EXPECT_EQ(task({-1, 1, -1, kNoLabel}), Task::binary);
  EXPECT_EQ(task({0.25, 0.75}), Task::binary);
  EXPECT_EQ(task({0.0, -0.0}), Task::none);
  EXPECT_EQ(task({1, 2, 3}), Task::multiclass);
  EXPECT_EQ(task({1, 2, 2.5}), Task::regression);
  EXPECT_EQ(task(numbers(20)), Task::multiclass);
  EXPECT_EQ(task(numbers(100)), Task::regression) << "prices";
  std::vector<double> letters = numbers(100);
  for (int copy = 0; copy < 3; ++copy) {
    const auto more = numbers(100);
    letters.insert(letters.end(), more.begin(), more.end());
  }
  EXPECT_EQ(task(letters), Task::multiclass) << "as many rows of each";
  letters.insert(letters.end(), 10000, letters.front());
  EXPECT_EQ(task(letters), Task::regression) << "counts";
  EXPECT_EQ(task(numbers(101)), Task::regression);
  EXPECT_EQ(task(numbers(50, 0.5)), Task::regression);
  EXPECT_EQ(task({0, 1}, {"a", "b"}), Task::binary);
  EXPECT_EQ(task({0, 1, 2}, {"a", "b", "c"}), Task::multiclass);
  EXPECT_EQ(task({0, 0}, {"a"}), Task::none);
  std::vector<std::string> words;
  for (int i = 0; i < 150; ++i) words.push_back("word" + std::to_string(1000 + i));
  EXPECT_EQ(task(numbers(150), words), Task::multiclass) << "words are never numbers";
}

}  // namespace
}  // namespace pegasos
