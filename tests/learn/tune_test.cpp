// Tuning and cross-validation, against folds trained and scored by hand.
#include "pegasos/tune.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>

#include "learn/folds.h"
#include "learn/performance.h"
#include "learn/tune_grid.h"
#include "pegasos/error.h"
#include "pegasos/generate.h"
#include "pegasos/read.h"
#include "pegasos/verify.h"
#include "support/trained.h"

namespace pegasos {
namespace {

using testing::predicted;
using testing::trained_classes;
using testing::trained_kernel;
using testing::trained_linear;

Dataset text_rows(std::uint64_t rows = 300) {
  GenerateOptions options;
  options.kind = GeneratedKind::text;
  options.rows = rows;
  options.features = 200;
  options.label_noise = 0.1;
  options.seed = 5;
  return generate(options);
}

Dataset numbers() {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(0.5 * i + (i % 7) * 0.3) + " 1:" + std::to_string(0.1 * i) + " 2:1\n";
  }
  return read_dataset_from_memory(text, "memory").data;
}

double error_of(const LinearModel& model, const Dataset& rows) {
  const auto scores = decisions(model, rows);
  double wrong = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    wrong += (scores[i] > 0) != (rows.label(i) == model.labels->positive) ? 1 : 0;
  }
  return wrong / static_cast<double>(scores.size());
}

TEST(Tune, ScoresEachFoldByAModelOfTheOthers) {
  const Dataset data = text_rows();
  TuneOptions options;
  options.cs = {10, 0.01, 1};
  options.folds = 4;
  options.tolerance = 1e-6;
  const TuneResult result = tune(data, options);
  ASSERT_EQ(result.points.size(), 3U);
  const auto folds = deal_folds(data.labels(), 4, Dealing::stratified, 1);
  for (std::size_t p = 0; p < 3; ++p) {
    const TunePoint& point = result.points[p];
    EXPECT_EQ(point.c, (std::vector<double>{0.01, 1, 10})[p]);
    EXPECT_LE(point.gap, 1e-6);
    double mean = 0;
    for (FoldId fold = 0; fold < 4; ++fold) {
      const FoldSplit split = FoldedRows(data, folds, fold + 1).split(fold);
      const LinearModel model =
          trained_linear(split.train, {.c = point.c, .solver = {.tolerance = 1e-7}}).model;
      const double error = error_of(model, split.held_out);
      // A row on the very border may fall to either side.
      EXPECT_NEAR(point.scores[fold], error, 1.5 / static_cast<double>(split.held_out.rows()));
      mean += point.scores[fold] / 4;
    }
    EXPECT_DOUBLE_EQ(point.mean, mean);
    double squares = 0;
    for (const double score : point.scores) squares += (score - mean) * (score - mean);
    EXPECT_NEAR(point.standard_error, std::sqrt(squares / 3 / 4), 1e-15);
  }
}

TEST(Tune, ChoosesTheBestOrTheStrongestNearIt) {
  TuneOptions options;
  options.lambdas = {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002};
  options.choice = Choice::best;
  const Dataset data = text_rows();
  const TuneResult best = tune(data, options);
  for (const TunePoint& point : best.points) EXPECT_GE(point.mean, best.points[best.best].mean);
  EXPECT_EQ(best.chosen, best.best);
  options.choice = Choice::one_standard_error;
  const TuneResult near = tune(data, options);
  EXPECT_EQ(near.best, best.best);
  EXPECT_LT(near.chosen, near.best);  // or this would show nothing
  const TunePoint& top = near.points[near.best];
  for (std::size_t p = 0; p < near.points.size(); ++p) {
    const bool within = near.points[p].mean <= top.mean + top.standard_error;
    EXPECT_TRUE(p >= near.chosen || !within) << p;
    EXPECT_TRUE(p != near.chosen || within) << p;
  }
}

