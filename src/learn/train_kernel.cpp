// Training kernel machines: which solver runs, and what of its result becomes the model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "data/take_rows.h"
#include "learn/describe.h"
#include "learn/gram_matrix.h"
#include "learn/merged_rows.h"
#include "learn/row_table.h"
#include "learn/weights.h"
#include "pegasos/error.h"
#include "pegasos/train.h"
#include "simd/panels.h"
#include "solver/kernel_ascent.h"
#include "solver/kernel_pegasos.h"

namespace pegasos {
namespace {

// Rows with a coefficient, equal ones once.
void take_support(const KernelRows& inputs, const std::vector<double>& coefficients,
                  const Dataset& data, KernelModel& model) {
  RowTable table;
  std::vector<RowId> rows;
  std::vector<double> sums;
  const bool precomputed = model.kernel.kind == KernelKind::precomputed;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] == 0.0) continue;
    const std::size_t place = precomputed ? sums.size() : table.add(data.row(i));
    if (place == sums.size()) {
      rows.push_back(static_cast<RowId>(i));
      sums.push_back(0.0);
    }
    sums[place] += coefficients[i];
  }
  std::vector<RowId> kept;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (sums[j] == 0.0) continue;  // equal rows of the two classes may cancel
    kept.push_back(rows[j]);
    model.coefficients.push_back(sums[j]);
    if (precomputed) model.columns.push_back(inputs.columns[rows[j]]);
  }
  if (!precomputed) model.support_vectors = take_rows(data, kept);
}

KernelModel describe(const KernelProblem& problem, const KernelRows& inputs, const Dataset& data,
                     const ScaledRows& scaled, const Targets& targets, const TrainOptions& options,
                     const KernelResult& result, bool pure) {
  KernelModel model;
  const KernelReport& report = result.report;
  describe_shared(data, targets, options, model);
  model.b = result.point.b;
  model.loss = problem.loss;
  model.lambda = problem.lambda;
  model.bias = problem.bias;
  model.kernel = problem.kernel;
  model.support_rows = report.support_vectors;
  model.bounded = report.bounded;
  model.norm = report.norm;
  model.record.solver = pure ? "pegasos" : "dual ascent";
  model.record.epochs = report.epoch;
  model.record.steps = pure ? report.steps : report.blocks;
  model.record.violations = report.all_violations;
  model.record.interrupted = result.interrupted;
  model.scaling = scaled.scaling;
  take_support(inputs, result.point.coefficients, scaled.rows, model);
  if (report.dual) {
    model.certificate = certificate_of(report.primal, *report.dual, targets.classifies);
  }
  return model;
}

}  // namespace

bool is_pure_pegasos(const TrainOptions& options, const KernelOptions& kernel) {
  const Solver kind = options.solver.kind;
  if (kind != Solver::automatic && kind != Solver::pegasos) {
    throw InvalidOption("solver", fmt::format("{} is for linear models; a kernel machine has auto "
                                              "and pegasos",
                                              name_of(kind)));
  }
  return kind == Solver::pegasos || !kernel.is_positive_semidefinite();
}

KernelResult run_kernel_pegasos(const KernelProblem& problem, const TrainOptions& options,
                                const KernelSolverOptions& solver, const KernelWatch& watch,
                                ThreadPool& pool) {
  PegasosOptions pegasos = options.solver.pegasos;
  pegasos.epochs = options.solver.max_epochs.value_or(pegasos.epochs);
  KernelWatch until_near = watch;
  until_near.progress = [&](const KernelReport& report) {
    const Verdict verdict = watch.progress ? watch.progress(report) : Verdict::go_on;
    const auto certificate = report.certificate();
    const bool near = certificate && certificate->within(options.solver.tolerance);
    return near ? Verdict::stop : verdict;
  };
  return train_kernel_pegasos(problem, pegasos, solver, until_near, pool);
}

KernelResult run_kernel_ascent(const KernelProblem& problem, const TrainOptions& options,
                               const std::vector<double>& start, KernelSolverOptions solver,
                               const KernelWatch& watch, ThreadPool& pool) {
  const std::uint64_t epochs = options.solver.max_epochs.value_or(kMostEpochsOfAscent);
  const auto merged = MergedRows::of(problem);
  if (!merged) {
    solver.most_blocks = blocks_of_epochs(epochs, problem.rows());
    return ascend_kernel_dual(problem, solver, watch, pool, {start});
  }
  const KernelProblem fewer = merged->problem();
  solver.most_blocks = blocks_of_epochs(epochs, fewer.rows());
  KernelResult result = ascend_kernel_dual(fewer, solver, watch, pool,
                                           {start.empty() ? start : merged->merged_duals(start)});
  result.a = merged->duals_of_rows(result.a);
  result.point.coefficients = result.a;
  const double unit = 1.0 / (problem.lambda * static_cast<double>(problem.rows()));
  for (double& coefficient : result.point.coefficients) coefficient *= unit;
  return result;
}

