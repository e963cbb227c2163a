// From predictions to an Evaluation. What a resample recomputes is one pass over the rows in an
// order found once: by score for classes of two, by size of the error for numbers.
#include "pegasos/evaluation.h"

#include <cmath>
#include <memory>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "eval/bootstrap.h"
#include "eval/checks.h"
#include "eval/errors.h"
#include "eval/ranking.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// A flag a row; std::vector<bool> has no span.
class Flags {
 public:
  explicit Flags(std::size_t rows) : flags_(std::make_unique<bool[]>(rows)), rows_(rows) {}
  bool& operator[](std::size_t i) { return flags_[i]; }
  std::span<const bool> view() const { return {flags_.get(), rows_}; }

 private:
  std::unique_ptr<bool[]> flags_;
  std::size_t rows_;
};

// Names for the numbers of a resample.
enum Statistic : std::size_t {
  kAccuracy,
  kBalancedAccuracy,
  kMatthews,
  kMacroF1,
  kPrecision,
  kRecall,
  kF1,
  kLogLoss,
  kBrier,
  kRocAuc,
  kPrAuc,
  kStatistics
};

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

// The two losses of a row.
struct RowLosses {
  double log = 0.0;
  double brier = 0.0;
};

// What a pass over rows adds up beside the confusion.
struct LossSums {
  double log = 0.0;
  double brier = 0.0;
  double rows = 0.0;

  void add(const RowLosses& losses, double w) {
    log += w * losses.log;
    brier += w * losses.brier;
    rows += w;
  }
  void fill(std::span<double> out) const {
    out[kLogLoss] = ratio_or(log, rows, kUndefined);
    out[kBrier] = ratio_or(brier, rows, kUndefined);
  }
};