TEST(Tune, IsTheSameOnAnyNumberOfThreads) {
  const Dataset data = text_rows();
  TuneOptions options;
  options.train.threads = 1;
  const TuneResult one = tune(data, options);
  options.train.threads = 3;
  const TuneResult three = tune(data, options);
  ASSERT_EQ(one.points.size(), three.points.size());
  for (std::size_t p = 0; p < one.points.size(); ++p) {
    EXPECT_EQ(one.points[p].scores, three.points[p].scores);
    EXPECT_EQ(one.points[p].gap, three.points[p].gap);
  }
}

TEST(Tune, WalksAPathForEachKernelAndEpsilon) {
  TuneOptions options;
  options.train.kernel = KernelOptions{.kind = KernelKind::polynomial, .gamma = 0.2, .coef0 = 1};
  options.train.threads = 2;
  options.lambdas = {0.1, 0.01};
  options.gammas = {0.5, 0.1};
  options.degrees = {1, 2};
  options.epsilons = {0.0, 0.3};
  options.folds = 2;
  const TuneResult result = tune(numbers(), options);
  ASSERT_EQ(result.points.size(), 16U);
  EXPECT_EQ(result.score, Score::mae);
  const TunePoint& last = result.points.back();
  EXPECT_EQ(last.gamma, 0.5);
  EXPECT_EQ(last.degree, 2U);
  EXPECT_EQ(last.epsilon, 0.3);
  EXPECT_EQ(last.lambda, 0.01);
  const TrainOptions train = options_at(options, last);
  EXPECT_EQ(train.kernel->gamma, 0.5);
  EXPECT_EQ(train.kernel->degree, 2U);
  EXPECT_EQ(train.epsilon, 0.3);
  EXPECT_EQ(train.lambda, 0.01);
}

TEST(Tune, FindsAGridForTheData) {
  const Dataset data = text_rows();
  const auto points = points_of({.train = {.task = Task::binary}}, data);
  ASSERT_EQ(points.size(), 11U);
  for (std::size_t p = 1; p < points.size(); ++p) {
    EXPECT_LT(points[p].lambda, points[p - 1].lambda);
  }
  double square = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) square += data.row(i).squared_norm();
  square /= static_cast<double>(data.rows());
  EXPECT_NEAR(points.front().lambda, square, 0.01 * square);
  EXPECT_NEAR(points.back().c * square, 100.0, 1.0);
  TuneOptions kernel;
  kernel.train.kernel = KernelOptions{.kind = KernelKind::rbf};
  kernel.train.gamma_rule = GammaRule::scale;
  EXPECT_EQ(points_of(kernel, data).size(), 5U * 7U);
}

TEST(Tune, EndsWithThePointsThatAreComplete) {
  const Dataset data = text_rows(1000);
  TuneOptions options;
  options.train.threads = 1;
  std::atomic<int> fits = 0;
  TuneWatch watch;
  watch.progress = [&](const TuneProgress& seen) {
    fits = static_cast<int>(seen.fits);
    EXPECT_EQ(seen.fits_planned, 55U);
    EXPECT_EQ(seen.points > 0, seen.best != nullptr);
  };
  watch.interrupted = [&] { return fits >= 13; };
  const TuneResult result = tune(data, options, watch);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.planned, 11U);
  EXPECT_EQ(result.points.size(), 2U);  // the fold that is least far goes first
  for (const TunePoint& point : result.points) EXPECT_EQ(point.scores.size(), 5U);
  watch.interrupted = [] { return true; };
  EXPECT_THROW(tune(data, options, watch), Cancelled);
  watch.interrupted = {};
  options.train.max_seconds = 1e-9;
  EXPECT_THROW(tune(data, options, watch), Error);
}

TuneOptions wide_search() {
  TuneOptions options;
  options.search = SearchKind::wide;
  options.train.threads = 2;
  options.cs = {0.1, 1};
  options.folds = 2;
  return options;
}

// The combinations of a search, in the order they were walked.
std::vector<std::string> combinations_of(const TuneResult& result) {
  std::vector<std::string> all;
  for (const TunePoint& point : result.points) {
    const std::string one = name_of(*point.loss) + " " + point.scaling;
    if (all.empty() || all.back() != one) all.push_back(one);
  }
  return all;
}

