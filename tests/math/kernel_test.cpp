// Kernel options, and kernel values by the block against the formulas.
#include "pegasos/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "math/kernel_blocks.h"
#include "pegasos/error.h"
#include "support/kernel_problems.h"

namespace pegasos {
namespace {

using testing::kernel_of;
using testing::kFormulaKernels;
using testing::make_problem;
using testing::naive_gram;
using testing::naive_kernel;
using testing::SmallProblem;
using testing::with_kernel;

SmallProblem rows_for(KernelKind kind, std::size_t rows, bool dense) {
  SmallProblem problem = make_problem({.rows = rows, .features = 9, .density = 0.4, .seed = 5});
  problem.dense = dense;
  for (auto& row : problem.x) {
    for (auto& value : row) {
      if (kind == KernelKind::chi_squared) value = std::abs(value);
    }
  }
  return problem;
}

std::vector<std::vector<float>> computed(const KernelProblem& problem,
                                         const std::vector<RowId>& rows, int threads = 1) {
  ThreadPool pool(threads);
  const KernelBlocks blocks(problem.kernel, problem.data, pool);
  std::vector<std::vector<float>> out(rows.size(), std::vector<float>(blocks.columns()));
  std::vector<float*> places;
  for (auto& row : out) places.push_back(row.data());
  blocks.compute(rows, places, pool);
  return out;
}

std::vector<RowId> all_rows(std::size_t count) {
  std::vector<RowId> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = static_cast<RowId>(i);
  return rows;
}

std::string refused(const KernelOptions& kernel) {
  try {
    kernel.validate();
  } catch (const InvalidOption& error) {
    return error.field();
  }
  return "";
}

TEST(Kernel, NamesGoBothWays) {
  for (const auto& name : kernel_names()) {
    ASSERT_TRUE(kernel_of_name(name).has_value()) << name;
    EXPECT_EQ(name_of(*kernel_of_name(name)), name);
  }
  EXPECT_EQ(kernel_names().size(), 8U);
  EXPECT_FALSE(kernel_of_name("gaussian-ish").has_value());
}

TEST(Kernel, BadParametersAreRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double gamma : {0.0, -1.0, nan, HUGE_VAL}) {
    EXPECT_EQ(refused(kernel_of(KernelKind::rbf, gamma)), "gamma");
    EXPECT_EQ(refused(kernel_of(KernelKind::linear, gamma)), "") << "linear has no gamma";
  }
  EXPECT_EQ(refused(kernel_of(KernelKind::polynomial, 1, -1e-9)), "coef0");
  EXPECT_EQ(refused(kernel_of(KernelKind::polynomial, 1, nan)), "coef0");
  EXPECT_EQ(refused(kernel_of(KernelKind::polynomial, 1, 0, 0)), "degree");
  EXPECT_EQ(refused(kernel_of(KernelKind::polynomial, 1, 0, 1)), "");
  EXPECT_EQ(refused(kernel_of(KernelKind::sigmoid, 1, -1)), "");
  EXPECT_EQ(refused(kernel_of(KernelKind::sigmoid, 1, nan)), "coef0");
  KernelOptions callable;
  callable.kind = KernelKind::callable;
  EXPECT_EQ(refused(callable), "function");
}

TEST(Kernel, KnowsWhichMatricesArePositiveSemidefinite) {
  for (const auto kind : {KernelKind::linear, KernelKind::polynomial, KernelKind::rbf,
                          KernelKind::laplacian, KernelKind::chi_squared}) {
    EXPECT_TRUE(kernel_of(kind).is_positive_semidefinite()) << name_of(kind);
  }
  KernelOptions precomputed = kernel_of(KernelKind::precomputed);
  EXPECT_FALSE(precomputed.is_positive_semidefinite());
  precomputed.vouched_positive_semidefinite = true;
  EXPECT_TRUE(precomputed.is_positive_semidefinite());
  KernelOptions sigmoid = kernel_of(KernelKind::sigmoid);
  sigmoid.vouched_positive_semidefinite = true;
  EXPECT_FALSE(sigmoid.is_positive_semidefinite());
}

TEST(Kernel, GammaRulesAreThoseOfScikitLearn) {
  // X = [[0, 1], [2, 3]]: variance 1.25, so scale is 1/(2 · 1.25).
  const std::vector<float> values = {0, 1, 2, 3};
  const auto data =
      Dataset::from_parts({.rows = 2, .features = 2, .dense = DenseMatrix{values, 2}});
  EXPECT_NEAR(gamma_scale(data), 0.4, 1e-15);
  EXPECT_EQ(gamma_auto(data), 0.5);
  // The same rows without their zero.
  const std::vector<std::uint64_t> offsets = {0, 1, 3};
  const std::vector<FeatureId> ids = {1, 0, 1};
  const std::vector<float> stored = {1, 2, 3};
  const auto sparse =
      Dataset::from_parts({.rows = 2, .features = 2, .sparse = SparseMatrix{offsets, ids, stored}});
  EXPECT_NEAR(gamma_scale(sparse), 0.4, 1e-15);
  // A row of weight 2 is as two of it: 0 1 2 3 2 3 have the variance 41/36.
  const std::vector<double> weights = {1, 2};
  const auto weighted = Dataset::from_parts(
      {.rows = 2, .features = 2, .dense = DenseMatrix{values, 2}, .weights = weights});
  EXPECT_NEAR(gamma_scale(weighted), 18.0 / 41.0, 1e-15);
  const std::vector<float> constant = {7, 7, 7, 7};
  EXPECT_EQ(gamma_scale(
                Dataset::from_parts({.rows = 2, .features = 2, .dense = DenseMatrix{constant, 2}})),
            1.0);
}

TEST(Kernel, DataThatHasNoMeaningIsRefused) {
  const std::vector<float> asymmetric = {1, 2, 3, 1};
  const auto matrix =
      Dataset::from_parts({.rows = 2, .features = 2, .dense = DenseMatrix{asymmetric, 2}});
  EXPECT_THROW(check_kernel_data(kernel_of(KernelKind::precomputed), matrix), InvalidOption);
  const std::vector<float> wide = {1, 2, 3, 2, 1, 3};
  const auto too_wide =
      Dataset::from_parts({.rows = 2, .features = 3, .dense = DenseMatrix{wide, 3}});
  EXPECT_THROW(check_kernel_data(kernel_of(KernelKind::precomputed), too_wide), InvalidOption);
  const std::vector<float> negative = {1, 2, -3, 1};
  const auto rows =
      Dataset::from_parts({.rows = 2, .features = 2, .dense = DenseMatrix{negative, 2}});
  EXPECT_THROW(check_kernel_data(kernel_of(KernelKind::chi_squared), rows), InvalidOption);
  EXPECT_NO_THROW(check_kernel_data(kernel_of(KernelKind::laplacian), rows));
}

class KernelFormulas : public ::testing::TestWithParam<KernelKind> {};

TEST_P(KernelFormulas, BlocksAndSingleValuesAreTheFormula) {
  const KernelOptions kernel = kernel_of(GetParam());
  for (const std::size_t rows : {1U, 3U, 70U, 300U}) {
    const SmallProblem problem = rows_for(kernel.kind, rows, false);
    const auto view = with_kernel(problem, kernel);
    const auto K = computed(view, all_rows(rows));
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < rows; ++j) {
        const double exact = naive_kernel(kernel, problem.x[i], problem.x[j]);
        ASSERT_NEAR(double{K[i][j]}, exact, 1e-5 * (1 + std::abs(exact))) << i << ' ' << j;
        if (rows > 70) continue;
        ASSERT_NEAR(kernel_value(kernel, view.data.row(i), view.data.row(j)), exact,
                    1e-13 * (1 + std::abs(exact)));
      }
    }
  }
}

