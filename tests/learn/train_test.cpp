// Training as a whole: labels to targets, options to a problem, a result to a model.
#include "pegasos/train.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "learn/labels.h"
#include "pegasos/error.h"
#include "pegasos/generate.h"
#include "pegasos/read.h"
#include "support/trained.h"

namespace pegasos {
namespace {

using testing::predicted;
using testing::trained_classes;
using testing::trained_kernel;
using testing::trained_linear;

Dataset read(const std::string& text) {
  return read_dataset_from_memory(text, "memory").data;
}

std::string linear_refusal(const Dataset& data, const TrainOptions& options) {
  try {
    trained_linear(data, options);
  } catch (const InvalidOption& error) {
    return error.field();
  }
  return "";
}

TEST(Targets, TheLargerOfTwoLabelsIsPositive) {
  const Targets numbers = targets_of(read("0 1:1\n1 1:2\n0 1:3\n"), {}, {});
  EXPECT_EQ(numbers.labels, (BinaryLabels{1.0, 0.0}));
  EXPECT_EQ(numbers.y, (std::vector<double>{-1, 1, -1}));
  const Targets words = targets_of(read("spam 1:1\nham 1:2\n"), {}, {});
  EXPECT_EQ(words.y, (std::vector<double>{1, -1}));
}

TEST(Targets, ALabelCanBeNamed) {
  const Dataset data = read("a 1:1\nb 1:2\nc 1:3\nb 1:1\n");
  const Targets targets = targets_of(data, {}, "b");
  EXPECT_EQ(targets.labels, (BinaryLabels{1.0, std::nullopt}));
  EXPECT_EQ(targets.y, (std::vector<double>{-1, 1, -1, 1}));
  EXPECT_THROW(targets_of(data, {}, "d"), InvalidOption);
  EXPECT_THROW(targets_of(data, {}, {}), InvalidOption);
  const Targets two = targets_of(read("1 1:1\n2 1:1\n"), {}, "+1");
  EXPECT_EQ(two.labels, (BinaryLabels{1.0, 2.0}));
}

TEST(Targets, OtherNumbersAreToBePredicted) {
  const Targets targets = targets_of(read("0.5 1:1\n2.25 1:2\n-3 1:1\n"), {}, {});
  EXPECT_FALSE(targets.labels);
  EXPECT_EQ(targets.y, (std::vector<double>{0.5, 2.25, -3}));
  EXPECT_FALSE(targets_of(read("1 1:1\n2 1:2\n"), Task::regression, {}).labels);
}

TEST(Targets, SayWhatCannotBeLearned) {
  EXPECT_THROW(targets_of(read("1 1:1\n1 1:2\n"), {}, {}), UnusableData);
  EXPECT_THROW(targets_of(read("1 1:1\n2:2\n-1 1:1\n"), {}, {}), UnusableData);
  EXPECT_THROW(targets_of(read("a 1:1\nb 1:2\n"), Task::regression, {}), InvalidOption);
}

TEST(TrainTest, LambdaAndCAreTheSameThing) {
  const Dataset data = generate({.rows = 400, .features = 100, .words_per_row = 10});
  TrainOptions by_c;
  by_c.c = 2.0;
  TrainOptions by_lambda;
  by_lambda.lambda = 1.0 / (2.0 * 400);
  EXPECT_EQ(trained_linear(data, by_c).model.w, trained_linear(data, by_lambda).model.w);
  EXPECT_EQ(trained_linear(data).model.lambda, 1.0 / 400);
  EXPECT_DOUBLE_EQ(trained_linear(data, by_c).model.c(), 2.0);
}

TEST(TrainTest, TheModelTellsTheTruthAboutItself) {
  const Dataset data = generate({.rows = 500, .features = 200, .words_per_row = 15});
  const auto result = trained_linear(data);
  const LinearModel& model = result.model;
  ASSERT_TRUE(model.certificate);
  std::uint64_t wrong = 0;
  double loss = 0;
  double squares = model.b * model.b / (model.bias_feature * model.bias_feature);
  for (const double w : model.w) squares += w * w;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const double y = data.label(i);
    const double z = model.decision(data.row(i));
    wrong += predicted(model, z) != (y > 0 ? "1" : "-1") ? 1 : 0;
    loss += std::max(0.0, 1.0 - y * z);
  }
  EXPECT_EQ(model.certificate->wrong, wrong);
  EXPECT_NEAR(model.certificate->mean_loss, loss / 500, 1e-12);
  EXPECT_NEAR(model.certificate->primal, loss / 500 + 0.5 * model.lambda * squares, 1e-12);
  EXPECT_LE(*model.certificate->dual, model.certificate->primal);
  EXPECT_EQ(model.record.rows, 500u);
  EXPECT_EQ(model.record.non_zeros, data.non_zeros());
  EXPECT_EQ(model.record.data_fingerprint, fingerprint(data));
  EXPECT_EQ(result.duals.size(), 500u);
  model.validate();
}

TEST(TrainTest, RowWeightsCount) {
  // Two rows that contradict each other: the heavier one decides.
  const auto weighted = [](double first, double second) {
    const Dataset data = read("1 1:1\n-1 1:1\n1 2:1\n-1 3:1\n");
    DatasetParts parts = data.parts();
    const std::vector<double> weights = {first, second, 1, 1};
    parts.weights = weights;
    TrainOptions options;
    options.bias = Bias::none;
    options.solver.kind = Solver::pegasos;
    options.solver.pegasos.epochs = 200;
    return trained_linear(Dataset::from_parts(parts), options).model.w[0];
  };
  EXPECT_GT(weighted(3, 1), 0.1);
  EXPECT_LT(weighted(1, 3), -0.1);
}

TEST(TrainTest, RefusesOptionsByName) {
  const Dataset classes = read("1 1:1\n-1 1:2\n");
  const Dataset numbers = read("0.5 1:1\n2.25 1:2\n3 1:5\n");
  EXPECT_EQ(linear_refusal(classes, {.lambda = 0.0}), "lambda");
  EXPECT_EQ(linear_refusal(classes, {.lambda = std::nan("")}), "lambda");
  EXPECT_EQ(linear_refusal(classes, {.c = -1.0}), "c");
  EXPECT_EQ(linear_refusal(classes, {.lambda = 1.0, .c = 1.0}), "lambda");
  EXPECT_EQ(linear_refusal(classes, {.loss = Loss::huber}), "loss");
  EXPECT_EQ(linear_refusal(numbers, {.loss = Loss::hinge}), "loss");
  EXPECT_EQ(linear_refusal(classes, {.epsilon = -0.1}), "epsilon");
  EXPECT_EQ(linear_refusal(classes, {.bias_feature = 0.0}), "bias_feature");
  EXPECT_EQ(linear_refusal(classes, {.solver = {.pegasos = {.batch = 0}}}), "batch");
  EXPECT_EQ(linear_refusal(classes, {.threads = -1}), "threads");
}

TEST(Train, IsInterruptedWhereItsWatchSaysSoAndNowhereElse) {
  const Dataset data = read("1 1:1 2:3\n-1 1:2 2:1\n1 1:0.5 2:2\n-1 1:3 2:2\n");
  for (const Solver solver : {Solver::pegasos, Solver::sdca, Solver::newton}) {
    TrainOptions options;
    options.solver.kind = solver;
    options.solver.tolerance = 0.5;
    options.solver.max_epochs = 1000;
    const auto proven = trained_linear(data, options, {.stop = [] { return false; }});
    EXPECT_TRUE(proven.report.within(0.5));
    EXPECT_FALSE(proven.model.record.interrupted) << name_of(solver);
    options.solver.tolerance = 0.0;
    options.solver.max_epochs = 1;
    EXPECT_FALSE(trained_linear(data, options).model.record.interrupted) << name_of(solver);
    options.solver.max_epochs = 100;
    int events = 0;
    const Watch watch{.event = [&](const TrainingEvent&) { ++events; },
                      .stop = [&] { return events == 1; }};
    EXPECT_TRUE(trained_linear(data, options, watch).model.record.interrupted) << name_of(solver);
    EXPECT_EQ(events, 1) << name_of(solver);
  }
}

}  // namespace
}  // namespace pegasos
