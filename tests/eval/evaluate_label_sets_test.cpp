// Rows with several labels, against scikit-learn 1.2 (accuracy_score, hamming_loss,
// precision_recall_fscore_support of indicator matrices).
#include <gtest/gtest.h>

#include <vector>

#include "pegasos/error.h"
#include "pegasos/evaluation.h"

namespace pegasos {
namespace {

constexpr bool kTruth[] = {true,  false, true, false, false, false, true,  true,
                           false, false, true, false, true,  false, false, false,
                           false, true,  true, true,  true,  false, false, false};
constexpr bool kCalled[] = {true,  false, false, false, false, false, true,  true,
                            false, true,  true,  false, false, false, false, false,
                            false, true,  true,  true,  true,  false, true,  false};
const std::vector<double> kWeights = {1, 2, 0.5, 1, 1, 3, 1, 0.25};

LabelSets found(const LabelSetPredictions& predictions, const EvaluationOptions& options = {}) {
  return std::get<LabelSets>(evaluate_label_sets(predictions, options).result);
}

void expect_metrics(const ClassMetrics& metrics, double precision, double recall, double f1) {
  EXPECT_NEAR(metrics.precision, precision, 1e-12);
  EXPECT_NEAR(metrics.recall, recall, 1e-12);
  EXPECT_NEAR(metrics.f1, f1, 1e-12);
}

TEST(EvaluateLabelSets, SaysWhatScikitLearnDoes) {
  const LabelSets sets = found({.names = {"a", "b", "c"}, .truth = kTruth, .called = kCalled});
  EXPECT_DOUBLE_EQ(sets.exact.value, 0.5);
  EXPECT_NEAR(sets.hamming_loss.value, 1.0 / 6, 1e-12);
  expect_metrics(sets.micro, 0.8, 0.8, 0.8);
  expect_metrics(sets.macro, 0.8333333333333334, 0.8055555555555555, 0.8023809523809525);
  expect_metrics(sets.weighted, 0.825, 0.8, 0.7971428571428572);
  expect_metrics(sets.labels[1].metrics, 0.75, 1.0, 0.8571428571428571);
  EXPECT_EQ(sets.labels[0].metrics.rows, 4);
  EXPECT_EQ(sets.micro_f1.value, sets.micro.f1);
}

TEST(EvaluateLabelSets, CountsRowsByTheirWeights) {
  const LabelSets sets =
      found({.names = {"a", "b", "c"}, .truth = kTruth, .called = kCalled, .weights = kWeights});
  EXPECT_NEAR(sets.exact.value, 2.0 / 3, 1e-12);
  EXPECT_NEAR(sets.hamming_loss.value, 1.0 / 9, 1e-12);
  expect_metrics(sets.micro, 0.8780487804878049, 0.8181818181818182, 0.8470588235294119);
  expect_metrics(sets.macro, 0.8744588744588745, 0.8380952380952381, 0.8518518518518517);
  expect_metrics(sets.weighted, 0.8884297520661157, 0.8181818181818182, 0.8477633477633478);
}

TEST(EvaluateLabelSets, IntervalsHoldTheValueAndDependOnNoThread) {
  EvaluationOptions options;
  options.bootstrap = BootstrapOptions{.resamples = 200};
  options.threads = 1;
  const LabelSetPredictions predictions{
      .names = {"a", "b", "c"}, .truth = kTruth, .called = kCalled};
  const LabelSets one = found(predictions, options);
  options.threads = 3;
  const LabelSets three = found(predictions, options);
  ASSERT_TRUE(one.exact.interval);
  EXPECT_LE(one.exact.interval->low, 0.5);
  EXPECT_GE(one.exact.interval->high, 0.5);
  EXPECT_EQ(one.macro_f1.interval, three.macro_f1.interval);
}

TEST(EvaluateLabelSets, RefusesArraysThatDoNotFit) {
  const std::span<const bool> truth(kTruth);
  EXPECT_THROW(found({.names = {}, .truth = truth, .called = truth}), InvalidOption);
  EXPECT_THROW(found({.names = {"a", "b", "c"}, .truth = truth.first(4), .called = truth.first(4)}),
               InvalidOption);
  EXPECT_THROW(found({.names = {"a", "b", "c"}, .truth = truth, .called = truth.first(3)}),
               InvalidOption);
}

}  // namespace
}  // namespace pegasos
