// Block dual ascent against independent optima, LIBSVM's among them, and on problems whose answer
// is known.
#include "solver/kernel_ascent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "pegasos/error.h"
#include "support/kernel_problems.h"
#include "support/naive_objective.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::kAllLosses;
using testing::kernel_of;
using testing::kFormulaKernels;
using testing::make_problem;
using testing::naive_gain;
using testing::naive_gram;
using testing::naive_kernel;
using testing::naive_loss;
using testing::naive_optimum;
using testing::run_program;
using testing::SmallProblem;
using testing::with_kernel;

KernelResult solve(const KernelProblem& problem, double tolerance = 1e-6,
                   std::uint64_t cache_bytes = 0, int threads = 1) {
  ThreadPool pool(threads);
  KernelSolverOptions options;
  options.tolerance = tolerance;
  options.cache_bytes = cache_bytes;
  options.most_visits = 2'560'000;
  return ascend_kernel_dual(problem, options, {}, pool);
}

double predict(const SmallProblem& problem, const KernelOptions& kernel, const KernelPoint& point,
               const std::vector<float>& x) {
  double sum = point.b;
  for (std::size_t j = 0; j < problem.rows(); ++j) {
    sum += point.coefficients[j] * naive_kernel(kernel, problem.x[j], x);
  }
  return sum;
}

// P and D of a result by their definitions.
void expect_true_certificate(const SmallProblem& problem, const KernelOptions& kernel,
                             const KernelResult& result) {
  const auto K = naive_gram(problem, kernel);
  const std::size_t m = problem.rows();
  const double unit = 1.0 / (problem.lambda * static_cast<double>(m));
  double primal_norm = 0;
  double dual_norm = 0;
  double loss = 0;
  double gain = 0;
  double sum = 0;
  for (std::size_t i = 0; i < m; ++i) {
    double f = 0;
    double g = 0;
    for (std::size_t j = 0; j < m; ++j) {
      f += result.point.coefficients[j] * K[i][j];
      g += unit * result.a[j] * K[i][j];
    }
    primal_norm += result.point.coefficients[i] * f;
    dual_norm += unit * result.a[i] * g;
    const double s = problem.weight(i);
    loss += s * naive_loss(problem.loss, f + result.point.b, problem.y[i]);
    sum += result.a[i];
    if (s > 0) gain += s * naive_gain(problem.loss, result.a[i] / s, problem.y[i]);
    if (s == 0) {
      EXPECT_EQ(result.a[i], 0.0);
      continue;
    }
    const auto range = testing::feasible_duals(problem.loss, problem.y[i]);
    EXPECT_GE(result.a[i], s * range.low - 1e-12);
    EXPECT_LE(result.a[i], s * range.high + 1e-12);
  }
  const double primal = 0.5 * problem.lambda * primal_norm + loss / static_cast<double>(m);
  const double dual = gain / static_cast<double>(m) - 0.5 * problem.lambda * dual_norm;
  EXPECT_NEAR(result.report.primal.objective(), primal, 1e-9 * (1 + primal));
  EXPECT_NEAR(*result.report.dual, dual, 1e-9 * (1 + std::abs(dual)));
  EXPECT_NEAR(problem.bias == Bias::unregularised ? sum : 0.0, 0.0, 1e-9);
}

