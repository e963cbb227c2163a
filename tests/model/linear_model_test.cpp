// What a model answers, what it refuses to be, and the fingerprint of data.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "pegasos/error.h"
#include "pegasos/model.h"
#include "pegasos/read.h"
#include "support/models.h"
#include "support/trained.h"

namespace pegasos {
namespace {

using testing::plain_model;
using testing::predicted;

Dataset from_text(const std::string& text, bool keep_sparse = true) {
  return read_dataset_from_memory(text, "memory", {.keep_sparse = keep_sparse}).data;
}

TEST(LinearModel, DecisionIsTheProductAndTheBias) {
  LinearModel model = plain_model({1.0, -2.0, 0.5});
  model.b = 0.25;
  const Dataset sparse = from_text("1 1:3 3:4\n-1 2:1\n1\n");
  EXPECT_EQ(model.decision(sparse.row(0)), 5.25);
  EXPECT_EQ(model.decision(sparse.row(1)), -1.75);
  EXPECT_EQ(model.decision(sparse.row(2)), 0.25);
  const Dataset dense = from_text("1 1:3 2:1 3:4\n-1 1:1 2:1 3:1\n", false);
  ASSERT_TRUE(dense.is_dense());
  EXPECT_EQ(model.decision(dense.row(0)), 3.25);
}

// Rows of a dense matrix are gone through several at a time, which changes no bit of any.
TEST(LinearModel, DecisionsOfManyRowsAreThoseOfEach) {
  for (const std::size_t rows : {1u, 7u, 8u, 9u, 300u, 1037u}) {
    std::string text;
    for (std::size_t i = 0; i < rows; ++i) {
      text += "1 1:" + std::to_string(0.1 * static_cast<double>(i + 1)) +
              " 2:" + std::to_string(std::sin(static_cast<double>(i))) + " 3:1e-3\n";
    }
    LinearModel model = plain_model({1.0 / 3, -2.1, 0.7});
    model.b = 0.1;
    const Dataset dense = from_text(text, false);
    ASSERT_TRUE(dense.is_dense());
    for (const Dataset& data : {dense, from_text(text)}) {
      const auto all = decisions(model, data, 2);
      ASSERT_EQ(all.size(), rows);
      for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(all[i], model.decision(data.row(i)));
    }
  }
}

TEST(LinearModel, PositiveOnlyAboveZero) {
  LinearModel model = plain_model({1.0});
  model.labels = {7, 3};
  EXPECT_EQ(predicted(model, 1e-300), "7");
  EXPECT_EQ(predicted(model, 0.0), "3");
  EXPECT_EQ(predicted(model, -1.0), "3");
  EXPECT_EQ(predicted(model, std::nan("")), "3");
}

TEST(LinearModel, RegressionAnswersWithTheDecision) {
  LinearModel model = plain_model({1.0});
  model.labels.reset();
  model.loss.loss = Loss::huber;
  EXPECT_EQ(predicted(model, -2.5), "-2.5");
}

TEST(LinearModel, LabelsAsText) {
  LinearModel model = plain_model({1.0});
  EXPECT_EQ(model.label_text(1.0), "1");
  EXPECT_EQ(model.label_text(-1.0), "-1");
  EXPECT_EQ(model.label_text(0.1), "0.1");
  model.labels->negative.reset();
  model.labels->positive = 4;
  EXPECT_EQ(predicted(model, -1.0), "not 4");

  Schema words = *model.schema;
  words.label_words = {"ham", "spam"};
  model.schema = std::make_shared<const Schema>(words);
  model.labels->positive = 1;
  EXPECT_EQ(model.label_text(0), "ham");
  EXPECT_EQ(predicted(model, 1.0), "spam");
  EXPECT_EQ(predicted(model, -1.0), "not spam");
}

TEST(LinearModel, RelativeGapNeedsAPositiveDual) {
  Certificate certificate = {.primal = 1.25};
  EXPECT_EQ(certificate.share(), std::nullopt);
  certificate.dual = 0.0;
  EXPECT_EQ(certificate.share(), std::nullopt);
  certificate.dual = -1.0;
  EXPECT_EQ(certificate.share(), std::nullopt);
  certificate.dual = 1.0;
  EXPECT_DOUBLE_EQ(certificate.relative_gap(), 0.25);
}

TEST(LinearModel, ValidateNamesTheField) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::pair<const char*, std::function<void(LinearModel&)>> breakages[] = {
      {"schema", [](LinearModel& m) { m.schema = nullptr; }},
      {"w", [](LinearModel& m) { m.w.push_back(0); }},
      {"w", [&](LinearModel& m) { m.w[1] = nan; }},
      {"w", [&](LinearModel& m) { m.w[0] = -infinity; }},
      {"b", [&](LinearModel& m) { m.b = nan; }},
      {"b", [](LinearModel& m) { m.bias = Bias::none; }},
      {"epsilon", [](LinearModel& m) { m.loss.epsilon = -1; }},
      {"delta", [](LinearModel& m) { m.loss.delta = 0; }},
      {"lambda", [](LinearModel& m) { m.lambda = 0; }},
      {"lambda", [](LinearModel& m) { m.lambda = -1; }},
      {"lambda", [&](LinearModel& m) { m.lambda = nan; }},
      {"lambda", [&](LinearModel& m) { m.lambda = infinity; }},
      {"bias_feature", [](LinearModel& m) { m.bias_feature = 0; }},
      {"bias_feature", [&](LinearModel& m) { m.bias_feature = nan; }},
      {"positive_label", [&](LinearModel& m) { m.labels->positive = nan; }},
      {"negative_label", [&](LinearModel& m) { m.labels->negative = infinity; }},
      {"negative_label", [](LinearModel& m) { m.labels->negative = m.labels->positive; }},
      {"loss", [](LinearModel& m) { m.labels.reset(); }},
      {"primal", [&](LinearModel& m) { m.certificate->primal = infinity; }},
      {"regulariser", [](LinearModel& m) { m.certificate->regulariser = -1; }},
      {"mean_loss", [&](LinearModel& m) { m.certificate->mean_loss = nan; }},
      {"dual", [&](LinearModel& m) { m.certificate->dual = nan; }},
      {"wrong", [](LinearModel& m) { m.certificate->wrong = m.record.rows + 1; }},
      {"positive_label",
       [](LinearModel& m) {
         Schema words = *m.schema;
         words.label_words = {"ham", "spam"};
         m.schema = std::make_shared<const Schema>(words);
         m.labels->positive = 2;
       }},
      {"negative_label",
       [](LinearModel& m) {
         Schema words = *m.schema;
         words.label_words = {"ham", "spam"};
         m.schema = std::make_shared<const Schema>(words);
         m.labels = {1, 0.5};
       }},
      {"loss", [](LinearModel& m) {
         m.calibrations.clear();
         m.loss.loss = Loss::huber;
       }}};
  EXPECT_NO_THROW(testing::full_model().validate());
  for (const auto& [field, breakage] : breakages) {
    LinearModel model = testing::full_model();
    breakage(model);
    try {
      model.validate();
      ADD_FAILURE() << field << " was accepted";
    } catch (const InvalidOption& problem) {
      EXPECT_EQ(problem.field(), field) << problem.what();
    }
  }
}

TEST(LinearModel, EqualityLooksAtWhatMeansSomething) {
  const LinearModel model = testing::full_model();
  LinearModel other = testing::full_model();
  EXPECT_NE(model.schema, other.schema);
  EXPECT_EQ(model, other);
  other.labels->negative = 17;
  EXPECT_FALSE(model == other);
  other = model;
  other.record.seed += 1;
  EXPECT_FALSE(model == other);
  other = model;
  Schema schema = *model.schema;
  schema.feature_names = {"a", "b", "c"};
  other.schema = std::make_shared<const Schema>(schema);
  EXPECT_FALSE(model == other);
}

TEST(Fingerprint, IsTheSameForTheSameDataInAnyForm) {
  const std::string text = "1 1:3 2:1 3:4\n-1 1:1 3:2.5\n1 1:-1 2:1 3:1\n";
  const auto expected = fingerprint(from_text(text));
  EXPECT_EQ(fingerprint(from_text(text, false)), expected) << "dense";
  EXPECT_EQ(fingerprint(from_text("+1 1:3 2:1.0 3:4 # c\n-1 1:1 2:0 3:25e-1\n1 3:1 2:1 1:-1")),
            expected);
  EXPECT_EQ(fingerprint(from_text("1 0:3 1:1 2:4\n-1 0:1 2:2.5\n1 0:-1 1:1 2:1\n")), expected)
      << "counted from 0";
  EXPECT_EQ(fingerprint(from_text("9 1:1\n" + text).slice(1, 3)), expected) << "a slice";
}

TEST(Fingerprint, DiffersWhereDataDiffers) {
  std::set<std::uint64_t> seen;
  const std::string texts[] = {"1 1:1\n-1 2:1\n", "1 1:1\n-1 2:2\n",    "1 1:1\n-1 3:1\n",
                               "-1 1:1\n1 2:1\n", "-1 2:1\n1 1:1\n",    "1 1:1 2:1\n-1\n",
                               "1\n-1 1:1 2:1\n", "1 1:1\n-1 2:1\n1\n", "a 1:1\nb 2:1\n",
                               "a 1:1\nc 2:1\n",  "1 1:1\n 2:1\n",      "ab 1:1\nb 2:1\n"};
  for (const auto& text : texts) {
    EXPECT_TRUE(seen.insert(fingerprint(from_text(text))).second) << text;
  }
  DatasetParts parts;
  const std::uint64_t offsets[] = {0, 1, 2};
  const FeatureId ids[] = {0, 1};
  const float values[] = {1, 1};
  const double labels[] = {1, -1};
  const double weights[] = {1, 2};
  parts.rows = parts.features = 2;
  parts.sparse = SparseMatrix{offsets, ids, values};
  parts.labels = labels;
  EXPECT_TRUE(seen.contains(fingerprint(Dataset::from_parts(parts))));
  parts.weights = weights;
  EXPECT_TRUE(seen.insert(fingerprint(Dataset::from_parts(parts))).second);
}

TEST(Fingerprint, DoesNotDependOnThreads) {
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    text +=
        (i % 3 == 0 ? "1 " : "-1 ") + std::to_string(1 + i % 97) + ":" + std::to_string(i) + "\n";
  }
  const Dataset data = from_text(text);
  const auto expected = fingerprint(data, 1);
  for (const int threads : {0, 2, 3, 8}) EXPECT_EQ(fingerprint(data, threads), expected);
  EXPECT_NE(fingerprint(data.slice(0, 19999)), expected);
  EXPECT_THROW(fingerprint(data, -1), InvalidOption);
}

TEST(Fingerprint, OfNothing) {
  EXPECT_EQ(fingerprint(Dataset()), fingerprint(Dataset()));
}

}  // namespace
}  // namespace pegasos