void take_values(std::span<const double> values, Classification& result) {
  result.accuracy.value = values[kAccuracy];
  result.balanced_accuracy.value = values[kBalancedAccuracy];
  result.matthews.value = values[kMatthews];
  result.macro_f1.value = values[kMacroF1];
  result.precision.value = values[kPrecision];
  result.recall.value = values[kRecall];
  result.f1.value = values[kF1];
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

// ---- two classes ----

constexpr std::uint32_t index_of(bool positive) {
  return positive ? 0 : 1;  // the positive class comes first
}

ConfusionMatrix confusion_of(const BinaryPredictions& predictions) {
  check_size(predictions.called.size(), predictions.positive.size(), "called");
  check_weights(predictions.weights, predictions.positive.size());
  const RowWeights weight{predictions.weights};
  ConfusionMatrix confusion(2);
  for (std::size_t i = 0; i < predictions.positive.size(); ++i) {
    confusion.add(index_of(predictions.positive[i]), index_of(predictions.called[i]), weight(i));
  }
  return confusion;
}

// The rows by score with all that a resample needs, so that it reads memory in order.
struct RankedRows {
  Ranking ranking;
  std::vector<std::uint8_t> cells;  // 2·truth + called
  std::vector<RowLosses> losses;    // of probabilities, or none
  std::vector<double> weights;      // or none
};

RankedRows ranked_rows(const BinaryPredictions& predictions) {
  RankedRows rows;
  rows.ranking = rank_rows(predictions.positive, predictions.scores);
  for (const std::uint32_t i : rows.ranking.order) {
    const bool is = predictions.positive[i];
    rows.cells.push_back(
        static_cast<std::uint8_t>(2 * index_of(is) + index_of(predictions.called[i])));
    if (!predictions.weights.empty()) rows.weights.push_back(predictions.weights[i]);
    if (predictions.probabilities.empty()) continue;
    const double p = predictions.probabilities[i];
    const double distance = (is ? 1.0 : 0.0) - p;
    const double log = -std::log(probability_of_outcome(is ? p : 1.0 - p));
    rows.losses.push_back({log, distance * distance});
  }
  return rows;
}

void resample(const RankedRows& rows, std::span<const std::uint8_t> counts, std::span<double> out) {
  const RowWeights row_weight{rows.weights};
  const auto weight = [&](std::size_t place) { return counts[place] * row_weight(place); };
  double cells[4] = {0, 0, 0, 0};
  for (std::size_t place = 0; place < counts.size(); ++place) {
    cells[rows.cells[place]] += weight(place);
  }
  ConfusionMatrix confusion(2);
  for (std::size_t cell = 0; cell < 4; ++cell) confusion.add(cell / 2, cell % 2, cells[cell]);
  fill_from(confusion, out);
  LossSums sums;
  for (std::size_t place = 0; place < rows.losses.size(); ++place) {
    sums.add(rows.losses[place], weight(place));
  }
  sums.fill(out);
  const Areas areas = areas_under(rows.ranking, weight);
  out[kRocAuc] = areas.roc;
  out[kPrAuc] = areas.precision_recall;
}

// ---- many classes ----

void add_curves(const ClassPredictions& predictions, const EvaluationOptions& options,
                Classification& result) {
  const std::size_t rows = predictions.truth.size();
  const std::size_t classes = result.classes.size();
  if (predictions.scores.empty()) return;
  check_numbers(predictions.scores, rows * classes, "scores");
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  pool.for_each(classes, [&](std::size_t k) {
    Flags positive(rows);
    std::vector<double> scores(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      positive[i] = predictions.truth[i] == k;
      scores[i] = predictions.scores[i * classes + k];
    }
    ClassEvaluation& one = result.classes[k];
    one.roc = roc_curve(positive.view(), scores, predictions.weights, options.curve_points);
    one.precision_recall =
        precision_recall_curve(positive.view(), scores, predictions.weights, options.curve_points);
  });
}

double mean_area(const std::vector<ClassEvaluation>& classes, Curve ClassEvaluation::*curve) {
  double sum = 0;
  double present = 0;
  for (const auto& one : classes) {
    if ((one.*curve).points.empty()) continue;
    sum += (one.*curve).area;
    present += 1;
  }
  return ratio_or(sum, present, kUndefined);
}

std::vector<RowLosses> losses_of(const ClassPredictions& predictions) {
  const std::size_t classes = predictions.names.size();
  std::vector<RowLosses> losses;
  if (predictions.probabilities.empty()) return losses;
  check_probabilities(predictions.probabilities, predictions.truth.size() * classes);
  for (std::size_t i = 0; i < predictions.truth.size(); ++i) {
    const auto p = predictions.probabilities.subspan(i * classes, classes);
    double brier = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      const double distance = (predictions.truth[i] == k ? 1.0 : 0.0) - p[k];
      brier += distance * distance;
    }
    const double log = -std::log(probability_of_outcome(p[predictions.truth[i]]));
    losses.push_back({log, brier});
  }
  return losses;
}

ProbabilityEvaluation probability_of(const ClassPredictions& predictions,
                                     std::span<const RowLosses> losses) {
  const std::size_t rows = predictions.truth.size();
  const std::size_t classes = predictions.names.size();
  const RowWeights weight{predictions.weights};
  LossSums sums;
  Flags right(rows);
  std::vector<double> confidence(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    sums.add(losses[i], weight(i));
    right[i] = predictions.truth[i] == predictions.called[i];
    confidence[i] = predictions.probabilities[i * classes + predictions.called[i]];
  }
  std::vector<double> values(kStatistics, kUndefined);
  sums.fill(values);
  ProbabilityEvaluation result;
  result.log_loss.value = values[kLogLoss];
  result.brier.value = values[kBrier];
  result.reliability = reliability(right.view(), confidence, predictions.weights);
  return result;
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

}  // namespace

void EvaluationOptions::validate() const {
  if (bootstrap) bootstrap->validate();
  if (curve_points < 2) throw InvalidOption("curve_points", "must be 2 or more");
  if (threads < 0 || threads > 1024) throw InvalidOption("threads", "must be from 0 to 1024");
}

