// Training and verifying kernel machines, and linear models of mapped rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/generate.h"
#include "pegasos/read.h"
#include "pegasos/train.h"
#include "pegasos/verify.h"
#include "pegasos/write.h"
#include "support/trained.h"

namespace pegasos {
namespace {

using testing::predicted;
using testing::trained_classes;
using testing::trained_kernel;
using testing::trained_linear;

Dataset made(GeneratedKind kind, std::uint64_t rows, std::uint64_t seed = 1) {
  GenerateOptions options;
  options.kind = kind;
  options.rows = rows;
  options.seed = seed;
  return generate(options);
}

Dataset read_rows(const std::string& text) {
  return read_dataset_from_memory(text, "memory").data;
}

TrainOptions with_kernel(KernelKind kind, double c = 1.0) {
  TrainOptions options;
  options.kernel.emplace().kind = kind;
  options.gamma_rule = GammaRule::scale;
  options.c = c;
  return options;
}

double share_wrong(const Model& model, const Dataset& data) {
  const auto scores = decisions(model, data);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) wrong += (scores[i] > 0) != (data.label(i) > 0);
  return static_cast<double>(wrong) / static_cast<double>(data.rows());
}

std::string refusal(const Dataset& data, const TrainOptions& options) {
  try {
    trained_kernel(data, options);
  } catch (const InvalidOption& error) {
    return error.field();
  }
  return "";
}

TEST(TrainKernel, SolvesWhatNoLineCan) {
  for (const auto kind : {GeneratedKind::moons, GeneratedKind::xor_squares}) {
    const Dataset data = made(kind, 500);
    const auto result = trained_kernel(data, with_kernel(KernelKind::rbf, 10));
    EXPECT_LE(share_wrong(result.model, made(kind, 500, 2)), 0.06);
    EXPECT_GE(share_wrong(trained_linear(data).model, data), 0.08);
    ASSERT_TRUE(result.model.certificate);
    EXPECT_LE(result.model.certificate->relative_gap(), 1e-3);
    EXPECT_LT(result.model.coefficients.size(), 500u);
    EXPECT_EQ(result.model.bias, Bias::none);
  }
}

TEST(TrainKernel, OnlyKernelsThatAreKnownToBePositiveAreCertified) {
  const Dataset data = made(GeneratedKind::moons, 100);
  for (const KernelKind kind :
       {KernelKind::linear, KernelKind::polynomial, KernelKind::laplacian}) {
    EXPECT_TRUE(trained_kernel(data, with_kernel(kind)).model.certificate) << name_of(kind);
  }
  const auto sigmoid = trained_kernel(data, with_kernel(KernelKind::sigmoid));
  EXPECT_FALSE(sigmoid.model.certificate);
  EXPECT_TRUE(sigmoid.duals.empty());
  EXPECT_EQ(sigmoid.model.record.solver, "pegasos");
  EXPECT_NE(sigmoid.reason, "");
  const Verification found = verify(sigmoid.model, data);
  EXPECT_EQ(found.finding, Finding::no_claim);
  EXPECT_FALSE(found.dual);
}

TEST(TrainKernel, PureAndAscendingMeetAtTheOptimum) {
  const Dataset data = made(GeneratedKind::moons, 150);
  TrainOptions options = with_kernel(KernelKind::rbf);
  options.solver.tolerance = 1e-6;
  const auto ascended = trained_kernel(data, options);
  options.solver.kind = Solver::pegasos;
  options.solver.max_epochs = 300;
  const auto pure = trained_kernel(data, options);
  EXPECT_EQ(pure.model.record.solver, "pegasos");
  const double best = ascended.model.certificate->primal;
  EXPECT_GE(pure.model.certificate->primal, best * (1 - 1e-6));
  EXPECT_LE(pure.model.certificate->primal, best * 1.05);
  EXPECT_LE(*pure.model.certificate->dual, best);
}

TEST(TrainKernel, RegressionFollowsAPolynomial) {
  for (unsigned degree = 2; degree <= 5; ++degree) {
    std::string text;
    for (int i = -40; i <= 40; ++i) {
      const double x = i / 40.0;
      const double noise = 0.02 * (((i + 40) * 7919) % 11 - 5) / 5.0;
      text += std::to_string(std::pow(x, degree) - x + noise) + " 1:" + std::to_string(x) + "\n";
    }
    TrainOptions options = with_kernel(KernelKind::polynomial, 1000);
    options.gamma_rule.reset();
    options.kernel->coef0 = 1;
    options.kernel->degree = degree;
    options.epsilon = 0.01;
    options.task = Task::regression;
    const auto model = trained_kernel(read_rows(text), options).model;
    EXPECT_FALSE(model.labels);
    for (const float x : {-0.9F, -0.4F, 0.1F, 0.7F}) {
      const double truth = std::pow(double{x}, degree) - double{x};
      EXPECT_NEAR(model.decision({.values = {&x, 1}, .dense = true}), truth, 0.05) << degree;
    }
  }
}

TEST(TrainKernel, EqualRowsBecomeOneSupportVector) {
  const Dataset data = read_rows("1 1:1\n1 1:1\n-1 1:-1\n1 1:1\n-1 1:-1 2:0.5\n-1 1:-1\n");
  const auto result = trained_kernel(data, with_kernel(KernelKind::rbf));
  EXPECT_LE(result.model.coefficients.size(), 3u);
  EXPECT_GT(result.model.support.rows, result.model.coefficients.size());
  EXPECT_EQ(verify(result.model, data).finding, Finding::holds);
  // The classes cancel in equal rows: nothing is learned and nothing is kept.
  const auto nothing = trained_kernel(read_rows("1 1:1\n-1 1:1\n"), with_kernel(KernelKind::rbf));
  EXPECT_EQ(nothing.model.coefficients.size(), 0u);
  EXPECT_EQ(decisions(nothing.model, data), std::vector<double>(6, 0.0));
}

TEST(TrainKernel, GammaFollowsTheRuleAndTheCacheChangesNothing) {
  const Dataset data = made(GeneratedKind::moons, 200);
  TrainOptions options = with_kernel(KernelKind::rbf);
  const auto scaled = trained_kernel(data, options);
  EXPECT_EQ(scaled.model.kernel.gamma, gamma_scale(data));
  options.gamma_rule = GammaRule::automatic;
  options.threads = 2;
  const auto by_features = trained_kernel(data, options);
  EXPECT_EQ(by_features.model.kernel.gamma, 0.5);
  options.cache_bytes = 1;
  options.threads = 1;
  EXPECT_EQ(trained_kernel(data, options).model, by_features.model);
}

// The matrix of a Gaussian kernel as a file, in LIBSVM's form and its rows in another order.
std::string gram_text(const Dataset& data, const KernelOptions& kernel, bool serials) {
  std::string text;
  for (std::size_t k = 0; k < data.rows(); ++k) {
    const std::size_t i = serials ? (k * 7) % data.rows() : k;
    text += data.label(i) > 0 ? "1" : "-1";
    if (serials) text += " 0:" + std::to_string(i + 1);
    for (std::size_t j = 0; j < data.rows(); ++j) {
      const auto value = static_cast<float>(kernel_value(kernel, data.row(i), data.row(j)));
      text += " " + std::to_string(j + 1) + ":" + std::to_string(value);
    }
    text += "\n";
  }
  return text;
}

TEST(TrainKernel, APrecomputedMatrixIsTheKernel) {
  const Dataset data = made(GeneratedKind::moons, 60);
  const auto direct = trained_kernel(data, with_kernel(KernelKind::rbf));
  TrainOptions options = with_kernel(KernelKind::precomputed);
  options.kernel->vouched_positive_semidefinite = true;
  for (const bool serials : {false, true}) {
    const Dataset gram = read_rows(gram_text(data, direct.model.kernel, serials));
    const auto result = trained_kernel(gram, options);
    EXPECT_NEAR(result.model.certificate->primal, direct.model.certificate->primal, 1e-3);
    EXPECT_EQ(result.model.columns.size(), result.model.coefficients.size());
    const auto scores = decisions(result.model, gram);
    const auto expected = decisions(direct.model, data);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      EXPECT_NEAR(scores[k], expected[serials ? (k * 7) % scores.size() : k], 0.02);
    }
    EXPECT_EQ(verify(result.model, gram).finding, Finding::holds);
  }
  options.kernel->vouched_positive_semidefinite = false;
  const auto unsure =
      trained_kernel(read_rows(gram_text(data, direct.model.kernel, true)), options).model;
  EXPECT_FALSE(unsure.certificate);
}

