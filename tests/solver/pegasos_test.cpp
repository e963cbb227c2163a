// Pegasos against the textbook loop, for every combination of options, and what holds of a run
// whatever the data: unwinding, projection, determinism, and the ways to end it.
#include "solver/pegasos.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "math/best_bias.h"
#include "pegasos/error.h"
#include "support/naive_objective.h"
#include "support/reference_pegasos.h"
#include "support/small_problem.h"

namespace pegasos {
namespace {

using testing::arbitrary_problem;
using testing::describe;
using testing::kAllBiases;
using testing::kAllLosses;
using testing::make_problem;
using testing::naive_ascent;
using testing::naive_dual;
using testing::naive_point_of_duals;
using testing::naive_primal;
using testing::reference_pegasos;
using testing::ReferenceRun;
using testing::SmallProblem;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr Sampling kAllSamplings[] = {Sampling::shuffle, Sampling::fixed, Sampling::iid,
                                      Sampling::without_replacement};
constexpr Average kAllAverages[] = {Average::last, Average::mean, Average::suffix,
                                    Average::weighted};

SolverResult train(const SmallProblem& problem, const PegasosOptions& options,
                   const Watch& watch = {}) {
  ThreadPool pool(1);
  return train_pegasos(problem.linear(), options, watch, pool);
}

std::string describe(const PegasosOptions& options) {
  return "batch " + std::to_string(options.batch) + ", " + name_of(options.sampling) +
         (options.project ? ", project" : "") + ", " + name_of(options.average) + ", " +
         std::to_string(options.epochs) + " epochs, " + std::to_string(options.steps.value_or(0)) +
         " steps, offset " + std::to_string(options.step_offset.value_or(-1));
}

bool close(double a, double b, double scale) {
  return std::abs(a - b) <= 1e-9 * scale;
}

double size_of(const std::vector<double>& v) {
  double squares = 0;
  for (const double value : v) squares += value * value;
  return std::sqrt(squares);
}

bool close(const std::vector<double>& a, const std::vector<double>& b, double scale) {
  if (a.size() != b.size()) return false;
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (!close(a[j], b[j], scale)) return false;
  }
  return true;
}

// What is promised of duals beyond the visits: the best for rows out of reach, balance for a free
// bias.
std::vector<double> finished_duals(const SmallProblem& problem, std::vector<double> a) {
  double up = 0;
  double down = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool empty = std::all_of(problem.x[i].begin(), problem.x[i].end(),
                                   [](float value) { return value == 0.0F; });
    if (empty && problem.bias == Bias::none) {
      a[i] = problem.weight(i) * naive_ascent(problem.loss, 0.0, problem.y[i]);
    }
    (a[i] > 0 ? up : down) += std::abs(a[i]);
  }
  if (!problem.has_free_bias()) return a;
  for (auto& value : a) {
    const double side = value > 0 ? up : down;
    if (side > 0) value *= std::min(up, down) / side;
  }
  return a;
}

bool is_squared(Loss loss) {
  return loss == Loss::squared_hinge || loss == Loss::squared_epsilon_insensitive;
}

std::string lemma_difference(const SmallProblem& problem, const PegasosOptions& options,
                             const ReferenceRun& expected, const TrainingReport& report) {
  const bool has_offset = options.step_offset.value_or(is_squared(problem.loss.loss) ? 1 : 0) > 0;
  const bool measured = !problem.has_free_bias() && !has_offset;
  if (report.lemma.has_value() != measured) return "lemma or not";
  if (!measured) return "";
  const LemmaReport& lemma = *report.lemma;
  const LemmaReport& truth = expected.lemma;
  if (!close(lemma.mean_objective, truth.mean_objective, truth.mean_objective)) return "objective";
  const double gradient = truth.largest_gradient;
  if (!close(lemma.largest_gradient, gradient, gradient)) return "largest gradient";
  if (!close(lemma.tight_bound, truth.tight_bound, truth.tight_bound)) return "tight bound";
  if (!close(lemma.bound, truth.bound, truth.bound)) return "bound";
  return "";
}