TEST(KernelAscent, LinearKernelReachesTheOptimumOfEveryLoss) {
  for (const auto loss : kAllLosses) {
    SmallProblem problem = make_problem(
        {.rows = 40, .features = 4, .noise = 1.0, .weighted = true, .lambda = 0.05, .loss = loss});
    const auto optimum = naive_optimum(problem, 1e-8, 20'000);
    const auto kernel = kernel_of(KernelKind::linear);
    const auto result = solve(with_kernel(problem, kernel));
    EXPECT_LE(result.report.certificate()->relative_gap(), 1e-6) << name_of(loss);
    EXPECT_NEAR(result.report.primal.objective(), optimum.primal, 2e-6 * optimum.primal)
        << name_of(loss);
    expect_true_certificate(problem, kernel, result);
  }
}

TEST(KernelAscent, EveryKernelLossAndBiasIsCertified) {
  for (const auto kind : kFormulaKernels) {
    if (kind == KernelKind::sigmoid) continue;
    for (const auto loss : kAllLosses) {
      for (const auto bias : {Bias::none, Bias::unregularised}) {
        SmallProblem problem = make_problem({.rows = 70,
                                             .features = 5,
                                             .noise = 1.0,
                                             .weighted = true,
                                             .lambda = 0.02,
                                             .loss = loss,
                                             .bias = bias});
        for (auto& row : problem.x) {
          for (auto& value : row) {
            if (kind == KernelKind::chi_squared) value = std::abs(value);
          }
        }
        const auto kernel = kernel_of(kind, 0.3, 1.0, 2);
        const auto result = solve(with_kernel(problem, kernel), 1e-4);
        EXPECT_LE(result.report.certificate()->relative_gap(), 1e-4)
            << name_of(kind) << ' ' << name_of(loss) << ' ' << name_of(bias);
        EXPECT_TRUE(result.report.kernel->recomputed);
        expect_true_certificate(problem, kernel, result);
      }
    }
  }
}

// Minus what svm-train prints as "obj", times lambda with C = 1/(lambda m), is the dual. Kernels
// that LIBSVM does not have are handed to it as matrices (its -t 4), from a formula of the tests'
// own.
class KernelAscentAgainstLibsvm : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr const char* kProgram = "/usr/bin/svm-train";

  void SetUp() override {
    if (!std::ifstream(kProgram)) GTEST_SKIP() << "no svm-train here";
    for (auto& row : problem_.x) {
      for (auto& value : row) value = std::abs(value);  // as chi-squared wants them
    }
    if (!GetParam()) return;
    problem_.loss.loss = Loss::epsilon_insensitive;
    for (std::size_t i = 0; i < problem_.rows(); ++i) {
      problem_.y[i] = std::sin(3.0 * static_cast<double>(i));
    }
  }

  // Rows as LIBSVM reads them: the features, or the values of the kernel matrix.
  std::string written(const KernelOptions& kernel, bool as_matrix) const {
    std::string path = folder_.path("data");
    std::ofstream out(path);
    out.precision(17);
    for (std::size_t i = 0; i < problem_.rows(); ++i) {
      out << problem_.y[i];
      if (as_matrix) out << " 0:" << i + 1;
      const std::size_t columns = as_matrix ? problem_.rows() : problem_.features;
      for (std::size_t k = 0; k < columns; ++k) {
        out << ' ' << k + 1 << ':';
        if (as_matrix) {
          out << testing::naive_kernel(kernel, problem_.x[i], problem_.x[k]);
        } else {
          out << problem_.x[i][k];
        }
      }
      out << '\n';
    }
    return path;
  }

  double optimum_of_libsvm(const KernelOptions& kernel) const {
    const bool as_matrix =
        kernel.kind == KernelKind::laplacian || kernel.kind == KernelKind::chi_squared;
    const std::string data = written(kernel, as_matrix);
    const std::string number = as_matrix                               ? "4"
                               : kernel.kind == KernelKind::linear     ? "0"
                               : kernel.kind == KernelKind::polynomial ? "1"
                                                                       : "2";
    const auto run = run_program(
        kProgram, {"-s", GetParam() ? "3" : "0", "-t", number, "-g", "0.25", "-r", "1", "-d", "3",
                   "-p", "0.1", "-e", "1e-7", "-c", "1", data, folder_.path("model")});
    const auto at = run.out.find("obj = ");
    EXPECT_NE(at, std::string::npos) << run.out << run.err;
    if (at == std::string::npos) return 0;
    return -std::strtod(run.out.c_str() + at + 6, nullptr) * problem_.lambda;
  }

  const testing::TemporaryFolder folder_;
  SmallProblem problem_ = make_problem(
      {.rows = 120, .features = 5, .noise = 1.0, .lambda = 1.0 / 120, .bias = Bias::unregularised});
};

INSTANTIATE_TEST_SUITE_P(Regression, KernelAscentAgainstLibsvm, ::testing::Bool());

