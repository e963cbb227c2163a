// Kernel machines: the problem, and what of the solver's result becomes the model.
#include <utility>

#include "base/thread_pool.h"
#include "data/row_table.h"
#include "data/take_rows.h"
#include "learn/gram_matrix.h"
#include "learn/kernel_proof.h"
#include "learn/training_job.h"
#include "learn/warm_start.h"
#include "pegasos/error.h"
#include "solver/solve_kernel.h"

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

std::vector<double> coefficients_to_start_from(const TrainingJob& job, std::string& started_from) {
  const TrainOptions& options = job.options;
  if (!options.start_duals.empty()) return options.start_duals.front();
  if (!options.start) return {};
  const auto* model = std::get_if<KernelModel>(options.start.get());
  if (model == nullptr) {
    throw InvalidOption("start", "a kernel model can only start from a kernel model");
  }
  Continuation continuation = continue_from(*model, job.data, options.threads);
  started_from = std::move(continuation.made_of);
  return std::move(continuation.start.a);
}

}  // namespace

TrainedKind train_kernel(const TrainingJob& job, const Watch& watch, const RunPart& part) {
  const TrainOptions& options = job.options;
  const Targets targets = job.targets();
  const KernelRows inputs = kernel_rows_of(*options.kernel, job.scaled.rows);
  TrainedKind trained;
  KernelModel model;
  describe(job, model);
  KernelProblem problem;
  problem.data = inputs.rows;
  const CentredTargets centre(targets.y, model.bias == Bias::unregularised,
                              targets.labels.has_value());
  problem.y = centre.y();
  problem.weights = job.weights;
  problem.loss = model.loss;
  problem.lambda = model.lambda;
  problem.bias = model.bias;
  problem.kernel = *options.kernel;

  ThreadPool pool(job.threads());
  const Watch centred = centre.watch(watch);
  KernelResult result = solve_kernel(
      problem, aiming_lower(options.solver), options.cache_bytes, part.watching(centred), pool,
      coefficients_to_start_from(job, trained.started_from), part.state());
  centre.give_back(result.point.b);
  problem.y = targets.y;
  const auto certificate =
      prove_unless_hurried(problem, Together::equal_rows, result, pool, watch.hurry);
  if (certificate) {
    refuse_divergence(*certificate, problem.lambda, problem.data, problem.weights, &problem.kernel);
  }
  const TrainingReport& report = result.report;
  const bool pure = report.solver == Solver::pegasos;
  model.labels = targets.labels;
  model.transform = options.target;
  model.b = result.point.b;
  model.kernel = problem.kernel;
  model.support = {report.kernel->support_vectors, report.kernel->bounded, report.norm};
  model.record.solver = pure ? "pegasos" : "dual ascent";
  model.record.epochs = report.epoch;
  model.record.steps = pure ? report.steps : report.kernel->blocks;
  model.record.violations = report.all_violations;
  take_support(inputs, result.point.coefficients, job.scaled.rows, model);
  if (report.dual) {
    model.certificate = certificate;
    trained.duals.push_back(std::move(result.a));
  }
  trained.model = std::move(model);
  if (pure && options.solver.kind == Solver::automatic) {
    trained.reason = reason_for_pegasos(problem.kernel);
  }
  trained.report = report;
  trained.interrupted = result.interrupted;
  return trained;
}

}  // namespace pegasos