TEST_P(KernelFormulas, BitsDependOnTheTwoRowsAlone) {
  const KernelOptions kernel = kernel_of(GetParam());
  const SmallProblem sparse = rows_for(kernel.kind, 300, false);
  const SmallProblem dense = rows_for(kernel.kind, 300, true);
  const auto view = with_kernel(sparse, kernel);
  const auto K = computed(view, all_rows(300));
  EXPECT_EQ(K, computed(view, all_rows(300), 3)) << "threads";
  EXPECT_EQ(K, computed(with_kernel(dense, kernel), all_rows(300))) << "layout";
  for (const RowId row : {0U, 63U, 64U, 299U}) {
    EXPECT_EQ(K[row], computed(view, {row})[0]) << "batch of one";
  }
  const bool symmetric_bits =
      kernel.kind != KernelKind::laplacian && kernel.kind != KernelKind::chi_squared;
  for (std::size_t i = 0; i < 300 && symmetric_bits; ++i) {
    for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(K[i][j], K[j][i]);
  }
}

TEST_P(KernelFormulas, SingleRowsOfArrangedDataAreTheFormula) {
  const KernelOptions kernel = kernel_of(GetParam());
  if (kernel.kind == KernelKind::callable) return;  // has none
  for (const bool dense : {false, true}) {
    for (const std::size_t rows : {1U, 64U, 150U}) {
      const SmallProblem problem = rows_for(kernel.kind, rows, dense);
      ThreadPool pool(1);
      KernelBlocks blocks(kernel, with_kernel(problem, kernel).data, pool);
      blocks.arrange();
      std::vector<float> row(rows);
      for (std::size_t i = 0; i < rows; i += 7) {
        blocks.arranged_row(i, row);
        for (std::size_t j = 0; j < rows; ++j) {
          const double exact = naive_kernel(kernel, problem.x[i], problem.x[j]);
          ASSERT_NEAR(double{row[j]}, exact, 1e-5 * (1 + std::abs(exact))) << i << ' ' << j;
        }
      }
    }
  }
}

