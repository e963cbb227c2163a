#include "pegasos/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "certify/certificate.h"
#include "learn/claim.h"
#include "learn/labels.h"
#include "learn/training_job.h"
#include "learn/weights.h"
#include "pegasos/error.h"
#include "solver/solve.h"
#include "solver/stop_when.h"

namespace pegasos {
namespace {

// The search steers by ordinary double precision and aims a little higher than what is wanted, by
// this share of the objective.
constexpr double kAimHigher = 0.5 * kRoundingAllowance;

Arithmetic arithmetic_of(const VerifyOptions& options) {
  return options.exact ? Arithmetic::pairs : Arithmetic::automatic;
}

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
                      const VerifyOptions& options, const Watch& watch, ThreadPool& pool,
                      Verification& result) {
  const double wanted = bound_wanted(result, options);
  const double aim = wanted + kAimHigher * result.primal.objective();
  const bool can_fail = claims_a_share(result);
  SolverOptions search;
  search.tolerance = 0.0;
  search.max_epochs = options.max_epochs;
  StopWhen decided(watch, [&](const TrainingReport& report) {
    return report.dual >= aim || (can_fail && report.primal.objective() < wanted);
  });
  // Centred as in training.
  LinearProblem centred = problem;
  const CentredTargets centre(problem.y, problem.has_free_bias(),
                              is_classification(problem.loss.loss));
  centred.y = centre.y();
  WarmStart start{.point = {model.w, model.b}};
  centre.take_from(start.point.b);
  SolverResult found = solve_linear(centred, search, decided.watch(), pool, std::move(start));
  centre.give_back(found.point.b);
  const Proof proof = certify(problem, found.point, found.a, pool, arithmetic_of(options));
  judge_search(proof, wanted, result);
  result.interrupted = decided.interrupted();
}

}  // namespace

void check_has_problem(const ModelBase& model, const Dataset& data) {
  if (!(model.lambda > 0)) {
    throw InvalidOption("lambda", "the model does not record it, so there is no objective");
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
  const Certificate& claim = *result.claimed;
  const double share = claim.relative_gap();
  return (std::isfinite(share) ? P / (1.0 + share) : P - claim.gap()) - kRoundingAllowance * P;
}

bool objective_holds(const Proof& proof, Verification& result) {
  const Certificate& fresh = proof.certificate;
  result.primal.regulariser = fresh.regulariser;
  result.primal.mean_loss = fresh.mean_loss;
  result.primal.wrong = fresh.wrong.value_or(0);
  result.primal_below = proof.primal_below;
  result.in_pairs = proof.used == Arithmetic::pairs;
  if (!result.claimed) return true;
  const double claimed = result.claimed->primal;
  const double allowance = kRoundingAllowance * fresh.primal;
  if (claimed >= proof.primal_below - allowance && claimed <= fresh.primal + allowance) return true;
  result.finding = Finding::objective_differs;
  return false;
}

void judge_search(const Proof& found, double wanted, Verification& result) {
  result.dual = found.certificate.dual;
  const double lowest = found.certificate.primal;
  if (lowest < result.primal_below) result.better = lowest;
  if (!claims_a_share(result)) {
    result.finding = Finding::no_claim;
  } else if (*result.dual >= wanted) {
    result.finding = Finding::holds;
  } else {
    result.finding = lowest < wanted ? Finding::disproven : Finding::not_found;
  }
}

void VerifyOptions::validate() const {
  if (!(tolerance >= 0) || std::isinf(tolerance)) {
    throw InvalidOption("tolerance", "must be 0 or more");
  }
  if (max_epochs == 0U) throw InvalidOption("max_epochs", "must be at least 1");
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
}

Verification verify(const LinearModel& model, const Dataset& data, const VerifyOptions& options,
                    const Watch& watch) {
  options.validate();
  model.validate();
  const Rebuilt rebuilt = rebuild(model, data, options.threads);
  const LinearProblem& problem = rebuilt.problem;
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  Verification result;
  result.claimed = model.certificate;
  result.same_data = model.record.rows == data.rows() &&
                     model.record.data_fingerprint == fingerprint(data, options.threads);
  result.duals_kept = !model.duals.empty() && model.duals.size() == data.rows();
  std::vector<double> a = result.duals_kept ? model.duals : std::vector<double>();
  const Proof proof = certify(problem, {model.w, model.b}, a, pool, arithmetic_of(options));
  if (!objective_holds(proof, result)) return result;
  if (!result.duals_kept) {
    search_for_proof(problem, model, options, watch, pool, result);
    return result;
  }
  result.dual = proof.certificate.dual;
  if (claims_a_share(result)) {
    const bool proven = *result.dual >= bound_wanted(result, options);
    result.finding = proven ? Finding::holds : Finding::duals_too_low;
  }
  return result;
}

}  // namespace pegasos
