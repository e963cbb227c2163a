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
#include "certify/kernel_certificate.h"
#include "learn/claim.h"
#include "learn/gram_matrix.h"
#include "learn/kernel_proof.h"
#include "learn/labels.h"
#include "learn/training_job.h"
#include "learn/warm_start.h"
#include "learn/weights.h"
#include "pegasos/error.h"
#include "pegasos/verify.h"
#include "solver/solve_kernel.h"
#include "solver/stop_when.h"

namespace pegasos {
namespace {

// The search watches sums that were kept up with float32 kernel values; where they promised more
// than double precision confirms, it goes on to a bound that is so much better.
constexpr double kMargins[] = {1e-8, 1e-6, 1e-5, 1e-4};
constexpr std::uint64_t kMostEpochs = 1000;

struct RebuiltKernel {
  Targets targets;
  std::vector<double> weights;
  KernelRows inputs;
  KernelProblem problem;
};

RebuiltKernel rebuild(const KernelModel& model, const Dataset& data) {
  check_has_problem(model, data);
  RebuiltKernel rebuilt{
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

// Of a precomputed kernel: the coefficient of each row of the matrix.
std::vector<double> coefficients_of_rows(const KernelModel& model, const KernelRows& inputs) {
  std::vector<double> coefficients(inputs.columns.size(), 0.0);
  for (std::size_t j = 0; j < model.columns.size(); ++j) {
    const auto& columns = inputs.columns;
    const auto row = std::find(columns.begin(), columns.end(), model.columns[j]);
    if (row == columns.end()) {
      throw InvalidOption("data", "lacks a row for one of the support vectors");
    }
    coefficients[static_cast<std::size_t>(row - columns.begin())] += model.coefficients[j];
  }
  return coefficients;
}

// The model at the rows of the data. Its norm is from the support vectors alone.
KernelFunction function_of(const KernelModel& model, const RebuiltKernel& rebuilt,
                           ThreadPool& pool) {
  KernelFunction f;
  const Dataset& rows = rebuilt.problem.data;
  if (model.kernel.kind == KernelKind::precomputed) {
    const KernelBlocks blocks(model.kernel, rows, pool);
    const std::vector<double> coefficients = coefficients_of_rows(model, rebuilt.inputs);
    f.scores = enclose_scores(blocks, coefficients, pool);
    f.squared_norm = squared_norm_of(coefficients, f.scores);
    return f;
  }
  const KernelBlocks to_rows(model.kernel, model.support_vectors, rows, pool);
  const KernelBlocks among_them(model.kernel, model.support_vectors, pool);
  f.scores = enclose_scores(to_rows, model.coefficients, pool);
  f.squared_norm =
      squared_norm_of(model.coefficients, enclose_scores(among_them, model.coefficients, pool));
  return f;
}

void search_for_proof(const KernelProblem& problem, std::vector<double> start,
                      const VerifyOptions& options, const Watch& watch, ThreadPool& pool,
                      Verification& result) {
  const double wanted = bound_wanted(result, options);
  const bool can_fail = claims_a_share(result);
  KernelSolverOptions search;
  search.tolerance = 0.0;
  search.most_visits = visits_of_epochs(options.max_epochs.value_or(kMostEpochs), problem.rows());
  KernelResult found;
  Proof proof;
  KernelProblem centred = problem;  // as in training
  const CentredTargets centre(problem.y, problem.has_free_bias(),
                              is_classification(problem.loss.loss));
  centred.y = centre.y();
  for (const double margin : kMargins) {
    StopWhen looks_decided(watch, [&](const TrainingReport& report) {
      const bool proven = report.dual.value_or(0.0) >= wanted + margin * std::abs(wanted);
      const bool disproven =
          can_fail && report.primal.objective() < wanted - margin * std::abs(wanted);
      return proven || disproven;
    });
    found = ascend_kernel_dual(centred, search, looks_decided.watch(), pool, {std::move(start)});
    found.interrupted = looks_decided.interrupted();
    centre.give_back(found.point.b);
    proof = prove_kernel(problem, Together::equal_rows, found, pool);
    start = std::move(found.a);
    const Certificate& proven = proof.certificate;
    const bool decided = *proven.dual >= wanted || (can_fail && proven.primal < wanted);
    if (decided || found.interrupted || found.report.rows_seen >= search.most_visits) break;
  }
  judge_search(proof, wanted, result);
  result.interrupted = found.interrupted;
}

}  // namespace

Verification verify(const KernelModel& model, const Dataset& data, const VerifyOptions& options,
                    const Watch& watch) {
  options.validate();
  model.validate();
  const RebuiltKernel rebuilt = rebuild(model, data);
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  Verification result;
  result.claimed = model.certificate;
  result.same_data = model.record.rows == data.rows() &&
                     model.record.data_fingerprint == fingerprint(data, options.threads);
  const bool bounded = model.kernel.is_positive_semidefinite();
  result.duals_kept = bounded && !model.duals.empty() && model.duals.size() == data.rows();
  const KernelProblem& problem = rebuilt.problem;
  const KernelFunction f = function_of(model, rebuilt, pool);
  const Proof of_model = certify_kernel(problem, f, model.b, {}, f, 0.0);
  if (!objective_holds(of_model, result)) return result;
  if (!bounded) return result;  // nothing can be proven
  if (!result.duals_kept) {
    search_for_proof(problem, continue_from(model, data, options.threads).start.a, options, watch,
                     pool, result);
    return result;
  }
  std::vector<double> a = model.duals;
  const KernelBlocks blocks(problem.kernel, problem.data, pool);
  const std::vector<double> diagonal = diagonal_above(blocks);
  make_exactly_feasible(problem, diagonal, a);
  const FunctionOfDuals own = function_of_duals(problem, blocks, diagonal, a, pool);
  result.dual = certify_kernel(problem, own.f, model.b, a, own.f, own.distance).certificate.dual;
  if (claims_a_share(result)) {
    const bool proven = *result.dual >= bound_wanted(result, options);
    result.finding = proven ? Finding::holds : Finding::duals_too_low;
  }
  return result;
}

}  // namespace pegasos
