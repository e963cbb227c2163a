// Metrics against counting by hand, an O(n^2) area under the curve, and scikit-learn 1.2.1.
#include "pegasos/metrics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "eval/flags.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

using testing::Flags;

const double kInfinity = std::numeric_limits<double>::infinity();

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

using Classes = std::vector<std::uint32_t>;

// What scikit-learn was given: scores have ties, one of them between 0 and -0.
const Flags kPositive({1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1});
const std::vector<double> kScores = {0,    -0.2, 0.8, 1.8,  -1.7, -0.7, 1.2,  3.1,
                                     -1.5, 0.6,  0.2, -0.9, 0.3,  -0.4, 1,    0.7,
                                     1.3,  -0.4, 1.2, 1.1,  2,    0.6,  -0.0, 1.1};
const std::vector<double> kRowWeights = {1,   1.5, 2,   0.5, 1,   1.5, 1,   2, 0.5, 1,   1.5, 2,
                                         0.5, 2,   0.5, 0.5, 0.5, 1,   1.5, 2, 1.5, 1.5, 0.5, 2};
const std::vector<double> kProbabilities = {0.5,   0.45,  0.69,  0.858, 0.154, 0.332, 0.769, 0.957,
                                            0.182, 0.646, 0.55,  0.289, 0.574, 0.401, 0.731, 0.668,
                                            0.786, 0.401, 0.769, 0.75,  0.881, 0.646, 0.5,   0.75};

ConfusionMatrix binary_confusion(const Flags& positive, const std::vector<double>& scores,
                                 std::span<const double> weights = {}) {
  Classes truth;
  Classes called;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    truth.push_back(positive.flags[i] ? 0 : 1);
    called.push_back(scores[i] > 0 ? 0 : 1);
  }
  return ConfusionMatrix::of(truth, called, 2, weights);
}

