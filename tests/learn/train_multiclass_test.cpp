// Many classes and weights: classifiers against two-class training, any number of threads, the
// file, and optima of scikit-learn.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "base/random.h"
#include "learn/classifiers.h"
#include "pegasos/error.h"
#include "pegasos/read.h"
#include "pegasos/train.h"
#include "pegasos/verify.h"
#include "pegasos/weights.h"
#include "support/temporary_folder.h"
#include "support/trained.h"

namespace pegasos::testing {
namespace {

Dataset data_of(const std::string& text) {
  return read_dataset_from_memory(text, "memory").data;
}

// Three classes around the corners of a triangle.
std::string three_classes() {
  Random random(3, 0);
  std::string text;
  const char* const names[] = {"ant", "bee", "cat"};
  const double x[] = {0, 2, 1};
  const double y[] = {0, 0, 2};
  for (int i = 0; i < 90; ++i) {
    const auto c = static_cast<std::size_t>(i % 3);
    text += std::string(names[c]) + " 1:" + std::to_string(x[c] + 0.6 * random.normal()) +
            " 2:" + std::to_string(y[c] + 0.6 * random.normal()) + "\n";
  }
  return text;
}

double accuracy(const MulticlassModel& model, const Dataset& data) {
  const auto scores = decisions(model, data, 1);
  const Decision decision(model);
  const std::size_t width = model.classes.size();
  double right = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const auto predicted = decision.class_of(std::span(scores).subspan(i * width, width));
    right += model.classes[predicted] == data.label(i) ? 1 : 0;
  }
  return right / static_cast<double>(data.rows());
}

// Events come one at a time, say which classifier they are about, and hand out its duals.
TEST(TrainMulticlass, EventsNameTheirClassifier) {
  const Dataset data = data_of(three_classes());
  for (const bool kernel : {false, true}) {
    TrainOptions options;
    options.threads = 3;
    options.solver.tolerance = 1e-9;
    if (kernel) options.kernel = KernelOptions{};
    std::atomic<int> inside = 0;
    std::vector<std::vector<double>> duals(3);
    Watch watch;
    watch.event = [&](const TrainingEvent& event) {
      EXPECT_EQ(++inside, 1);
      const ClassifierProgress& about = event.report.classifier;
      EXPECT_EQ(about.count, 3U);
      EXPECT_LT(about.finished, 3U);
      EXPECT_FALSE(about.name.empty());
      EXPECT_EQ(event.report.kernel.has_value(), kernel);
      duals.at(about.index) = event.duals();
      --inside;
    };
    const auto trained = trained_classes(data, options, watch);
    const MulticlassModel& model = trained.model;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(duals[k].size(), trained.all.duals[k].size());
    }
    EXPECT_FALSE(model.record.interrupted);
    watch.stop = [] { return true; };
    EXPECT_TRUE(trained_classes(data, options, watch).model.record.interrupted);
  }
}

TEST(TrainMulticlass, EachMachineIsTheModelOfItsLabelAgainstTheRest) {
  const Dataset data = data_of(three_classes());
  TrainOptions options;
  const MulticlassModel model = trained_classes(data, options).model;
  ASSERT_EQ(3U, model.classifiers.size());
  for (std::size_t k = 0; k < 3; ++k) {
    TrainOptions one = options;
    one.positive_label = model.classifier_name(k);
    const LinearModel alone = trained_linear(data, one).model;
    EXPECT_EQ(alone.b, model.classifiers[k].b);
    EXPECT_EQ(alone.certificate, model.classifiers[k].certificate);
    EXPECT_EQ(alone.w, linear_classifier(model, k, without_labels(*model.schema)).w);
  }
  EXPECT_GT(accuracy(model, data), 0.85);
}

TEST(TrainMulticlass, ThreadsChangeNothingAndTheFileKeepsAll) {
  const Dataset data = data_of(three_classes());
  const TemporaryFolder folder;
  for (const Strategy strategy :
       {Strategy::one_against_rest, Strategy::one_against_one, Strategy::joint}) {
    for (const bool kernel : {false, true}) {
      if (kernel && strategy == Strategy::joint) continue;
      TrainOptions options;
      options.strategy = strategy;
      options.keep_duals = true;
      if (kernel) options.kernel = KernelOptions{};
      options.threads = 1;
      const MulticlassModel one = trained_classes(data, options).model;
      options.threads = 3;
      EXPECT_EQ(one, trained_classes(data, options).model);
      EXPECT_GT(accuracy(one, data), 0.85) << name_of(strategy) << kernel;
      save_model(one, folder.path("m"));
      EXPECT_EQ(one, std::get<MulticlassModel>(load_model(folder.path("m"))));
      const MulticlassVerification found = verify(one, data);
      EXPECT_EQ(Finding::holds, found.finding()) << name_of(strategy) << kernel;
      EXPECT_TRUE(found.same_data);
      // From its own end there is nothing left to do.
      options.start = std::make_shared<const Model>(one);
      const MulticlassModel again = trained_classes(data, options).model;
      EXPECT_LE(again.worst_certificate()->relative_gap(), 1e-3);
    }
  }
}

TEST(TrainMulticlass, AClaimThatIsTooGoodIsFound) {
  const Dataset data = data_of(three_classes());
  MulticlassModel model = trained_classes(data, {}).model;
  model.classifiers[1].certificate->dual = model.classifiers[1].certificate->primal * 0.9999999;
  const MulticlassVerification found = verify(model, data);
  EXPECT_TRUE(found.refuted());
  EXPECT_EQ(Finding::holds, found.classifiers[0].finding);
}