TEST(Tune, WideSearchesTryScalingsThenLosses) {
  const Dataset data = text_rows();
  const TuneOptions options = wide_search();
  const TuneResult result = tune(data, options);
  const auto all = combinations_of(result);
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(
      std::vector(all.begin(), all.begin() + 4),
      (std::vector<std::string>{"hinge none", "hinge standard", "hinge maxabs", "hinge unit-row"}));
  // The best scaling is that of the other losses, and each point is what train makes of it.
  std::size_t best = 0;
  for (std::size_t p = 1; p < 8; ++p) {
    if (result.points[p].mean < result.points[best].mean) best = p;
  }
  EXPECT_EQ(all[4], "squared-hinge " + result.points[best].scaling);
  EXPECT_EQ(all[5], "logistic " + result.points[best].scaling);
  const TrainOptions last = options_at(options, result.points.back());
  EXPECT_EQ(last.loss, Loss::logistic);
  TuneOptions alone = wide_search();
  alone.search = SearchKind::usual;
  alone.train.loss = last.loss;
  alone.train.scaling = last.scaling;
  EXPECT_EQ(tune(data, alone).points.back().scores, result.points.back().scores);
}

TEST(Tune, WideSearchesKeepWhatIsGiven) {
  TuneOptions options = wide_search();
  options.train.loss = Loss::logistic;
  options.keep_scaling = true;
  EXPECT_EQ(combinations_of(tune(text_rows(), options)), std::vector<std::string>{"logistic none"});
  options = wide_search();
  options.train.scaling = ScalingKind::max_abs;
  EXPECT_EQ(combinations_of(tune(numbers(), options)),
            (std::vector<std::string>{"epsilon-insensitive maxabs",
                                      "squared-epsilon-insensitive maxabs", "huber maxabs"}));
}

TEST(Tune, WideSearchesReadTablesAgain) {
  std::string text = "size,town,price\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(40 + i) + "," + (i % 3 == 0 ? "Rome" : "Oslo") + "," +
            std::to_string(1000.5 * i + 300 * (i % 7)) + "\n";
  }
  const auto read = [&text](TableScaling scaling) {
    ReadOptions options;
    options.table_scaling = scaling;
    return read_dataset_from_memory(text, "memory", options).data;
  };
  TuneOptions options = wide_search();
  options.train.loss = Loss::huber;
  options.table = {TableScaling::standard, read};
  const TuneResult result = tune(read(TableScaling::standard), options);
  EXPECT_EQ(combinations_of(result),
            (std::vector<std::string>{"huber standard", "huber minmax", "huber maxabs"}));
  // The scaling is the reader's, not one of training.
  EXPECT_FALSE(options_at(options, result.points.back()).scaling);
  TuneOptions alone = wide_search();
  alone.search = SearchKind::usual;
  alone.train.loss = Loss::huber;
  EXPECT_EQ(tune(read(TableScaling::min_max), alone).points[1].scores, result.points[3].scores);
  options.table.reset();  // nothing to read again
  EXPECT_EQ(combinations_of(tune(read(TableScaling::standard), options)),
            std::vector<std::string>{"huber none"});
}

TEST(Tune, KeepsWhatAWideSearchFoundWhenItsTimeIsOver) {
  TuneOptions options = wide_search();
  std::atomic<std::size_t> fits = 0;
  TuneWatch watch;
  watch.progress = [&](const TuneProgress&) { ++fits; };
  watch.interrupted = [&] { return fits >= 4; };  // the usual search and nothing more
  const TuneResult result = tune(text_rows(), options, watch);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(combinations_of(result), std::vector<std::string>{"hinge none"});
}

TEST(Tune, HoldsOutOnce) {
  TuneOptions options;
  options.holdout = 0.25;
  options.lambdas = {0.01};
  const TuneResult result = tune(text_rows(), options);
  ASSERT_EQ(result.points.size(), 1U);
  const TunePoint& point = result.points.front();
  ASSERT_EQ(point.scores.size(), 1U);
  EXPECT_NEAR(point.standard_error, std::sqrt(point.mean * (1 - point.mean) / 74), 1e-12);
}

