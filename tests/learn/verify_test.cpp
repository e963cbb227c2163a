// Claims of models: true ones are proven anew, with the kept duals and without; false ones are not.
#include "pegasos/verify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "pegasos/error.h"
#include "pegasos/read.h"
#include "pegasos/train.h"
#include "support/trained.h"

namespace pegasos {
namespace {

using testing::predicted;
using testing::trained_classes;
using testing::trained_kernel;
using testing::trained_linear;

// 60 rows of a table: a label of three kinds, or a number, two columns of numbers and a weight.
Dataset table(const std::string& label) {
  std::string text = "y,w,a,b\n";
  for (int i = 0; i < 60; ++i) {
    const double a = std::sin(1.7 * i);
    const double b = std::cos(0.9 * i * i);
    const double score = a - 0.5 * b + 0.3 + 0.4 * std::sin(31.0 * i);
    std::string y = std::to_string(score);
    if (label == "class") y = score > 0 ? "yes" : "no";
    if (label == "kind") y = score > 0.7 ? "high" : score > 0 ? "middle" : "low";
    text += y + "," + std::to_string(i % 7 == 0 ? 0.0 : 0.5 + i % 3) + "," + std::to_string(a) +
            "," + std::to_string(b) + "\n";
  }
  ReadOptions options;
  options.label_column = "y";
  options.weight_column = "w";
  return read_dataset_from_memory(text, "memory", options).data;
}

TrainOptions options_for(Loss loss, Bias bias, Solver solver, double tolerance) {
  TrainOptions options;
  options.loss = loss;
  options.lambda = 0.02;
  options.bias = bias;
  options.bias_feature = 0.7;
  options.threads = 1;
  options.solver.kind = solver;
  options.solver.tolerance = tolerance;
  if (!is_classification(loss)) options.task = Task::regression;
  return options;
}

LinearModel trained(const Dataset& data, const TrainOptions& options, bool keep_duals) {
  auto result = trained_linear(data, options);
  if (keep_duals) result.model.duals = std::move(result.duals);
  return std::move(result.model);
}

Finding finding(const LinearModel& model, const Dataset& data) {
  return verify(model, data, {.threads = 1}).finding;
}

TEST(Verify, WhatTrainingClaimsHolds) {
  const Dataset classes = table("class");
  const Dataset numbers = table("number");
  for (const auto& name : loss_names()) {
    const Loss loss = *loss_of_name(name);
    const Dataset& data = is_classification(loss) ? classes : numbers;
    for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised, Bias::exact}) {
      for (const Solver solver : {Solver::pegasos, Solver::sdca, Solver::newton}) {
        for (const double tolerance : {1e-1, 1e-3, 1e-6}) {
          for (const bool keep : {true, false}) {
            SCOPED_TRACE(name + " " + name_of(bias) + " " + name_of(solver) + " " +
                         std::to_string(tolerance) + (keep ? " kept" : ""));
            const LinearModel model =
                trained(data, options_for(loss, bias, solver, tolerance), keep);
            const Verification found = verify(model, data, {.threads = 1});
            EXPECT_EQ(found.finding, Finding::holds);
            EXPECT_TRUE(found.same_data);
            EXPECT_EQ(found.duals_kept, keep);
            EXPECT_FALSE(found.refuted());
            if (const auto claimed = model.certificate->share()) {
              const double P = model.certificate->primal;
              EXPECT_GE(*found.dual, P / (1 + *claimed) - 2 * kRoundingAllowance * P);
            }
            EXPECT_EQ(found.primal.wrong, model.certificate->wrong.value_or(0));
          }
        }
      }
    }
  }
}

TEST(Verify, OneLabelAgainstTheRest) {
  const Dataset data = table("kind");
  TrainOptions options = options_for(Loss::hinge, Bias::regularised, Solver::automatic, 1e-4);
  options.positive_label = "middle";
  for (const bool keep : {true, false}) {
    EXPECT_EQ(finding(trained(data, options, keep), data), Finding::holds);
  }
}

