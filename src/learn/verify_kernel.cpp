// Verification of kernel machines.
//
// The objective is computed from the support vectors alone, as predictions are. The duals of the
// search begin as those that the coefficients are made of, which prove most claims at once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "certify/kernel_objective.h"
#include "learn/claim.h"
#include "learn/describe.h"
#include "learn/gram_matrix.h"
#include "learn/labels.h"
#include "learn/weights.h"
#include "pegasos/error.h"
#include "pegasos/train.h"
#include "pegasos/verify.h"
#include "solver/kernel_ascent.h"

namespace pegasos {
namespace {

// The search watches sums that were kept up with float32 kernel values; where they promised more
// than double precision confirms, it goes on to a bound that is so much better.
constexpr double kMargins[] = {1e-8, 1e-6, 1e-5, 1e-4};
constexpr std::uint64_t kMostEpochs = 1000;

struct Rebuilt {
  Targets targets;
  std::vector<double> weights;
  KernelRows inputs;
  KernelProblem problem;
};

Rebuilt rebuild(const KernelModel& model, const Dataset& data) {
  check_has_problem(model, data);
  Rebuilt rebuilt{
      .targets = targets_for(data, model),
      .weights = row_weights(data, model.label_weights),
      .inputs = kernel_rows_of(model.kernel, model.scaling ? apply(*model.scaling, data) : data),
      .problem = {}};
  rebuilt.problem = {.data = rebuilt.inputs.rows,
                     .y = rebuilt.targets.y,
                     .weights = rebuilt.weights,
                     .loss = model.loss,
                     .lambda = model.lambda,
                     .bias = model.bias,
                     .kernel = model.kernel};
  rebuilt.problem.validate();
  return rebuilt;
}

// |f|^2 from the support vectors; of a precomputed kernel from the rows of the matrix.
double squared_norm(const KernelModel& model, const Rebuilt& rebuilt, const Dataset& data) {
  double sum = 0;
  if (model.kernel.kind != KernelKind::precomputed) {
    KernelModel of_scaled = model;  // as the support vectors are
    of_scaled.scaling.reset();
    const auto scores = decisions(of_scaled, model.support_vectors);
    for (std::size_t j = 0; j < scores.size(); ++j) {
      sum += model.coefficients[j] * (scores[j] - model.b);
    }
    return sum;
  }
  const auto scores = decisions(model, data);
  for (std::size_t j = 0; j < model.columns.size(); ++j) {
    const auto& columns = rebuilt.inputs.columns;
    const auto row = std::find(columns.begin(), columns.end(), model.columns[j]);
    if (row == columns.end()) {
      throw InvalidOption("data", "has no row for a support vector of the model");
    }
    sum +=
        model.coefficients[j] * (scores[static_cast<std::size_t>(row - columns.begin())] - model.b);
  }
  return sum;
}

PrimalValue primal_of(const KernelModel& model, const Rebuilt& rebuilt, const Dataset& data,
                      int threads) {
  KernelProblem fixed = rebuilt.problem;
  fixed.bias = Bias::none;  // the bias is the model's, not the best for this data
  double b = 0.0;           // scores have it
  PrimalValue value = evaluate_kernel_primal(fixed, {}, decisions(model, data, threads), b);
  value.regulariser = 0.5 * model.lambda * squared_norm(model, rebuilt, data);
  return value;
}

double dual_of(const KernelProblem& problem, std::vector<double> a, ThreadPool& pool) {
  const KernelBlocks blocks(problem.kernel, problem.data, pool);
  std::vector<double> diagonal(problem.rows());
  for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] = blocks.diagonal(i);
  make_kernel_duals_feasible(problem, diagonal, a);
  std::vector<double> coefficients = a;
  const double unit = 1.0 / (problem.lambda * static_cast<double>(problem.rows()));
  for (double& coefficient : coefficients) coefficient *= unit;
  return evaluate_kernel_dual(problem, a, kernel_scores(blocks, coefficients, pool)).objective();
}

void search_for_proof(const KernelProblem& problem, std::vector<double> start,
                      const VerifyOptions& options, const KernelWatch& watch, ThreadPool& pool,
                      Verification& result) {
  const double wanted = bound_wanted(result, options);
  const bool can_fail = claims_a_share(result);
  KernelSolverOptions search;
  search.tolerance = 0.0;
  search.most_blocks = blocks_of_epochs(options.max_epochs.value_or(kMostEpochs), problem.rows());
  KernelResult found;
  for (const double margin : kMargins) {
    KernelWatch until_decided = watch;
    until_decided.progress = [&](const KernelReport& report) {
      const Verdict verdict = watch.progress ? watch.progress(report) : Verdict::go_on;
      const bool proven = report.dual.value_or(0.0) >= wanted + margin * std::abs(wanted);
      const bool disproven =
          can_fail && report.primal.objective() < wanted - margin * std::abs(wanted);
      return proven || disproven ? Verdict::stop : verdict;
    };
    found = ascend_kernel_dual(problem, search, until_decided, pool, {std::move(start)});
    start = std::move(found.a);
    const bool decided =
        *found.report.dual >= wanted || (can_fail && found.report.primal.objective() < wanted);
    if (decided || found.interrupted || found.report.blocks >= search.most_blocks) break;
  }
  result.dual = found.report.dual;
  const double lowest = found.report.primal.objective();
  if (lowest < result.primal.objective()) result.better = lowest;
  result.interrupted = found.interrupted;
  if (!can_fail) {
    result.finding = Finding::no_claim;
  } else if (*result.dual >= wanted) {
    result.finding = Finding::holds;
  } else {
    result.finding = lowest < wanted ? Finding::disproven : Finding::not_found;
  }
}

}  // namespace

Verification verify(const KernelModel& model, const Dataset& data, const VerifyOptions& options,
                    const KernelWatch& watch) {
  options.validate();
  model.validate();
  const Rebuilt rebuilt = rebuild(model, data);
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  Verification result;
  result.claimed = model.certificate;
  result.same_data = model.record.rows == data.rows() &&
                     model.record.data_fingerprint == fingerprint(data, options.threads);
  result.primal = primal_of(model, rebuilt, data, options.threads);
  const double P = result.primal.objective();
  if (result.claimed && !(std::abs(P - result.claimed->primal) <= kRoundingAllowance * P)) {
    result.finding = Finding::objective_differs;
    return result;
  }
  if (!model.kernel.is_positive_semidefinite()) return result;  // nothing can be proven
  result.duals_kept = !model.duals.empty() && model.duals.size() == data.rows();
  if (!result.duals_kept) {
    search_for_proof(rebuilt.problem, warm_start_from(model, data, options.threads).a, options,
                     watch, pool, result);
    return result;
  }
  result.dual = dual_of(rebuilt.problem, model.duals, pool);
  if (claims_a_share(result)) {
    const bool proven = *result.dual >= bound_wanted(result, options);
    result.finding = proven ? Finding::holds : Finding::duals_too_low;
  }
  return result;
}

}  // namespace pegasos