TEST(TrainKernel, RefusesByName) {
  const Dataset data = made(GeneratedKind::moons, 20);
  TrainOptions options = with_kernel(KernelKind::rbf);
  options.gamma_rule.reset();
  options.kernel->gamma = 0;
  EXPECT_EQ(refusal(data, options), "gamma");
  options = with_kernel(KernelKind::polynomial);
  options.kernel->coef0 = -1;
  EXPECT_EQ(refusal(data, options), "coef0");
  options.kernel->coef0 = 0;
  options.kernel->degree = 0;
  EXPECT_EQ(refusal(data, options), "degree");
  options = with_kernel(KernelKind::rbf);
  options.bias = Bias::regularised;
  EXPECT_EQ(refusal(data, options), "bias");
  options.bias.reset();
  options.solver.kind = Solver::newton;
  EXPECT_EQ(refusal(data, options), "solver");
  EXPECT_EQ(refusal(data, with_kernel(KernelKind::chi_squared)), "kernel");  // negative values
  TrainOptions no_kernel;
  no_kernel.approximation = Approximation::rff;
  EXPECT_THROW(trained_linear(data, no_kernel), InvalidOption);
}

TEST(TrainKernel, AWarmStartLeavesLittleToDo) {
  const Dataset data = made(GeneratedKind::moons, 400);
  TrainOptions options = with_kernel(KernelKind::rbf);
  const auto cold = trained_kernel(data, options);
  options.start = std::make_shared<const Model>(cold.model);
  const auto warm = trained_kernel(data, options);
  EXPECT_LT(warm.report.kernel->blocks, cold.report.kernel->blocks);
  EXPECT_LE(warm.model.certificate->relative_gap(), 1e-3);
}