class FalseClaims : public ::testing::Test {
 protected:
  Dataset data_ = table("class");
  LinearModel plain_ =
      trained(data_, options_for(Loss::hinge, Bias::regularised, Solver::newton, 1e-4), false);
  LinearModel kept_ =
      trained(data_, options_for(Loss::hinge, Bias::regularised, Solver::newton, 1e-4), true);
};

TEST_F(FalseClaims, AnotherWeightBiasLambdaOrObjective) {
  for (LinearModel model : {plain_, kept_}) {
    model.w[0] += 1e-3;
    EXPECT_EQ(finding(model, data_), Finding::objective_differs);
  }
  LinearModel model = plain_;
  model.b += 0.01;
  EXPECT_EQ(finding(model, data_), Finding::objective_differs);
  model = plain_;
  model.lambda *= 1.001;
  EXPECT_EQ(finding(model, data_), Finding::objective_differs);
  model = plain_;
  model.certificate->primal *= 1 - 1e-8;
  const Verification found = verify(model, data_);
  EXPECT_EQ(found.finding, Finding::objective_differs);
  EXPECT_TRUE(found.refuted());
  EXPECT_TRUE(found.same_data);
  EXPECT_FALSE(found.dual);
  model.certificate->dual.reset();  // an objective alone is a claim too
  EXPECT_EQ(finding(model, data_), Finding::objective_differs);
}

TEST_F(FalseClaims, DifferencesOfRoundingAreNone) {
  for (LinearModel model : {plain_, kept_}) {
    model.certificate->primal *= 1 + 1e-11;
    *model.certificate->dual *= 1 + 1e-11;
    EXPECT_EQ(finding(model, data_), Finding::holds);
  }
}

TEST_F(FalseClaims, AChangedDual) {
  std::size_t refuted = 0;
  for (std::size_t i = 0; i < kept_.duals.size(); ++i) {
    if (data_.weights()[i] == 0) continue;
    for (const double value : {0.0, 7.0, -7.0}) {
      LinearModel model = kept_;
      model.duals[i] = value;
      const Verification found = verify(model, data_, {.threads = 1});
      // Clamped to what is feasible, a row's dual may be what it was before.
      EXPECT_LE(found.proven().dual, found.primal.objective() * (1 + 1e-12));
      if (found.finding != Finding::holds) {
        EXPECT_EQ(found.finding, Finding::duals_too_low);
        ++refuted;
      }
    }
  }
  EXPECT_GT(refuted, 60U);
}

TEST_F(FalseClaims, ABoundClaimedTooHigh) {
  // Half of the claimed gap goes; what is left may still be true of the optimum, not of the duals.
  kept_.certificate->dual = 0.5 * (kept_.certificate->primal + *kept_.certificate->dual);
  EXPECT_EQ(finding(kept_, data_), Finding::duals_too_low);
}

TEST_F(FalseClaims, AWeakModelThatClaimsMuchIsDisproven) {
  TrainOptions rough = options_for(Loss::hinge, Bias::unregularised, Solver::pegasos, 1e-9);
  rough.solver.max_epochs = 2;
  LinearModel model = trained(data_, rough, false);
  ASSERT_GT(model.certificate->relative_gap(), 1e-2);
  model.certificate->dual = model.certificate->primal / (1 + 1e-5);
  const Verification found = verify(model, data_);
  EXPECT_EQ(found.finding, Finding::disproven);
  ASSERT_TRUE(found.better);
  EXPECT_LT(*found.better, found.primal.objective() / (1 + 1e-5));
}

TEST_F(FalseClaims, OtherRowsAndOtherLabels) {
  const Dataset others = table("kind");
  LinearModel model = kept_;
  model.labels = {0, 1};
  EXPECT_EQ(finding(model, data_), Finding::objective_differs);
  const Verification found = verify(kept_, others);
  EXPECT_FALSE(found.same_data);
  EXPECT_TRUE(found.refuted());
}

