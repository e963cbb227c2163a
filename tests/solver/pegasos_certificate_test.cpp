// What a run claims about the optimum: the dual bound, and the convergence lemma.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "solver/pegasos.h"
#include "support/naive_objective.h"
#include "support/real_data.h"
#include "support/small_problem.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::arbitrary_problem;
using testing::describe;
using testing::feasible_duals;
using testing::kAllLosses;
using testing::make_problem;
using testing::naive_dual;
using testing::naive_optimum;
using testing::naive_primal;
using testing::SmallProblem;

PegasosOptions arbitrary_options(std::size_t rows) {
  PegasosOptions options;
  options.batch = *rc::gen::inRange<std::uint64_t>(1, rows + 2);
  options.sampling = *rc::gen::element(Sampling::shuffle, Sampling::fixed, Sampling::iid,
                                       Sampling::without_replacement);
  options.project = *rc::gen::arbitrary<bool>();
  options.average =
      *rc::gen::element(Average::last, Average::mean, Average::suffix, Average::weighted);
  options.epochs = *rc::gen::inRange<std::uint64_t>(1, 8);
  if (*rc::gen::inRange(0, 4) == 0) options.steps = *rc::gen::inRange<std::uint64_t>(1, 40);
  options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  return options;
}

// The complaint about one run, or "".
std::string broken_promise(const SmallProblem& problem, const PegasosOptions& options) {
  std::string complaint;
  double best_primal = std::numeric_limits<double>::infinity();
  const auto holds = [&](double dual, double primal) {
    return dual <= primal + 1e-12 * (1 + std::abs(primal));  // NaN does not hold
  };
  ThreadPool pool(1);
  const SolverResult result = train_pegasos(
      problem.linear(), options,
      {.event =
           [&](const TrainingEvent& event) {
             const TrainingReport& report = event.report;
             best_primal = std::min(best_primal, naive_primal(problem, event.linear_point()));
             if (!holds(*report.dual, report.primal.objective())) complaint = "D > P in an epoch";
             // The bound is for the problem, not for this point: any other must
             // respect it.
             if (!holds(*report.dual, best_primal)) complaint = "D > P of an earlier epoch";
           }},
      pool);
  if (!complaint.empty()) return complaint;
  const LinearPoint zero{std::vector<double>(problem.features, 0.0), 0.0};
  if (!holds(*result.report.dual, naive_primal(problem, zero))) return "D > P(0)";
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const double s = problem.weight(i);
    if (s == 0 && result.a[i] != 0) return "a dual without weight";
    if (s == 0) continue;
    const auto domain = feasible_duals(problem.loss, problem.y[i]);
    if (result.a[i] < s * domain.low || result.a[i] > s * domain.high) return "infeasible";
  }
  const double dual = naive_dual(problem, result.a);
  if (std::abs(dual - *result.report.dual) > 1e-9 * (std::abs(dual) + best_primal)) {
    return "D is not that of the duals";
  }
  return "";
}

TEST(PegasosCertificate, HoldsAtEveryEpochOfRandomRuns) {
  EXPECT_TRUE(rc::check("D ≤ P", [] {
    const SmallProblem problem = arbitrary_problem({.most_rows = 12,
                                                    .most_features = 4,
                                                    .smallest_lambda = 1e-8,
                                                    .largest_lambda = 1e8,
                                                    .odd_rows = true});
    const PegasosOptions options = arbitrary_options(problem.rows());
    const std::string broken = broken_promise(problem, options);
    if (!broken.empty()) RC_FAIL(broken + ": " + describe(problem));
  }));
}