TEST(VerifyKernel, ProvesWhatIsTrueAndNothingElse) {
  const Dataset data = made(GeneratedKind::xor_squares, 300);
  for (const Bias bias : {Bias::none, Bias::unregularised}) {
    TrainOptions options = with_kernel(KernelKind::rbf);
    options.bias = bias;
    auto result = trained_kernel(data, options);
    EXPECT_EQ(verify(result.model, data).finding, Finding::holds);
    KernelModel with_duals = result.model;
    with_duals.duals = result.duals;
    const Verification kept = verify(with_duals, data);
    EXPECT_EQ(kept.finding, Finding::holds);
    EXPECT_TRUE(kept.duals_kept && kept.same_data);
    with_duals.duals.assign(300, 0.0);
    EXPECT_EQ(verify(with_duals, data).finding, Finding::duals_too_low);

    KernelModel liar = result.model;
    liar.certificate->primal *= 0.9;
    EXPECT_EQ(verify(liar, data).finding, Finding::objective_differs);
    EXPECT_EQ(verify(result.model, made(GeneratedKind::xor_squares, 300, 5)).finding,
              Finding::objective_differs);
  }
}

TEST(VerifyKernel, DisprovesAShareThatIsTooSmall) {
  const Dataset data = made(GeneratedKind::moons, 200);
  TrainOptions options = with_kernel(KernelKind::rbf);
  options.solver.kind = Solver::pegasos;
  options.solver.max_epochs = 2;
  KernelModel model = trained_kernel(data, options).model;
  EXPECT_EQ(verify(model, data).finding, Finding::holds);
  model.certificate->dual = model.certificate->primal * (1 - 1e-6);
  const Verification found = verify(model, data);
  EXPECT_EQ(found.finding, Finding::disproven);
  EXPECT_LT(*found.better, found.primal.objective());
}

TEST(TrainApproximation, LearnsNearlyWhatTheKernelMachineDoes) {
  const Dataset data = made(GeneratedKind::moons, 400);
  const Dataset test = made(GeneratedKind::moons, 400, 2);
  const double exact = share_wrong(trained_kernel(data, with_kernel(KernelKind::rbf)).model, test);
  for (const auto kind : {Approximation::rff, Approximation::nystroem}) {
    TrainOptions options = with_kernel(KernelKind::rbf);
    options.approximation = kind;
    options.components = 128;
    const LinearModel model = trained_linear(data, options).model;
    EXPECT_EQ(model.bias, Bias::none);
    EXPECT_NEAR(share_wrong(model, test), exact, 0.02);
    EXPECT_EQ(model.schema->feature_count(), 2u);
    EXPECT_EQ(verify(model, data).finding, Finding::holds);
    EXPECT_TRUE(verify(model, data).same_data);
    TrainOptions from_mapped = options;
    from_mapped.start = std::make_shared<const Model>(model);
    EXPECT_EQ(refusal(data, from_mapped), "start");
    options.threads = 1;
    EXPECT_EQ(trained_linear(data, options).model, model);
  }
}

}  // namespace
}  // namespace pegasos