TEST(Tune, FitsScalingAndMapsToTheRowsLearnedFrom) {
  const Dataset data = text_rows();
  TuneOptions options;
  options.lambdas = {0.01};
  options.folds = 3;
  options.tolerance = 1e-7;
  options.train.scaling = ScalingKind::standard;
  options.train.kernel = KernelOptions{.kind = KernelKind::rbf, .gamma = 0.05};
  options.train.approximation = Approximation::rff;
  options.train.components = 64;
  const TuneResult result = tune(data, options);
  const FoldSplit split =
      FoldedRows(data, deal_folds(data.labels(), 3, Dealing::stratified, 1), 3).split(1);
  TrainOptions train_options = options_at(options, result.points.front());
  train_options.solver.tolerance = 1e-7;
  const LinearModel model = trained_linear(split.train, train_options).model;
  EXPECT_NEAR(result.points.front().scores[1], error_of(model, split.held_out), 0.011);
}

TEST(Tune, MeasuresWhatIsAsked) {
  const Dataset data = text_rows();
  TuneOptions options;
  options.lambdas = {1, 0.01};
  options.tolerance = 1e-4;
  options.score = Score::error;
  const TuneResult error = tune(data, options);
  options.score = Score::accuracy;
  const TuneResult accuracy = tune(data, options);
  EXPECT_NEAR(accuracy.points[1].mean, 1 - error.points[1].mean, 1e-12);
  EXPECT_EQ(accuracy.best, error.best);
  for (const Score score : {Score::f1, Score::auc}) {
    options.score = score;
    const TuneResult found = tune(data, options);
    EXPECT_GT(found.points[found.best].mean, 0.5) << name_of(score);
  }
  options.score = Score::rmse;
  EXPECT_THROW(tune(data, options), InvalidOption);
  TuneOptions regression;
  regression.lambdas = {0.001};
  const double mae = tune(numbers(), regression).points.front().mean;
  regression.score = Score::rmse;
  EXPECT_GE(tune(numbers(), regression).points.front().mean, mae);
}

TEST(Tune, RefusesWhatMakesNoSense) {
  const Dataset data = text_rows();
  const auto refusal = [&](const TuneOptions& options) -> std::string {
    try {
      tune(data, options);
    } catch (const InvalidOption& error) {
      return error.field();
    }
    return "";
  };
  EXPECT_EQ(refusal({.lambdas = {1}, .cs = {1}}), "lambdas");
  EXPECT_EQ(refusal({.lambdas = {0}}), "lambdas");
  EXPECT_EQ(refusal({.cs = {std::nan("")}}), "cs");
  EXPECT_EQ(refusal({.gammas = {1}}), "gammas");
  EXPECT_EQ(refusal({.degrees = {2}}), "degrees");
  EXPECT_EQ(refusal({.epsilons = {-1}}), "epsilons");
  EXPECT_EQ(refusal({.folds = 1}), "folds");
  EXPECT_EQ(refusal({.folds = 301}), "folds");
  EXPECT_EQ(refusal({.holdout = 1.0}), "holdout");
  EXPECT_EQ(refusal({.tolerance = 0}), "search_tolerance");
  EXPECT_THROW(
      tune(read_dataset_from_memory(std::string("1 1:1\n-1 1:2\n-1 1:3\n"), "memory").data, {}),
      UnusableData);
}

TEST(CrossValidate, PredictsEveryRowByAModelThatDidNotSeeIt) {
  const Dataset data = text_rows();
  TrainOptions options = {.c = 1, .solver = {.tolerance = 1e-7}};
  const CrossValidation found = cross_validate(data, options, 3);
  const auto folds = deal_folds(data.labels(), 3, Dealing::stratified, 1);
  double right = 0;
  for (FoldId fold = 0; fold < 3; ++fold) {
    const FoldSplit split = FoldedRows(data, folds, fold + 1).split(fold);
    const LinearModel model = trained_linear(split.train, options).model;
    const auto scores = decisions(model, split.held_out);
    const auto ids = rows_in(folds, fold);
    for (std::size_t k = 0; k < ids.size(); ++k) EXPECT_EQ(found.predicted[ids[k]], scores[k]);
    right += (1 - error_of(model, split.held_out)) * static_cast<double>(ids.size());
  }
  EXPECT_NEAR(found.accuracy, right / 300, 1e-12);
  EXPECT_LE(found.gap, 1e-7);
}