TEST_P(KernelAscentAgainstLibsvm, OptimumIsTheSame) {
  for (const auto kind : {KernelKind::linear, KernelKind::polynomial, KernelKind::rbf,
                          KernelKind::laplacian, KernelKind::chi_squared}) {
    const auto kernel = kernel_of(kind, 0.25, 1.0, 3);
    const double optimum = optimum_of_libsvm(kernel);
    const auto result = solve(with_kernel(problem_, kernel));
    EXPECT_NEAR(*result.report.dual, optimum, 1e-5 * optimum) << name_of(kind);
    EXPECT_NEAR(result.report.primal.objective(), optimum, 1e-5 * optimum) << name_of(kind);
  }
}

// Beyond what float32 can tell, ascent wanders; what is handed out is the nearest it has been.
TEST(KernelAscent, AskingForMoreNeverGivesLess) {
  const SmallProblem problem =
      make_problem({.rows = 20, .features = 5, .noise = 1.0, .lambda = 5e-8});
  const auto view = with_kernel(problem, kernel_of(KernelKind::rbf, 0.1));
  const double modest = solve(view, 1e-3).report.certificate()->relative_gap();
  for (const double tolerance : {1e-10, 1e-13, 0.0}) {
    EXPECT_LE(solve(view, tolerance).report.certificate()->relative_gap(), modest) << tolerance;
  }
}

// Most rows are far on the right side and are left out along the way, which a state shows by its
// length; the certificate is that of all rows.
TEST(KernelAscent, RowsAtRestAreLeftOutOfTheWorkOnly) {
  for (const auto bias : {Bias::none, Bias::unregularised}) {
    for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
      SmallProblem problem =
          make_problem({.rows = 600, .features = 3, .noise = 0.1, .lambda = 1e-4, .bias = bias});
      problem.loss.loss = loss;
      const auto kernel = kernel_of(KernelKind::rbf, 2.0);
      ThreadPool pool(1);
      KernelSolverOptions options;
      options.tolerance = 1e-4;
      std::vector<std::size_t> sizes;
      Watch watch;
      watch.event = [&](const TrainingEvent& event) {
        sizes.push_back(event.state().bytes.size());
      };
      const KernelResult result =
          ascend_kernel_dual(with_kernel(problem, kernel), options, watch, pool);
      EXPECT_LE(result.report.certificate()->relative_gap(), 1e-4);
      expect_true_certificate(problem, kernel, result);
      constexpr std::size_t kBytesOfARow = 2 * 8 + 8 + 4 + 1;  // duals, score, number, seen
      ASSERT_FALSE(sizes.empty());
      EXPECT_LT(sizes.back(), problem.rows() * kBytesOfARow) << "no row was left out";
    }
  }
}

TEST(KernelAscent, BlocksGrowWithTheirRowsAndEndInTime) {
  const SmallProblem problem = make_problem({.rows = 4000, .noise = 2.0, .lambda = 1e-4});
  for (const Bias bias : {Bias::none, Bias::unregularised}) {
    KernelProblem view = with_kernel(problem, kernel_of(KernelKind::rbf));
    view.bias = bias;
    ThreadPool pool(1);
    const auto result = ascend_kernel_dual(view, {.tolerance = 1e-4}, {}, pool);
    EXPECT_GT(result.report.rows_seen, 160 * result.report.kernel->blocks);
    const std::uint64_t most = 1000;
    const auto ended = ascend_kernel_dual(view, {.tolerance = 1e-4, .most_visits = most}, {}, pool);
    EXPECT_GE(ended.report.rows_seen, most);
    EXPECT_LT(ended.report.rows_seen, most + 512) << "no more than a block over";
  }
}

TEST(KernelAscent, CacheAndThreadsChangeNoBit) {
  for (const auto bias : {Bias::none, Bias::unregularised}) {
    SmallProblem problem = make_problem({.rows = 400, .noise = 1.0, .lambda = 2e-3, .bias = bias});
    const auto view = with_kernel(problem, kernel_of(KernelKind::rbf));
    const auto large = solve(view, 1e-3);
    const auto threads = solve(view, 1e-3, 0, 3);
    EXPECT_EQ(large.a, threads.a);
    EXPECT_EQ(large.report.dual, threads.report.dual);
    const auto one_row = solve(view, 1e-3, 1);
    EXPECT_EQ(large.a, one_row.a);
  }
}

