#include "learn/joint.h"

#include <cmath>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "learn/claim.h"
#include "learn/weights.h"
#include "pegasos/error.h"
#include "solver/joint.h"

namespace pegasos {

JointInputs::JointInputs(const Dataset& rows, const ClassLabels& labels,
                         std::vector<double> weights, const ModelBase& model)
    : weights_(std::move(weights)) {
  if (model.loss.loss != Loss::hinge) {
    throw InvalidOption("loss", "the joint loss is a hinge; leave the loss out");
  }
  if (model.bias != Bias::none && model.bias != Bias::regularised) {
    throw InvalidOption("bias", "the joint loss has none or a regularised one");
  }
  y_.reserve(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::size_t of = labels.class_of(i);
    if (of == labels.classes().size()) {
      throw InvalidOption("labels", "a row has a label that is none of the classes");
    }
    y_.push_back(static_cast<std::uint32_t>(of));
  }
  problem_.data = rows;
  problem_.y = y_;
  problem_.weights = weights_;
  problem_.classes = labels.classes().size();
  problem_.lambda = model.lambda;
  problem_.bias_feature = model.bias == Bias::regularised ? model.bias_feature : 0.0;
}

Verification verify_joint(const MulticlassModel& model, const Dataset& data,
                          const VerifyOptions& options,
                          const std::function<bool(std::size_t)>& go_on) {
  const ClassLabels labels(data, model.classes);
  const Dataset rows = model.map ? model.map->apply(data, options.threads) : data;
  const JointInputs inputs(rows, labels, row_weights(data, model.label_weights), model);
  const JointProblem& problem = inputs.problem();
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  JointPoint point{model.w, {}};
  for (const Machine& machine : model.machines) point.b.push_back(machine.b);
  Verification result;
  result.claimed = model.certificate;
  result.primal = evaluate_joint_primal(problem, point, pool);
  const double P = result.primal.objective();
  if (result.claimed && !(std::abs(P - result.claimed->primal) <= kRoundingAllowance * P)) {
    result.finding = Finding::objective_differs;
    return result;
  }
  const double wanted = bound_wanted(result, options);
  const bool can_fail = claims_a_share(result);
  result.duals_kept = model.duals.size() == data.rows() * model.classes.size();
  if (result.duals_kept) {
    std::vector<double> a = model.duals;
    result.dual = evaluate_joint_dual(problem, a, pool);
    if (can_fail) result.finding = *result.dual >= wanted ? Finding::holds : Finding::duals_too_low;
    return result;
  }
  SolverOptions search;
  search.tolerance = 0.0;
  search.max_epochs = options.max_epochs;
  JointWatch watch;
  watch.interrupted = [&] { return go_on && !go_on(0); };
  watch.epoch = [&](const EpochReport& report) {
    const bool disproven = can_fail && report.primal.objective() < wanted;
    return report.dual >= wanted || disproven ? Verdict::stop : Verdict::go_on;
  };
  const JointResult found = solve_joint(problem, search, watch, pool);
  result.dual = found.report.dual;
  result.interrupted = found.interrupted;
  const double lowest = found.report.primal.objective();
  if (lowest < P) result.better = lowest;
  if (can_fail) {
    result.finding = *result.dual >= wanted ? Finding::holds
                     : lowest < wanted      ? Finding::disproven
                                            : Finding::not_found;
  }
  return result;
}

}  // namespace pegasos