TEST(TrainMulticlass, OneAgainstOneVotes) {
  MulticlassModel model;
  model.schema = std::make_shared<const Schema>();
  model.strategy = Strategy::one_against_one;
  model.classes = {4, 5, 6};
  const Decision decision(model);
  // Class 5 has two votes; of equal votes the first class wins, whatever the margins.
  EXPECT_EQ("5", decision.text(std::vector<double>{0.9, 2.1, -0.2}));
  EXPECT_EQ("4", decision.text(std::vector<double>{0.8, 1.2, 1.0}));
}

TEST(TrainMulticlass, RowsWithSeveralLabels) {
  const Dataset data =
      data_of("1,3 1:1 3:1\n3,1 1:0.9 3:1.1\n2 2:1\n10 4:1\n 5:1\n1 1:1.2\n2,10 2:1 4:1\n 5:0.5\n");
  ASSERT_TRUE(data.schema().multilabel);
  EXPECT_EQ(data.label(0), data.label(1));
  TrainOptions options;
  options.c = 100;
  const MulticlassModel model = trained_classes(data, options).model;
  ASSERT_TRUE(model.multilabel);
  std::string names;
  for (std::size_t k = 0; k < model.classes.size(); ++k) names += model.classifier_name(k) + " ";
  EXPECT_EQ("1 2 3 10 ", names);
  const auto scores = decisions(model, data, 1);
  const auto said = [&](std::size_t i) {
    return Decision(model).text(std::span(scores).subspan(4 * i, 4));
  };
  EXPECT_EQ("1,3", said(0));
  EXPECT_EQ("2", said(2));
  EXPECT_EQ("", said(4));
  EXPECT_EQ("2,10", said(6));
  EXPECT_EQ(Finding::holds, verify(model, data).finding());
}

// ---- weights ----

const char* const kEight =
    "1 1:1 2:0.5\n1 1:0.2 2:1\n-1 1:-1 2:0.3\n-1 1:-0.5 2:-1\n1 1:0.7 2:-0.8\n-1 1:0.1 2:0.4\n"
    "-1 1:-0.3 2:0.9\n";

TrainOptions tight() {
  TrainOptions options;
  options.lambda = 1.0 / 8;
  options.bias = Bias::unregularised;
  options.solver.tolerance = 1e-9;
  return options;
}

// SVC(kernel="linear", C=1, tol=1e-10) of scikit-learn 1.2.1: (|w|^2/2 + sum of weighted hinges)/8.
TEST(Weights, OptimaAreThoseOfScikitLearn) {
  const Dataset data = data_of(std::string(kEight) + "1 1:0.9 2:0.9\n");
  TrainOptions options = tight();
  options.class_weights = {{"1", 3.0}};
  EXPECT_NEAR(0.51263804946795, trained_linear(data, options).model.certificate->primal, 1e-6);
  options.kernel = KernelOptions{.kind = KernelKind::linear};
  EXPECT_NEAR(0.51263804946795, trained_kernel(data, options).model.certificate->primal, 1e-6);

  TrainOptions balanced = tight();
  balanced.balanced = true;
  const Dataset uneven = data_of(std::string(kEight) + "-1 1:0.9 2:0.9\n");
  EXPECT_NEAR(0.6356480829813108, trained_linear(uneven, balanced).model.certificate->primal, 1e-6);

  const Dataset weighted = with_weights(data, {2, 1, 1, 0.5, 1, 3, 1, 1});
  for (const Solver solver : {Solver::newton, Solver::sdca}) {
    TrainOptions plain = tight();
    plain.solver.kind = solver;
    plain.solver.tolerance = 1e-7;
    EXPECT_NEAR(0.6087533847869638, trained_linear(weighted, plain).model.certificate->primal,
                1e-6);
  }
}

TEST(Weights, TwoIsTheSameAsTwice) {
  const Dataset data = data_of(kEight);
  std::vector<double> weights(7, 1.0);
  weights[5] = 2.0;
  std::string twice = kEight;
  twice += "-1 1:0.1 2:0.4\n";
  TrainOptions options;
  options.solver.tolerance = 1e-9;
  options.c = 1.0;  // lambda = 1/m: the objectives differ by the rows they are divided by
  const double once =
      trained_linear(with_weights(data, weights), options).model.certificate->primal;
  const double doubled = trained_linear(data_of(twice), options).model.certificate->primal;
  EXPECT_NEAR(7 * once, 8 * doubled, 1e-7);
}

TEST(Weights, AreCheckedByVerifyAndRefusedWhereTheyMeanNothing) {
  const Dataset data = data_of(kEight);
  TrainOptions options;
  options.class_weights = {{"-1", 5.0}};
  LinearModel model = trained_linear(data, options).model;
  EXPECT_EQ(Finding::holds, verify(model, data).finding);
  model.label_weights.clear();
  EXPECT_EQ(Finding::objective_differs, verify(model, data).finding);
  options.class_weights = {{"7", 5.0}};
  EXPECT_THROW(trained_linear(data, options), InvalidOption);
  options.class_weights = {{"1", -5.0}};
  EXPECT_THROW(trained_linear(data, options), InvalidOption);
  EXPECT_THROW(with_weights(data, {1.0}), InvalidOption);
}

}  // namespace
}  // namespace pegasos::testing