// "" if the solver's run is the textbook's, else what differs.
std::string difference(const SmallProblem& problem, const PegasosOptions& options) {
  const ReferenceRun expected = reference_pegasos(problem, options);
  const SolverResult result = train(problem, options);
  const TrainingReport& report = result.report;

  if (report.steps != expected.steps) return "steps";
  if (report.rows_seen != expected.rows_seen) return "rows seen";
  if (report.epoch != expected.duals.size()) return "epoch";
  // Slopes that vanish may be zero in the one run and 1e-17 or a denormal in the other.
  const bool slopes_vanish = problem.bias == Bias::exact || problem.loss.loss == Loss::logistic;
  if (!slopes_vanish && report.all_violations != expected.violations) return "violations";
  const double scale = expected.largest_norm;
  if (!close(report.norm, expected.norm, scale)) return "norm";
  if (!close(result.point.w, expected.handed_out.w, scale)) return "w";
  LinearPoint point = expected.handed_out;
  if (problem.has_free_bias()) {
    std::vector<double> z;
    for (std::size_t i = 0; i < problem.rows(); ++i) z.push_back(problem.dot(i, point.w));
    point.b = best_bias(problem.loss, z, problem.y, problem.weights);
  } else if (!close(result.point.b, point.b, scale)) {
    return "b";
  }
  const double primal = naive_primal(problem, point);
  // w may cancel, and its rounding reaches the loss through the longest row.
  double longest = 0;
  for (const auto& row : problem.x) {
    longest = std::max(longest, size_of({row.begin(), row.end()}));
  }
  const double primal_scale = primal + 0.5 * problem.lambda * scale * scale + longest * scale;
  if (!close(report.primal.objective(), primal, primal_scale)) return "primal";
  if (!close(naive_primal(problem, result.point), primal, primal_scale)) {
    return "primal of the point";
  }

  // Zero duals are feasible from the start; the solver's own count once they are better.
  const std::vector<double> zeros(problem.rows(), 0.0);
  const double of_zeros = naive_dual(problem, finished_duals(problem, zeros));
  double best = of_zeros;
  for (const auto* duals : {&expected.duals, &expected.suffix_duals}) {
    for (const auto& a : *duals) {
      best = std::max(best, naive_dual(problem, finished_duals(problem, a)));
    }
  }
  const double dual_scale = std::abs(best) + primal_scale;
  if (!close(*report.dual, best, dual_scale)) return "dual";
  if (!close(naive_dual(problem, result.a), best, dual_scale)) return "dual of the duals";
  const bool own = best > of_zeros + 1e-9 * dual_scale;
  if (expected.duals.size() == 1 && problem.bias != Bias::exact && own) {
    const auto a = finished_duals(problem, expected.duals[0]);
    if (!close(result.a, a, 1 + size_of(a))) return "duals";
  }

  return lemma_difference(problem, options, expected, report);
}

