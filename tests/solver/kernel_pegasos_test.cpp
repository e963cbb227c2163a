// Kernel Pegasos against the textbook loop and against the linear solver.
#include "solver/kernel_pegasos.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pegasos/error.h"
#include "solver/pegasos.h"
#include "solver/sampler.h"
#include "support/kernel_problems.h"
#include "support/naive_objective.h"

namespace pegasos {
namespace {

using testing::kAllLosses;
using testing::kernel_of;
using testing::kFormulaKernels;
using testing::make_problem;
using testing::naive_ascent;
using testing::naive_gram;
using testing::naive_loss;
using testing::SmallProblem;
using testing::with_kernel;

KernelResult train(const KernelProblem& problem, const PegasosOptions& options,
                   const KernelSolverOptions& solver = {}, int threads = 1) {
  ThreadPool pool(threads);
  return train_kernel_pegasos(problem, options, solver, {}, pool);
}

// The algorithm with nothing kept up: coefficients that are shrunk and added to, every score a
// fresh sum over all rows, norms and averages by their definitions.
struct Textbook {
  std::vector<double> last;
  std::vector<double> handed_out;
  std::vector<double> slope_sums;  // without projection: S
  std::uint64_t violations = 0;
};

double score(const std::vector<std::vector<double>>& K, const std::vector<double>& c,
             std::size_t i) {
  double sum = 0;
  for (std::size_t j = 0; j < c.size(); ++j) sum += c[j] * K[i][j];
  return sum;
}

Textbook textbook(const SmallProblem& problem, const KernelOptions& kernel,
                  const PegasosOptions& options) {
  const auto K = naive_gram(problem, kernel);
  const std::size_t m = problem.rows();
  const std::size_t k = static_cast<std::size_t>(std::min<std::uint64_t>(options.batch, m));
  const double lambda = problem.lambda;
  double at_zero = 0;
  for (std::size_t i = 0; i < m; ++i) {
    at_zero += problem.weight(i) * naive_loss(problem.loss, 0.0, problem.y[i]);
  }
  const double radius = std::sqrt(at_zero / static_cast<double>(m) / lambda);
  Textbook run;
  run.last.assign(m, 0.0);
  run.slope_sums.assign(m, 0.0);
  std::vector<std::vector<double>> iterates;
  std::vector<double> importance;
  double n = options.step_offset.value_or(0.0);
  double b = 0;
  std::uint64_t steps = 0;
  Sampler sampler(options.sampling, m, k, options.seed);
  const std::uint64_t most = options.steps.value_or(~std::uint64_t{0});
  for (std::uint64_t epoch = 0; epoch < options.epochs && steps < most; ++epoch) {
    const auto order = sampler.epoch(epoch);
    for (std::size_t begin = 0; begin < m && steps < most; begin += k) {
      const std::size_t size = std::min(k, m - begin);
      std::vector<double> u(size);
      for (std::size_t j = 0; j < size; ++j) {
        const RowId i = order[begin + j];
        u[j] =
            problem.weight(i) * naive_ascent(problem.loss, score(K, run.last, i) + b, problem.y[i]);
      }
      n += static_cast<double>(size);
      ++steps;
      for (auto& c : run.last) c *= 1.0 - static_cast<double>(size) / n;
      double total = 0;
      for (std::size_t j = 0; j < size; ++j) {
        run.last[order[begin + j]] += u[j] / (lambda * n);
        run.slope_sums[order[begin + j]] += u[j];
        total += u[j];
        if (u[j] != 0.0) ++run.violations;
      }
      if (problem.bias == Bias::unregularised) b += total / (lambda * n);
      if (options.project) {
        double squares = 0;
        for (std::size_t i = 0; i < m; ++i) squares += run.last[i] * score(K, run.last, i);
        const double factor = std::min(1.0, radius / std::sqrt(std::max(squares, 1e-300)));
        for (auto& c : run.last) c *= factor;
      }
      const bool counts = options.average != Average::suffix || epoch >= options.epochs / 2;
      iterates.push_back(run.last);
      const double weight = options.average == Average::weighted ? static_cast<double>(steps) : 1.0;
      importance.push_back(counts ? weight : 0.0);
    }
  }
  run.handed_out = run.last;
  if (options.average == Average::last) return run;
  double total = 0;
  run.handed_out.assign(m, 0.0);
  for (std::size_t t = 0; t < iterates.size(); ++t) {
    total += importance[t];
    for (std::size_t i = 0; i < m; ++i) run.handed_out[i] += importance[t] * iterates[t][i];
  }
  for (auto& c : run.handed_out) c /= total;
  return run;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

double largest(const std::vector<double>& a) {
  double most = 0;
  for (const double value : a) most = std::max(most, std::abs(value));
  return most;
}

TEST(KernelPegasos, CountsAreTheTextbooksAfterEveryStep) {
  for (const auto kind : {KernelKind::rbf, KernelKind::polynomial, KernelKind::laplacian}) {
    const SmallProblem problem = make_problem({.rows = 30, .features = 4, .lambda = 0.02});
    const KernelOptions kernel = kernel_of(kind);
    PegasosOptions options;
    options.epochs = 3;
    for (std::uint64_t steps = 1; steps <= 90; ++steps) {
      options.steps = steps;
      const auto expected = textbook(problem, kernel, options);
      const auto result = train(with_kernel(problem, kernel), options);
      ASSERT_EQ(result.report.all_violations, expected.violations) << "step " << steps;
      ASSERT_EQ(result.report.steps, steps);
      const double scale = problem.lambda * static_cast<double>(steps);
      for (std::size_t i = 0; i < 30; ++i) {
        ASSERT_NEAR(scale * result.point.coefficients[i], expected.slope_sums[i], 1e-9)
            << "row " << i << " after step " << steps;
      }
    }
  }
}

TEST(KernelPegasos, EveryKernelLossAndOptionIsTheTextbooks) {
  const SmallProblem base = make_problem({.rows = 23, .features = 3, .weighted = true});
  std::size_t compared = 0;
  for (const auto kind : kFormulaKernels) {
    for (const auto loss : kAllLosses) {
      for (const auto sampling :
           {Sampling::shuffle, Sampling::fixed, Sampling::iid, Sampling::without_replacement}) {
        SmallProblem problem = base;
        problem.loss.loss = loss;
        problem.lambda = 0.3;
        for (auto& row : problem.x) {
          for (auto& value : row) {
            if (kind == KernelKind::chi_squared) value = std::abs(value);
          }
        }
        PegasosOptions options;
        options.epochs = 4;
        options.sampling = sampling;
        options.batch = compared % 5 + 1;
        options.project = compared % 2 == 1;
        options.average = static_cast<Average>(compared % 4);
        options.step_offset = 200.0 * static_cast<double>(compared % 2 == 0);
        options.seed = compared;
        problem.bias = compared % 3 == 0 ? Bias::unregularised : Bias::none;
        const KernelOptions kernel = kernel_of(kind, 0.3, 0.5, 2);
        const auto expected = textbook(problem, kernel, options);
        const auto result = train(with_kernel(problem, kernel), options);
        EXPECT_LE(largest_difference(result.point.coefficients, expected.handed_out),
                  3e-5 * (1e-3 + largest(expected.handed_out)))
            << name_of(kind) << ' ' << name_of(loss) << ' ' << name_of(sampling) << " case "
            << compared;
        EXPECT_EQ(result.report.all_violations, expected.violations) << compared;
        ++compared;
      }
    }
  }
}

// Small whole numbers: every product is exact, so that both solvers see the same scores.
SmallProblem whole_numbers(std::uint64_t seed) {
  SmallProblem problem = make_problem({.rows = 40, .features = 5, .lambda = 0.013, .seed = seed});
  for (auto& row : problem.x) {
    for (auto& value : row) value = std::round(2 * value);
  }
  return problem;
}

TEST(KernelPegasos, LinearKernelDecidesAsTheLinearSolver) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const auto loss : {Loss::hinge, Loss::epsilon_insensitive}) {
      for (const std::uint64_t batch : {1U, 7U, 40U}) {
        SmallProblem problem = whole_numbers(seed);
        problem.loss.loss = loss;
        problem.loss.epsilon = 0.31;
        PegasosOptions options;
        options.batch = batch;
        ThreadPool pool(1);
        for (const std::uint64_t epochs : {1U, 2U, 5U}) {
          options.epochs = epochs;
          const auto linear = train_pegasos(problem.linear(), options, {}, pool);
          const auto kernel = train(with_kernel(problem, kernel_of(KernelKind::linear)), options);
          EXPECT_EQ(kernel.report.all_violations, linear.report.all_violations);
          std::vector<double> w(problem.features, 0.0);
          for (std::size_t i = 0; i < problem.rows(); ++i) {
            for (std::size_t j = 0; j < problem.features; ++j) {
              w[j] += kernel.point.coefficients[i] * double{problem.x[i][j]};
            }
          }
          EXPECT_LE(largest_difference(w, linear.point.w), 1e-9 * (1 + largest(linear.point.w)));
          EXPECT_NEAR(kernel.report.primal.objective(), linear.report.primal.objective(), 1e-9);
          // The linear solver also knows the mean of the later epochs, which bounds better.
          EXPECT_LE(*kernel.report.dual, *linear.report.dual + 1e-9);
          if (epochs > 1) continue;
          EXPECT_LE(largest_difference(kernel.a, linear.a), 1e-12);
          EXPECT_NEAR(*kernel.report.dual, *linear.report.dual, 1e-9);
        }
      }
    }
  }
}