TEST(KernelAscent, SparseAndDenseRowsGiveTheSameBits) {
  SmallProblem problem = make_problem({.rows = 150, .features = 12, .density = 0.3});
  const auto kernel = kernel_of(KernelKind::rbf);
  const auto sparse = solve(with_kernel(problem, kernel), 1e-3);
  problem.dense = true;
  const auto dense = solve(with_kernel(problem, kernel), 1e-3);
  EXPECT_EQ(sparse.a, dense.a);
  EXPECT_EQ(sparse.report.primal.objective(), dense.report.primal.objective());
}

TEST(KernelAscent, PrecomputedMatrixIsItsKernel) {
  const SmallProblem problem = make_problem({.rows = 80, .noise = 1.0, .lambda = 0.01});
  const auto kernel = kernel_of(KernelKind::rbf);
  const auto expected = solve(with_kernel(problem, kernel), 1e-5);
  SmallProblem matrix = problem;
  matrix.features = problem.rows();
  matrix.dense = true;
  matrix.x.clear();
  for (const auto& row : naive_gram(problem, kernel)) {
    matrix.x.emplace_back(row.begin(), row.end());
  }
  KernelOptions precomputed = kernel_of(KernelKind::precomputed);
  EXPECT_THROW(solve(with_kernel(matrix, precomputed)), InvalidOption) << "nobody vouched";
  precomputed.vouched_positive_semidefinite = true;
  const auto result = solve(with_kernel(matrix, precomputed), 1e-5);
  EXPECT_NEAR(*result.report.dual, *expected.report.dual, 2e-5 * *expected.report.dual);
}

TEST(KernelAscent, EarlierDualsSaveWork) {
  const SmallProblem problem = make_problem({.rows = 400, .noise = 1.0, .lambda = 2e-3});
  const auto view = with_kernel(problem, kernel_of(KernelKind::rbf));
  const auto first = solve(view, 1e-4);
  ThreadPool pool(1);
  const auto again = ascend_kernel_dual(view, {.tolerance = 1e-4}, {}, pool, {.a = first.a});
  EXPECT_EQ(again.report.kernel->blocks, 0U);
  EXPECT_GT(first.report.kernel->blocks, 0U);
  EXPECT_EQ(again.a, first.a);
}

TEST(KernelAscent, SolvesXor) {
  SmallProblem problem;
  problem.features = 2;
  problem.x = {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
  problem.y = {1, 1, -1, -1};
  problem.lambda = 1e-3;
  for (const auto& kernel :
       {kernel_of(KernelKind::rbf), kernel_of(KernelKind::polynomial, 1, 1, 2)}) {
    const auto result = solve(with_kernel(problem, kernel));
    EXPECT_EQ(result.report.primal.wrong, 0U);
    // By symmetry all four matter the same.
    for (const double a : result.a) EXPECT_NEAR(std::abs(a), std::abs(result.a[0]), 1e-6);
    EXPECT_GT(predict(problem, kernel, result.point, {0.8F, 0.7F}), 0.0);
    EXPECT_LT(predict(problem, kernel, result.point, {0.8F, -0.7F}), 0.0);
  }
}

SmallProblem two_moons(std::size_t rows, std::uint64_t seed) {
  Random random(seed, 0);
  SmallProblem problem;
  problem.features = 2;
  problem.lambda = 1e-3;
  for (std::size_t i = 0; i < rows; ++i) {
    const double angle = 3.14159265358979 * random.uniform();
    const bool upper = i % 2 == 0;
    const double x = upper ? std::cos(angle) : 1 - std::cos(angle);
    const double y = upper ? std::sin(angle) : 0.5 - std::sin(angle);
    problem.x.push_back({static_cast<float>(x + 0.08 * random.normal()),
                         static_cast<float>(y + 0.08 * random.normal())});
    problem.y.push_back(upper ? 1.0 : -1.0);
  }
  return problem;
}

TEST(KernelAscent, SolvesTwoMoons) {
  const SmallProblem train = two_moons(300, 1);
  const SmallProblem test = two_moons(300, 2);
  const auto kernel = kernel_of(KernelKind::rbf, 4.0);
  const auto result = solve(with_kernel(train, kernel), 1e-3);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < test.rows(); ++i) {
    const double f = predict(train, kernel, result.point, test.x[i]);
    wrong += (f > 0) != (test.y[i] > 0) ? 1 : 0;
  }
  EXPECT_LE(wrong, 3U);
  const auto straight = solve(with_kernel(train, kernel_of(KernelKind::linear)), 1e-3);
  EXPECT_GT(straight.report.primal.wrong, 10U) << "no line parts the moons";
}