TEST(Pegasos, IsTheTextbookLoopForEveryCombinationOfOptions) {
  std::uint64_t count = 0;
  for (const Loss loss : kAllLosses) {
    for (const Bias bias : kAllBiases) {
      for (const Sampling sampling : kAllSamplings) {
        for (const Average average : kAllAverages) {
          for (const bool project : {false, true}) {
            for (const std::uint64_t batch : {1, 3, 12}) {
              ++count;
              SmallProblem problem = make_problem({.rows = 11,
                                                   .features = 4,
                                                   .density = 0.7,
                                                   .weighted = count / 2 % 2 == 0,
                                                   .dense = count % 2 == 0,
                                                   .lambda = count % 3 == 0 ? 0.03 : 0.3,
                                                   .loss = loss,
                                                   .bias = bias,
                                                   .seed = count});
              problem.bias_feature = 0.7;
              PegasosOptions options{.batch = batch,
                                     .sampling = sampling,
                                     .project = project,
                                     .average = average,
                                     .epochs = 1 + count % 4,
                                     .seed = count};
              ASSERT_EQ(difference(problem, options), "")
                  << describe(problem) << "; " << describe(options) << "; number " << count;
              options.steps = 1 + count % 30;
              ASSERT_EQ(difference(problem, options), "")
                  << describe(problem) << "; " << describe(options) << "; number " << count;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(count, 2304u);
}

TEST(Pegasos, IsTheTextbookLoopStepForStep) {
  for (const Loss loss : kAllLosses) {
    for (const Bias bias : kAllBiases) {
      const SmallProblem problem = make_problem(
          {.rows = 9, .features = 3, .lambda = 0.1, .loss = loss, .bias = bias, .seed = 21});
      for (std::uint64_t steps = 1; steps <= 3 * 5 + 2; ++steps) {
        const PegasosOptions options{
            .batch = 2, .project = true, .average = Average::suffix, .epochs = 4, .steps = steps};
        ASSERT_EQ(difference(problem, options), "")
            << describe(problem) << "; " << describe(options);
      }
    }
  }
}

// So small a lambda that hundreds of projections shrink w by 1e-3 and less each: the factor R falls
// below every limit and is folded into all that is kept relative to it.
TEST(Pegasos, IsTheTextbookLoopThroughManyProjections) {
  for (const Loss loss : {Loss::hinge, Loss::epsilon_insensitive}) {
    for (const Bias bias : kAllBiases) {
      for (const Average average : kAllAverages) {
        for (const Sampling sampling : kAllSamplings) {
          const SmallProblem problem = make_problem({.rows = 25,
                                                     .features = 4,
                                                     .value_scale = 3.0,
                                                     .lambda = 1e-6,
                                                     .loss = loss,
                                                     .bias = bias,
                                                     .seed = 51});
          const PegasosOptions options{.batch = bias == Bias::exact ? 5u : 1u,
                                       .sampling = sampling,
                                       .project = true,
                                       .average = average,
                                       .epochs = 8};
          EXPECT_EQ(difference(problem, options), "")
              << describe(problem) << "; " << describe(options);
        }
      }
    }
  }
}

PegasosOptions any_options(std::size_t rows) {
  PegasosOptions options;
  options.batch = *rc::gen::inRange<std::uint64_t>(1, rows + 3);
  options.sampling = *rc::gen::elementOf(
      std::vector<Sampling>(std::begin(kAllSamplings), std::end(kAllSamplings)));
  options.project = *rc::gen::arbitrary<bool>();
  options.average =
      *rc::gen::elementOf(std::vector<Average>(std::begin(kAllAverages), std::end(kAllAverages)));
  options.epochs = *rc::gen::inRange<std::uint64_t>(1, 6);
  if (*rc::gen::inRange(0, 3) == 0) options.steps = *rc::gen::inRange<std::uint64_t>(1, 60);
  options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  return options;
}

TEST(Pegasos, IsTheTextbookLoopForRandomProblems) {
  EXPECT_TRUE(rc::check("the textbook's run", [] {
    const SmallProblem problem = arbitrary_problem({.smallest_lambda = 1e-2});
    PegasosOptions options = any_options(problem.rows());
    // Without its offset a squared loss amplifies the rounding that the two runs differ in.
    if (!is_squared(problem.loss.loss))
      options.step_offset = *rc::gen::element<std::optional<double>>({}, 0.0, 0.1, 7.5);
    const std::string differs = difference(problem, options);
    if (differs != "") RC_FAIL(differs + ": " + describe(problem) + "; " + describe(options));
  }));
}

// After a whole permutation epoch the duals make exactly the w of the last iterate. (After more the
// best duals may be those of the later epochs alone.)
TEST(Pegasos, HoldsTheUnwoundSumOfItsDuals) {
  int tried = 0;
  int compared = 0;
  EXPECT_TRUE(rc::check("w is w(a)", [&tried, &compared] {
    ++tried;
    SmallProblem problem = arbitrary_problem({.smallest_lambda = 1e-4});
    if (problem.has_free_bias()) problem.bias = Bias::regularised;
    PegasosOptions options = any_options(problem.rows());
    options.sampling = *rc::gen::element(Sampling::shuffle, Sampling::fixed);
    options.average = Average::last;
    options.steps = {};
    options.epochs = 1;
    const std::vector<double> zeros(problem.rows(), 0.0);
    double before = naive_dual(problem, finished_duals(problem, zeros));
    bool improved = false;
    const SolverResult result =
        train(problem, options, {.event = [&](const TrainingEvent& event) {
                improved = *event.report.dual > before + 1e-9 * (1 + std::abs(before));
                before = *event.report.dual;
              }});
    if (!improved) return;  // the duals are of an earlier epoch
    ++compared;
    const LinearPoint point = naive_point_of_duals(problem, result.a);
    double scale = 0;  // slopes and rows may cancel
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      const double row = size_of({problem.x[i].begin(), problem.x[i].end()}) + 2;
      scale += (problem.weight(i) + std::abs(result.a[i])) * row;
    }
    scale /= problem.lambda * static_cast<double>(problem.rows());
    if (!close(result.point.w, point.w, scale) || !close(result.point.b, point.b, scale)) {
      RC_FAIL(describe(problem) + "; " + describe(options));
    }
  }));
  EXPECT_GT(3 * compared, tried);
}

TEST(Pegasos, StaysInTheBallWhenProjecting) {
  EXPECT_TRUE(rc::check("norm within the radius", [] {
    const SmallProblem problem =
        arbitrary_problem({.smallest_lambda = 1e-8, .largest_lambda = 1e8, .odd_rows = true});
    PegasosOptions options = any_options(problem.rows());
    options.project = true;
    double at_zero = 0;
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      at_zero += problem.weight(i) * testing::naive_loss(problem.loss, 0.0, problem.y[i]);
    }
    const double radius = std::sqrt(at_zero / static_cast<double>(problem.rows()) / problem.lambda);
    double largest = 0;
    const SolverResult result = train(problem, options, {.event = [&](const TrainingEvent& event) {
                                        largest = std::max(largest, event.report.norm);
                                      }});
    if (largest > radius * (1 + 1e-9) || size_of(result.point.w) > radius * (1 + 1e-9)) {
      RC_FAIL(describe(problem) + "; " + describe(options));
    }
  }));
}

// The running norm of v must not drift away from v over a long epoch of projections.
TEST(Pegasos, StaysInTheBallOverLongEpochs) {
  for (const Loss loss : kAllLosses) {
    const SmallProblem problem = make_problem(
        {.rows = 30000, .features = 6, .value_scale = 30, .lambda = 1e-6, .loss = loss, .seed = 8});
    const PegasosOptions options{.project = true, .epochs = 3};
    double at_zero = 0;
    for (const double y : problem.y) at_zero += testing::naive_loss(problem.loss, 0.0, y);
    const double radius = std::sqrt(at_zero / static_cast<double>(problem.rows()) / problem.lambda);
    train(problem, options, {.event = [&](const TrainingEvent& event) {
            const double norm = event.report.norm;
            EXPECT_LE(norm, radius * (1 + 1e-9)) << name_of(loss);
            EXPECT_NEAR(norm, size_of(event.linear_point().w), 1e-12 * norm);
          }});
  }
}

TEST(Pegasos, GivesTheSameBitsForASeedOnAnyNumberOfThreads) {
  for (const Sampling sampling : kAllSamplings) {
    const SmallProblem problem = make_problem({.rows = 5000,
                                               .features = 40,
                                               .density = 0.3,
                                               .weighted = true,
                                               .lambda = 1e-3,
                                               .loss = Loss::logistic,
                                               .bias = Bias::unregularised,
                                               .seed = 3});
    const LinearProblem linear = problem.linear();
    const PegasosOptions options{.batch = 7,
                                 .sampling = sampling,
                                 .project = true,
                                 .average = Average::weighted,
                                 .epochs = 3,
                                 .seed = 99};
    std::optional<SolverResult> first;
    for (const int threads : {1, 1, 2, 4, 8}) {
      ThreadPool pool(threads);
      const SolverResult result = train_pegasos(linear, options, {}, pool);
      if (!first) {
        first = result;
        continue;
      }
      EXPECT_EQ(result.point.w, first->point.w);
      EXPECT_EQ(result.point.b, first->point.b);
      EXPECT_EQ(result.a, first->a);
      EXPECT_EQ(result.report.primal.objective(), first->report.primal.objective());
      EXPECT_EQ(result.report.dual, first->report.dual);
      EXPECT_EQ(result.report.norm, first->report.norm);
    }
    PegasosOptions other = options;
    other.seed = 100;
    EXPECT_NE(train(problem, other).point.w, first->point.w);
  }
}

// A squared loss without offset grows beyond what a double holds. That is the caller's choice, but
// what is reported stays a bound.
TEST(Pegasos, KeepsItsBoundWhenItDiverges) {
  SmallProblem problem = make_problem({.rows = 200,
                                       .features = 5,
                                       .value_scale = 10,
                                       .lambda = 1e-6,
                                       .loss = Loss::squared_hinge,
                                       .seed = 5});
  const double zero = naive_primal(problem, {std::vector<double>(5, 0.0), 0.0});
  const SolverResult result = train(problem, {.step_offset = 0.0, .epochs = 5});
  EXPECT_GE(*result.report.dual, 0.0);
  EXPECT_LE(*result.report.dual, zero);
  EXPECT_EQ(result.a.size(), 200u);
  EXPECT_NEAR(naive_dual(problem, result.a), *result.report.dual, 1e-12);
}

// The default offset of the squared losses has to count the direction of a free bias too, which
// matters most where rows are short.
TEST(Pegasos, ConvergesForSquaredLossesWithAFreeBias) {
  for (const Loss loss : {Loss::squared_hinge, Loss::squared_epsilon_insensitive}) {
    const SmallProblem problem = make_problem({.rows = 300,
                                               .features = 5,
                                               .value_scale = 0.05,
                                               .lambda = 1e-4,
                                               .loss = loss,
                                               .bias = Bias::unregularised,
                                               .seed = 6});
    const SolverResult result = train(problem, {.epochs = 10});
    LinearPoint zero{std::vector<double>(5, 0.0), 0.0};
    std::vector<double> z(300, 0.0);
    zero.b = best_bias(problem.loss, z, problem.y, {});
    EXPECT_LT(result.report.primal.objective(), naive_primal(problem, zero)) << name_of(loss);
  }
}

TEST(Pegasos, EndsAfterTheStepsAsked) {
  const SmallProblem problem = make_problem({.rows = 50, .features = 3});
  for (const std::uint64_t steps : {1, 9, 10, 11, 23, 50}) {
    int epochs_seen = 0;
    const SolverResult result = train(problem, {.batch = 5, .epochs = 5, .steps = steps},
                                      {.event = [&](const TrainingEvent&) { ++epochs_seen; }});
    EXPECT_EQ(result.report.steps, steps);
    EXPECT_EQ(result.report.rows_seen, 5 * steps);
    EXPECT_FALSE(result.interrupted);
    EXPECT_EQ(epochs_seen, static_cast<int>((steps + 9) / 10));
    EXPECT_LE(*result.report.dual, result.report.primal.objective());
  }
}

TEST(Pegasos, EndsAfterTheEventWhenItsWatchSaysSo) {
  const SmallProblem problem = make_problem({.rows = 50, .features = 3});
  LinearPoint seen;
  std::vector<double> duals;
  std::uint64_t epochs = 0;
  const SolverResult result = train(problem, {.epochs = 100},
                                    {.event =
                                         [&](const TrainingEvent& event) {
                                           seen = event.linear_point();
                                           duals = event.duals();
                                           epochs = event.report.epoch;
                                         },
                                     .stop = [&] { return epochs == 3; }});
  EXPECT_EQ(result.report.epoch, 3u);
  EXPECT_EQ(result.report.rows_seen, 150u);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.a, duals);
  EXPECT_EQ(result.point.w, seen.w);
  EXPECT_EQ(result.point.b, seen.b);
  // As if no more had been planned.
  EXPECT_EQ(result.point.w, train(problem, {.epochs = 3}).point.w);
}

TEST(Pegasos, EndsInTheMiddleOfAnEpochWhenInterrupted) {
  for (const Sampling sampling : kAllSamplings) {
    for (const Bias bias : kAllBiases) {
      const SmallProblem problem =
          make_problem({.rows = 3000, .features = 4, .lambda = 1e-2, .bias = bias, .seed = 9});
      int asked = 0;
      const SolverResult result = train(problem, {.sampling = sampling, .epochs = 50},
                                        {.stop = [&] { return ++asked == 9; }});
      EXPECT_TRUE(result.interrupted);
      EXPECT_EQ(asked, 9);
      EXPECT_NE(result.report.rows_seen % 3000, 0u);
      EXPECT_LE(result.report.rows_seen, 9 * 1000u);  // every few hundred rows
      EXPECT_GE(result.report.rows_seen, 9 * 100u);
      const double primal = naive_primal(problem, result.point);
      const double dual = naive_dual(problem, result.a);
      EXPECT_NEAR(result.report.primal.objective(), primal, 1e-9);
      EXPECT_NEAR(*result.report.dual, dual, 1e-9);
      EXPECT_LE(dual, primal);
    }
  }
}

// Epochs may be shorter than the rows between two questions.
TEST(Pegasos, AsksForInterruptionsOnSmallDataToo) {
  const SmallProblem problem = make_problem({.rows = 20, .features = 3});
  int asked = 0;
  const SolverResult result =
      train(problem, {.epochs = 1000}, {.stop = [&] { return ++asked == 2; }});
  EXPECT_TRUE(result.interrupted);
  EXPECT_LE(result.report.rows_seen, 2000u);
}

// An offset far beyond the rows, or one that is no whole number, must not touch the counting.
TEST(Pegasos, CountsRowsWhateverTheOffset) {
  const SmallProblem problem = make_problem({.rows = 30, .features = 3, .lambda = 1.0});
  for (const double offset : {0.1, 1.0 / 3, 1e6 + 0.7, 1e17}) {
    const SolverResult result = train(problem, {.step_offset = offset, .epochs = 1});
    EXPECT_EQ(result.report.rows_seen, 30u) << offset;
    const double divisor = 1 + offset / 30;
    double largest = 0;
    for (const double a : result.a) largest = std::max(largest, std::abs(a));
    EXPECT_NEAR(largest, 1 / divisor, 1e-9 / divisor) << offset;
  }
}

TEST(Pegasos, RefusesWhatCannotBe) {
  const SmallProblem good = make_problem({.rows = 5, .features = 2});
  const auto refused = [](const SmallProblem& problem, const PegasosOptions& options) {
    try {
      train(problem, options);
      return std::string();
    } catch (const InvalidOption& error) {
      return error.field();
    }
  };
  EXPECT_EQ(refused(good, {}), "");
  EXPECT_EQ(refused(good, {.batch = 0}), "batch");
  EXPECT_EQ(refused(good, {.epochs = 0}), "epochs");
  EXPECT_EQ(refused(good, {.steps = 0}), "steps");
  for (const double bad : {-1.0, kNaN, kInfinity}) {
    EXPECT_EQ(refused(good, {.step_offset = bad}), "step_offset");
    SmallProblem problem = good;
    problem.lambda = bad;
    EXPECT_EQ(refused(problem, {}), "lambda");
    problem = good;
    problem.weights = {1, 1, bad, 1, 1};
    EXPECT_EQ(refused(problem, {}), "weights");
    problem = good;
    problem.y[2] = bad == -1.0 ? 0.5 : bad;
    EXPECT_EQ(refused(problem, {}), "y");
  }
  SmallProblem problem = good;
  problem.lambda = 0;
  EXPECT_EQ(refused(problem, {}), "lambda");
  problem = good;
  problem.weights.assign(5, 0.0);
  EXPECT_EQ(refused(problem, {}), "weights");
  problem.weights.assign(4, 1.0);
  EXPECT_EQ(refused(problem, {}), "weights");
  problem = good;
  problem.bias = Bias::regularised;
  problem.bias_feature = 0;
  EXPECT_EQ(refused(problem, {}), "bias_feature");
  problem = good;
  problem.y.pop_back();
  EXPECT_EQ(refused(problem, {}), "y");
}

}  // namespace
}  // namespace pegasos
