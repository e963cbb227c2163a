#include "learn/training_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/cores.h"
#include "learn/resolve.h"
#include "learn/warm_start.h"
#include "learn/weights.h"
#include "pegasos/error.h"

namespace pegasos {

ScaledRows scaled_rows(const std::optional<ScalingKind>& kind, const Dataset& data,
                       Collective& ranks) {
  if (!kind) return {data, std::nullopt};
  Scaling scaling = fit_scaling(data, *kind, ranks);
  return {apply(scaling, data), std::move(scaling)};
}

TrainingJob::TrainingJob(const Dataset& given, const TrainOptions& wanted)
    : data(given),
      whole(WholeRows::of(given, ranks_of(wanted))),
      scaled(scaled_rows(wanted.scaling, given, ranks_of(wanted))),
      options(resolve(wanted, given, scaled.rows, whole)),
      label_weights(label_weights_of(given, wanted, whole)),
      weights(row_weights(given, label_weights)) {
  if (!options.start || ranks().size() == 1) return;
  options.start = std::make_shared<const Model>(
      start_for_rank(*options.start, data, whole.rows_before, options.threads, ranks()));
}

Collective& TrainingJob::ranks() const {
  return ranks_of(options);
}

Targets TrainingJob::targets() const {
  const auto of = [this](const Dataset& rows) {
    return targets_of(rows, options.task, options.positive_label, options.target);
  };
  if (ranks().size() == 1) return of(data);
  check_labels_present(data);
  const Targets of_all = of(whole.labels);
  return of_all.labels ? targets_with(data, *of_all.labels) : of(data);
}

ClassLabels TrainingJob::classes() const {
  if (ranks().size() == 1) return ClassLabels::of(data);
  if (!data.schema().multilabel) check_labels_present(data);
  return ClassLabels(data, ClassLabels::of(whole.labels).classes());
}

int TrainingJob::threads() const {
  return options.threads > 0 ? options.threads : available_cores();
}

Inputs inputs_for(const TrainingJob& job, const std::function<bool()>& hurry) {
  const TrainOptions& options = job.options;
  if (!options.approximation) return {job.scaled.rows, std::nullopt};
  FeatureMapOptions wanted;
  wanted.approximation = *options.approximation;
  wanted.kernel = *options.kernel;
  wanted.components = options.components;
  wanted.seed = options.solver.pegasos.seed;
  FeatureMap map = FeatureMap::fit(job.scaled.rows, wanted);
  Dataset mapped = map.apply(job.scaled.rows, options.threads, hurry);
  return {std::move(mapped), std::move(map)};
}

void of_all_ranks(const TrainingJob& job, LinearProblem& problem) {
  if (job.ranks().size() == 1) return;
  problem.total_rows = job.whole.rows;
  problem.total_non_zeros = job.whole.non_zeros;
}

std::string reason_for_pegasos(const KernelOptions& kernel) {
  return name_of(kernel.kind) +
         " is not known to be positive semidefinite, so dual ascent does not apply and there is no "
         "certificate";
}

void describe(const TrainingJob& job, ModelBase& model) {
  const TrainOptions& options = job.options;
  model.schema = job.data.shared_schema();
  model.scaling = job.scaled.scaling;
  model.loss = {.loss = *options.loss, .epsilon = *options.epsilon, .delta = *options.delta};
  model.lambda = *options.lambda;
  model.bias = *options.bias;
  model.bias_feature = options.bias_feature;
  model.label_weights = job.label_weights;
  model.record.rows = job.whole.rows;
  model.record.non_zeros = job.whole.non_zeros;
  model.record.seed = options.solver.pegasos.seed;
}

CentredTargets::CentredTargets(std::span<const double> y, bool has_free_bias, bool classifies,
                               Collective& ranks)
    : original_(y) {
  if (!has_free_bias || classifies || y.empty()) return;
  std::vector<double> sorted(y.begin(), y.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  centre_ = *middle;
  if (ranks.size() > 1) {  // the mean of their medians is as good
    ranks.sum({&centre_, 1});
    centre_ /= ranks.size();
  }
  centred_.reserve(y.size());
  for (const double value : y) centred_.push_back(value - centre_);
}

Watch CentredTargets::watch(const Watch& watch) const {
  Watch centred = watch;
  if (centre_ == 0.0 || !watch.event) return centred;
  centred.event = [this, &watch](const TrainingEvent& of_centred) {
    TrainingEvent event = of_centred;
    if (of_centred.linear_point) {
      event.linear_point = [this, &of_centred] {
        LinearPoint point = of_centred.linear_point();
        give_back(point.b);
        return point;
      };
    }
    if (of_centred.kernel_point) {
      event.kernel_point = [this, &of_centred] {
        KernelPoint point = of_centred.kernel_point();
        give_back(point.b);
        return point;
      };
    }
    watch.event(event);
  };
  return centred;
}

SolverOptions aiming_lower(const SolverOptions& options) {
  SolverOptions lower = options;
  lower.tolerance *= 0.99;
  return lower;
}

void refuse_divergence(const Certificate& certificate, double lambda, const Dataset& rows,
                       std::span<const double> weights, const KernelOptions* kernel) {
  if (std::isfinite(certificate.primal)) return;
  double size = 0.0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const RowView row = rows.row(i);
    const bool formula = kernel != nullptr && kernel->kind != KernelKind::precomputed;
    const double own = formula ? kernel_value(*kernel, row, row) : row.squared_norm();
    size = std::max(size, own * (weights.empty() ? 1.0 : std::max(1.0, weights[i])));
  }
  // Weights of a model grow like size/lambda, and squares of them must be representable.
  const double least = std::max(size, 1.0) * 1e-100;
  const std::string range =
      std::isfinite(least) && lambda < least
          ? fmt::format(
                "lambda {:.3g} is too small for the magnitude of the features and weights; use "
                "{:.0e} or more",
                lambda, least)
          : fmt::format(
                "the features, targets or weights are too large for lambda {:.3g}; scale them",
                lambda);
  throw Error("training diverged: " + range);
}

void report_certified(const Certificate& certificate, TrainingReport& report) {
  report.primal.regulariser = certificate.regulariser;
  report.primal.mean_loss = certificate.mean_loss;
  if (certificate.wrong) report.primal.wrong = *certificate.wrong;
  report.dual = certificate.dual;
}

}  // namespace pegasos
