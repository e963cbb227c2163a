// Metrics against counting by hand, an O(n^2) area under the curve, and scikit-learn 1.2.1.
#include "pegasos/metrics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "pegasos/error.h"

namespace pegasos {
namespace {

const double kInfinity = std::numeric_limits<double>::infinity();

// std::vector<bool> has no span.
struct Flags {
  explicit Flags(const std::vector<int>& values)
      : flags(std::make_unique<bool[]>(values.size())), size(values.size()) {
    std::transform(values.begin(), values.end(), flags.get(), [](int v) { return v != 0; });
  }
  std::span<const bool> view() const { return {flags.get(), size}; }
  std::unique_ptr<bool[]> flags;
  std::size_t size;
};

double naive_auc(const std::vector<int>& positive, const std::vector<double>& scores) {
  double won = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (positive[i] == 0 || positive[j] != 0) continue;
      pairs += 1;
      won += scores[i] > scores[j] ? 1.0 : scores[i] == scores[j] ? 0.5 : 0.0;
    }
  }
  return won / pairs;
}

TEST(BinaryMetrics, CountedByHand) {
  const Flags positive({1, 1, 1, 0, 0, 0, 0});
  const auto metrics =
      binary_metrics(positive.view(), std::vector<double>{2, 0, 1, 3, -1, 0, -0.0});
  EXPECT_EQ(metrics.true_positive, 2u);
  EXPECT_EQ(metrics.false_negative, 1u);  // a score of 0 is negative
  EXPECT_EQ(metrics.false_positive, 1u);
  EXPECT_EQ(metrics.true_negative, 3u);
  EXPECT_EQ(metrics.rows(), 7u);
  EXPECT_DOUBLE_EQ(metrics.accuracy(), 5.0 / 7);
  EXPECT_DOUBLE_EQ(metrics.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.f1(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.auc, (3 + 2 + 3) / 12.0);
}

TEST(BinaryMetrics, AsScikitLearn) {
  const Flags positive({0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0});
  const auto metrics = binary_metrics(
      positive.view(),
      std::vector<double>{0.0, -1.0, 0.5, 1.0,  -0.5, 1.5,  1.5, 1.0, 1.5,  -0.5, 0.0, -1.0,
                          0.5, 0.5,  0.0, -0.5, -0.5, -1.0, 0.0, 0.5, -1.0, 0.0,  2.5, 0.5});
  EXPECT_EQ(metrics.true_positive, 9u);
  EXPECT_EQ(metrics.false_positive, 2u);
  EXPECT_EQ(metrics.true_negative, 10u);
  EXPECT_EQ(metrics.false_negative, 3u);
  EXPECT_DOUBLE_EQ(metrics.accuracy(), 0.7916666666666666);
  EXPECT_DOUBLE_EQ(metrics.precision(), 0.8181818181818182);
  EXPECT_DOUBLE_EQ(metrics.recall(), 0.75);
  EXPECT_DOUBLE_EQ(metrics.f1(), 0.7826086956521738);
  EXPECT_DOUBLE_EQ(metrics.auc, 0.8854166666666666);
}

TEST(BinaryMetrics, NothingToDivideBy) {
  const auto none = binary_metrics({}, {});
  EXPECT_TRUE(std::isnan(none.accuracy()));
  EXPECT_EQ(none.precision(), 0);
  EXPECT_EQ(none.recall(), 0);
  EXPECT_EQ(none.f1(), 0);
  EXPECT_TRUE(std::isnan(none.auc));
  const auto one_class = binary_metrics(Flags({1, 1}).view(), std::vector<double>{-1, -2});
  EXPECT_EQ(one_class.accuracy(), 0);
  EXPECT_EQ(one_class.precision(), 0);
  EXPECT_TRUE(std::isnan(one_class.auc));
}

TEST(AreaUnderRoc, KnownCases) {
  const Flags labels({0, 0, 1, 1});
  const auto auc = [&labels](std::vector<double> scores) {
    return area_under_roc(labels.view(), scores);
  };
  EXPECT_EQ(auc({0.1, 0.4, 0.35, 0.8}), 0.75);  // the example in scikit-learn's manual
  EXPECT_EQ(auc({1, 2, 3, 4}), 1.0);
  EXPECT_EQ(auc({4, 3, 2, 1}), 0.0);
  EXPECT_EQ(auc({7, 7, 7, 7}), 0.5);
  EXPECT_EQ(auc({0.0, -1, -0.0, 1}), 0.875);
  EXPECT_EQ(auc({-kInfinity, 0, 0, kInfinity}), 0.875);
}

RC_GTEST_PROP(AreaUnderRoc, IsTheShareOfPairsInOrder, ()) {
  const auto rows = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 2), rc::gen::inRange(-5, 5)));
  std::vector<int> positive;
  std::vector<double> scores;
  for (const auto& [label, score] : rows) {
    positive.push_back(label);
    scores.push_back(0.25 * score);
  }
  const double expected = naive_auc(positive, scores);
  const double found = area_under_roc(Flags(positive).view(), scores);
  const bool same = std::isnan(expected) ? std::isnan(found) : std::abs(found - expected) < 1e-14;
  RC_ASSERT(same);
}