TEST(CrossValidate, OfNumbersHasLiblinearsMeasures) {
  const Dataset data = numbers();
  const CrossValidation found = cross_validate(data, {.c = 10}, 5);
  EXPECT_FALSE(found.classifies);
  double squares = 0;
  double sp = 0, sy = 0, spp = 0, syy = 0, spy = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const double p = found.predicted[i];
    const double y = data.label(i);
    squares += (p - y) * (p - y) / 60;
    sp += p, sy += y, spp += p * p, syy += y * y, spy += p * y;
  }
  EXPECT_NEAR(found.mean_squared_error, squares, 1e-9 * squares);
  // The formula of LIBLINEAR's do_cross_validation.
  const double n = 60;
  const double r2 =
      (n * spy - sp * sy) * (n * spy - sp * sy) / ((n * spp - sp * sp) * (n * syy - sy * sy));
  EXPECT_NEAR(found.squared_correlation, r2, 1e-9);
}

Dataset three_classes() {
  GenerateOptions options;
  options.kind = GeneratedKind::blobs;
  options.rows = 150;
  options.features = 5;
  options.classes = 3;
  options.noise = 1.5;
  return generate(options);
}

TEST(Tune, TakesManyClasses) {
  const Dataset data = three_classes();
  const auto folds = deal_folds(data.labels(), 3, Dealing::stratified, 1);
  for (const Strategy strategy :
       {Strategy::one_against_rest, Strategy::one_against_one, Strategy::joint}) {
    TuneOptions options;
    options.train.strategy = strategy;
    options.train.scaling = ScalingKind::standard;
    options.cs = {0.01, 0.1, 1};
    options.folds = 3;
    options.tolerance = 1e-5;
    const TuneResult result = tune(data, options);
    ASSERT_EQ(result.points.size(), 3U) << name_of(strategy);
    TrainOptions single = options_at(options, result.points[2]);
    single.solver.tolerance = 1e-5;
    const FoldSplit split = FoldedRows(data, folds, 1).split(0);
    const MulticlassModel model = trained_classes(split.train, single).model;
    const auto scores = decisions(model, split.held_out);
    double wrong = 0;
    for (std::size_t i = 0; i < split.held_out.rows(); ++i) {
      const auto of_row = std::span(scores).subspan(3 * i, 3);
      const double said = model.classes[Decision(model).class_of(of_row)];
      wrong += said != split.held_out.label(i) ? 1 : 0;
    }
    EXPECT_NEAR(result.points[2].scores[0], wrong / 50, 0.021) << name_of(strategy);
    EXPECT_LE(result.points[2].gap, 1e-5);
    const CrossValidation found = cross_validate(data, single, 3);
    double right = 0;
    for (std::size_t i = 0; i < data.rows(); ++i)
      right += found.predicted[i] == data.label(i) ? 1 : 0;
    EXPECT_NEAR(found.accuracy, right / 150, 1e-12);
    EXPECT_GT(found.accuracy, 0.5);
  }
}

TEST(Tune, ScaledModelsOfManyClassesAreProvenAndKept) {
  const Dataset data = three_classes();
  for (const Strategy strategy : {Strategy::one_against_rest, Strategy::joint}) {
    TrainOptions options;
    options.strategy = strategy;
    options.scaling = ScalingKind::min_max;
    const MulticlassModel model = trained_classes(data, options).model;
    EXPECT_EQ(verify(model, data).finding(), Finding::holds) << name_of(strategy);
    const auto by_hand = apply(*model.scaling, data);
    MulticlassModel of_scaled = model;
    of_scaled.scaling.reset();
    EXPECT_EQ(decisions(model, data), decisions(of_scaled, by_hand));
  }
}

}  // namespace
}  // namespace pegasos