// Every loss with every way of running, thousands of runs, small enough for odd things to be
// common.
TEST(PegasosCertificate, HoldsForEveryModeOnTinyProblems) {
  std::uint64_t seed = 0;
  for (const Loss loss : kAllLosses) {
    for (const Bias bias : testing::kAllBiases) {
      for (const Sampling sampling :
           {Sampling::shuffle, Sampling::fixed, Sampling::iid, Sampling::without_replacement}) {
        for (const bool project : {false, true}) {
          for (const double lambda : {1e-8, 1e-4, 1e-1, 1.0, 1e8}) {
            for (const std::size_t rows : {1u, 2u, 7u}) {
              ++seed;
              SmallProblem problem = make_problem({.rows = rows,
                                                   .features = 2,
                                                   .density = 0.6,
                                                   .weighted = seed % 2 == 0,
                                                   .dense = seed % 3 == 0,
                                                   .lambda = lambda,
                                                   .loss = loss,
                                                   .bias = bias,
                                                   .seed = seed});
              if (seed % 5 == 0) problem.x.back() = problem.x.front();
              const PegasosOptions options{.batch = 1 + seed % 3,
                                           .sampling = sampling,
                                           .project = project,
                                           .epochs = 3,
                                           .seed = seed};
              ASSERT_EQ(broken_promise(problem, options), "") << describe(problem) << " " << seed;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(seed, 2880u);
}

// The same from outside: the bound against an optimum that was found in another way, and it comes
// near.
TEST(PegasosCertificate, ApproachesTheOptimumFromBelow) {
  for (const Loss loss : kAllLosses) {
    for (const Bias bias : {Bias::none, Bias::regularised}) {
      for (const bool weighted : {false, true}) {
        const SmallProblem problem = make_problem({.rows = 60,
                                                   .features = 4,
                                                   .weighted = weighted,
                                                   .lambda = 0.05,
                                                   .loss = loss,
                                                   .bias = bias,
                                                   .seed = 31});
        const auto optimum = naive_optimum(problem, 1e-9, 3000);
        ASSERT_LE(optimum.primal - optimum.dual, 1e-7 * optimum.dual) << describe(problem);
        ThreadPool pool(1);
        const auto result = train_pegasos(problem.linear(),
                                          {.average = Average::weighted, .epochs = 400}, {}, pool);
        const double primal = result.report.primal.objective();
        EXPECT_LE(*result.report.dual, optimum.primal * (1 + 1e-12)) << describe(problem);
        EXPECT_GE(primal, optimum.dual * (1 - 1e-12)) << describe(problem);
        EXPECT_LE(primal, optimum.primal * 1.01) << describe(problem);
        EXPECT_GE(*result.report.dual, optimum.dual * 0.97) << describe(problem);
      }
    }
  }
}

// mean f_t(w_t) ≤ mean f_t(w*) + middle ≤ mean f_t(w*) + bound; over whole shuffled epochs the mean
// of f_t(w*) is P(w*), which P of any point is above.
void expect_lemma(const TrainingReport& report, double primal_near_optimum,
                  const std::string& what) {
  ASSERT_TRUE(report.lemma.has_value()) << what;
  const LemmaReport& lemma = *report.lemma;
  EXPECT_LE(lemma.mean_objective, primal_near_optimum + lemma.tight_bound) << what;
  EXPECT_LE(lemma.tight_bound, lemma.bound * (1 + 1e-12)) << what;
  EXPECT_GT(lemma.tight_bound, 0.0) << what;
}

TEST(PegasosLemma, HoldsOnGeneratedData) {
  for (const Loss loss : {Loss::hinge, Loss::logistic, Loss::epsilon_insensitive, Loss::huber}) {
    for (const double lambda : {1e-3, 1e-2, 1.0}) {
      for (const std::uint64_t batch : {1, 7, 13, 150}) {
        for (const bool project : {false, true}) {
          const SmallProblem problem = make_problem({.rows = 150,
                                                     .features = 5,
                                                     .weighted = project,
                                                     .lambda = lambda,
                                                     .loss = loss,
                                                     .bias = Bias::regularised,
                                                     .seed = 41});
          const auto optimum = naive_optimum(problem, 1e-6, 60);
          ThreadPool pool(1);
          train_pegasos(problem.linear(), {.batch = batch, .project = project, .epochs = 6},
                        {.event =
                             [&](const TrainingEvent& event) {
                               expect_lemma(event.report, optimum.primal,
                                            describe(problem) + ", batch " + std::to_string(batch));
                             }},
                        pool);
        }
      }
    }
  }
}

// Five rows in batches of 4 and 1: as two whole steps an epoch the right-hand side would be too
// low.
TEST(PegasosLemma, CountsShortBatchesByTheirShare) {
  SmallProblem problem = make_problem({.rows = 5, .features = 2, .lambda = 1.0, .seed = 2});
  for (auto& row : problem.x) row = {100.0F, 0.0F};
  problem.y = {1, -1, 1, -1, 1};
  ThreadPool pool(1);
  for (std::uint64_t epochs = 1; epochs < 8; ++epochs) {
    const auto report =
        train_pegasos(problem.linear(), {.batch = 4, .epochs = epochs}, {}, pool).report;
    EXPECT_LE(report.lemma->tight_bound, report.lemma->bound);
  }
}

TEST(PegasosLemma, IsSilentWhereItDoesNotApply) {
  ThreadPool pool(1);
  const auto lemma_of = [&](const auto& change) {
    testing::ProblemShape shape{.rows = 20, .features = 3};
    PegasosOptions options;
    change(shape, options);
    const SmallProblem problem = make_problem(shape);
    return train_pegasos(problem.linear(), options, {}, pool).report.lemma;
  };
  EXPECT_TRUE(lemma_of([](auto&, auto&) {}).has_value());
  EXPECT_FALSE(lemma_of([](auto& shape, auto&) { shape.bias = Bias::unregularised; }).has_value());
  EXPECT_FALSE(lemma_of([](auto& shape, auto&) { shape.bias = Bias::exact; }).has_value());
  EXPECT_FALSE(lemma_of([](auto&, auto& options) { options.step_offset = 3.0; }).has_value());
  EXPECT_FALSE(lemma_of([](auto& shape, auto&) { shape.loss = Loss::squared_hinge; }).has_value());
  EXPECT_FALSE(
      lemma_of([](auto&, auto& options) { options.measure_gradients = false; }).has_value());
}

TEST(PegasosLemma, HoldsOnRealData) {
  const std::string folder = testing::real_data_folder();
  if (folder.empty()) GTEST_SKIP() << "PEGASOS_DATA is not set";
  for (const char* name : {"a9a", "rcv1_ccat", "ijcnn1"}) {
    const auto real = testing::read_real_data(folder, name);
    const LinearProblem problem = real.problem(1e-4);
    ThreadPool pool(2);
    std::vector<TrainingReport> reports;
    double best_primal = std::numeric_limits<double>::infinity();
    train_pegasos(problem, {.average = Average::weighted, .epochs = 10},
                  {.event =
                       [&](const TrainingEvent& event) {
                         reports.push_back(event.report);
                         best_primal = std::min(best_primal, event.report.primal.objective());
                       }},
                  pool);
    for (const auto& report : reports) expect_lemma(report, best_primal, name);
    EXPECT_LE(*reports.back().dual, best_primal);
  }
}

}  // namespace
}  // namespace pegasos