Evaluation evaluate_binary(const BinaryPredictions& predictions, const EvaluationOptions& options) {
  Evaluation evaluation = started(predictions.positive.size(), predictions.weights, options);
  Classification result;
  result.binary = true;
  describe(confusion_of(predictions), {predictions.positive_name, predictions.negative_name},
           result);
  ClassEvaluation& positive = result.classes.front();
  positive.roc = roc_curve(predictions.positive, predictions.scores, predictions.weights,
                           options.curve_points);
  positive.precision_recall = precision_recall_curve(predictions.positive, predictions.scores,
                                                     predictions.weights, options.curve_points);
  result.roc_auc.value = positive.roc.area;
  result.pr_auc.value = positive.precision_recall.area;
  if (!predictions.probabilities.empty()) {
    ProbabilityEvaluation& found = result.probability.emplace();
    const auto& [flags, called, scores, probabilities, weights, yes, no] = predictions;
    found.log_loss.value = log_loss(flags, probabilities, weights);
    found.brier.value = brier_score(flags, probabilities, weights);
    found.reliability = reliability(flags, probabilities, weights);
  }
  if (options.bootstrap && evaluation.rows > 0) {
    const RankedRows rows = ranked_rows(predictions);
    take_intervals(
        bootstrap_intervals(*options.bootstrap, options.threads, evaluation.rows, kStatistics,
                            [&rows](std::span<const std::uint8_t> counts, std::span<double> out) {
                              resample(rows, counts, out);
                            }),
        result);
  }
  evaluation.result = std::move(result);
  return evaluation;
}

Evaluation evaluate_classes(const ClassPredictions& predictions, const EvaluationOptions& options) {
  Evaluation evaluation = started(predictions.truth.size(), predictions.weights, options);
  const std::size_t classes = predictions.names.size();
  Classification result;
  describe(ConfusionMatrix::of(predictions.truth, predictions.called, classes, predictions.weights),
           predictions.names, result);
  add_curves(predictions, options, result);
  result.roc_auc.value = mean_area(result.classes, &ClassEvaluation::roc);
  result.pr_auc.value = mean_area(result.classes, &ClassEvaluation::precision_recall);
  const std::vector<RowLosses> losses = losses_of(predictions);
  if (!losses.empty()) result.probability = probability_of(predictions, losses);
  if (options.bootstrap && evaluation.rows > 0) {
    const RowWeights row_weight{predictions.weights};
    const auto statistics = [&](std::span<const std::uint8_t> counts, std::span<double> out) {
      ConfusionMatrix confusion(classes);
      LossSums sums;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        const double w = counts[i] * row_weight(i);
        confusion.add(predictions.truth[i], predictions.called[i], w);
        if (!losses.empty()) sums.add(losses[i], w);
      }
      fill_from(confusion, out);
      sums.fill(out);
    };
    take_intervals(bootstrap_intervals(*options.bootstrap, options.threads, evaluation.rows,
                                       kStatistics, statistics),
                   result);
  }
  evaluation.result = std::move(result);
  return evaluation;
}

Evaluation evaluate_numbers(const NumberPredictions& predictions,
                            const EvaluationOptions& options) {
  Evaluation evaluation = started(predictions.labels.size(), predictions.weights, options);
  check_weights(predictions.weights, predictions.labels.size());
  const Errors errors = errors_by_size(predictions.labels, predictions.predicted);
  const RowWeights row_weight{predictions.weights};
  const RegressionMetrics all =
      metrics_of(errors, [&](std::size_t place) { return row_weight(errors.order[place]); });
  Regression result = {{all.mae, {}}, {all.rmse, {}}, {all.r2, {}}, {all.median_error, {}}};
  if (options.bootstrap && evaluation.rows > 0) {
    const auto statistics = [&](std::span<const std::uint8_t> counts, std::span<double> out) {
      const RegressionMetrics metrics = metrics_of(errors, [&](std::size_t place) {
        return counts[place] * row_weight(errors.order[place]);
      });
      out[0] = metrics.mae;
      out[1] = metrics.rmse;
      out[2] = metrics.r2;
      out[3] = metrics.median_error;
    };
    const auto intervals =
        bootstrap_intervals(*options.bootstrap, options.threads, evaluation.rows, 4, statistics);
    result.mae.interval = intervals[0];
    result.rmse.interval = intervals[1];
    result.r2.interval = intervals[2];
    result.median_error.interval = intervals[3];
  }
  evaluation.result = std::move(result);
  return evaluation;
}

}  // namespace pegasos