TEST_F(FalseClaims, DualsOfAnotherNumberOfRowsAreNotUsed) {
  kept_.duals.push_back(0.0);
  kept_.record.rows += 1;
  const Verification found = verify(kept_, data_);
  EXPECT_EQ(found.finding, Finding::holds);
  EXPECT_FALSE(found.duals_kept);
  EXPECT_FALSE(found.same_data);
}

TEST_F(FalseClaims, WithoutAClaimWhatCanBeProvenIsReported) {
  for (LinearModel model : {plain_, kept_}) {
    model.certificate.reset();
    const Verification found = verify(model, data_, {.tolerance = 1e-3});
    EXPECT_EQ(found.finding, Finding::no_claim);
    EXPECT_FALSE(found.refuted());
    EXPECT_LE(found.proven().relative_gap(), 1.1e-3);
  }
}

TEST_F(FalseClaims, AnInterruptedSearchProvesNothingItDidNotFind) {
  Watch at_once;
  at_once.stop = [] { return true; };
  plain_.certificate->dual = plain_.certificate->primal;
  const Verification found = verify(plain_, data_, {}, at_once);
  EXPECT_TRUE(found.interrupted);
  EXPECT_EQ(found.finding, Finding::not_found);
  EXPECT_LE(found.proven().dual, found.primal.objective());
}

TEST_F(FalseClaims, TheSearchEndsAsSoonAsItIsDecided) {
  for (const double share : {1e-6, 1e-2, 0.3}) {
    TrainOptions rough = options_for(Loss::hinge, Bias::none, Solver::pegasos, 0.0);
    rough.solver.max_epochs = 2;
    LinearModel model = trained(data_, rough, false);
    const double P = model.certificate->primal;
    model.certificate->dual = P / (1 + share);
    int decided = 0;
    Watch watch;
    watch.event = [&](const TrainingEvent& event) {
      const TrainingReport& report = event.report;
      EXPECT_EQ(decided, 0);
      const double wanted = P / (1 + share) - kRoundingAllowance * P;
      decided += report.dual >= wanted || report.primal.objective() < wanted ? 1 : 0;
    };
    verify(model, data_, {}, watch);
    EXPECT_EQ(decided, 1) << share;
  }
}

TEST_F(FalseClaims, TheBoundDoesNotDependOnThreads) {
  const Verification one = verify(plain_, data_, {.threads = 1});
  const Verification four = verify(plain_, data_, {.threads = 4});
  EXPECT_EQ(one.dual, four.dual);
  EXPECT_EQ(one.primal.objective(), four.primal.objective());
}

TEST_F(FalseClaims, WhatCannotBeVerifiedIsRefused) {
  const auto refusal = [](const LinearModel& model, const Dataset& data,
                          const VerifyOptions& options) -> std::string {
    try {
      verify(model, data, options);
    } catch (const InvalidOption& error) {
      return error.field();
    }
    return "";
  };
  EXPECT_EQ(refusal(plain_, data_, {.tolerance = -1}), "tolerance");
  EXPECT_EQ(refusal(plain_, data_, {.tolerance = std::nan("")}), "tolerance");
  EXPECT_EQ(refusal(plain_, data_, {.max_epochs = 0}), "max_epochs");
  EXPECT_EQ(refusal(plain_, data_, {.threads = -1}), "threads");
  EXPECT_EQ(refusal(plain_, read_dataset_from_memory(std::string("1 9:1\n"), "memory").data, {}),
            "data");
  LinearModel model = plain_;
  model.lambda = 0;
  model.record.rows = 0;
  model.certificate.reset();
  EXPECT_EQ(refusal(model, data_, {}), "lambda");
}

}  // namespace
}  // namespace pegasos