TEST_P(KernelFormulas, ScoresAreSummedInDouble) {
  const KernelOptions kernel = kernel_of(GetParam());
  const SmallProblem problem = rows_for(kernel.kind, 150, false);
  const auto view = with_kernel(problem, kernel);
  ThreadPool pool(2);
  const KernelBlocks blocks(kernel, view.data, pool);
  std::vector<RowId> rows;
  std::vector<double> factors;
  for (RowId i = 0; i < 150; i += 2) {
    rows.push_back(i);
    factors.push_back(std::sin(static_cast<double>(i)));
  }
  std::vector<double> scores(150, 0.25);
  blocks.add_scores(rows, factors, scores, pool);
  const auto K = naive_gram(problem, kernel);
  for (std::size_t j = 0; j < 150; ++j) {
    double expected = 0.25;
    double size = 1;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      expected += factors[r] * K[rows[r]][j];
      size += std::abs(factors[r] * K[rows[r]][j]);
    }
    EXPECT_NEAR(scores[j], expected, 1e-12 * size);
  }
}

// Cholesky's pivots of K + tiny I are positive exactly if K has no negative eigenvalue to speak of.
bool is_positive_semidefinite(std::vector<std::vector<double>> K) {
  const std::size_t n = K.size();
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += K[i][i];
  for (std::size_t i = 0; i < n; ++i) K[i][i] += 1e-5 * trace / static_cast<double>(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < k; ++j) K[k][k] -= K[k][j] * K[k][j];
    if (!(K[k][k] > 0)) return false;
    K[k][k] = std::sqrt(K[k][k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = 0; j < k; ++j) K[i][k] -= K[i][j] * K[k][j];
      K[i][k] /= K[k][k];
    }
  }
  return true;
}

