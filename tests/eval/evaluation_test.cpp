// Evaluations against scikit-learn 1.2.1, and the bootstrap against what theory says of it.
#include "pegasos/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "eval/bootstrap.h"
#include "eval/flags.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

using testing::Flags;

TEST(DrawCounts, ArePoissonOfMeanOne) {
  const std::vector<std::uint32_t> single(1'000'001, 1);
  std::vector<double> counts(single.size());
  draw_counts(3, 0, single, counts);
  std::array<double, 9> seen = {};
  for (const auto count : counts) seen.at(static_cast<std::size_t>(count)) += 1;
  double factorial = 1;
  for (std::size_t k = 0; k < 5; ++k) {
    if (k > 0) factorial *= static_cast<double>(k);
    const double expected = 1'000'001 * std::exp(-1.0) / factorial;
    EXPECT_NEAR(seen[k], expected, 5 * std::sqrt(expected)) << k;
  }
  std::vector<double> other(single.size());
  draw_counts(3, 1, single, other);
  EXPECT_NE(counts, other);
  double product = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) product += (counts[i] - 1.0) * (other[i] - 1.0);
  EXPECT_NEAR(product / 1e6, 0.0, 0.005);
}

TEST(DrawCounts, OfUnitsHaveMeanAndVarianceOfTheirRows) {
  for (const std::uint32_t rows : {2U, 15U, 16U, 400U}) {
    const std::vector<std::uint32_t> units(100'000, rows);
    std::vector<double> counts(units.size());
    draw_counts(1, 7, units, counts);
    double sum = 0;
    double squares = 0;
    for (const double count : counts) {
      sum += count;
      squares += (count - rows) * (count - rows);
    }
    EXPECT_NEAR(sum / 1e5, rows, 5 * std::sqrt(rows / 1e5)) << rows;
    EXPECT_NEAR(squares / 1e5, rows, 0.03 * rows) << rows;
  }
}

TEST(Percentile, AsNumPy) {
  const std::vector<double> values = {1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(percentile(values, 0.0), 1);
  EXPECT_DOUBLE_EQ(percentile(values, 1.0), 8);
  EXPECT_DOUBLE_EQ(percentile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(percentile(values, 0.9), 6.8);
}

struct Sample {
  std::vector<int> labels;
  std::vector<double> scores;
  std::vector<double> probabilities;
  std::vector<int> called;
};

Sample noisy_sample(int rows) {
  Random random(11, 0);
  Sample sample;
  for (int i = 0; i < rows; ++i) {
    const double score = random.normal();
    const double probability = 1.0 / (1.0 + std::exp(-2.0 * score));
    sample.labels.push_back(random.uniform() < probability ? 1 : 0);
    sample.scores.push_back(score);
    sample.probabilities.push_back(probability);
    sample.called.push_back(score > 0 ? 1 : 0);
  }
  return sample;
}

Evaluation evaluated(const Sample& sample, const EvaluationOptions& options) {
  const Flags positive(sample.labels);
  const Flags called(sample.called);
  return evaluate_binary({.positive = positive.view(),
                          .called = called.view(),
                          .scores = sample.scores,
                          .probabilities = sample.probabilities,
                          .positive_name = "yes",
                          .negative_name = "no"},
                         options);
}

TEST(EvaluateBinary, HoldsWhatTheMetricsSay) {
  const Sample sample = noisy_sample(500);
  const Flags positive(sample.labels);
  const Evaluation evaluation = evaluated(sample, {});
  const auto& found = std::get<Classification>(evaluation.result);
  EXPECT_EQ(evaluation.rows, 500U);
  EXPECT_TRUE(found.binary);
  ASSERT_EQ(found.classes.size(), 2U);
  EXPECT_EQ(found.classes[0].name, "yes");
  EXPECT_EQ(found.classes[0].metrics.rows,
            std::accumulate(sample.labels.begin(), sample.labels.end(), 0));
  EXPECT_EQ(found.accuracy.value, found.confusion.accuracy());
  EXPECT_EQ(found.precision.value, found.confusion.of_class(0).precision);
  EXPECT_EQ(found.roc_auc.value, area_under_roc(positive.view(), sample.scores));
  EXPECT_EQ(found.pr_auc.value, average_precision(positive.view(), sample.scores));
  ASSERT_TRUE(found.probability);
  EXPECT_EQ(found.probability->brier.value, brier_score(positive.view(), sample.probabilities));
  EXPECT_FALSE(found.accuracy.interval);
}

// The share p of n independent rows has standard deviation sqrt(p (1-p)/n).
TEST(EvaluateBinary, IntervalsHaveTheWidthOfTheBinomial) {
  const Sample sample = noisy_sample(2000);
  const auto evaluation = evaluated(sample, {.bootstrap = BootstrapOptions{.resamples = 2000}});
  const auto& found = std::get<Classification>(evaluation.result);
  const double p = found.accuracy.value;
  const double deviation = std::sqrt(p * (1 - p) / 2000);
  ASSERT_TRUE(found.accuracy.interval);
  EXPECT_NEAR(found.accuracy.interval->low, p - 1.96 * deviation, 0.25 * deviation);
  EXPECT_NEAR(found.accuracy.interval->high, p + 1.96 * deviation, 0.25 * deviation);
  for (const Estimate& one : {found.roc_auc, found.pr_auc, found.f1, found.matthews,
                              found.probability->log_loss, found.probability->brier}) {
    ASSERT_TRUE(one.interval);
    EXPECT_LT(one.interval->low, one.value);
    EXPECT_GT(one.interval->high, one.value);
    EXPECT_LT(one.interval->high - one.interval->low, 0.15);
  }
}

// Many rows are resampled in bins; the same sample in units of single rows, where each counts its
// weight 1, must give nearly the same intervals.
TEST(EvaluateBinary, BinsGiveTheIntervalsOfRows) {
  const Sample sample = noisy_sample(60'000);
  const Flags positive(sample.labels);
  const Flags called(sample.called);
  const std::vector<double> ones(sample.labels.size(), 1.0);
  BinaryPredictions predictions = {.positive = positive.view(),
                                   .called = called.view(),
                                   .scores = sample.scores,
                                   .probabilities = sample.probabilities};
  const EvaluationOptions options = {.bootstrap = BootstrapOptions{.resamples = 400}};
  const auto binned = evaluate_binary(predictions, options);
  predictions.weights = ones;
  const auto single = evaluate_binary(predictions, options);
  const auto& a = std::get<Classification>(binned.result);
  const auto& b = std::get<Classification>(single.result);
  const auto alike = [](const Estimate& x, const Estimate& y) {
    EXPECT_EQ(x.value, y.value);
    const double width = y.interval->high - y.interval->low;
    EXPECT_NEAR(x.interval->low, y.interval->low, 0.2 * width);
    EXPECT_NEAR(x.interval->high, y.interval->high, 0.2 * width);
  };
  alike(a.accuracy, b.accuracy);
  alike(a.roc_auc, b.roc_auc);
  alike(a.pr_auc, b.pr_auc);
  alike(a.matthews, b.matthews);
  alike(a.probability->log_loss, b.probability->log_loss);
  alike(a.probability->brier, b.probability->brier);
}

TEST(EvaluateClasses, BinsGiveTheIntervalsOfRows) {
  Random random(4, 0);
  std::vector<std::uint32_t> truth;
  std::vector<std::uint32_t> called;
  std::vector<double> probabilities;
  for (int i = 0; i < 60'000; ++i) {
    const double first = random.uniform();
    const double second = random.uniform() * (1 - first);
    const double draw = random.uniform();
    truth.push_back(draw < first ? 0 : draw < first + second ? 1 : 2);
    called.push_back(first > 0.5 ? 0 : second > 0.5 ? 1 : 2);
    for (const double p : {first, second, 1 - first - second}) {
      probabilities.push_back(std::max(0.0, p));
    }
  }
  ClassPredictions predictions = {
      .names = {"a", "b", "c"}, .truth = truth, .called = called, .probabilities = probabilities};
  const EvaluationOptions options = {.bootstrap = BootstrapOptions{.resamples = 400}};
  const auto binned = evaluate_classes(predictions, options);
  const std::vector<double> ones(truth.size(), 1.0);
  predictions.weights = ones;
  const auto single = evaluate_classes(predictions, options);
  const auto& a = std::get<Classification>(binned.result);
  const auto& b = std::get<Classification>(single.result);
  for (const auto& [x, y] : {std::pair(a.accuracy, b.accuracy), std::pair(a.macro_f1, b.macro_f1),
                             std::pair(a.probability->log_loss, b.probability->log_loss)}) {
    EXPECT_NEAR(x.value, y.value, 1e-12);
    const double width = y.interval->high - y.interval->low;
    EXPECT_NEAR(x.interval->low, y.interval->low, 0.2 * width);
    EXPECT_NEAR(x.interval->high, y.interval->high, 0.2 * width);
  }
}

TEST(EvaluateBinary, ThreadsChangeNoBitAndSeedsDo) {
  const Sample sample = noisy_sample(300);
  const auto interval = [&](int threads, std::uint64_t seed) {
    const auto evaluation = evaluated(
        sample, {.bootstrap = BootstrapOptions{.resamples = 50, .seed = seed}, .threads = threads});
    return *std::get<Classification>(evaluation.result).roc_auc.interval;
  };
  EXPECT_EQ(interval(1, 1), interval(3, 1));
  EXPECT_NE(interval(1, 1), interval(1, 2));
}

TEST(EvaluateBinary, NoIntervalWhereResamplesHaveNoValue) {
  const Sample one_class = {{1, 1, 1}, {0.5, 1, 2}, {}, {1, 1, 1}};
  const auto evaluation = evaluated(one_class, {.bootstrap = BootstrapOptions{.resamples = 20}});
  const auto& found = std::get<Classification>(evaluation.result);
  EXPECT_TRUE(std::isnan(found.roc_auc.value));
  EXPECT_FALSE(found.roc_auc.interval);
  EXPECT_TRUE(found.accuracy.interval);
  EXPECT_THROW(evaluated(one_class, {.bootstrap = BootstrapOptions{.resamples = 1}}),
               InvalidOption);
}

TEST(EvaluateClasses, AsScikitLearn) {
  const std::vector<std::uint32_t> truth = {1, 1, 2, 1, 1, 1, 2, 1, 0, 0, 0, 1};
  const std::vector<std::uint32_t> called = {1, 2, 2, 1, 2, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<double> scores = {-1.8, 2.1,  0.5,  1,    0.7,  2.5,  -1.2, 0.7,  1.5,
                                      -0.5, 2.3,  -0.3, -2.3, 0.3,  0.5,  2.2,  0,    0,
                                      1.5,  0.6,  1.1,  -1.4, -0.3, -0.7, 1.1,  -2.2, -1.7,
                                      1.8,  -0.4, -0.8, 1.1,  -0.8, 0.9,  1.6,  3.6,  0.7};
  const std::vector<double> probabilities = {0.01, 0.82, 0.17, 0.16, 0.12, 0.72, 0.04, 0.3,  0.66,
                                             0.05, 0.88, 0.07, 0.03, 0.44, 0.53, 0.82, 0.09, 0.09,
                                             0.48, 0.2,  0.32, 0.17, 0.5,  0.33, 0.91, 0.03, 0.06,
                                             0.85, 0.09, 0.06, 0.5,  0.08, 0.42, 0.11, 0.84, 0.05};
  const auto evaluation = evaluate_classes({.names = {"a", "b", "c"},
                                            .truth = truth,
                                            .called = called,
                                            .scores = scores,
                                            .probabilities = probabilities},
                                           {.bootstrap = BootstrapOptions{.resamples = 100}});
  const auto& found = std::get<Classification>(evaluation.result);
  EXPECT_FALSE(found.binary);
  EXPECT_NEAR(found.accuracy.value, 0.6666666666666666, 1e-15);
  EXPECT_NEAR(found.roc_auc.value, 0.8614638447971781, 1e-15);  // of the probabilities
  EXPECT_NEAR(found.pr_auc.value, 0.7515873015873015, 1e-15);
  const auto by_scores = evaluate_classes(
      {.names = {"a", "b", "c"}, .truth = truth, .called = called, .scores = scores}, {});
  const auto& scored = std::get<Classification>(by_scores.result);
  EXPECT_NEAR(scored.roc_auc.value, 0.818342151675485, 1e-15);
  EXPECT_NEAR(scored.pr_auc.value, 0.6488284202569916, 1e-15);
  EXPECT_NEAR(found.probability->log_loss.value, 0.7539917576282694, 1e-15);
  EXPECT_NEAR(found.probability->brier.value, 0.44609999999999994, 1e-15);
  EXPECT_NEAR(found.probability->reliability.error, 0.19249999999999998, 1e-15);
  EXPECT_EQ(found.confusion.at(1, 2), 2);
  EXPECT_LE(found.accuracy.interval->low, found.accuracy.value);
  EXPECT_GE(found.macro_f1.interval->high, found.macro_f1.value);
}

// The mean of n errors of deviation s varies by s/sqrt(n).
TEST(EvaluateNumbers, IntervalsHaveTheWidthOfTheMean) {
  Random random(2, 0);
  std::vector<double> labels(1000);
  std::vector<double> predicted(1000);
  double squares = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = 10 * random.normal();
    predicted[i] = labels[i] + random.normal();
    squares += std::pow(std::abs(labels[i] - predicted[i]) - std::sqrt(2 / std::acos(-1.0)), 2);
  }
  const auto evaluation = evaluate_numbers({.labels = labels, .predicted = predicted},
                                           {.bootstrap = BootstrapOptions{.resamples = 2000}});
  const auto& found = std::get<Regression>(evaluation.result);
  const auto direct = regression_metrics(labels, predicted);
  EXPECT_EQ(found.mae.value, direct.mae);
  EXPECT_EQ(found.median_error.value, direct.median_error);
  const double deviation = std::sqrt(squares / 1000 / 1000);
  EXPECT_NEAR(found.mae.interval->low, direct.mae - 1.96 * deviation, 0.25 * deviation);
  EXPECT_NEAR(found.mae.interval->high, direct.mae + 1.96 * deviation, 0.25 * deviation);
  EXPECT_LT(found.r2.interval->low, found.r2.value);
  EXPECT_LT(found.median_error.interval->low, found.median_error.interval->high);
}

}  // namespace
}  // namespace pegasos