TEST(ConfusionMatrix, CountedByHand) {
  const auto m = binary_confusion(Flags({1, 1, 1, 0, 0, 0, 0}), {2, 0, 1, 3, -1, 0, -0.0});
  EXPECT_EQ(m.at(0, 0), 2);
  EXPECT_EQ(m.at(0, 1), 1);
  EXPECT_EQ(m.at(1, 0), 1);
  EXPECT_EQ(m.at(1, 1), 3);
  EXPECT_EQ(m.rows(), 7);
  EXPECT_EQ(m.rows_of(0), 3);
  EXPECT_EQ(m.called(1), 4);
  EXPECT_DOUBLE_EQ(m.accuracy(), 5.0 / 7);
  EXPECT_DOUBLE_EQ(m.balanced_accuracy(), (2.0 / 3 + 3.0 / 4) / 2);
  EXPECT_DOUBLE_EQ(m.of_class(0).precision, 2.0 / 3);
  EXPECT_DOUBLE_EQ(m.of_class(0).recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(m.of_class(0).f1, 2.0 / 3);
  EXPECT_DOUBLE_EQ(m.matthews(), (2 * 3 - 1 * 1) / 12.0);  // sqrt(3·3·4·4)
}

TEST(ConfusionMatrix, TwoClassesAsScikitLearn) {
  const auto plain = binary_confusion(kPositive, kScores);
  EXPECT_DOUBLE_EQ(plain.accuracy(), 0.7916666666666666);
  EXPECT_DOUBLE_EQ(plain.balanced_accuracy(), 0.7916666666666666);
  EXPECT_NEAR(plain.matthews(), 0.6024640760767094, 1e-15);
  EXPECT_DOUBLE_EQ(plain.of_class(0).precision, 0.7333333333333333);
  EXPECT_DOUBLE_EQ(plain.of_class(0).recall, 0.9166666666666666);
  EXPECT_DOUBLE_EQ(plain.of_class(0).f1, 0.8148148148148148);
  const auto weighted = binary_confusion(kPositive, kScores, kRowWeights);
  EXPECT_DOUBLE_EQ(weighted.accuracy(), 0.864406779661017);
  EXPECT_DOUBLE_EQ(weighted.balanced_accuracy(), 0.8543123543123543);
  EXPECT_NEAR(weighted.matthews(), 0.7275246838807615, 1e-15);
  EXPECT_DOUBLE_EQ(weighted.of_class(0).f1, 0.8857142857142858);
}

struct ManyCase {
  std::vector<double> weights;
  double accuracy, balanced, matthews;
  std::vector<ClassMetrics> classes;
  ClassMetrics macro, weighted;
};

void expect_near(const ClassMetrics& found, const ClassMetrics& expected) {
  EXPECT_NEAR(found.precision, expected.precision, 1e-15);
  EXPECT_NEAR(found.recall, expected.recall, 1e-15);
  EXPECT_NEAR(found.f1, expected.f1, 1e-15);
  EXPECT_EQ(found.rows, expected.rows);
}

// Class 3 is called but never true, class 4 is neither: scikit-learn averages over the first four.
TEST(ConfusionMatrix, ManyClassesAsScikitLearn) {
  const Classes truth = {2, 0, 0, 0, 2, 0, 2, 1, 2, 1, 1, 2, 0, 1, 2,
                         0, 1, 0, 0, 1, 0, 2, 0, 1, 0, 0, 2, 1, 0, 2};
  const Classes called = {2, 3, 3, 0, 3, 0, 2, 1, 2, 0, 1, 2, 1, 1, 2,
                          0, 1, 0, 3, 1, 0, 2, 1, 3, 0, 0, 2, 3, 0, 2};
  const ManyCase cases[] = {{{},
                             0.7,
                             0.7097578347578347,
                             0.6144329821570672,
                             {{0.8888888888888888, 0.6153846153846154, 0.7272727272727274, 13},
                              {0.7142857142857143, 0.625, 0.6666666666666666, 8},
                              {1, 0.8888888888888888, 0.9411764705882353, 9},
                              {0, 0, 0, 0}},
                             {0.6507936507936508, 0.5323183760683761, 0.5837789661319073, 30},
                             {0.8756613756613756, 0.7, 0.7752822341057635, 30}},
                            {{0.5, 1.5, 1.5, 1.5, 1,   1,   1.5, 2,   1, 1, 1.5, 0.5, 1,   0.5, 1,
                              1.5, 1.5, 2,   1.5, 0.5, 1.5, 1,   1.5, 2, 1, 0.5, 2,   1.5, 1.5, 1},
                             0.6666666666666666,
                             0.6887218045112782,
                             0.5830736477904068,
                             {{0.9130434782608695, 0.6, 0.7241379310344828, 17.5},
                              {0.7058823529411765, 0.5714285714285714, 0.6315789473684211, 10.5},
                              {1, 0.8947368421052632, 0.9444444444444444, 9.5},
                              {0, 0, 0, 0}},
                             {0.6547314578005115, 0.5165413533834586, 0.575040330711837, 37.5},
                             {0.8770673486786018, 0.6666666666666666, 0.7540323990051757, 37.5}}};
  for (const auto& expected : cases) {
    const auto m = ConfusionMatrix::of(truth, called, 5, expected.weights);
    EXPECT_NEAR(m.accuracy(), expected.accuracy, 1e-15);
    EXPECT_NEAR(m.balanced_accuracy(), expected.balanced, 1e-15);
    EXPECT_NEAR(m.matthews(), expected.matthews, 1e-15);
    for (std::size_t k = 0; k < 4; ++k) expect_near(m.of_class(k), expected.classes[k]);
    expect_near(m.averaged(Averaging::macro), expected.macro);
    expect_near(m.averaged(Averaging::weighted), expected.weighted);
    EXPECT_EQ(m.averaged(Averaging::micro).f1, m.accuracy());
  }
}

TEST(ConfusionMatrix, NothingToDivideBy) {
  const ConfusionMatrix none(2);
  EXPECT_TRUE(std::isnan(none.accuracy()));
  EXPECT_TRUE(std::isnan(none.balanced_accuracy()));
  EXPECT_TRUE(std::isnan(none.matthews()));
  EXPECT_EQ(none.of_class(0).precision, 0);
  EXPECT_EQ(none.of_class(0).f1, 0);
  const auto one_class = binary_confusion(Flags({1, 1}), {-1, -2});
  EXPECT_EQ(one_class.accuracy(), 0);
  EXPECT_EQ(one_class.matthews(), 0);
}

// Ranges, and that neither the order of the rows nor the names of the classes matter.
RC_GTEST_PROP(ConfusionMatrix, IsSymmetricInRowsAndClasses, ()) {
  const auto rows =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(
          rc::gen::pair(rc::gen::inRange(0U, 4U), rc::gen::inRange(0U, 4U))));
  Classes truth, called, other_truth, other_called;
  for (const auto& [t, c] : rows) {
    truth.push_back(t);
    called.push_back(c);
  }
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    other_truth.push_back(3 - row->first);
    other_called.push_back(3 - row->second);
  }
  const auto a = ConfusionMatrix::of(truth, called, 4);
  const auto b = ConfusionMatrix::of(other_truth, other_called, 4);
  RC_ASSERT(a.accuracy() == b.accuracy());
  RC_ASSERT(std::abs(a.matthews() - b.matthews()) < 1e-12);
  RC_ASSERT(std::abs(a.averaged(Averaging::macro).f1 - b.averaged(Averaging::macro).f1) < 1e-12);
  RC_ASSERT(std::abs(a.balanced_accuracy() - b.balanced_accuracy()) < 1e-12);
  RC_ASSERT(std::abs(a.matthews()) <= 1 + 1e-12);
  // Recall weighted by rows is the accuracy.
  RC_ASSERT(std::abs(a.averaged(Averaging::weighted).recall - a.accuracy()) < 1e-12);
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

