#include "pegasos/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "learn/labels.h"
#include "pegasos/error.h"
#include "solver/solve.h"

namespace pegasos {
namespace {

LossOptions loss_for(const TrainOptions& options, bool classifies) {
  LossOptions loss;
  loss.loss = options.loss.value_or(classifies ? Loss::hinge : Loss::epsilon_insensitive);
  loss.epsilon = options.epsilon;
  loss.delta = options.delta;
  if (is_classification(loss.loss) != classifies) {
    throw InvalidOption(
        "loss", fmt::format("{} is a loss for {}, but the labels are {}", name_of(loss.loss),
                            classifies ? "regression" : "classification",
                            classifies ? "classes" : "numbers to predict"));
  }
  return loss;
}

double lambda_for(const TrainOptions& options, std::size_t rows) {
  if (options.lambda) return *options.lambda;
  return 1.0 / (options.c.value_or(1.0) * static_cast<double>(rows));
}

LinearModel describe(const LinearProblem& problem, const Targets& targets,
                     const TrainOptions& options, SolverResult& result) {
  LinearModel model;
  model.w = std::move(result.point.w);
  model.b = result.point.b;
  model.classifies = targets.classifies;
  model.positive_label = targets.positive_label;
  model.negative_label = targets.negative_label;
  model.one_against_rest = targets.one_against_rest;
  model.schema = problem.data.shared_schema();
  model.loss = problem.loss;
  model.lambda = problem.lambda;
  model.bias = problem.bias;
  model.bias_feature = problem.bias_feature;
  model.record.solver = name_of(result.report.solver);
  model.record.rows = problem.rows();
  model.record.non_zeros = problem.data.non_zeros();
  model.record.epochs = result.report.epoch;
  model.record.steps = result.report.steps;
  model.record.violations = result.report.all_violations;
  model.record.seed = options.solver.pegasos.seed;
  model.record.data_fingerprint = fingerprint(problem.data, options.threads);
  model.record.interrupted = result.interrupted;
  ModelCertificate certificate;
  certificate.primal = result.report.primal.objective();
  certificate.regulariser = result.report.primal.regulariser;
  certificate.mean_loss = result.report.primal.mean_loss;
  certificate.dual = result.report.dual;
  if (targets.classifies) certificate.wrong = result.report.primal.wrong;
  model.certificate = certificate;
  return model;
}

}  // namespace

void TrainOptions::validate() const {
  if (lambda && c) throw InvalidOption("lambda", "give lambda or C, not both");
  if (lambda && (!(*lambda > 0) || std::isinf(*lambda))) {
    throw InvalidOption("lambda", "must be more than 0");
  }
  if (c && (!(*c > 0) || std::isinf(*c))) throw InvalidOption("c", "must be more than 0");
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
  if (bias == Bias::regularised && (!std::isfinite(bias_feature) || bias_feature == 0)) {
    throw InvalidOption("bias_feature", "must be finite and not 0");
  }
  LossOptions{.epsilon = epsilon, .delta = delta}.validate();
  solver.validate();
}

TrainResult train(const Dataset& data, const TrainOptions& options, const TrainWatch& watch) {
  options.validate();
  const Targets targets = targets_of(data, options.task, options.positive_label);
  LinearProblem problem;
  problem.data = data;
  problem.y = targets.y;
  problem.weights = data.weights();
  problem.loss = loss_for(options, targets.classifies);
  problem.lambda = lambda_for(options, data.rows());
  problem.bias = options.bias;
  problem.bias_feature = options.bias_feature;

  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  SolverResult result = solve_linear(problem, options.solver, watch, pool);
  if (!std::isfinite(result.report.primal.objective())) {
    throw Error(fmt::format(
        "training diverged: lambda {} is too small for the size of the features", problem.lambda));
  }
  TrainResult trained;
  trained.model = describe(problem, targets, options, result);
  trained.report = result.report;
  trained.duals = std::move(result.a);
  trained.reason = choose_solver(problem, options.solver.kind).reason;
  return trained;
}

WarmStart warm_start_from(const LinearModel& model, const Dataset& data, int threads) {
  WarmStart start;
  start.epochs = std::max<std::uint64_t>(1, model.record.epochs);
  start.point.b = model.b;
  start.point.w.assign(data.features(), 0.0);
  std::unordered_map<std::string, double> weights;
  for (std::size_t id = 0; id < model.w.size(); ++id) {
    if (model.w[id] != 0.0) {
      weights.emplace(model.schema->feature_name(static_cast<FeatureId>(id)), model.w[id]);
    }
  }
  for (std::size_t id = 0; id < data.features(); ++id) {
    const auto found = weights.find(data.schema().feature_name(static_cast<FeatureId>(id)));
    if (found != weights.end()) start.point.w[id] = found->second;
  }
  if (model.duals.size() == data.rows() &&
      fingerprint(data, threads) == model.record.data_fingerprint) {
    start.a = model.duals;
  }
  return start;
}

}  // namespace pegasos
