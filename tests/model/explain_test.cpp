// Explanations add up, or say what leaving a feature out does.
#include "pegasos/explain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "pegasos/read.h"
#include "support/models.h"

namespace pegasos {
namespace {

Dataset rows_of(const std::string& text, const ModelBase& model) {
  ReadOptions options;
  options.schema = model.schema;
  return read_dataset_from_memory(text, "rows", options).data;
}

TEST(Explain, LinearContributionsAddUp) {
  LinearModel model = testing::plain_model({2, 0, -3, 0.5});
  model.b = 0.25;
  const Dataset rows = rows_of("1 1:1 2:9 3:2 4:4\n-1\n", model);
  const auto all = explain(Model(model), rows, {.top = 2});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].additive);
  EXPECT_DOUBLE_EQ(all[0].score, 2 - 6 + 2 + 0.25);
  ASSERT_EQ(all[0].features.size(), 2U);
  EXPECT_EQ(all[0].features[0].feature, 2U);
  EXPECT_EQ(all[0].features[0].contribution, -6);
  EXPECT_EQ(all[0].features[1].feature, 0U);  // of equal size, the first feature first
  EXPECT_EQ(all[0].other_features, 1U);       // a weight of 0 is no contribution
  EXPECT_EQ(all[0].others, 2);
  EXPECT_TRUE(all[1].features.empty());
  EXPECT_EQ(all[1].score, all[1].bias);
}

TEST(Explain, ContributionsAreRelativeToTheMeanRow) {
  LinearModel model = testing::plain_model({2, 0, -3, 0.5});
  model.b = 0.25;
  model.feature_means = {0.5F, 1.0F, 0.25F, 0.0F};
  const Dataset rows = rows_of("1 1:1 4:4\n-1 1:0.5 3:0.25\n", model);
  const auto all = explain(Model(model), rows, {.top = 2});
  EXPECT_TRUE(all[0].centred);
  EXPECT_DOUBLE_EQ(all[0].base, 0.25 + 1 - 0.75);
  ASSERT_EQ(all[0].features.size(), 2U);
  EXPECT_EQ(all[0].features[0].feature, 3U);
  EXPECT_DOUBLE_EQ(all[0].features[0].contribution, 2);
  EXPECT_DOUBLE_EQ(all[0].features[1].contribution, 1);
  EXPECT_EQ(all[0].other_features, 1U);  // feature 3 is absent, and rarely so
  EXPECT_DOUBLE_EQ(all[0].others, 0.75);
  EXPECT_DOUBLE_EQ(all[0].score, all[0].base + 2 + 1 + 0.75);
  EXPECT_TRUE(all[1].features.empty());  // the mean row itself, but for features without a weight
  EXPECT_DOUBLE_EQ(all[1].score, all[1].base);
}

KernelModel small_kernel_model() {
  const LinearModel plain = testing::plain_model({0, 0});
  KernelModel model;
  static_cast<ModelBase&>(model) = plain;
  model.bias = Bias::unregularised;
  model.b = 0.5;
  model.kernel.kind = KernelKind::rbf;
  model.kernel.gamma = 0.5;
  model.support_vectors = rows_of("1 1:1\n1 2:2\n1 1:1 2:1\n", plain);
  model.coefficients = {1, -2, 0.25};
  model.support.rows = 3;
  return model;
}

TEST(Explain, SupportVectorsAddUp) {
  const KernelModel model = small_kernel_model();
  const Dataset rows = rows_of("1 1:1 2:0.5\n", model);
  const auto why = explain(Model(model), rows, {.top = 2}).front();
  ASSERT_EQ(why.vectors.size(), 2U);
  EXPECT_EQ(why.other_vectors, 1U);
  double sum = why.bias + why.vector_others;
  for (const auto& one : why.vectors) {
    EXPECT_DOUBLE_EQ(one.contribution, one.coefficient * one.kernel);
    sum += one.contribution;
  }
  EXPECT_NEAR(sum, why.score, 1e-6);
  EXPECT_GE(std::abs(why.vectors[0].contribution), std::abs(why.vectors[1].contribution));
}

TEST(Explain, LeavingOutIsWhatTheScoreLoses) {
  const KernelModel model = small_kernel_model();
  const Dataset rows = rows_of("1 1:1 2:0.5\n1 2:0.5\n1 1:1\n", model);
  const auto scores = decisions(model, rows);
  const auto why = explain(Model(model), rows).front();
  EXPECT_FALSE(why.additive);
  ASSERT_EQ(why.features.size(), 2U);
  for (const auto& one : why.features) {
    const double without = scores[one.feature == 0 ? 1 : 2];
    EXPECT_NEAR(one.contribution, scores[0] - without, 1e-6);
  }
}

}  // namespace
}  // namespace pegasos
