#include "learn/joint.h"

#include <cmath>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "certify/joint_certificate.h"
#include "learn/claim.h"
#include "learn/weights.h"
#include "pegasos/error.h"
#include "solver/joint.h"
#include "solver/stop_when.h"

namespace pegasos {

JointInputs::JointInputs(const Dataset& rows, const ClassLabels& labels,
                         std::vector<double> weights, const ModelBase& model)
    : weights_(std::move(weights)) {
  if (model.loss.loss != Loss::hinge) {
    throw InvalidOption("loss", "the joint strategy supports only the hinge loss");
  }
  if (model.bias != Bias::none && model.bias != Bias::regularised) {
    throw InvalidOption("bias", "the joint strategy supports only none and regularised");
  }
  y_.reserve(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::size_t of = labels.class_of(i);
    if (of == labels.classes().size()) {
      throw UnusableData("a row has a label that is not one of the classes");
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
  const auto& map = model.linear()->map;
  const Dataset rows = map ? map->apply(data, options.threads) : data;
  const JointInputs inputs(rows, labels, row_weights(data, model.label_weights), model);
  const JointProblem& problem = inputs.problem();
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  JointPoint point{model.linear()->w, {}};
  for (const Classifier& classifier : model.classifiers) point.b.push_back(classifier.b);
  Verification result;
  if (model.joint) result.claimed = model.joint->certificate;
  result.duals_kept =
      model.joint && model.joint->duals.size() == data.rows() * model.classes.size();
  std::vector<double> a = result.duals_kept ? model.joint->duals : std::vector<double>();
  const Proof proof = certify_joint(problem, point, a, pool);
  if (!objective_holds(proof, result)) return result;
  const double wanted = bound_wanted(result, options);
  const bool can_fail = claims_a_share(result);
  if (result.duals_kept) {
    result.dual = proof.certificate.dual;
    if (can_fail) result.finding = *result.dual >= wanted ? Finding::holds : Finding::duals_too_low;
    return result;
  }
  const double aim = wanted + 0.5 * kRoundingAllowance * result.primal.objective();
  SolverOptions search;
  search.tolerance = 0.0;
  search.max_epochs = options.max_epochs;
  const Watch watch{.stop = [&] { return go_on && !go_on(0); }};
  StopWhen decided(watch, [&](const TrainingReport& report) {
    return report.dual >= aim || (can_fail && report.primal.objective() < wanted);
  });
  JointResult found = solve_joint(problem, search, decided.watch(), pool);
  judge_search(certify_joint(problem, found.point, found.a, pool), wanted, result);
  result.interrupted = decided.interrupted();
  return result;
}

}  // namespace pegasos
