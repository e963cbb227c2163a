#include "learn/resolve.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <span>

#include "base/memory.h"
#include "base/quantity_text.h"
#include "learn/labels.h"
#include "learn/whole_rows.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

Strategy strategy_for(const TrainOptions& options, bool multilabel) {
  const bool precomputed = options.kernel && options.kernel->kind == KernelKind::precomputed;
  const Strategy usual = options.is_kernel_machine() && !multilabel && !precomputed
                             ? Strategy::one_against_one
                             : Strategy::one_against_rest;
  const Strategy strategy = options.strategy.value_or(usual);
  if (multilabel && strategy != Strategy::one_against_rest) {
    throw InvalidOption("strategy", "multilabel data is trained one against the rest");
  }
  if (strategy == Strategy::one_against_one && precomputed) {
    throw InvalidOption("strategy",
                        "a precomputed kernel can only be trained one against the rest");
  }
  if (strategy == Strategy::joint && options.is_kernel_machine()) {
    throw InvalidOption("strategy", "the joint strategy is for linear models");
  }
  return strategy;
}

// The standard deviation, or 1 where there is none.
double spread_of(std::span<const double> labels, TargetTransform transform, Collective& ranks) {
  auto rows = static_cast<double>(labels.size());
  ranks.sum({&rows, 1});
  double mean = 0;
  for (const double label : labels) mean += transformed(transform, label) / rows;
  ranks.sum({&mean, 1});
  double squares = 0;
  for (const double label : labels) {
    const double away = transformed(transform, label) - mean;
    squares += away * away / rows;
  }
  ranks.sum({&squares, 1});
  const double spread = std::sqrt(squares);
  return spread > 0 && std::isfinite(spread) ? spread : 1.0;
}

TrainOptions targets_scaled_for(const TrainOptions& options, const Dataset& data,
                                const WholeRows& whole);
void check_ranks(const TrainOptions& options);
void check_strategy_of_ranks(const TrainOptions& options);

void check_solver(const TrainOptions& options) {
  const Solver kind = options.solver.kind;
  if (!options.is_kernel_machine() || kind == Solver::automatic || kind == Solver::pegasos) return;
  throw InvalidOption("solver",
                      fmt::format("{} is for linear models; kernel models support auto and pegasos",
                                  name_of(kind)));
}

}  // namespace

bool has_many_classes(const Dataset& data, const TrainOptions& options) {
  if (options.positive_label || options.task == Task::regression || !data.has_labels()) {
    return false;
  }
  if (data.schema().multilabel) return true;
  const Task suggested = suggest_task(data);
  if (suggested == Task::binary) return options.strategy == Strategy::joint;
  return suggested == Task::multiclass || (suggested == Task::regression && options.task);
}

TrainOptions with_task(const TrainOptions& options, const Dataset& data) {
  TrainOptions result = options;
  const WholeRows whole = WholeRows::of(data, ranks_of(options));
  if (!result.task && !result.positive_label) result.task = suggest_task(whole.labels);
  result = targets_scaled_for(result, data, whole);
  if (!options.lambda && !options.c) result.lambda.reset();  // still open
  return result;
}

// With targets y = s y' + c, weights w = s w' and a free bias, the epsilon-insensitive loss of
// epsilon = s epsilon' is s times that of the scaled problem, and lambda/2 |w|^2 is so for lambda =
// lambda'/s. The squared losses, and Huber's with delta = s delta', are s^2 times as large, and so
// is the regulariser with the same lambda.
TrainOptions with_targets_scaled(const TrainOptions& options, const Dataset& data) {
  return targets_scaled_for(options, data, WholeRows::of(data, ranks_of(options)));
}

Collective& ranks_of(const TrainOptions& options) {
  return options.ranks ? *options.ranks : alone();
}

namespace {

TrainOptions targets_scaled_for(const TrainOptions& options, const Dataset& data,
                                const WholeRows& whole) {
  TrainOptions result = options;
  result.scale_targets = false;
  const bool regression = options.task == Task::regression ||
                          (!options.task && !options.positive_label && data.has_labels() &&
                           suggest_task(whole.labels) == Task::regression);
  if (regression && options.target == TargetTransform::log) {
    result.target = log_for(data, ranks_of(options));
  }
  if (!options.scale_targets || !regression) return result;
  check_labels_present(data);
  const double s = spread_of(data.labels(), result.target, ranks_of(options));
  const LossOptions usual;
  const Loss loss = options.loss.value_or(Loss::epsilon_insensitive);
  result.epsilon = options.epsilon.value_or(s * usual.epsilon);
  result.delta = options.delta.value_or(s * usual.delta);
  result.bias = options.bias.value_or(Bias::unregularised);
  if (!options.lambda && !options.tune_lambda) {
    const double c = options.c.value_or(1.0) * (loss == Loss::epsilon_insensitive ? s : 1.0);
    result.lambda = 1.0 / (c * static_cast<double>(whole.rows));
    result.c.reset();
  }
  return result;
}

// What is not, or not yet, a sum over rows.
void check_ranks(const TrainOptions& options) {
  if (ranks_of(options).size() == 1) return;
  const char* const field = "ranks";
  if (options.is_kernel_machine()) {
    throw InvalidOption(field,
                        "kernel machines are trained in one process; train an approximation "
                        "of the kernel (rff) on many");
  }
  if (options.approximation == Approximation::nystroem) {
    throw InvalidOption(field,
                        "Nyström's landmarks are chosen among all rows; use rff on many ranks");
  }
  if (options.kernel && options.gamma_rule == GammaRule::scale && options.kernel->uses_gamma()) {
    throw InvalidOption(field, "give gamma as a number when rows are divided among ranks");
  }
}

void check_strategy_of_ranks(const TrainOptions& options) {
  if (ranks_of(options).size() == 1 || options.strategy == Strategy::one_against_rest) return;
  throw InvalidOption("strategy",
                      "rows that are divided among ranks are trained one against the rest");
}

}  // namespace

