#include "learn/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<double> labels_of(const std::map<double, std::size_t>& counts) {
  std::vector<double> labels;
  for (const auto& [label, count] : counts) labels.insert(labels.end(), count, label);
  return labels;
}

// Rows of each label in each fold.
std::map<double, std::vector<std::size_t>> spread(const std::vector<double>& labels,
                                                  const std::vector<FoldId>& folds, std::size_t k) {
  std::map<double, std::vector<std::size_t>> counts;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    auto& of_label = counts[labels[i]];
    of_label.resize(k);
    ++of_label.at(folds[i]);
  }
  return counts;
}

TEST(Folds, SpreadEveryClassEvenly) {
  const auto labels = labels_of({{-1.0, 7}, {0.5, 100}, {1e9, 3}, {2.0, 41}});
  for (const std::size_t k : {2U, 3U, 5U, 10U}) {
    const auto folds = deal_folds(labels, k, Dealing::stratified, 1);
    ASSERT_EQ(folds.size(), labels.size());
    for (const auto& [label, counts] : spread(labels, folds, k)) {
      const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
      EXPECT_LE(*most - *least, 1U) << "label " << label << ", " << k << " folds";
    }
    std::vector<std::size_t> sizes(k);
    for (const FoldId fold : folds) ++sizes.at(fold);
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 1U);
  }
}

TEST(Folds, AreTheSameForASeedAndOthersForAnother) {
  const auto labels = labels_of({{-1.0, 30}, {1.0, 30}});
  const auto folds = deal_folds(labels, 5, Dealing::stratified, 7);
  EXPECT_EQ(folds, deal_folds(labels, 5, Dealing::stratified, 7));
  EXPECT_NE(folds, deal_folds(labels, 5, Dealing::stratified, 8));
  // Sorted data must not end up in folds of neighbours.
  std::vector<FoldId> dealt_in_order(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) dealt_in_order[i] = static_cast<FoldId>(i % 5);
  EXPECT_NE(folds, dealt_in_order);
}

TEST(Folds, OfNumbersDependOnTheirCountAlone) {
  std::vector<double> labels(23);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = 0.1 * static_cast<double>(i);
  const auto folds = deal_folds(labels, 4, Dealing::plain, 3);
  std::reverse(labels.begin(), labels.end());
  EXPECT_EQ(folds, deal_folds(labels, 4, Dealing::plain, 3));
  std::vector<std::size_t> sizes(4);
  for (const FoldId fold : folds) ++sizes.at(fold);
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{5, 6, 6, 6}));
}

TEST(Folds, TakeRowsWithoutLabelsAsAClass) {
  std::vector<double> labels = {kNone, 1, kNone, 2, 1, kNone, 2, kNone};
  const auto folds = deal_folds(labels, 2, Dealing::stratified, 1);
  std::vector<std::size_t> unlabelled(2);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (std::isnan(labels[i])) ++unlabelled.at(folds[i]);
  }
  EXPECT_EQ(unlabelled, (std::vector<std::size_t>{2, 2}));
}

TEST(Folds, HoldOutAShareOfEachClass) {
  const auto labels = labels_of({{-1.0, 200}, {1.0, 50}, {3.0, 10}});
  const auto folds = deal_holdout(labels, 0.2, Dealing::stratified, 1);
  const auto counts = spread(labels, folds, 2);
  EXPECT_EQ(counts.at(-1.0)[0], 40U);
  EXPECT_EQ(counts.at(1.0)[0], 10U);
  EXPECT_EQ(counts.at(3.0)[0], 2U);
  EXPECT_EQ(rows_in(deal_holdout(std::vector<double>(7), 0.5, Dealing::plain, 1), 0).size(), 4U);
  EXPECT_EQ(rows_in(deal_holdout(std::vector<double>(3), 0.2, Dealing::plain, 1), 0).size(), 1U);
}

TEST(Folds, RefuseWhatLeavesASideEmpty) {
  const std::vector<double> labels = {1, 2, 1};
  EXPECT_THROW(deal_folds(labels, 1, Dealing::stratified, 1), InvalidOption);
  EXPECT_THROW(deal_folds(labels, 4, Dealing::stratified, 1), InvalidOption);
  for (const double share : {0.0, 1.0, -0.5, kNone, 0.01, 0.99}) {
    EXPECT_THROW(deal_holdout(labels, share, Dealing::plain, 1), InvalidOption) << share;
  }
}

// The numbers of rows, in any order.
std::vector<double> numbers_of(const Dataset& rows) {
  std::vector<double> numbers(rows.labels().begin(), rows.labels().end());
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(Folds, SplitIntoTheRowsOfAFoldAndTheOthers) {
  // Row i has the label i and one value, of feature i.
  const std::vector<std::uint64_t> offsets = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const std::vector<FeatureId> features = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::vector<float> values(11, 1.0F);
  const std::vector<double> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const Dataset data = Dataset::from_csr({offsets, features, values}, 11, {.labels = numbers});
  const std::vector<FoldId> folds = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1};
  EXPECT_EQ(rows_in(folds, 2), (std::vector<RowId>{2, 5, 8}));
  for (const std::size_t splits : {1U, 2U, 3U}) {
    const FoldedRows rows(data, folds, splits);
    for (FoldId fold = 0; fold < splits; ++fold) {
      const FoldSplit split = rows.split(fold);
      std::vector<double> train;
      std::vector<double> held_out;
      for (std::size_t i = 0; i < folds.size(); ++i) {
        (folds[i] == fold ? held_out : train).push_back(numbers[i]);
      }
      // Rows of the fold come in the order of the data, which predictions are matched by.
      EXPECT_TRUE(std::ranges::equal(split.held_out.labels(), held_out));
      EXPECT_EQ(numbers_of(split.train), train);
      for (const Dataset& part : {split.train, split.held_out}) {
        for (std::size_t i = 0; i < part.rows(); ++i) {
          ASSERT_EQ(part.row(i).ids.front(), static_cast<FeatureId>(part.label(i)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace pegasos