std::uint64_t blocks_of_epochs(std::uint64_t epochs, std::size_t rows) {
  const std::uint64_t blocks = rows / (2 * simd::kPanelWidth) + 1;
  return epochs > UINT64_MAX / blocks ? UINT64_MAX : epochs * blocks;
}

KernelTrainResult train_kernel(const Dataset& data, const TrainOptions& options,
                               const KernelWatch& watch) {
  options.validate();
  if (options.approximation) {
    throw InvalidOption("approximation", "is for train, which trains on mapped rows");
  }
  const Targets targets = targets_of(data, options.task, options.positive_label);
  const ScaledRows scaled = scaled_rows(options, data);
  const std::vector<LabelWeight> label_weights = label_weights_of(data, options);
  const std::vector<double> weights = row_weights(data, label_weights);
  KernelProblem problem;
  problem.kernel = kernel_for(options, scaled.rows);
  const KernelRows inputs = kernel_rows_of(problem.kernel, scaled.rows);
  problem.data = inputs.rows;
  problem.y = targets.y;
  problem.weights = weights;
  problem.loss = loss_for(options, targets.classifies);
  problem.lambda = lambda_for(options, data.rows());
  problem.bias = options.bias.value_or(Bias::none);

  const bool pure = is_pure_pegasos(options, problem.kernel);
  KernelSolverOptions solver;
  solver.cache_bytes = options.cache_bytes;
  solver.tolerance = options.solver.tolerance;
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  KernelResult result =
      pure ? run_kernel_pegasos(problem, options, solver, watch, pool)
           : run_kernel_ascent(problem, options, options.solver.start.a, solver, watch, pool);
  if (!std::isfinite(result.report.primal.objective())) {
    throw Error(
        fmt::format("training diverged: lambda {} is too small for the size of the kernel values",
                    problem.lambda));
  }
  KernelTrainResult trained;
  trained.model = describe(problem, inputs, data, scaled, targets, options, result, pure);
  trained.model.label_weights = label_weights;
  trained.report = result.report;
  if (result.report.dual) trained.duals = std::move(result.a);
  if (pure && options.solver.kind == Solver::automatic) {
    trained.reason = name_of(problem.kernel.kind) +
                     " is not known to be positive semidefinite, so that there "
                     "is no dual to climb and nothing to certify";
  }
  return trained;
}

WarmStart warm_start_from(const KernelModel& model, const Dataset& data, int threads) {
  WarmStart start;
  if (model.duals.size() == data.rows() &&
      fingerprint(data, threads) == model.record.data_fingerprint) {
    start.a = model.duals;
    return start;
  }
  // a = lambda m c, shared by the rows that are equal.
  const bool precomputed = model.kernel.kind == KernelKind::precomputed;
  const Dataset rows = model.scaling ? apply(*model.scaling, data) : data;
  const KernelRows inputs = kernel_rows_of(model.kernel, rows);
  RowTable table;
  for (std::size_t j = 0; j < model.support_vectors.rows(); ++j) {
    table.add(model.support_vectors.row(j));
  }
  const auto place_of = [&](std::size_t i) -> std::optional<std::size_t> {
    if (!precomputed) return table.find(rows.row(i));
    const auto& columns = model.columns;
    const auto found = std::find(columns.begin(), columns.end(), inputs.columns[i]);
    if (found == columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - columns.begin());
  };
  std::vector<std::optional<std::size_t>> places(data.rows());
  std::vector<double> sharing(model.coefficients.size(), 0.0);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    places[i] = place_of(i);
    if (places[i]) sharing[*places[i]] += 1.0;
  }
  const double scale = model.lambda * static_cast<double>(data.rows());
  start.a.assign(data.rows(), 0.0);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (places[i]) start.a[i] = scale * model.coefficients[*places[i]] / sharing[*places[i]];
  }
  return start;
}

}  // namespace pegasos