TEST(Ranking, AreasAsScikitLearn) {
  EXPECT_NEAR(area_under_roc(kPositive.view(), kScores), 0.857638888888889, 1e-15);
  EXPECT_NEAR(average_precision(kPositive.view(), kScores), 0.8524285355167709, 1e-15);
  EXPECT_NEAR(area_under_roc(kPositive.view(), kScores, kRowWeights), 0.9032634032634033, 1e-15);
  EXPECT_NEAR(average_precision(kPositive.view(), kScores, kRowWeights), 0.9042818115010628, 1e-15);
  EXPECT_TRUE(std::isnan(average_precision(Flags({0, 0}).view(), std::vector<double>{1, 2})));
}

TEST(Curves, AsScikitLearn) {
  const auto roc = roc_curve(kPositive.view(), kScores);
  const std::vector<double> fpr = {0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 4, 4, 5, 6, 8, 9, 10, 11, 12};
  const std::vector<double> tpr = {0, 1,  2,  3,  4,  5,  7,  7,  8,  8,
                                   9, 10, 11, 12, 12, 12, 12, 12, 12, 12};
  ASSERT_EQ(roc.points.size(), fpr.size());
  for (std::size_t i = 0; i < fpr.size(); ++i) {
    EXPECT_DOUBLE_EQ(roc.points[i].x, fpr[i] / 12);
    EXPECT_DOUBLE_EQ(roc.points[i].y, tpr[i] / 12);
  }
  EXPECT_EQ(roc.points.front().threshold, kInfinity);
  EXPECT_EQ(roc.points.back().threshold, -1.7);
  EXPECT_NEAR(roc.area, 0.857638888888889, 1e-15);
  // Of points with the same recall only the first is kept, and the last of all.
  const auto curve = precision_recall_curve(kPositive.view(), kScores);
  ASSERT_EQ(curve.points.size(), 12U);
  EXPECT_EQ(curve.points[0].y, 1.0);
  EXPECT_DOUBLE_EQ(curve.points[4].y, 0.8333333333333334);  // 5 of 6 at 1.2
  EXPECT_DOUBLE_EQ(curve.points[5].y, 0.875);
  EXPECT_EQ(curve.points.back().x, 1.0);
  EXPECT_EQ(curve.points.back().y, 0.5);
  EXPECT_NEAR(curve.area, 0.8524285355167709, 1e-15);
}

TEST(Curves, AreThinnedButKeepTheirAreaAndEnds) {
  std::vector<int> positive;
  std::vector<double> scores;
  for (int i = 0; i < 20000; ++i) {
    positive.push_back(i * 7919 % 20000 < i ? 1 : 0);
    scores.push_back(i);
  }
  const Flags flags(positive);
  const auto whole = roc_curve(flags.view(), scores, {}, 1000000);
  const auto thin = roc_curve(flags.view(), scores, {}, 100);
  EXPECT_EQ(whole.points.size(), 20001U);
  EXPECT_LE(thin.points.size(), 101U);
  EXPECT_GE(thin.points.size(), 90U);
  EXPECT_EQ(whole.area, thin.area);
  EXPECT_EQ(thin.points.front().x, 0.0);
  EXPECT_EQ(thin.points.back().y, 1.0);
  double trapezes = 0;
  for (std::size_t i = 1; i < whole.points.size(); ++i) {
    trapezes += (whole.points[i].x - whole.points[i - 1].x) * 0.5 *
                (whole.points[i].y + whole.points[i - 1].y);
  }
  EXPECT_NEAR(whole.area, trapezes, 1e-12);
  EXPECT_LE(precision_recall_curve(flags.view(), scores, {}, 100).points.size(), 101U);
}