TEST(KernelPegasos, CacheAndThreadsChangeNoBit) {
  const SmallProblem problem = make_problem({.rows = 300, .features = 6, .lambda = 1e-3});
  const auto view = with_kernel(problem, kernel_of(KernelKind::rbf));
  PegasosOptions options;
  options.epochs = 12;
  const auto large = train(view, options);
  const auto one_row = train(view, options, {.cache_bytes = 1});
  const auto threads = train(view, options, {}, 3);
  EXPECT_EQ(large.point.coefficients, one_row.point.coefficients);
  EXPECT_EQ(large.a, one_row.a);
  EXPECT_EQ(large.report.primal.objective(), one_row.report.primal.objective());
  EXPECT_EQ(large.point.coefficients, threads.point.coefficients);
  EXPECT_EQ(large.report.dual, threads.report.dual);
  EXPECT_LE(large.report.kernel->rows_computed, 300U);
  EXPECT_GT(large.report.kernel->hit_rate(), 0.0);
  EXPECT_EQ(one_row.report.kernel->hit_rate(), 0.0);
}

TEST(KernelPegasos, SparseAndDenseRowsGiveTheSameBits) {
  SmallProblem problem = make_problem({.rows = 90, .features = 12, .density = 0.3});
  PegasosOptions options;
  const auto kernel = kernel_of(KernelKind::laplacian);
  const auto sparse = train(with_kernel(problem, kernel), options);
  problem.dense = true;
  const auto dense = train(with_kernel(problem, kernel), options);
  EXPECT_EQ(sparse.point.coefficients, dense.point.coefficients);
  EXPECT_EQ(sparse.report.dual, dense.report.dual);
}

