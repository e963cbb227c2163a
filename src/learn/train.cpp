#include "pegasos/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "learn/describe.h"
#include "learn/labels.h"
#include "learn/weights.h"
#include "pegasos/error.h"
#include "solver/solve.h"

namespace pegasos {
namespace {

LinearModel describe(const LinearProblem& problem, const Dataset& data, const Targets& targets,
                     const TrainOptions& options, SolverResult& result) {
  LinearModel model;
  describe_shared(data, targets, options, model);
  model.w = std::move(result.point.w);
  model.b = result.point.b;
  model.loss = problem.loss;
  model.lambda = problem.lambda;
  model.bias = problem.bias;
  model.bias_feature = problem.bias_feature;
  model.record.solver = name_of(result.report.solver);
  model.record.epochs = result.report.epoch;
  model.record.steps = result.report.steps;
  model.record.violations = result.report.all_violations;
  model.record.interrupted = result.interrupted;
  model.certificate = certificate_of(result.report.primal, result.report.dual, targets.classifies);
  return model;
}

}  // namespace

Inputs inputs_for(const TrainOptions& options, const Dataset& data) {
  if (!options.approximation) return {data, std::nullopt};
  FeatureMapOptions wanted;
  wanted.approximation = *options.approximation;
  wanted.kernel = kernel_for(options, data);
  wanted.components = options.components;
  wanted.seed = options.solver.pegasos.seed;
  FeatureMap map = FeatureMap::fit(data, wanted);
  Dataset mapped = map.apply(data, options.threads);
  return {std::move(mapped), std::move(map)};
}

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

ScaledRows scaled_rows(const TrainOptions& options, const Dataset& data) {
  if (!options.scaling) return {data, std::nullopt};
  Scaling scaling = fit_scaling(data, *options.scaling);
  return {apply(scaling, data), std::move(scaling)};
}

double lambda_for(const TrainOptions& options, std::size_t rows) {
  if (options.lambda) return *options.lambda;
  return 1.0 / (options.c.value_or(1.0) * static_cast<double>(rows));
}

KernelOptions kernel_for(const TrainOptions& options, const Dataset& data) {
  KernelOptions kernel = options.kernel.value_or(KernelOptions{});
  if (options.gamma_rule && kernel.uses_gamma()) {
    kernel.gamma = *options.gamma_rule == GammaRule::scale ? gamma_scale(data) : gamma_auto(data);
  }
  kernel.validate();
  return kernel;
}

void describe_shared(const Dataset& data, const Targets& targets, const TrainOptions& options,
                     ModelBase& model) {
  model.classifies = targets.classifies;
  model.positive_label = targets.positive_label;
  model.negative_label = targets.negative_label;
  model.one_against_rest = targets.one_against_rest;
  describe_data(data, options, model);
}

void describe_data(const Dataset& data, const TrainOptions& options, ModelBase& model) {
  model.schema = data.shared_schema();
  model.record.rows = data.rows();
  model.record.non_zeros = data.non_zeros();
  model.record.seed = options.solver.pegasos.seed;
  model.record.data_fingerprint = fingerprint(data, options.threads);
}

ModelCertificate certificate_of(const PrimalValue& primal, double dual, bool classifies) {
  ModelCertificate certificate;
  certificate.primal = primal.objective();
  certificate.regulariser = primal.regulariser;
  certificate.mean_loss = primal.mean_loss;
  certificate.dual = dual;
  if (classifies) certificate.wrong = primal.wrong;
  return certificate;
}

void TrainOptions::validate() const {
  if (lambda && c) throw InvalidOption("lambda", "give lambda or C, not both");
  if (lambda && (!(*lambda > 0) || std::isinf(*lambda))) {
    throw InvalidOption("lambda", "must be more than 0");
  }
  if (c && (!(*c > 0) || std::isinf(*c))) throw InvalidOption("c", "must be more than 0");
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
  if (bias.value_or(Bias::regularised) == Bias::regularised &&
      (!std::isfinite(bias_feature) || bias_feature == 0)) {
    throw InvalidOption("bias_feature", "must be finite and not 0");
  }
  LossOptions{.epsilon = epsilon, .delta = delta}.validate();
  if (kernel && (!gamma_rule || !kernel->uses_gamma())) kernel->validate();
  if (scaling && kernel && kernel->kind == KernelKind::precomputed) {
    throw InvalidOption("scaling", "kernel values of a precomputed matrix cannot be scaled");
  }
  for (const ClassWeight& one : class_weights) {
    if (!(one.weight >= 0) || std::isinf(one.weight)) {
      throw InvalidOption("class_weights", "must be finite, 0 or more");
    }
  }
  if (balanced && !class_weights.empty()) {
    throw InvalidOption("balanced", "give weights of classes or have them balanced, not both");
  }
  if (approximation && !kernel) {
    throw InvalidOption("approximation", "there is no kernel to approximate");
  }
  solver.validate();
}

TrainResult train(const Dataset& data, const TrainOptions& options, const TrainWatch& watch) {
  options.validate();
  if (options.kernel && !options.approximation) {
    throw InvalidOption("kernel", "train is for linear models; train_kernel trains this");
  }
  const Targets targets = targets_of(data, options.task, options.positive_label);
  const ScaledRows scaled = scaled_rows(options, data);
  const Inputs inputs = inputs_for(options, scaled.rows);
  const std::vector<LabelWeight> label_weights = label_weights_of(data, options);
  const std::vector<double> weights = row_weights(data, label_weights);
  LinearProblem problem;
  problem.data = inputs.rows;
  problem.y = targets.y;
  problem.weights = weights;
  problem.loss = loss_for(options, targets.classifies);
  problem.lambda = lambda_for(options, data.rows());
  problem.bias = options.bias.value_or(options.kernel ? Bias::none : Bias::regularised);
  problem.bias_feature = options.bias_feature;

  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  SolverOptions solver = options.solver;
  LinearPoint& start = solver.start.point;
  if (scaled.scaling && scaled.scaling->kind != ScalingKind::unit_row &&
      start.w.size() == data.features()) {
    scale_weights(*scaled.scaling, start.w, start.b);
  }
  SolverResult result = solve_linear(problem, solver, watch, pool);
  if (!std::isfinite(result.report.primal.objective())) {
    throw Error(fmt::format(
        "training diverged: lambda {} is too small for the size of the features", problem.lambda));
  }
  TrainResult trained;
  trained.model = describe(problem, data, targets, options, result);
  trained.model.map = inputs.map;
  trained.model.scaling = scaled.scaling;
  trained.model.label_weights = label_weights;
  trained.report = result.report;
  trained.duals = std::move(result.a);
  trained.reason = choose_solver(problem, options.solver.kind).reason;
  return trained;
}

WarmStart warm_start_from(const LinearModel& scaled, const Dataset& data, int threads) {
  if (scaled.map) {
    throw InvalidOption("start", "the model maps its rows; its weights are not of features");
  }
  const LinearModel model = with_scaling_in_weights(scaled);
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
