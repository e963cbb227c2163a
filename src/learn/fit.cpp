#include "learn/fit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "learn/describe.h"

namespace pegasos {
namespace {

// Dual variables at the optimum are piecewise linear in lambda (Hastie, Rosset, Tibshirani and Zhu
// 2004, for the hinge): those at their bounds stay there, the others move at a steady rate. So the
// line through the last two leads near the next; who starts there makes them feasible.
std::vector<double> on_the_line(std::span<const double> first, double first_lambda,
                                std::span<const double> second, double second_lambda,
                                double lambda) {
  std::vector<double> a(second.begin(), second.end());
  if (first.size() != a.size() || first_lambda == second_lambda) return a;
  const double rate = (lambda - second_lambda) / (second_lambda - first_lambda);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += rate * (a[i] - first[i]);
  return a;
}

std::vector<double> predicted_duals(std::span<const Fitted> before, double lambda) {
  if (before.empty()) return {};
  const Fitted& last = before.back();
  if (before.size() == 1) return last.duals;
  const Fitted& earlier = before[before.size() - 2];
  return on_the_line(earlier.duals, earlier.lambda, last.duals, last.lambda, lambda);
}

Fitted fit_linear(const Dataset& rows, const TrainOptions& options,
                  const std::function<bool()>& interrupted) {
  TrainWatch watch;
  watch.interrupted = interrupted;
  TrainResult result = train(rows, options, watch);
  Fitted fitted;
  fitted.gap = result.report.certificate().relative_gap();
  fitted.duals = std::move(result.duals);
  fitted.model = std::move(result.model);
  return fitted;
}

Fitted fit_kernel(const Dataset& rows, const TrainOptions& options,
                  const std::function<bool()>& interrupted) {
  KernelWatch watch;
  watch.interrupted = interrupted;
  KernelTrainResult result = train_kernel(rows, options, watch);
  Fitted fitted;
  if (const auto certificate = result.report.certificate()) {
    fitted.gap = certificate->relative_gap();
  }
  fitted.duals = std::move(result.duals);
  fitted.model = std::move(result.model);
  return fitted;
}

// The last model with every machine's duals on the line, as something to begin from.
MulticlassModel predicted_machines(std::span<const Fitted> before, double lambda) {
  const Fitted& last = before.back();
  MulticlassModel model = std::get<MulticlassModel>(last.model);
  if (before.size() == 1) return model;
  const Fitted& earlier = before[before.size() - 2];
  const auto& first = std::get<MulticlassModel>(earlier.model);
  const auto move = [&](const std::vector<double>& from, std::vector<double>& duals) {
    duals = on_the_line(from, earlier.lambda, duals, last.lambda, lambda);
  };
  move(first.duals, model.duals);
  for (std::size_t k = 0; k < std::min(first.machines.size(), model.machines.size()); ++k) {
    move(first.machines[k].duals, model.machines[k].duals);
  }
  return model;
}

Fitted fit_many(const Dataset& rows, const TrainOptions& options, std::span<const Fitted> before,
                double lambda, const std::function<bool()>& interrupted) {
  MulticlassWatch watch;
  watch.interrupted = interrupted;
  std::optional<MulticlassModel> start;
  if (!before.empty()) start = predicted_machines(before, lambda);
  Fitted fitted;
  MulticlassModel model = train_multiclass(rows, options, watch, start ? &*start : nullptr).model;
  if (const auto worst = model.worst_certificate()) {
    fitted.gap = worst->relative_gap().value_or(fitted.gap);
  }
  fitted.model = std::move(model);
  return fitted;
}

}  // namespace

Fitted fit(const Dataset& rows, const TrainOptions& wanted, std::span<const Fitted> before,
           const std::function<bool()>& interrupted) {
  TrainOptions options = wanted;
  options.solver.start = {};
  // Pegasos by name is judged as it will run: from nothing.
  const bool begins_anew = options.solver.kind == Solver::pegasos;
  if (begins_anew) before = {};
  const double lambda = lambda_for(options, rows.rows());
  const bool kernel_machine = options.kernel && !options.approximation;
  Fitted fitted;
  if (has_many_classes(rows, options)) {
    fitted = fit_many(rows, options, before, lambda, interrupted);
  } else {
    options.strategy.reset();  // two classes need one machine
    options.solver.start.a = predicted_duals(before, lambda);
    fitted = kernel_machine ? fit_kernel(rows, options, interrupted)
                            : fit_linear(rows, options, interrupted);
  }
  fitted.lambda = lambda;
  fitted.interrupted = base_of(fitted.model).record.interrupted;
  return fitted;
}

TrainOptions with_task(const TrainOptions& options, const Dataset& data) {
  TrainOptions result = options;
  if (!result.task && !result.positive_label) result.task = suggest_task(data);
  return result;
}

}  // namespace pegasos
