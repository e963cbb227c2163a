// What scores mean: thresholds, costs, probabilities, votes, label sets, and labels a model does
// not know, by hand-made models and rows.
#include "pegasos/decision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/evaluate.h"
#include "pegasos/read.h"
#include "pegasos/weights.h"
#include "support/models.h"

namespace pegasos {
namespace {

using testing::plain_model;

Dataset read(const std::string& text) {
  return read_dataset_from_memory(text, "memory").data;
}

std::string answer(const Model& model, std::vector<double> scores,
                   const DecisionOptions& options = {}) {
  return Decision(model, options).text(scores);
}

LinearModel with_probabilities() {
  LinearModel model = plain_model({1.0});
  model.calibrations = {{.a = -2.0, .b = 1.0}};  // one half at a score of 1/2
  return model;
}

MulticlassModel three_classes() {
  Schema schema;
  schema.indices = IndexMap::contiguous(1, 1);
  MulticlassModel model;
  model.schema = std::make_shared<const Schema>(std::move(schema));
  model.classes = {4, 5, 6};
  model.classifiers.resize(3);
  model.body = LinearClassifiers{{1.0, -1.0, 0.5}, {}};
  model.lambda = 1.0;
  model.record.rows = 3;
  return model;
}

std::string refusal(const Model& model, const DecisionOptions& options) {
  try {
    Decision(model, options);
  } catch (const InvalidOption& error) {
    return error.field();
  }
  return "";
}

TEST(Decision, TwoClassesByScoreOrProbability) {
  EXPECT_EQ(answer(plain_model({1.0}), {0.1}), "1");
  EXPECT_EQ(answer(plain_model({1.0}), {0.0}), "-1");
  EXPECT_EQ(answer(with_probabilities(), {0.4}), "-1");
  EXPECT_EQ(answer(with_probabilities(), {0.6}), "1");
  EXPECT_EQ(answer(plain_model({1.0}), {0.6}, {.threshold = 0.7}), "-1");
  EXPECT_EQ(answer(with_probabilities(), {0.6}, {.threshold = 0.9}), "-1");
}

// Weights of classes move the line; probabilities, which tell how often classes occur, do not move
// it back. A threshold of the options still is a probability.
TEST(Decision, WeightedClassesAreToldByScores) {
  LinearModel model = with_probabilities();
  model.label_weights = {{1.0, 5.0}};
  const Decision decision(model);
  EXPECT_TRUE(decision.has_probabilities());
  EXPECT_FALSE(decision.compares_probabilities());
  EXPECT_EQ(answer(model, {0.1}), "1");  // of a probability below 1/2
  EXPECT_LT(decision.probability(0.1), 0.5);
  EXPECT_EQ(answer(model, {0.1}, {.threshold = 0.5}), "-1");
  MulticlassModel many = three_classes();
  many.calibrations = {{.a = -1.0, .b = 3.0}, {.a = -1.0}, {.a = -1.0}};
  EXPECT_EQ(answer(many, {0.3, 0.2, 0.1}), "5");
  many.label_weights = {{4.0, 5.0}};
  EXPECT_EQ(answer(many, {0.3, 0.2, 0.1}), "4");
}

// As if every row of a class occurred as often as it weighs: 5 p/(5 p + 1 - p).
TEST(Decision, ProbabilitiesOfWeightedRowsAgreeWithTheAnswer) {
  const DecisionOptions of_weighted = {.probabilities_of = ProbabilitiesOf::weighted_rows};
  LinearModel model = with_probabilities();
  model.label_weights = {{1.0, 5.0}};
  const Decision decision(model, of_weighted);
  for (const double score : {-3.0, -1.0, -0.3, 0.0, 0.2, 0.5, 2.0}) {
    std::array<double, 2> found = {};
    decision.probabilities({&score, 1}, found);
    const double p = decision.probability(score);
    EXPECT_DOUBLE_EQ(found[0], 5.0 * p / (5.0 * p + 1.0 - p));
    EXPECT_DOUBLE_EQ(found[0] + found[1], 1.0);
    EXPECT_EQ(answer(model, {score}, of_weighted), found[0] > 0.5 ? "1" : "-1");
  }
  model.label_weights.clear();
  EXPECT_EQ(answer(model, {0.4}, of_weighted), answer(model, {0.4}));

  // A threshold that the model keeps, or that is asked for, is of rows as they occur.
  model.label_weights = {{1.0, 5.0}};
  model.threshold = {.above = 0.3, .of_probability = true};
  const Decision kept(model, of_weighted);
  EXPECT_NEAR(kept.kept_threshold().above, 0.3, 1e-15);
  for (const double score : {-3.0, -1.0, -0.5, -0.3, 0.0, 0.1, 0.2, 0.5, 2.0}) {
    EXPECT_EQ(answer(model, {score}, of_weighted), answer(model, {score})) << score;
    DecisionOptions asked = of_weighted;
    asked.threshold = 0.6;
    EXPECT_EQ(answer(model, {score}, asked), answer(model, {score}, {.threshold = 0.6})) << score;
  }
  // The rest of one label against the rest has no weight: scores decide, as elsewhere.
  model.threshold.reset();
  model.labels->negative.reset();
  EXPECT_EQ(answer(model, {0.1}, of_weighted), answer(model, {0.1}));

  MulticlassModel many = three_classes();
  many.calibrations = {{.a = -1.0, .b = 1.0}, {.a = -1.0}, {.a = -1.0}};
  many.label_weights = {{4.0, 5.0}, {6.0, 0.0}};
  const std::vector<double> scores = {0.3, 0.2, 0.9};
  std::array<double, 3> found = {};
  Decision(many, of_weighted).probabilities(scores, found);
  EXPECT_NEAR(found[0] + found[1] + found[2], 1.0, 1e-15);
  EXPECT_NEAR(found[0] / found[1],
              5.0 * many.calibrations[0].probability(0.3) / many.calibrations[1].probability(0.2),
              1e-12);
  EXPECT_EQ(found[2], 0.0);
  EXPECT_EQ(answer(many, scores, of_weighted), "4");
}

TEST(Decision, AModelKeepsAThreshold) {
  LinearModel model = with_probabilities();
  model.threshold = {.above = 2.0, .of_probability = false};
  EXPECT_EQ(answer(model, {1.9}), "-1");
  EXPECT_EQ(answer(model, {2.1}), "1");
  EXPECT_EQ(answer(model, {1.9}, {.threshold = 0.5}), "1");  // the options come first
  model.threshold = {.above = 0.25, .of_probability = true};
  EXPECT_EQ(answer(model, {0.1}), "1");
  EXPECT_EQ(Decision(model).kept_threshold(), *model.threshold);
  model.calibrations.clear();
  EXPECT_THROW(model.validate(), InvalidOption);
}

// Against trying every line between two scores.
TEST(BestThreshold, IsTheBestOfAllLines) {
  const Model model = plain_model({1.0});
  const Dataset rows = read("1 1:1\n-1 1:2\n1 1:3\n1 1:3\n-1 1:0.5\n-1 1:-1\n1 1:-2\n");
  const Decision usual(model);
  ScoredRows scored;
  scored.add(usual, rows, decisions(model, rows));
  const auto value_at = [&](double threshold, ThresholdAim aim) {
    double tp = 0;
    double fp = 0;
    for (std::size_t i = 0; i < scored.rows; ++i) {
      if (!(scored.scores[i] > threshold)) continue;
      (scored.truth[i] == 0 ? tp : fp) += 1;
    }
    if (aim == ThresholdAim::f1) return 2 * tp / (tp + fp + 4);
    if (aim == ThresholdAim::balanced) return 0.5 * (tp / 4 + 1 - fp / 3);
    return -(2.0 * fp + 5.0 * (4 - tp)) / 7;
  };
  for (const auto aim : {ThresholdAim::f1, ThresholdAim::balanced, ThresholdAim::cost}) {
    const BestThreshold best = best_threshold(usual, scored, aim, 2.0, 5.0);
    double most = -1e9;
    for (double line = -3; line < 4; line += 0.1) most = std::max(most, value_at(line, aim));
    EXPECT_NEAR(value_at(best.above, aim), most, 1e-12);
    EXPECT_NEAR(best.value, aim == ThresholdAim::cost ? -most : most, 1e-12);
  }
}

TEST(BestThreshold, NeedsTwoClassesThatOccur) {
  const Model two = plain_model({1.0});
  ScoredRows scored;
  scored.add(Decision(two), read("1 1:1\n1 1:2\n"), std::vector<double>{1, 2});
  EXPECT_THROW(best_threshold(Decision(two), scored, ThresholdAim::f1), InvalidOption);
  const Model many = three_classes();
  EXPECT_THROW(best_threshold(Decision(many), {}, ThresholdAim::f1), InvalidOption);
}

// Predicting positive pays where p fn > (1 - p) fp.
TEST(Decision, CostsMakeTheThresholdThatCostsLeast) {
  const Model model = with_probabilities();
  for (const double fp : {0.5, 1.0, 9.0}) {
    for (const double fn : {0.1, 1.0, 20.0}) {
      const Decision decision(
          model, DecisionOptions{.cost_false_positive = fp, .cost_false_negative = fn});
      for (double score = -3; score < 3; score += 0.01) {
        const double p = decision.measure(score);
        if (std::abs(p * fn - (1 - p) * fp) < 1e-9) continue;
        EXPECT_EQ(decision.class_of({&score, 1}) == 0, p * fn > (1 - p) * fp) << fp << " " << fn;
      }
    }
  }
}

TEST(Decision, RefusesWhatTheModelCannotHonour) {
  EXPECT_EQ(refusal(plain_model({1.0}), {.cost_false_positive = 2.0}), "cost");
  EXPECT_EQ(refusal(with_probabilities(), {.cost_false_positive = 0.0}), "cost_false_positive");
  EXPECT_EQ(refusal(with_probabilities(), {.threshold = 1.5}), "threshold");
  EXPECT_EQ(refusal(with_probabilities(), {.threshold = 0.5, .cost_false_negative = 2.0}),
            "threshold");
  EXPECT_EQ(refusal(three_classes(), {.threshold = 0.5}), "threshold");
  LinearModel numbers = plain_model({1.0});
  numbers.loss.loss = Loss::huber;
  numbers.labels.reset();
  EXPECT_EQ(refusal(numbers, {.threshold = 0.5}), "threshold");
}

TEST(Decision, ManyClassesTakeTheHighestAndOfEqualsTheFirst) {
  MulticlassModel model = three_classes();
  EXPECT_EQ(answer(model, {0.1, 0.3, 0.2}), "5");
  EXPECT_EQ(answer(model, {0.3, 0.1, 0.3}), "4");
  model.strategy = Strategy::one_against_one;  // votes: margins break no tie
  EXPECT_EQ(answer(model, {0.8, 1.2, 1.0}), "4");
}

TEST(Decision, ALabelTheModelDoesNotKnowIsAnError) {
  const Dataset rows = read("1 1:1\n-1 1:-1\n3 1:-1\n");
  const std::vector<double> scores = {1, -1, -1};
  const Model two = plain_model({1.0});
  ErrorTally tally;
  tally.add(Decision(two), rows, scores);
  EXPECT_EQ(tally.right, 2U);
  EXPECT_EQ(tally.foreign, 1U);
  EXPECT_NEAR(tally.mean(), 1.0 / 3, 1e-15);
  EXPECT_EQ(error_of(two, rows), tally.mean());
  const auto found = std::get<Classification>(evaluate(two, rows).result);
  EXPECT_NEAR(found.accuracy.value, 2.0 / 3, 1e-15);
  // To one label against the rest it is one of the rest.
  LinearModel against_rest = plain_model({1.0});
  against_rest.labels = {1, std::nullopt};
  EXPECT_EQ(error_of(against_rest, rows), 0.0);
}

TEST(Decision, RowsCountByTheirWeights) {
  const Dataset rows = with_weights(read("1 1:1\n-1 1:1\n1 1:-1\n"), {1.0, 5.0, 2.0});
  const Model model = plain_model({1.0});
  EXPECT_NEAR(error_of(model, rows), 7.0 / 8, 1e-15);
  const auto found = std::get<Classification>(evaluate(model, rows).result);
  EXPECT_NEAR(found.accuracy.value, 1.0 / 8, 1e-15);
}

TEST(Decision, LabelSetsAreRightAsAWhole) {
  const Dataset rows = read("a,b 1:1\nb 1:1\n 1:1\nb,c 1:1\n");
  ASSERT_TRUE(rows.schema().multilabel);
  MulticlassModel model = three_classes();
  model.schema = rows.shared_schema();
  model.multilabel = true;
  const auto& words = rows.schema().label_words;
  const auto value = [&](const char* word) {
    return static_cast<double>(std::find(words.begin(), words.end(), word) - words.begin());
  };
  model.classes = {value("a"), value("b")};
  model.classifiers.resize(2);
  const Decision decision(model);
  EXPECT_EQ(decision.text(std::vector<double>{1, 1}), "a,b");
  EXPECT_EQ(decision.text(std::vector<double>{-1, -1}), "");
  const Truth truth(decision, rows);
  EXPECT_TRUE(truth.is_right(0, std::vector<double>{1, 1}));
  EXPECT_FALSE(truth.is_right(0, std::vector<double>{1, -1}));
  EXPECT_TRUE(truth.is_right(2, std::vector<double>{-1, -1}));
  EXPECT_FALSE(truth.is_right(3, std::vector<double>{-1, 1}));  // c is none of its labels
}

}  // namespace
}  // namespace pegasos