TEST(KernelPegasos, WithoutPositiveSemidefinitenessNothingIsCertified) {
  const SmallProblem problem = make_problem({.rows = 20});
  const auto result = train(with_kernel(problem, kernel_of(KernelKind::sigmoid)), {});
  EXPECT_FALSE(result.report.dual.has_value());
  EXPECT_FALSE(result.report.certificate().has_value());
  EXPECT_TRUE(result.a.empty());
  EXPECT_TRUE(std::isfinite(result.report.primal.objective()));
}

TEST(KernelPegasos, BoundIsBelowTheObjective) {
  for (const auto bias : {Bias::none, Bias::unregularised}) {
    for (const auto sampling : {Sampling::shuffle, Sampling::iid}) {
      SmallProblem problem = make_problem({.rows = 60, .noise = 1.0, .lambda = 0.05});
      problem.bias = bias;
      PegasosOptions options;
      options.sampling = sampling;
      options.epochs = 40;
      const auto result = train(with_kernel(problem, kernel_of(KernelKind::rbf)), options);
      EXPECT_TRUE(result.report.kernel->recomputed);
      EXPECT_LE(*result.report.dual, result.report.primal.objective());
      EXPECT_GT(*result.report.dual, 0.5 * result.report.primal.objective());
    }
  }
}

TEST(KernelPegasos, WatcherStopsAndInterrupts) {
  const SmallProblem problem = make_problem({.rows = 300});
  const auto view = with_kernel(problem, kernel_of(KernelKind::rbf));
  ThreadPool pool(1);
  PegasosOptions options;
  std::uint64_t told = 0;
  Watch watch;
  watch.event = [&](const TrainingEvent& event) {
    EXPECT_EQ(event.report.epoch, ++told);
    EXPECT_GT(event.report.kernel->support_vectors, 0U);
    EXPECT_EQ(event.duals().size(), view.rows());
    EXPECT_EQ(event.kernel_point().coefficients.size(), view.rows());
  };
  watch.stop = [&] { return told == 3; };
  auto result = train_kernel_pegasos(view, options, {}, watch, pool);
  EXPECT_EQ(result.report.epoch, 3U);
  EXPECT_TRUE(result.interrupted);
  watch = {};
  watch.stop = [] { return true; };
  result = train_kernel_pegasos(view, options, {}, watch, pool);
  EXPECT_TRUE(result.interrupted);
  EXPECT_LT(result.report.rows_seen, 300U);
  EXPECT_LE(*result.report.dual, result.report.primal.objective());
}

TEST(KernelPegasos, RegularisedBiasIsRefusedByName) {
  SmallProblem problem = make_problem({.rows = 5});
  problem.bias = Bias::regularised;
  try {
    train(with_kernel(problem, kernel_of(KernelKind::rbf)), {});
    FAIL();
  } catch (const InvalidOption& error) {
    EXPECT_EQ(error.field(), "bias");
  }
}

}  // namespace
}  // namespace pegasos
