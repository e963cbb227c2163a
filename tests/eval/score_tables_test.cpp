// Tables of scores against counting row by row.
#include "pegasos/score_tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "base/random.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

struct Rows {
  std::vector<double> scores;
  std::unique_ptr<bool[]> positive;

  Rows(std::size_t count, double grain) : positive(std::make_unique<bool[]>(count)) {
    Random random(7, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const double score = 4 * random.uniform() - 2;
      scores.push_back(grain > 0 ? std::round(score / grain) * grain : score);
      positive[i] = random.uniform() < 0.3 + 0.2 * score;
    }
  }
  std::span<const bool> truth() const { return {positive.get(), scores.size()}; }
};

TEST(ThresholdTable, CountsWhatIsAboveEachThreshold) {
  for (const double grain : {0.0, 0.25}) {
    for (const std::size_t count : {1u, 7u, 5000u}) {
      const Rows rows(count, grain);
      const auto table = threshold_table(rows.truth(), rows.scores, 0.0, {}, 64);
      bool has_zero = false;
      for (std::size_t k = 0; k < table.steps.size(); ++k) {
        const auto& step = table.steps[k];
        if (k > 0) {
          EXPECT_GT(step.threshold, table.steps[k - 1].threshold);
        }
        has_zero = has_zero || step.threshold == 0.0;
        double right = 0;
        double wrong = 0;
        for (std::size_t i = 0; i < count; ++i) {
          if (rows.scores[i] > step.threshold) (rows.positive[i] ? right : wrong) += 1;
        }
        EXPECT_EQ(step.true_positive, right);
        EXPECT_EQ(step.false_positive, wrong);
      }
      EXPECT_TRUE(has_zero);
      EXPECT_LE(table.steps.size(), 64u);
      EXPECT_EQ(table.positives + table.negatives, static_cast<double>(count));
      EXPECT_EQ(table.steps.front().true_positive, table.positives);
      EXPECT_EQ(table.steps.front().false_positive, table.negatives);
      EXPECT_EQ(table.steps.back().true_positive + table.steps.back().false_positive, 0.0);
    }
  }
}

TEST(ThresholdTable, RefusesWhatItCannotCount) {
  const Rows rows(3, 0);
  EXPECT_THROW(threshold_table(rows.truth(), std::vector<double>{1.0}, 0.0), InvalidOption);
  EXPECT_THROW(threshold_table(rows.truth(), std::vector<double>{1.0, NAN, 2.0}, 0.0),
               InvalidOption);
  EXPECT_TRUE(threshold_table({}, {}, 0.0).steps.empty());
}

TEST(ThresholdTable, RowsCountByTheirWeights) {
  const bool positive[] = {true, false, true};
  const std::vector<double> scores = {1, 2, 3};
  const auto table = threshold_table(positive, scores, 1.5, std::vector<double>{2, 0.5, 4});
  EXPECT_EQ(table.positives, 6.0);
  EXPECT_EQ(table.negatives, 0.5);
  for (const auto& step : table.steps) {
    if (step.threshold != 1.5) continue;
    EXPECT_EQ(step.true_positive, 4.0);
    EXPECT_EQ(step.false_positive, 0.5);
  }
}

TEST(Histogram, LeavesOutWhatIsNotFinite) {
  const std::vector<double> numbers = {1, 2, 3, INFINITY, -INFINITY};
  const Histogram histogram = histogram_of(numbers, std::vector<std::size_t>(5, 0), 1, 2);
  EXPECT_TRUE(std::isfinite(histogram.edges.front()) && std::isfinite(histogram.edges.back()));
  EXPECT_EQ(histogram.counts[0][0] + histogram.counts[0][1], 3.0);
}

TEST(Histogram, EveryNumberIsInABinOfItsGroup) {
  const Rows rows(3000, 0);
  std::vector<std::size_t> group;
  for (std::size_t i = 0; i < 3000; ++i) group.push_back(i % 3);
  const Histogram histogram = histogram_of(rows.scores, group, 3, 20);
  ASSERT_EQ(histogram.edges.size(), 21u);
  for (const auto& counts : histogram.counts) {
    double sum = 0;
    for (const double count : counts) sum += count;
    EXPECT_EQ(sum, 1000.0);
  }
  double inside = 0;
  for (std::size_t i = 0; i < 3000; i += 3) {
    inside += rows.scores[i] >= histogram.edges[5] && rows.scores[i] < histogram.edges[6] ? 1 : 0;
  }
  EXPECT_NEAR(histogram.counts[0][5], inside, 1);
}

TEST(Histogram, OneFarNumberDoesNotStretchTheAxis) {
  std::vector<double> numbers(2000, 0.0);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i % 100);
  numbers[5] = 1e9;
  const std::vector<std::size_t> group(numbers.size(), 0);
  EXPECT_LE(histogram_of(numbers, group, 1).edges.back(), 100.0);
  EXPECT_TRUE(histogram_of({}, {}, 1).edges.empty());
  EXPECT_EQ(
      histogram_of(std::vector<double>(5, 3.0), std::vector<std::size_t>(5, 0), 1, 4).counts[0][2],
      5.0);
}

}  // namespace
}  // namespace pegasos
