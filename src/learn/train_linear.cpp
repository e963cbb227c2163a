// Linear models, on rows as they are or as a feature map makes them.
#include <utility>

#include "base/thread_pool.h"
#include "certify/certificate.h"
#include "learn/training_job.h"
#include "learn/warm_start.h"
#include "pegasos/error.h"
#include "solver/solve.h"

namespace pegasos {
namespace {

WarmStart start_of(const TrainingJob& job, std::string& started_from) {
  const TrainOptions& options = job.options;
  WarmStart start;
  if (!options.start_duals.empty()) start.a = options.start_duals.front();
  if (!options.start) return start;
  const auto* model = std::get_if<LinearModel>(options.start.get());
  if (model == nullptr || model->map || options.approximation) {
    throw InvalidOption("start",
                        "a linear model can only start from a linear model without a feature map");
  }
  Continuation continuation = continue_from(*model, job.data, options.threads);
  start = std::move(continuation.start);
  started_from = std::move(continuation.made_of);
  const auto& scaling = job.scaled.scaling;
  if (scaling && scaling->kind != ScalingKind::unit_row) {
    scale_weights(*scaling, start.point.w, start.point.b);
  }
  return start;
}

}  // namespace

TrainedKind train_linear(const TrainingJob& job, const Watch& watch, const RunPart& part) {
  const TrainOptions& options = job.options;
  const Targets targets = job.targets();
  Inputs inputs = inputs_for(job, watch.hurry);
  TrainedKind trained;
  LinearModel model;
  describe(job, model);
  LinearProblem problem;
  problem.data = inputs.rows;
  const bool free = model.bias == Bias::unregularised || model.bias == Bias::exact;
  const CentredTargets centre(targets.y, free, targets.labels.has_value(), job.ranks());
  problem.y = centre.y();
  problem.weights = job.weights;
  problem.loss = model.loss;
  problem.lambda = model.lambda;
  problem.bias = model.bias;
  problem.bias_feature = model.bias_feature;
  of_all_ranks(job, problem);

  ThreadPool pool(job.threads(), job.ranks());
  WarmStart start = start_of(job, trained.started_from);
  centre.take_from(start.point.b);
  start.state = part.state();
  const Watch centred = centre.watch(watch);
  SolverResult result = solve_linear(problem, aiming_lower(options.solver), part.watching(centred),
                                     pool, std::move(start));
  centre.give_back(result.point.b);
  problem.y = targets.y;
  if (!result.unproven) {
    model.certificate = certify(problem, result.point, result.a, pool).certificate;
    refuse_divergence(*model.certificate, problem.lambda, problem.data, problem.weights);
    report_certified(*model.certificate, result.report);
  }
  model.labels = targets.labels;
  model.transform = options.target;
  model.w = std::move(result.point.w);
  model.b = result.point.b;
  model.map = std::move(inputs.map);
  model.record.solver = name_of(result.report.solver);
  model.record.epochs = result.report.epoch;
  model.record.steps = result.report.steps;
  model.record.violations = result.report.all_violations;
  trained.model = std::move(model);
  trained.duals.push_back(std::move(result.a));
  const SolverChoice choice = choose_solver(problem, options.solver.kind);
  trained.reason = choice.reason;
  trained.changed_solver = !choice.reason.empty() && choice.solver != result.report.solver;
  if (trained.changed_solver) {
    trained.reason += ", but " + name_of(choice.solver) + " made slow progress, so " +
                      name_of(result.report.solver) + " took over";
  }
  trained.report = result.report;
  trained.interrupted = result.interrupted;
  return trained;
}

}  // namespace pegasos