TEST(KernelAscent, LearnsNoisyPolynomials) {
  for (const unsigned degree : {2U, 3U, 4U, 5U}) {
    Random random(degree, 0);
    SmallProblem problem;
    problem.features = 1;
    problem.lambda = 1e-4;
    problem.loss.loss = Loss::epsilon_insensitive;
    problem.loss.epsilon = 0.05;
    problem.bias = Bias::unregularised;
    const auto truth = [&](double x) { return std::pow(x, degree) - 0.5 * x + 0.3; };
    for (int i = 0; i < 200; ++i) {
      const double x = 2 * random.uniform() - 1;
      problem.x.push_back({static_cast<float>(x)});
      problem.y.push_back(truth(x) + 0.05 * random.normal());
    }
    const auto kernel = kernel_of(KernelKind::polynomial, 1.0, 1.0, degree);
    const auto result = solve(with_kernel(problem, kernel), 1e-2);
    for (double x = -0.95; x < 1; x += 0.1) {
      EXPECT_NEAR(predict(problem, kernel, result.point, {static_cast<float>(x)}), truth(x), 0.1)
          << "degree " << degree << " at " << x;
    }
  }
}

TEST(KernelAscent, OddRowsAreNoTrouble) {
  for (const auto kind : {KernelKind::linear, KernelKind::rbf, KernelKind::polynomial}) {
    for (const auto bias : {Bias::none, Bias::unregularised}) {
      const auto kernel = kernel_of(kind, 0.5, 0.0, 2);
      SmallProblem problem = make_problem({.rows = 30, .lambda = 0.05, .bias = bias});
      for (std::size_t i = 0; i < 10; ++i) problem.x[i] = problem.x[i + 10];  // duplicates
      problem.y[0] = -problem.y[10];                                          // that disagree
      problem.x[5].assign(problem.features, 0.0F);                            // zero rows
      problem.x[6].assign(problem.features, 0.0F);
      auto result = solve(with_kernel(problem, kernel), 1e-4);
      EXPECT_LE(result.report.certificate()->relative_gap(), 1e-4) << name_of(kind);
      expect_true_certificate(problem, kernel, result);

      for (auto& label : problem.y) label = 1.0;  // one class
      result = solve(with_kernel(problem, kernel), 1e-4);
      EXPECT_TRUE(std::isfinite(result.point.b));
      EXPECT_LE(*result.report.dual, result.report.primal.objective() + 1e-12);
      EXPECT_LE(result.report.certificate()->gap(), 1e-4);

      SmallProblem single = make_problem({.rows = 1, .lambda = 0.05, .bias = bias});
      result = solve(with_kernel(single, kernel), 1e-4);
      EXPECT_LE(result.report.certificate()->gap(), 1e-4) << name_of(kind) << name_of(bias);
    }
  }
}

TEST(KernelAscent, KernelsWithoutADualAreRefused) {
  const SmallProblem problem = make_problem({.rows = 10});
  EXPECT_THROW(solve(with_kernel(problem, kernel_of(KernelKind::sigmoid))), InvalidOption);
  ThreadPool pool(1);
  EXPECT_THROW(ascend_kernel_dual(with_kernel(problem, kernel_of(KernelKind::rbf)),
                                  {.tolerance = -1}, {}, pool),
               InvalidOption);
}

TEST(KernelAscent, WatcherStopsAndInterrupts) {
  const SmallProblem problem = make_problem({.rows = 500, .noise = 2.0, .lambda = 1e-4});
  const auto view = with_kernel(problem, kernel_of(KernelKind::rbf));
  ThreadPool pool(1);
  Watch watch;
  watch.stop = [] { return true; };
  auto result = ascend_kernel_dual(view, {.tolerance = 1e-9}, watch, pool);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.report.kernel->blocks, 1U);
  EXPECT_TRUE(result.report.kernel->recomputed) << "what is handed out is certified all the same";
  EXPECT_LE(*result.report.dual, result.report.primal.objective());
}

}  // namespace
}  // namespace pegasos