TEST_P(KernelFormulas, MatricesArePositiveSemidefiniteWhereSaid) {
  const KernelOptions kernel = kernel_of(GetParam());
  const SmallProblem problem = rows_for(kernel.kind, 60, false);
  const auto K = computed(with_kernel(problem, kernel), all_rows(60));
  std::vector<std::vector<double>> matrix;
  for (const auto& row : K) matrix.emplace_back(row.begin(), row.end());
  const bool expected = kernel.kind != KernelKind::sigmoid;
  EXPECT_EQ(kernel.is_positive_semidefinite(), expected);
  EXPECT_EQ(is_positive_semidefinite(matrix), expected);
}

INSTANTIATE_TEST_SUITE_P(All, KernelFormulas, ::testing::ValuesIn(kFormulaKernels),
                         [](const auto& kind) {
                           std::string name = name_of(kind.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST(KernelBlocks, PrecomputedRowsAreThoseOfTheMatrix) {
  const std::vector<float> values = {2, 0.5F, 0, 0.5F, 3, 1, 0, 1, 4};
  KernelProblem problem;
  problem.data = Dataset::from_parts({.rows = 3, .features = 3, .dense = DenseMatrix{values, 3}});
  problem.kernel = kernel_of(KernelKind::precomputed);
  const auto K = computed(problem, {0, 1, 2});
  EXPECT_EQ(K[1], (std::vector<float>{0.5F, 3, 1}));
  EXPECT_EQ(K[2], (std::vector<float>{0, 1, 4}));
}

// Prediction: support vectors on the left, rows of another dataset on the right.
TEST(KernelBlocks, TwoDatasetsMeet) {
  const KernelOptions kernel = kernel_of(KernelKind::rbf);
  const SmallProblem left = make_problem({.rows = 5, .features = 4, .seed = 1});
  const SmallProblem right = make_problem({.rows = 7, .features = 6, .dense = true, .seed = 2});
  ThreadPool pool(1);
  const KernelBlocks blocks(kernel, left.linear().data, right.linear().data, pool);
  std::vector<float> out(7);
  float* place = out.data();
  const RowId row = 3;
  blocks.compute({&row, 1}, {&place, 1}, pool);
  auto x = left.x[3];
  x.resize(6, 0.0F);
  for (std::size_t j = 0; j < 7; ++j) {
    EXPECT_NEAR(double{out[j]}, naive_kernel(kernel, x, right.x[j]), 1e-6);
  }
}

// Dense rows of mostly zeros, such as images, are swept as sparse ones; the others are not copied.
TEST(KernelBlocks, RowsOfMostlyZerosAreSweptWithoutThem) {
  constexpr std::size_t kRows = 40;
  constexpr std::size_t kFeatures = 30;
  for (const std::size_t every : {std::size_t{5}, std::size_t{2}}) {
    std::vector<float> values(kRows * kFeatures, 0.0F);
    for (std::size_t k = 0; k < values.size(); k += every) {
      values[k] = std::sin(static_cast<float>(k));
    }
    const KernelProblem dense{
        .data = Dataset::from_parts(
            {.rows = kRows, .features = kFeatures, .dense = DenseMatrix{values, kFeatures}}),
        .kernel = kernel_of(KernelKind::rbf)};
    ThreadPool pool(1);
    const KernelBlocks blocks(dense.kernel, dense.data, pool);
    EXPECT_EQ(blocks.right().is_dense(), every == 2);
    EXPECT_EQ(blocks.left().is_dense(), every == 2);
    EXPECT_EQ(blocks.right().features(), kFeatures);
    const auto K = computed(dense, {7, 11});
    for (std::size_t j = 0; j < kRows; ++j) {
      const std::vector<float> x(values.begin() + 7 * kFeatures, values.begin() + 8 * kFeatures);
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(j * kFeatures);
      EXPECT_NEAR(double{K[0][j]}, naive_kernel(dense.kernel, x, {begin, begin + kFeatures}), 1e-6);
    }
  }
}

}  // namespace
}  // namespace pegasos
