// Calibration against scikit-learn 1.2.1 and scipy, and on data whose probabilities are known.
#include "pegasos/calibrate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/random.h"
#include "eval/flags.h"
#include "pegasos/error.h"
#include "pegasos/metrics.h"
#include "support/trained.h"

namespace pegasos {
namespace {

using testing::predicted;
using testing::trained_classes;
using testing::trained_kernel;
using testing::trained_linear;

using testing::Flags;

const Flags kPositive({1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0});
const std::vector<double> kScores = {3.6,  0.9, 0.2, -3.7, -0.6, -0.7, -0.2, -1.3, -0.1, -1,
                                     -2.6, 1.8, 1.8, 3.4,  0.1,  -0.8, -1.1, -3.1, 2,    -2.2};
const std::vector<double> kWeights = {1, 1, 1, 1, 1, 1, 3, 3, 1, 2, 2, 3, 1, 2, 2, 1, 2, 1, 3, 3};

TEST(FitPlatt, FindsTheOptimumThatScipyFinds) {
  const Calibration plain = fit_platt(kPositive.view(), kScores);
  EXPECT_NEAR(plain.a, -1.0372445811, 1e-5);
  EXPECT_NEAR(plain.b, 0.0548910594, 1e-5);
  const Calibration weighted = fit_platt(kPositive.view(), kScores, kWeights);
  EXPECT_NEAR(weighted.a, -1.3838988661, 1e-5);
  EXPECT_NEAR(weighted.b, -0.0310233891, 1e-5);
}

TEST(FitPlatt, TheSizeOfScoresDoesNotMatter) {
  for (const double unit : {1e-200, 1e-9, 1e12, 1e200}) {
    std::vector<double> scores = kScores;
    for (double& score : scores) score *= unit;
    const Calibration fit = fit_platt(kPositive.view(), scores);
    EXPECT_NEAR(fit.a * unit, -1.0372445811, 1e-5) << unit;
    EXPECT_NEAR(fit.b, 0.0548910594, 1e-5) << unit;
  }
}

// Rows that a threshold separates: Platt's smoothed targets keep the sigmoid finite.
TEST(FitPlatt, SeparatedRowsStayBelowCertainty) {
  const Flags positive({0, 0, 0, 1, 1, 1});
  const Calibration fit = fit_platt(positive.view(), std::vector<double>{-3, -2, -1, 1, 2, 3});
  fit.validate();
  EXPECT_LT(fit.a, 0);
  EXPECT_GT(fit.probability(3), 0.7);
  EXPECT_LT(fit.probability(1000), 1.0 + 1e-15);
  EXPECT_GT(fit.probability(-3), 0.0);
}

TEST(FitPlatt, ScoresTheWrongWayRoundSayNothing) {
  const Flags positive({1, 1, 1, 0});
  const Calibration fit = fit_platt(positive.view(), std::vector<double>{-3, -2, -1, 1});
  EXPECT_EQ(fit.a, 0);
  EXPECT_DOUBLE_EQ(fit.probability(5), 4.0 / 6);  // (3 + 1)/(4 + 2)
  EXPECT_THROW(fit_platt(Flags({1, 1}).view(), std::vector<double>{1, 2}), InvalidOption);
}

TEST(FitIsotonic, AsScikitLearn) {
  const std::vector<double> places = {-9, -3, -1.5, -0.35, 0, 0.4, 1, 2.2, 7};
  const std::vector<double> plain = {0, 0, 0, 0.4, 0.4, 1, 1, 1, 1};
  const std::vector<double> weighted = {0, 0, 0, 0.5, 0.5, 1, 1, 1, 1};
  const Calibration a = fit_isotonic(kPositive.view(), kScores);
  const Calibration b = fit_isotonic(kPositive.view(), kScores, kWeights);
  a.validate();
  b.validate();
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NEAR(a.probability(places[i]), plain[i], 1e-15) << places[i];
    EXPECT_NEAR(b.probability(places[i]), weighted[i], 1e-15) << places[i];
  }
  // Half way between the last row of one block and the first of the next.
  EXPECT_NEAR(a.probability(-0.75), 0.2, 1e-12);
}

TEST(FitIsotonic, EqualScoresAreOneKnot) {
  const Calibration fit = fit_isotonic(Flags({0, 1, 1, 0}).view(), std::vector<double>{1, 1, 2, 0});
  EXPECT_EQ(fit.scores, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(fit.probabilities, (std::vector<double>{0, 0.5, 1}));
}

TEST(Calibration, AscendsAndRefusesWhatDoesNot) {
  const Calibration fit = fit_isotonic(kPositive.view(), kScores);
  double before = 0;
  for (double score = -5; score < 5; score += 0.01) {
    EXPECT_GE(fit.probability(score), before);
    before = fit.probability(score);
  }
  EXPECT_THROW((Calibration{.a = 0.1}.validate()), InvalidOption);
  EXPECT_THROW((Calibration{.kind = CalibrationKind::isotonic}.validate()), InvalidOption);
  EXPECT_THROW(
      (Calibration{.kind = CalibrationKind::isotonic, .scores = {1, 1}, .probabilities = {0, 1}}
           .validate()),
      InvalidOption);
  EXPECT_THROW(
      (Calibration{.kind = CalibrationKind::isotonic, .scores = {1, 2}, .probabilities = {0.5, 0.2}}
           .validate()),
      InvalidOption);
}

TEST(ClassProbabilities, SumToOne) {
  const std::vector<Calibration> three(3, Calibration{.a = -1});
  std::vector<double> p(3);
  class_probabilities(three, std::vector<double>{0, 0, std::log(3.0)}, p);
  EXPECT_NEAR(p[0], 0.5 / 1.75, 1e-15);
  EXPECT_NEAR(p[2], 0.75 / 1.75, 1e-15);
  const std::vector<Calibration> none(
      2, Calibration{.kind = CalibrationKind::isotonic, .scores = {0}, .probabilities = {0}});
  p.resize(2);
  class_probabilities(none, std::vector<double>{5, 1}, p);
  EXPECT_EQ(p, (std::vector<double>{0.5, 0.5}));
}

struct Owned {
  std::vector<float> values;
  std::vector<double> labels;
};

// Label 1 with probability 1/(1 + exp(-2 x)), x standard normal; a second feature is noise.
Dataset logistic_rows(std::size_t rows, std::uint64_t seed) {
  Random random(seed, 0);
  const auto owned = std::make_shared<Owned>();
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = random.normal();
    owned->values.push_back(static_cast<float>(x));
    owned->values.push_back(static_cast<float>(random.normal()));
    owned->labels.push_back(random.uniform() < 1 / (1 + std::exp(-2 * x)) ? 1 : -1);
  }
  Schema schema;
  schema.indices = IndexMap::contiguous(1, 2);
  DatasetParts parts;
  parts.rows = rows;
  parts.features = 2;
  parts.dense = DenseMatrix{owned->values, 2};
  parts.labels = owned->labels;
  parts.schema = std::make_shared<const Schema>(schema);
  parts.owner = owned;
  return Dataset::from_parts(parts);
}

TEST(Calibrate, ProbabilitiesComeTrueOnNewRows) {
  const Dataset data = logistic_rows(2000, 1);
  const Dataset fresh = logistic_rows(4000, 2);
  const auto positive = std::make_unique<bool[]>(fresh.rows());
  for (std::size_t i = 0; i < fresh.rows(); ++i) positive[i] = fresh.label(i) == 1;
  TrainOptions options;
  options.threads = 1;
  for (const auto kind : {CalibrationKind::platt, CalibrationKind::isotonic}) {
    Model model = trained_linear(data, options).model;
    base_of(model).calibrations = *calibrate(model, data, options, {.kind = kind});
    const auto scores = decisions(model, fresh, 1);
    std::vector<double> probabilities;
    for (const double score : scores) {
      probabilities.push_back(base_of(model).calibrations.front().probability(score));
      // Label and probability agree.
      EXPECT_EQ(predicted(model, score), probabilities.back() > 0.5 ? "1" : "-1");
    }
    const std::span<const bool> flags(positive.get(), fresh.rows());
    EXPECT_LT(reliability(flags, probabilities).error, 0.05) << name_of(kind);
    // The scores of a hinge loss are no log odds.
    std::vector<double> raw;
    for (const double score : scores) raw.push_back(1 / (1 + std::exp(-score)));
    EXPECT_LT(brier_score(flags, probabilities), brier_score(flags, raw));
  }
}

TEST(Calibrate, KernelMachinesToo) {
  const Dataset data = logistic_rows(200, 3);
  TrainOptions options;
  options.threads = 1;
  options.kernel = KernelOptions{};
  const Model model = trained_kernel(data, options).model;
  const auto found = calibrate(model, data, options, {});
  ASSERT_EQ(found->size(), 1U);
  EXPECT_LT(found->front().a, 0);
}

// Three classes around three corners.
Dataset three_classes(std::size_t rows) {
  Random random(9, 0);
  const auto owned = std::make_shared<Owned>();
  for (std::size_t i = 0; i < rows; ++i) {
    const auto label = static_cast<double>(i % 3);
    owned->values.push_back(static_cast<float>((label == 1 ? 2 : 0) + random.normal()));
    owned->values.push_back(static_cast<float>((label == 2 ? 2 : 0) + random.normal()));
    owned->labels.push_back(label);
  }
  Schema schema;
  schema.indices = IndexMap::contiguous(1, 2);
  DatasetParts parts;
  parts.rows = rows;
  parts.features = 2;
  parts.dense = DenseMatrix{owned->values, 2};
  parts.labels = owned->labels;
  parts.schema = std::make_shared<const Schema>(schema);
  parts.owner = owned;
  return Dataset::from_parts(parts);
}

TEST(Calibrate, ManyClassesChooseTheLikeliest) {
  const Dataset data = three_classes(600);
  TrainOptions options;
  options.threads = 1;
  for (const auto strategy : {Strategy::one_against_rest, Strategy::one_against_one}) {
    options.strategy = strategy;
    Model model = trained_classes(data, options).model;
    base_of(model).calibrations = *calibrate(model, data, options, {});
    const auto& many = std::get<MulticlassModel>(model);
    many.validate();
    ASSERT_EQ(many.calibrations.size(), 3U);
    const auto scores = decisions(model, data, 1);
    std::vector<double> p(3);
    double right = 0;
    for (std::size_t i = 0; i < data.rows(); ++i) {
      const auto of_row = std::span(scores).subspan(3 * i, 3);
      class_probabilities(many.calibrations, of_row, p);
      EXPECT_NEAR(p[0] + p[1] + p[2], 1.0, 1e-12);
      const std::size_t chosen = Decision(model).class_of(of_row);
      EXPECT_EQ(p[chosen], *std::max_element(p.begin(), p.end()));
      right += many.classes[chosen] == data.label(i) ? 1 : 0;
    }
    EXPECT_GT(right / 600, 0.7);
  }
}

TEST(Calibrate, StopsAndRefuses) {
  const Dataset data = logistic_rows(50, 4);
  TrainOptions options;
  const Model model = trained_linear(data, options).model;
  EXPECT_FALSE(calibrate(model, data, options, {}, {.stop = [] { return true; }}));
  EXPECT_THROW(calibrate(model, data, options, {.folds = 1}), InvalidOption);
  options.task = Task::regression;
  const Model numbers = trained_linear(data, options).model;
  EXPECT_THROW(calibrate(numbers, data, options, {}), InvalidOption);
}

}  // namespace
}  // namespace pegasos