double lambda_for(const TrainOptions& options, std::size_t rows) {
  if (options.lambda) return *options.lambda;
  return 1.0 / (options.c.value_or(1.0) * static_cast<double>(rows));
}

LossOptions loss_for(const TrainOptions& options, bool classifies) {
  LossOptions loss;
  loss.loss = options.loss.value_or(classifies ? Loss::hinge : Loss::epsilon_insensitive);
  loss.epsilon = options.epsilon.value_or(loss.epsilon);
  loss.delta = options.delta.value_or(loss.delta);
  if (is_classification(loss.loss) != classifies) {
    throw InvalidOption(
        "loss", fmt::format("{} is a loss for {}, but the labels are {}", name_of(loss.loss),
                            classifies ? "regression" : "classification",
                            classifies ? "classes" : "numbers"));
  }
  return loss;
}

KernelOptions kernel_for(const TrainOptions& options, const Dataset& scaled) {
  KernelOptions kernel = options.kernel.value_or(KernelOptions{});
  if (options.gamma_rule && kernel.uses_gamma()) {
    kernel.gamma =
        *options.gamma_rule == GammaRule::scale ? gamma_scale(scaled) : gamma_auto(scaled);
  }
  kernel.validate();
  return kernel;
}

TrainOptions resolve(const TrainOptions& given, const Dataset& data, const Dataset& scaled,
                     const WholeRows& whole) {
  check_ranks(given);
  const TrainOptions options = targets_scaled_for(given, data, whole);
  TrainOptions result = options;
  check_solver(options);
  bool classifies = true;
  if (has_many_classes(whole.labels, options)) {
    result.strategy = strategy_for(options, data.schema().multilabel);
    check_strategy_of_ranks(result);
    result.task = Task::multiclass;
  } else {
    result.strategy.reset();  // two classes need one classifier
    const Targets targets =
        targets_of(whole.labels, options.task, options.positive_label, options.target);
    classifies = targets.labels.has_value();
    result.task = classifies ? Task::binary : Task::regression;
    if (classifies) result.positive_label = data.schema().label_text(targets.labels->positive);
  }
  const LossOptions loss = loss_for(options, classifies);
  result.loss = loss.loss;
  result.epsilon = loss.epsilon;
  result.delta = loss.delta;
  if (!options.tune_lambda) {
    result.lambda = lambda_for(options, static_cast<std::size_t>(whole.rows));
    result.c.reset();
  }
  result.bias = options.bias.value_or(options.kernel ? Bias::none : Bias::regularised);
  if (options.kernel) {
    result.kernel = kernel_for(options, scaled);
    result.gamma_rule.reset();
  }
  return result;
}

namespace {

// What visits rows in no order has to have them in memory.
void refuse_paged(const TrainOptions& options, const Dataset& data) {
  const auto refuse = [&](const char* field, const char* what, const char* instead) {
    throw InvalidOption(
        field, fmt::format("{} needs all rows in memory, but they are {}, larger than the limit; "
                           "raise the memory limit, or {}",
                           what, in_bytes(static_cast<double>(data.memory_bytes())), instead));
  };
  if (options.kernel && !options.approximation) {
    refuse("kernel", "an exact kernel",
           "approximate it, train a linear model, or train on a part of the rows");
  }
  if (options.strategy == Strategy::joint) {
    refuse("strategy", "the joint strategy", "train one class against the rest");
  }
}

}  // namespace

void refuse_what_cannot_fit(const TrainOptions& options, const Dataset& data) {
  if (data.is_paged()) return refuse_paged(options, data);
  if (!options.kernel) return;
  const std::uint64_t free = available_memory();
  if (free == 0) return;
  const auto refuse = [free](const std::string& what, double bytes, const std::string& way_out) {
    if (bytes <= static_cast<double>(free)) return;
    throw Error(fmt::format("{} need {}, but only {} are free; {}", what, in_bytes(bytes),
                            in_bytes(static_cast<double>(free)), way_out));
  };
  const auto rows = static_cast<double>(data.rows());
  const auto features = static_cast<double>(data.features());
  if (options.approximation) {
    refuse("the mapped rows", 4.0 * rows * static_cast<double>(options.components),
           "use fewer components, or train on fewer rows");
    return;
  }
  refuse("the cached rows of the kernel matrix", static_cast<double>(options.cache_bytes),
         "use a smaller cache");
  // A block of rows of the matrix, the same rows side by side, and a few numbers for each row.
  constexpr double kBlockRows = 128;
  refuse("the kernel rows of one step", 4.0 * kBlockRows * (rows + features) + 100.0 * rows,
         "train on fewer rows, or approximate the kernel (rff, 1024 components)");
}

TrainOptions plain(TrainOptions options) {
  options.tune_lambda = false;
  options.probabilities.reset();
  options.max_seconds.reset();
  options.test.reset();
  options.start.reset();
  options.start_duals.clear();
  options.resume.reset();
  options.keep_duals = false;
  return options;
}

}  // namespace pegasos
