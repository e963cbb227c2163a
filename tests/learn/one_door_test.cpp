// The one door: every kind of model, what it returns, and what it does around a solver.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "learn/warm_start.h"
#include "pegasos/calibrate.h"
#include "pegasos/error.h"
#include "pegasos/evaluate.h"
#include "pegasos/generate.h"
#include "pegasos/read.h"
#include "pegasos/train.h"
#include "pegasos/tune.h"
#include "pegasos/verify.h"

namespace pegasos {
namespace {

Dataset read(const std::string& text) {
  return read_dataset_from_memory(text, "memory").data;
}

Dataset blobs(int classes) {
  GenerateOptions options;
  options.kind = GeneratedKind::blobs;
  options.rows = 240;
  options.features = 4;
  options.classes = static_cast<std::size_t>(classes);
  return generate(options);
}

TEST(OneDoor, MakesEveryKindOfModel) {
  const Dataset two = blobs(2);
  const Dataset three = blobs(3);
  TrainOptions kernel;
  kernel.kernel.emplace();
  kernel.gamma_rule = GammaRule::scale;
  TrainOptions mapped = kernel;
  mapped.approximation = Approximation::rff;
  mapped.components = 32;
  EXPECT_TRUE(std::holds_alternative<LinearModel>(train(two).model));
  EXPECT_TRUE(std::get<LinearModel>(train(two, mapped).model).map);
  EXPECT_TRUE(std::holds_alternative<KernelModel>(train(two, kernel).model));
  EXPECT_TRUE(std::get<MulticlassModel>(train(three).model).linear());
  EXPECT_TRUE(std::get<MulticlassModel>(train(three, kernel).model).kernels());
  EXPECT_TRUE(std::get<MulticlassModel>(train(read("a,b 1:1\nb 2:1\na 1:1\n")).model).multilabel);
  EXPECT_FALSE(base_of(train(read("0.5 1:1\n1.25 1:2\n7.5 1:3\n")).model).classifies());
}

TEST(OneDoor, ReturnsTheResolvedOptionsAndLeavesTheCallersAlone) {
  const Dataset data = blobs(3);
  TrainOptions options;
  options.kernel.emplace();
  options.gamma_rule = GammaRule::scale;
  const Trained trained = train(data, options);
  EXPECT_FALSE(options.lambda || options.strategy || options.loss);
  const TrainOptions& resolved = trained.options;
  EXPECT_EQ(resolved.lambda, 1.0 / 240);
  EXPECT_EQ(resolved.strategy, Strategy::one_against_one);
  EXPECT_EQ(resolved.loss, Loss::hinge);
  EXPECT_EQ(resolved.bias, Bias::none);
  EXPECT_FALSE(resolved.gamma_rule);
  EXPECT_EQ(resolved.kernel->gamma, gamma_scale(data));
  // They train the same model again.
  EXPECT_EQ(train(data, resolved).model, trained.model);
}

TEST(OneDoor, KeepsDualsOnlyWhereAsked) {
  const Dataset data = blobs(3);
  for (const Strategy strategy : {Strategy::one_against_rest, Strategy::joint}) {
    TrainOptions options;
    options.strategy = strategy;
    const Trained without = train(data, options);
    EXPECT_EQ(without.duals.size(), strategy == Strategy::joint ? 1U : 3U);
    options.keep_duals = true;
    const auto with = std::get<MulticlassModel>(train(data, options).model);
    const auto& kept = strategy == Strategy::joint ? with.joint->duals : with.classifiers[0].duals;
    EXPECT_EQ(kept, without.duals.front());
    const auto& bare = std::get<MulticlassModel>(without.model);
    EXPECT_TRUE((bare.joint ? bare.joint->duals : bare.classifiers[0].duals).empty());
  }
}

TEST(OneDoor, CalibratesAsCalibrateDoes) {
  const Dataset data = blobs(2);
  TrainOptions options;
  const Model plain = train(data, options).model;
  options.probabilities = CalibrationKind::platt;
  const Trained trained = train(data, options);
  EXPECT_EQ(base_of(trained.model).calibrations, *calibrate(plain, data, {}, {}));
  EXPECT_EQ(trained.training_error, error_of(trained.model, data));
  EXPECT_THROW(train(read("a,b 1:1\nb 2:1\na 1:1\n"), options), InvalidOption);
}

TEST(OneDoor, FindsLambdaAsTuneDoes) {
  const Dataset data = blobs(2);
  TrainOptions options;
  options.tune_lambda = true;
  const Trained trained = train(data, options);
  const TuneResult found = tune(data);
  ASSERT_TRUE(trained.search);
  EXPECT_EQ(base_of(trained.model).lambda, found.points[found.chosen].lambda);
  options.c = 1.0;
  EXPECT_THROW(train(data, options), InvalidOption);
}

TEST(OneDoor, TheTimeCoversEverything) {
  const Dataset data = blobs(2);
  TrainOptions options;
  options.probabilities = CalibrationKind::platt;
  options.max_seconds = 1e-9;
  const Trained trained = train(data, options);
  EXPECT_EQ(trained.ending, Ending::out_of_time);
  EXPECT_FALSE(base_of(trained.model).has_probabilities());
  EXPECT_FALSE(base_of(trained.model).record.interrupted);
  options.tune_lambda = true;
  EXPECT_THROW(train(data, options), Error);
}

TEST(OneDoor, ACallerCanStopAndIsToldSo) {
  const Dataset data = blobs(2);
  std::atomic<int> events = 0;
  Watch watch;
  watch.event = [&](const TrainingEvent&) { ++events; };
  watch.stop = [&] { return events > 0; };
  TrainOptions options;
  options.solver.tolerance = 1e-12;
  const Trained trained = train(data, options, watch);
  EXPECT_EQ(trained.ending, Ending::stopped_by_caller);
  EXPECT_TRUE(base_of(trained.model).record.interrupted);
}

// Who cannot wait gets the point where the run is, and nothing is claimed of it.
TEST(OneDoor, ACallerInAHurryGetsAModelWithoutAProof) {
  for (const int classes : {2, 3}) {
    const Dataset data = blobs(classes);
    for (const auto solver : {Solver::pegasos, Solver::sdca, Solver::newton, Solver::automatic}) {
      for (const bool kernel : {false, true}) {
        if (kernel && (solver == Solver::sdca || solver == Solver::newton)) continue;
        std::atomic<int> asked = 0;
        Watch watch;
        watch.hurry = [&] { return asked > 3; };
        watch.stop = [&] { return ++asked > 3; };
        TrainOptions options;
        options.solver.kind = solver;
        options.solver.tolerance = 0;
        if (kernel) options.kernel.emplace();
        const Trained trained = train(data, options, watch);
        EXPECT_EQ(trained.ending, Ending::stopped_by_caller);
        EXPECT_FALSE(certificate_of(trained.model)) << classes << name_of(solver) << kernel;
        EXPECT_EQ(decisions(trained.model, data, 1).size(), data.rows() * (classes == 2 ? 1 : 3));
      }
    }
  }
}

// A start that is ignored would take as many events as none.
TEST(OneDoor, BeginsFromAModelOfItsKind) {
  for (const int classes : {2, 3}) {
    const Dataset data = blobs(classes);
    for (const bool kernel : {false, true}) {
      TrainOptions options;
      options.keep_duals = true;
      options.solver.kind = kernel ? Solver::automatic : Solver::sdca;
      options.solver.tolerance = kernel ? 1e-7 : 1e-6;  // which the first run reaches
      if (kernel) options.kernel.emplace();
      const Trained cold = train(data, options);
      options.start = std::make_shared<const Model>(cold.model);
      const Trained warm = train(data, options);
      EXPECT_FALSE(warm.started_from.empty());
      EXPECT_LT(2 * warm.trace.size(), cold.trace.size()) << classes << kernel;
      TrainOptions other = options;
      other.kernel = kernel ? std::nullopt : std::optional(KernelOptions{});
      other.solver.kind = Solver::automatic;
      EXPECT_THROW(train(data, other), InvalidOption);
    }
  }
}

TEST(OneDoor, ScoresTestRowsAsTheModelDoes) {
  const Dataset data = blobs(2);
  for (const bool scaled : {false, true}) {
    TrainOptions options;
    options.test = data;
    if (scaled) options.scaling = ScalingKind::standard;
    const Trained trained = train(data, options);
    ASSERT_TRUE(trained.trace.back().test_error);
    EXPECT_EQ(trained.test_error, error_of(trained.model, data));
  }
}

// Scaled targets are the same problem in other units: the scores of one that was standardised by
// hand, times the spread, plus the mean.
TEST(OneDoor, ScaledTargetsAreTheStandardisedProblem) {
  Random random(7, 0);
  std::string plain;
  std::string standardised;
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 60; ++i) {
    x.push_back(random.normal());
    y.push_back(1e5 + 4e4 * x.back() + 1e4 * random.normal());
  }
  double mean = 0;
  for (const double value : y) mean += value / 60;
  double squares = 0;
  for (const double value : y) squares += (value - mean) * (value - mean) / 60;
  const double s = std::sqrt(squares);
  for (std::size_t i = 0; i < 60; ++i) {
    plain += fmt::format("{} 1:{}\n", y[i], x[i]);
    standardised += fmt::format("{} 1:{}\n", (y[i] - mean) / s, x[i]);
  }
  const Dataset rows = read(plain);
  for (const Loss loss :
       {Loss::epsilon_insensitive, Loss::squared_epsilon_insensitive, Loss::huber}) {
    TrainOptions options;
    options.task = Task::regression;
    options.loss = loss;
    options.solver.tolerance = 1e-9;
    TrainOptions by_hand = options;
    by_hand.bias = Bias::unregularised;
    options.scale_targets = true;
    const Trained trained = train(rows, options);
    const auto scores = decisions(trained.model, rows);
    const auto expected = decisions(train(read(standardised), by_hand).model, rows);
    for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(scores[i], s * expected[i] + mean, 1e-3 * s);
    EXPECT_FALSE(trained.options.scale_targets);
    EXPECT_EQ(train(rows, trained.options).model, trained.model);
    EXPECT_GT(trained.training_fit->r2.value, 0.9);
  }
}

// Rows that were appended: the old ones keep their duals, and most of the work is done.
TEST(OneDoor, ContinuesWithRowsThatWereAppended) {
  GenerateOptions wanted;
  wanted.kind = GeneratedKind::text;
  wanted.rows = 1100;
  wanted.features = 500;
  const Dataset all = generate(wanted);
  const Dataset old = all.slice(0, 1000);
  for (const bool kernel : {false, true}) {
    TrainOptions options;
    options.keep_duals = true;
    options.solver.kind = kernel ? Solver::automatic : Solver::sdca;
    options.solver.tolerance = 1e-4;
    if (kernel) options.kernel = KernelOptions{.kind = KernelKind::rbf, .gamma = 0.5};
    const Trained before = train(old, options);
    const Trained cold = train(all, options);
    options.start = std::make_shared<const Model>(before.model);
    const Trained warm = train(all, options);
    EXPECT_NE(warm.started_from.find("1000 rows; 100 rows are new"), std::string::npos)
        << warm.started_from;
    EXPECT_LE(certificate_of(warm.model)->relative_gap(), 1e-4);
    // The bound that the duals prove before the first step: 10 of 11 parts of the old one.
    if (!kernel) {
      const double begins_at = *warm.trace.front().report.dual;
      EXPECT_GT(begins_at, 0.85 * *certificate_of(warm.model)->dual);
      EXPECT_GT(begins_at, *cold.trace.front().report.dual);
      // A new run also has an epoch of Pegasos. Most old rows are at rest and are left alone.
      const std::uint64_t new_run = all.rows() + cold.trace.back().report.rows_seen;
      EXPECT_LT(20 * warm.trace.back().report.rows_seen, 13 * new_run);
    } else {
      EXPECT_LT(warm.trace.back().report.kernel->rows_used,
                cold.trace.back().report.kernel->rows_used);
    }
    // Only new rows: the weights are all there is.
    const Trained other = train(all.slice(1000, 100), options);
    EXPECT_EQ(other.started_from.find("are new"), std::string::npos) << other.started_from;
  }
}

// Rows far from any feature's reach part by the bias alone. Dual ascent leaves out rows that its
// steps do not move, and once left out all of them for good, because they rested at another bias
// than its own.
TEST(OneDoor, RowsThatRestMoveAgainWithTheBias) {
  const std::vector<float> values = {0.001F, 0.001F, 0.001F, -0.001F};
  const std::vector<double> labels = {1, 1, 1, -1};
  const Dataset data =
      Dataset::from_dense(std::span<const float>(values), 4, 1, RowFacts{.labels = labels});
  for (const double lambda : {0.15, 0.2, 0.25, 0.3, 0.4, 0.45}) {
    TrainOptions options;
    options.lambda = lambda;
    options.bias = Bias::regularised;
    options.solver.kind = Solver::sdca;
    const Trained trained = train(data, options);
    EXPECT_LE(certificate_of(trained.model)->relative_gap(), 1e-3) << lambda;
    EXPECT_LT(trained.trace.back().report.epoch, 100U) << lambda;
  }
}

// Weights go to the features of the same names, whatever their places.
TEST(OneDoor, ContinuesWithOtherWordsInTheColumns) {
  const auto table = [](const std::vector<std::string>& towns, const char* first) {
    std::string text = fmt::format("{},town,size,y\n", first);
    for (int i = 0; i < 60; ++i) {
      const auto& town = towns[static_cast<std::size_t>(i) % towns.size()];
      text += fmt::format("{},{},{},{}\n", i % 7 == 3 ? "NA" : std::to_string(i % 5), town,
                          i * i % 11, i % 3 == 0 ? "yes" : "no");
    }
    return read_dataset_from_memory(text, "memory").data;
  };
  TrainOptions options;
  const Dataset before = table({"Rome", "Bern", "Oslo"}, "age");
  const Dataset now = table({"Ulm", "Oslo", "Bern", "Wien"}, "age");
  const auto model = std::get<LinearModel>(train(before, options).model);
  const LinearPoint start = continue_from(model, now, 1).start.point;
  std::map<std::string, double> expected;
  for (FeatureId j = 0; j < model.w.size(); ++j) {
    expected[before.schema().feature_name(j)] = model.w[j];
  }
  std::size_t shared = 0;
  for (FeatureId j = 0; j < now.features(); ++j) {
    const std::string name = now.schema().feature_name(j);
    const bool is_word = name.starts_with("town=");
    if (!is_word && name != "age (missing)") continue;
    EXPECT_EQ(start.w[j], expected.contains(name) ? expected[name] : 0.0) << name;
    shared += expected.contains(name) ? 1 : 0;
  }
  EXPECT_EQ(shared, 3U);  // two towns, and that an age is missing
}

// The logarithms are learned as if the file had them, and answers are in the file's units.
TEST(OneDoor, LearnsLogarithmsOfTargets) {
  std::string plain;
  std::string logs;
  for (int i = 1; i <= 60; ++i) {
    const double y = std::exp(0.1 * i + 0.3 * std::sin(i));
    const std::string x = fmt::format(" 1:{} 2:{}\n", i, i * i % 17);
    plain += fmt::format("{}", y) + x;
    logs += fmt::format("{}", std::log(y)) + x;
  }
  const Dataset data = read_dataset_from_memory(plain, "plain").data;
  TrainOptions options;
  options.scale_targets = true;
  const Trained by_hand = train(read_dataset_from_memory(logs, "logs").data, options);
  options.target = TargetTransform::log;
  const Trained trained = train(data, options);
  EXPECT_EQ(trained.options.target, TargetTransform::log);
  const auto& model = std::get<LinearModel>(trained.model);
  const auto& expected = std::get<LinearModel>(by_hand.model);
  ASSERT_EQ(model.w.size(), expected.w.size());
  for (std::size_t j = 0; j < model.w.size(); ++j) EXPECT_NEAR(model.w[j], expected.w[j], 1e-9);
  const Decision decision(trained.model);
  const auto scores = decisions(trained.model, data);
  double error = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    EXPECT_NEAR(decision.number(scores[i]), std::exp(scores[i]), 1e-9 * std::exp(scores[i]));
    error += std::abs(std::exp(scores[i]) - data.label(i)) / 60;
  }
  EXPECT_NEAR(*trained.training_error, error, 1e-9 * error);
  EXPECT_NEAR(trained.training_fit->mae.value, error, 1e-9 * error);
  EXPECT_EQ(verify(model, data).finding, Finding::holds);
  const auto back = load_model_from_memory(save_model_to_memory(trained.model), "model");
  EXPECT_EQ(Decision(back).text({&scores[0], 1}), decision.text({&scores[0], 1}));
}

TEST(OneDoor, LogarithmsNeedNumbersFromZero) {
  TrainOptions options;
  options.task = Task::regression;
  options.target = TargetTransform::log;
  const auto rows = [](const std::string& text) { return read(text); };
  const Trained zeros = train(rows("0 1:1\n3 1:2\n5 1:4\n"), options);
  EXPECT_EQ(std::get<LinearModel>(zeros.model).transform, TargetTransform::log1p);
  EXPECT_THROW(train(rows("-1 1:1\n3 1:2\n5 1:4\n"), options), InvalidOption);
  options.task = Task::binary;
  EXPECT_THROW(train(rows("-1 1:1\n1 1:2\n"), options), InvalidOption);
}

}  // namespace
}  // namespace pegasos