TEST(BinaryMetrics, RefusesWhatCannotBeMeasured) {
  const Flags two({1, 0});
  EXPECT_THROW(binary_metrics(two.view(), std::vector<double>{1}), InvalidOption);
  EXPECT_THROW(binary_metrics(two.view(), std::vector<double>{1, std::nan("")}), InvalidOption);
  EXPECT_THROW(regression_metrics(std::vector<double>{1}, std::vector<double>{1, 2}),
               InvalidOption);
  EXPECT_THROW(regression_metrics(std::vector<double>{std::nan("")}, std::vector<double>{1}),
               InvalidOption);
}

struct RegressionCase {
  std::vector<double> labels;
  std::vector<double> predicted;
  double mae, rmse, r2;
};

TEST(RegressionMetrics, AsScikitLearn) {
  const RegressionCase cases[] = {
      {{3, -0.5, 2, 7}, {2.5, 0, 2, 8}, 0.5, 0.6123724356957945, 0.9486081370449679},
      {{11.393, 4.944, -3.363, -1.006, 14.134, 2.213, -13.108, -6.896, -5.775, 11.522, -1.072,
        22.601},
       {12.706, 5.194, -4.234, 0.938, 13.653, 0.565, -11.972, -6.87, -3.397, 11.375, -6.791, 24.18},
       1.4576666666666667,
       2.0704141695161704,
       0.9557751338653961},
      {{2, 2, 2}, {2, 2, 2}, 0, 0, 1},
      {{2, 2, 2}, {1, 2, 3}, 0.6666666666666666, 0.816496580927726, 0},
      {{1, 2}, {2, 1}, 1, 1, -3},
      {{1, 2, 3}, {2, 2, 2}, 0.6666666666666666, 0.816496580927726, 0}};
  for (const auto& [labels, predicted, mae, rmse, r2] : cases) {
    const auto metrics = regression_metrics(labels, predicted);
    EXPECT_EQ(metrics.rows, labels.size());
    EXPECT_DOUBLE_EQ(metrics.mae, mae);
    EXPECT_DOUBLE_EQ(metrics.rmse, rmse);
    EXPECT_NEAR(metrics.r2, r2, 1e-15);
  }
}

TEST(RegressionMetrics, FewRowsAndConstantLabels) {
  const auto one = regression_metrics(std::vector<double>{3}, std::vector<double>{3});
  EXPECT_EQ(one.mae, 0);
  EXPECT_TRUE(std::isnan(one.r2));
  const auto none = regression_metrics({}, {});
  EXPECT_TRUE(std::isnan(none.mae) && std::isnan(none.rmse) && std::isnan(none.r2));
  // The mean of three times 0.1 is not 0.1 after rounding; the labels are constant all the same.
  const std::vector<double> tenths(3, 0.1);
  EXPECT_EQ(regression_metrics(tenths, tenths).r2, 1);
  EXPECT_EQ(regression_metrics(tenths, std::vector<double>(3, 0.2)).r2, 0);
}

}  // namespace
}  // namespace pegasos
