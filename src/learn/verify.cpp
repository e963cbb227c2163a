#include "pegasos/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "certify/objective.h"
#include "learn/claim.h"
#include "learn/labels.h"
#include "learn/weights.h"
#include "pegasos/error.h"
#include "solver/solve.h"

namespace pegasos {
namespace {

// y and the problem that points to it.
struct Rebuilt {
  Targets targets;
  std::vector<double> weights;
  LinearProblem problem;
};

Rebuilt rebuild(const LinearModel& model, const Dataset& data, int threads) {
  check_has_problem(model, data);
  Rebuilt rebuilt{.targets = targets_for(data, model),
                  .weights = row_weights(data, model.label_weights),
                  .problem = {}};
  const Dataset scaled = model.scaling ? apply(*model.scaling, data) : data;
  rebuilt.problem = {.data = model.map ? model.map->apply(scaled, threads) : scaled,
                     .y = rebuilt.targets.y,
                     .weights = rebuilt.weights,
                     .loss = model.loss,
                     .lambda = model.lambda,
                     .bias = model.bias,
                     .bias_feature = model.bias_feature};
  rebuilt.problem.validate();
  return rebuilt;
}

// Ascends the dual from the model's point until the claim is proven or disproven.
void search_for_proof(const LinearProblem& problem, const LinearModel& model,
                      const VerifyOptions& options, const TrainWatch& watch, ThreadPool& pool,
                      Verification& result) {
  const double wanted = bound_wanted(result, options);
  const bool can_fail = claims_a_share(result);
  SolverOptions search;
  search.tolerance = 0.0;
  search.max_epochs = options.max_epochs;
  search.start.point = {model.w, model.b};
  TrainWatch until_decided = watch;
  until_decided.epoch = [&](const EpochReport& report, const LinearPoint& point) {
    const Verdict verdict = watch.epoch ? watch.epoch(report, point) : Verdict::go_on;
    const bool disproven = can_fail && report.primal.objective() < wanted;
    if (report.dual >= wanted || disproven) return Verdict::stop;
    return verdict;
  };
  const SolverResult found = solve_linear(problem, search, until_decided, pool);
  result.dual = found.report.dual;
  const double lowest = found.report.primal.objective();
  if (lowest < result.primal.objective()) result.better = lowest;
  result.interrupted = found.interrupted;
  if (!can_fail) {
    result.finding = Finding::no_claim;
  } else if (found.report.dual >= wanted) {
    result.finding = Finding::holds;
  } else {
    result.finding = lowest < wanted ? Finding::disproven : Finding::not_found;
  }
}

}  // namespace

void check_has_problem(const ModelBase& model, const Dataset& data) {
  if (!(model.lambda > 0)) {
    throw InvalidOption("lambda", "the model does not say it, and without it has no objective");
  }
  const std::uint64_t features = model.schema->feature_count();
  if (data.features() != features) {
    throw InvalidOption(
        "data", fmt::format("has {} features, the model has {}", data.features(), features));
  }
}

double bound_wanted(const Verification& result, const VerifyOptions& options) {
  const double P = result.primal.objective();
  if (!claims_a_share(result)) return P / (1.0 + options.tolerance);
  const Certificate claim{result.claimed->primal, *result.claimed->dual};
  const double share = claim.relative_gap();
  return (std::isfinite(share) ? P / (1.0 + share) : P - claim.gap()) - kRoundingAllowance * P;
}

void VerifyOptions::validate() const {
  if (!(tolerance >= 0) || std::isinf(tolerance)) {
    throw InvalidOption("tolerance", "must be 0 or more");
  }
  if (max_epochs == 0U) throw InvalidOption("max_epochs", "must be at least 1");
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
}

Verification verify(const LinearModel& model, const Dataset& data, const VerifyOptions& options,
                    const TrainWatch& watch) {
  options.validate();
  model.validate();
  const Rebuilt rebuilt = rebuild(model, data, options.threads);
  const LinearProblem& problem = rebuilt.problem;
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  Verification result;
  result.claimed = model.certificate;
  result.same_data = model.record.rows == data.rows() &&
                     model.record.data_fingerprint == fingerprint(data, options.threads);
  result.primal = evaluate_primal(problem, {model.w, model.b}, pool);
  const double P = result.primal.objective();
  if (result.claimed && !(std::abs(P - result.claimed->primal) <= kRoundingAllowance * P)) {
    result.finding = Finding::objective_differs;
    return result;
  }
  result.duals_kept = !model.duals.empty() && model.duals.size() == data.rows();
  if (!result.duals_kept) {
    search_for_proof(problem, model, options, watch, pool, result);
    return result;
  }
  std::vector<double> a = model.duals;
  result.dual = evaluate_dual(problem, a, pool).objective();
  if (claims_a_share(result)) {
    const bool proven = *result.dual >= bound_wanted(result, options);
    result.finding = proven ? Finding::holds : Finding::duals_too_low;
  }
  return result;
}

}  // namespace pegasos
