// Online learning: the textbook's steps row by row, the same model however the rows are cut into
// calls, and a refusal of everything that cannot go on.
#include "pegasos/online.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::size_t kFeatures = 3;

// Rows around one centre for each class.
struct Stream {
  std::vector<float> values;
  std::vector<double> labels;
  std::vector<double> weights;

  explicit Stream(std::size_t rows, std::size_t classes = 2) {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t of = i % classes;
      for (std::size_t j = 0; j < kFeatures; ++j) {
        const double noise = std::sin(static_cast<double>(7 * i + 3 * j));
        values.push_back(static_cast<float>((j == of ? 2.0 : 0.0) + noise));
      }
      labels.push_back(static_cast<double>(of));
      weights.push_back(1.0 + static_cast<double>(i % 3));
    }
  }

  Dataset rows() const {
    DatasetParts parts;
    parts.rows = labels.size();
    parts.features = kFeatures;
    parts.dense = DenseMatrix{values, kFeatures};
    parts.labels = labels;
    parts.weights = weights;
    return Dataset::from_parts(parts);
  }
};

OnlineOptions options_for(std::size_t classes) {
  OnlineOptions options;
  for (std::size_t k = 0; k < classes; ++k) options.classes.push_back(static_cast<double>(k));
  options.lambda = 0.01;
  return options;
}

TEST(Online, TakesTheStepsOfThePaper) {
  const Stream stream(50);
  const OnlineOptions options = options_for(2);
  const auto result = learn_online(stream.rows(), options);
  // w <- (1 - 1/t) w + s y x/(lambda t) where y <w, x> < 1; the constant feature is the last.
  std::vector<double> w(kFeatures + 1, 0.0);
  for (std::size_t i = 0; i < stream.labels.size(); ++i) {
    const double t = static_cast<double>(i) + 1.0;
    const double y = stream.labels[i] == 1.0 ? 1.0 : -1.0;
    double z = w[kFeatures];
    for (std::size_t j = 0; j < kFeatures; ++j) z += w[j] * stream.values[i * kFeatures + j];
    const double step = y * z < 1.0 ? stream.weights[i] * y / (options.lambda * t) : 0.0;
    for (std::size_t j = 0; j <= kFeatures; ++j) {
      const double x = j < kFeatures ? stream.values[i * kFeatures + j] : 1.0;
      w[j] = (1.0 - 1.0 / t) * w[j] + step * x;
    }
  }
  const auto& model = std::get<LinearModel>(result.model);
  for (std::size_t j = 0; j < kFeatures; ++j) EXPECT_NEAR(model.w[j], w[j], 1e-9);
  EXPECT_NEAR(model.b, w[kFeatures], 1e-9);
  EXPECT_EQ(result.counted, 50.0);
  EXPECT_EQ(model.record.steps, 50U);
  EXPECT_FALSE(model.certificate);
  EXPECT_NO_THROW(model.validate());
}

TEST(Online, HowRowsAreCutIntoCallsChangesNothing) {
  for (const std::size_t classes : {2U, 3U}) {
    for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised}) {
      const Stream stream(60, classes);
      OnlineOptions options = options_for(classes);
      options.bias = bias;
      const auto whole = learn_online(stream.rows(), options);
      OnlineResult parts;
      for (std::size_t begin = 0; begin < 60; begin += 20) {
        const auto from =
            begin == 0 ? nullptr : std::make_shared<const Model>(std::move(parts.model));
        parts = learn_online(stream.rows().slice(begin, 20), options, from, parts.counted);
      }
      const auto expected = decisions(whole.model, stream.rows(), 1);
      const auto found = decisions(parts.model, stream.rows(), 1);
      ASSERT_EQ(expected.size(), found.size());
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-7);
    }
  }
}

TEST(Online, HasTheFingerprintOfAllRows) {
  const Stream stream(60, 3);
  OnlineLearner learner(stream.rows().shared_schema(), options_for(3));
  for (const auto& [begin, count] : {std::pair(0U, 17U), {17U, 1U}, {18U, 42U}}) {
    learner.learn(stream.rows().slice(begin, count));
  }
  EXPECT_EQ(base_of(learner.model()).record.data_fingerprint, fingerprint(stream.rows()));
}

TEST(Online, SquaredLossesDoNotDiverge) {
  const Stream stream(300);
  OnlineOptions options = options_for(2);
  options.loss.loss = Loss::squared_hinge;
  const auto result = learn_online(stream.rows(), options);
  for (const double w : std::get<LinearModel>(result.model).w) EXPECT_LT(std::abs(w), 100.0);
}

TEST(Online, LearnsNumbers) {
  Stream stream(3000);
  for (std::size_t i = 0; i < stream.labels.size(); ++i) {
    stream.labels[i] = 3.0 * stream.values[i * kFeatures];
    stream.weights[i] = 1.0;
  }
  OnlineOptions options;
  options.loss.loss = Loss::huber;
  options.lambda = 1e-3;
  const auto result = learn_online(stream.rows(), options);
  EXPECT_NEAR(std::get<LinearModel>(result.model).w[0], 3.0, 0.5);
}

TEST(Online, RefusesWhatCannotGoOn) {
  const Stream stream(10);
  const auto result = learn_online(stream.rows(), options_for(2));
  const auto model = std::make_shared<const Model>(result.model);
  EXPECT_THROW(learn_online(stream.rows(), options_for(3), model, 10.0), InvalidOption);
  EXPECT_THROW(learn_online(Stream(9, 3).rows(), options_for(2)), InvalidOption);
  OnlineOptions options = options_for(2);
  options.loss.loss = Loss::huber;
  EXPECT_THROW(learn_online(stream.rows(), options), InvalidOption);
  options = options_for(2);
  options.lambda = 0.0;
  EXPECT_THROW(learn_online(stream.rows(), options), InvalidOption);
  options = options_for(2);
  options.bias = Bias::exact;
  EXPECT_THROW(learn_online(stream.rows(), options), InvalidOption);
}

}  // namespace
}  // namespace pegasos
