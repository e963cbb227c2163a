#include "eval/statistics.h"

#include <utility>

#include "pegasos/error.h"

namespace pegasos {
namespace {

void take_values(std::span<const double> values, Classification& result) {
  result.accuracy.value = values[kAccuracy];
  result.balanced_accuracy.value = values[kBalancedAccuracy];
  result.matthews.value = values[kMatthews];
  result.macro_f1.value = values[kMacroF1];
  result.precision.value = values[kPrecision];
  result.recall.value = values[kRecall];
  result.f1.value = values[kF1];
}

}  // namespace

void fill_from(const ConfusionMatrix& confusion, std::span<double> out) {
  out[kAccuracy] = confusion.accuracy();
  out[kBalancedAccuracy] = confusion.balanced_accuracy();
  out[kMatthews] = confusion.matthews();
  out[kMacroF1] = confusion.averaged(Averaging::macro).f1;
  const ClassMetrics first = confusion.classes() == 0 ? ClassMetrics{} : confusion.of_class(0);
  out[kPrecision] = first.precision;
  out[kRecall] = first.recall;
  out[kF1] = first.f1;
}

void take_intervals(const std::vector<std::optional<Interval>>& intervals, Classification& result) {
  result.accuracy.interval = intervals[kAccuracy];
  result.balanced_accuracy.interval = intervals[kBalancedAccuracy];
  result.matthews.interval = intervals[kMatthews];
  result.macro_f1.interval = intervals[kMacroF1];
  if (result.binary) {
    result.precision.interval = intervals[kPrecision];
    result.recall.interval = intervals[kRecall];
    result.f1.interval = intervals[kF1];
    result.roc_auc.interval = intervals[kRocAuc];
    result.pr_auc.interval = intervals[kPrAuc];
  }
  if (!result.probability) return;
  result.probability->log_loss.interval = intervals[kLogLoss];
  result.probability->brier.interval = intervals[kBrier];
}

void describe(const ConfusionMatrix& confusion, std::vector<std::string> names,
              Classification& result) {
  result.confusion = confusion;
  for (std::size_t k = 0; k < names.size(); ++k) {
    ClassEvaluation one;
    one.name = std::move(names[k]);
    one.metrics = confusion.of_class(k);
    result.classes.push_back(std::move(one));
  }
  result.macro = confusion.averaged(Averaging::macro);
  result.micro = confusion.averaged(Averaging::micro);
  result.weighted = confusion.averaged(Averaging::weighted);
  std::vector<double> values(kStatistics, kUndefined);
  fill_from(confusion, values);
  take_values(values, result);
}

Evaluation started(std::size_t rows, std::span<const double> weights,
                   const EvaluationOptions& options) {
  options.validate();
  Evaluation evaluation;
  evaluation.rows = rows;
  evaluation.weighted = !weights.empty();
  evaluation.bootstrap = options.bootstrap;
  return evaluation;
}

void EvaluationOptions::validate() const {
  if (bootstrap) bootstrap->validate();
  if (curve_points < 2) throw InvalidOption("curve_points", "must be 2 or more");
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
}

}  // namespace pegasos