TEST(Probabilities, AsScikitLearn) {
  EXPECT_NEAR(log_loss(kPositive.view(), kProbabilities), 0.5168694868647538, 1e-15);
  EXPECT_NEAR(brier_score(kPositive.view(), kProbabilities), 0.17206966666666668, 1e-15);
  EXPECT_NEAR(log_loss(kPositive.view(), kProbabilities, kRowWeights), 0.4519377427259366, 1e-15);
  EXPECT_NEAR(brier_score(kPositive.view(), kProbabilities, kRowWeights), 0.14221700000000004,
              1e-15);
  // Certain and wrong costs -ln 2^-52, not infinity.
  EXPECT_NEAR(log_loss(Flags({1}).view(), std::vector<double>{0}), 52 * std::log(2.0), 1e-12);
}

TEST(Probabilities, ReliabilityByHand) {
  const auto found = reliability(kPositive.view(), kProbabilities);
  EXPECT_NEAR(found.error, 0.19141666666666665, 1e-15);
  EXPECT_NEAR(reliability(kPositive.view(), kProbabilities, kRowWeights).error, 0.17500000000000002,
              1e-15);
  const auto two = reliability(Flags({1, 0, 1}).view(), std::vector<double>{1, 0.2, 0.4}, {}, 2);
  ASSERT_EQ(two.bins.size(), 2U);
  EXPECT_EQ(two.bins[0].rows, 2);
  EXPECT_DOUBLE_EQ(two.bins[0].mean_probability, 0.3);
  EXPECT_DOUBLE_EQ(two.bins[0].share, 0.5);
  EXPECT_DOUBLE_EQ(two.bins[1].share, 1.0);
  EXPECT_DOUBLE_EQ(two.error, (2 * 0.2 + 0) / 3);
}

TEST(Metrics, RefuseWhatCannotBeMeasured) {
  const Flags two({1, 0});
  const std::vector<double> one = {1};
  EXPECT_THROW(area_under_roc(two.view(), one), InvalidOption);
  EXPECT_THROW(area_under_roc(two.view(), std::vector<double>{1, std::nan("")}), InvalidOption);
  EXPECT_THROW(area_under_roc(two.view(), std::vector<double>{1, 2}, std::vector<double>{1, -1}),
               InvalidOption);
  EXPECT_THROW(log_loss(two.view(), std::vector<double>{0.5, 1.5}), InvalidOption);
  EXPECT_THROW(ConfusionMatrix::of(Classes{0, 2}, Classes{0, 1}, 2), InvalidOption);
  EXPECT_THROW(regression_metrics(one, std::vector<double>{1, 2}), InvalidOption);
  EXPECT_THROW(regression_metrics(std::vector<double>{std::nan("")}, one), InvalidOption);
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
    EXPECT_EQ(metrics.rows, static_cast<double>(labels.size()));
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

TEST(RegressionMetrics, WeightsAndMedianAsScikitLearn) {
  const std::vector<double> labels = {3.74, 7.32, 8.69,  7.33,  6.06, -3.17,
                                      -8,   4.39, -0.47, -0.28, -4.45};
  const std::vector<double> predicted = {2.44,  8.72, 9.16, 6.26,  6.45, -2.86,
                                         -7.48, 6.62, -0.5, -1.56, -4.41};
  const std::vector<double> weights = {0.5, 1, 1, 1, 2, 0.5, 0.5, 1, 0.5, 2, 1.5};
  const auto plain = regression_metrics(labels, predicted);
  EXPECT_NEAR(plain.mae, 0.8218181818181821, 1e-15);
  EXPECT_NEAR(plain.rmse, 1.050895721840097, 1e-15);
  EXPECT_NEAR(plain.r2, 0.9603333477992863, 1e-14);
  EXPECT_DOUBLE_EQ(plain.median_error, 0.5199999999999996);
  const auto weighted = regression_metrics(labels, predicted, weights);
  EXPECT_NEAR(weighted.mae, 0.8391304347826091, 1e-15);
  EXPECT_NEAR(weighted.rmse, 1.0595651281868264, 1e-15);
  EXPECT_NEAR(weighted.r2, 0.9535725225651732, 1e-14);
  EXPECT_DOUBLE_EQ(weighted.median_error, 0.5199999999999996);
  const auto ten = std::span(labels).first(10);
  EXPECT_DOUBLE_EQ(regression_metrics(ten, std::span(predicted).first(10)).median_error,
                   0.7949999999999999);
}

}  // namespace
}  // namespace pegasos
