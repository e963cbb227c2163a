// Models of scaled rows: what they predict, what they prove, and what becomes of them in files.
#include <gtest/gtest.h>

#include <cmath>

#include "pegasos/error.h"
#include "pegasos/generate.h"
#include "pegasos/model.h"
#include "pegasos/train.h"
#include "pegasos/verify.h"
#include "support/small_problem.h"
#include "support/temporary_folder.h"
#include "support/trained.h"

namespace pegasos {
namespace {

using testing::predicted;
using testing::trained_classes;
using testing::trained_kernel;
using testing::trained_linear;

constexpr ScalingKind kKinds[] = {ScalingKind::max_abs, ScalingKind::standard, ScalingKind::min_max,
                                  ScalingKind::unit_row};

// Features of sizes from 1 to 1000, and labels that do not mind.
Dataset uneven_rows(const testing::SmallProblem& problem) {
  return problem.linear().data;
}

testing::SmallProblem uneven(bool dense) {
  auto problem = testing::make_problem(
      {.rows = 60, .features = 4, .density = dense ? 1.0 : 0.6, .dense = dense});
  for (auto& row : problem.x) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (row[j] != 0.0F) row[j] *= static_cast<float>(std::pow(10.0, j));
    }
  }
  return problem;
}

Dataset labelled(const testing::SmallProblem& problem) {
  DatasetParts parts = uneven_rows(problem).parts();
  parts.labels = problem.y;
  return Dataset::from_parts(std::move(parts));
}

TEST(ScaledTraining, IsTrainingOnScaledRows) {
  for (const bool dense : {false, true}) {
    const auto problem = uneven(dense);
    const Dataset data = labelled(problem);
    for (const ScalingKind kind : kKinds) {
      TrainOptions options = {.lambda = 0.01, .solver = {.tolerance = 1e-6}};
      const Scaling scaling = fit_scaling(data, kind);
      const LinearModel by_hand = trained_linear(apply(scaling, data), options).model;
      options.scaling = kind;
      const LinearModel model = trained_linear(data, options).model;
      EXPECT_EQ(model.w, by_hand.w) << name_of(kind);
      ASSERT_TRUE(model.scaling);
      EXPECT_EQ(*model.scaling, scaling);
      EXPECT_EQ(model.record.data_fingerprint, fingerprint(data));
      const auto expected = decisions(by_hand, apply(scaling, data));
      const auto scores = decisions(model, data);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        EXPECT_NEAR(scores[i], expected[i], 1e-5) << name_of(kind);
        EXPECT_NEAR(model.decision(data.row(i)), scores[i], 1e-12);
      }
      EXPECT_EQ(verify(model, data).finding, Finding::holds) << name_of(kind);
    }
  }
}

TEST(ScaledTraining, GoesThroughFiles) {
  const testing::TemporaryFolder folder;
  const auto problem = uneven(true);
  const Dataset data = labelled(problem);
  for (const ScalingKind kind : kKinds) {
    const LinearModel model = trained_linear(data, {.lambda = 0.01, .scaling = kind}).model;
    save_model(model, folder.path("m"));
    EXPECT_EQ(std::get<LinearModel>(load_model(folder.path("m"))), model) << name_of(kind);
    if (kind == ScalingKind::unit_row) {
      EXPECT_THROW(save_liblinear(model, folder.path("l")), Error);
      continue;
    }
    save_liblinear(model, folder.path("l"));
    const auto plain = std::get<LinearModel>(load_liblinear(folder.path("l")));
    const auto expected = decisions(model, data);
    const auto scores = decisions(plain, data);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      EXPECT_NEAR(std::abs(scores[i]), std::abs(expected[i]), 1e-12 * (1 + std::abs(expected[i])));
    }
  }
}

TEST(ScaledTraining, OfKernelMachines) {
  const testing::TemporaryFolder folder;
  for (const bool dense : {false, true}) {
    const auto problem = uneven(dense);
    const Dataset data = labelled(problem);
    for (const ScalingKind kind : kKinds) {
      TrainOptions options;
      options.lambda = 0.01;
      options.scaling = kind;
      options.kernel = KernelOptions{.kind = KernelKind::rbf, .gamma = 0.5};
      const KernelModel model = trained_kernel(data, options).model;
      EXPECT_EQ(verify(model, data).finding, Finding::holds) << name_of(kind);
      const Scaling scaling = fit_scaling(data, kind);
      options.scaling.reset();
      const KernelModel by_hand = trained_kernel(apply(scaling, data), options).model;
      const auto expected = decisions(by_hand, apply(scaling, data));
      const auto scores = decisions(model, data);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        EXPECT_NEAR(scores[i], expected[i], 1e-12) << name_of(kind);
        EXPECT_NEAR(model.decision(data.row(i)), scores[i], 1e-6);
      }
      save_model(model, folder.path("m"));
      EXPECT_EQ(std::get<KernelModel>(load_model(folder.path("m"))), model);
      EXPECT_THROW(save_libsvm(model, folder.path("l")), Error);
    }
  }
}

TEST(ScaledTraining, BeginsFromAModelOfAnyScaling) {
  const auto problem = uneven(true);
  const Dataset data = labelled(problem);
  TrainOptions options = {
      .lambda = 0.01, .solver = {.tolerance = 1e-8}, .scaling = ScalingKind::standard};
  LinearModel model = trained_linear(data, options).model;
  const double objective = model.certificate->primal;
  // Weights alone: a start that were in the wrong units would have a larger objective.
  options.start = std::make_shared<const Model>(model);
  double first = 0;
  Watch watch;
  watch.event = [&](const TrainingEvent& event) { first = event.report.primal.objective(); };
  watch.stop = [&] { return first > 0; };
  trained_linear(data, options, watch);
  EXPECT_NEAR(first, objective, 1e-9 * objective);
}

}  // namespace
}  // namespace pegasos
