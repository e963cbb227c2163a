// Many classes: a confusion, and each class against the rest.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "eval/bootstrap.h"
#include "eval/statistics.h"

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

// Classes are ranked by their probabilities where there are some: these are made of the scores of
// all classes, and one against one has no scores of classes at all.
void add_curves(const ClassPredictions& predictions, const EvaluationOptions& options,
                Classification& result) {
  const std::size_t rows = predictions.truth.size();
  const std::size_t classes = result.classes.size();
  const auto ranks =
      predictions.probabilities.empty() ? predictions.scores : predictions.probabilities;
  if (ranks.empty()) return;
  check_numbers(ranks, rows * classes, "scores");
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  pool.for_each(classes, [&](std::size_t k) {
    Flags positive(rows);
    std::vector<double> scores(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      positive[i] = predictions.truth[i] == k;
      scores[i] = ranks[i * classes + k];
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

std::vector<RowLosses> all_losses(const ClassPredictions& predictions) {
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

// Rows, or rows of one cell of the confusion with like losses.
struct ClassUnits {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> truth;
  std::vector<std::uint32_t> called;
  std::vector<RowLosses> losses;  // or none
  std::vector<double> weights;    // or none
};

ClassUnits class_units(const ClassPredictions& predictions, std::span<const RowLosses> losses) {
  const std::size_t rows = predictions.truth.size();
  const auto& [names, truth, called, scores, probabilities, weights] = predictions;
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0U);
  const bool single = rows <= kMostSingleRows || !weights.empty();
  if (!single) {
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto key = [&](std::uint32_t i) {
        return std::tuple(truth[i], called[i], losses.empty() ? 0.0 : losses[i].log, i);
      };
      return key(a) < key(b);
    });
  }
  const std::size_t most = single ? 1 : losses.empty() ? rows : rows / 8192 + 1;
  ClassUnits units;
  for (std::size_t begin = 0; begin < rows;) {
    const std::uint32_t first = order[begin];
    LossSums sums;
    std::size_t end = begin;
    for (; end < rows && end - begin < most && truth[order[end]] == truth[first] &&
           called[order[end]] == called[first];
         ++end) {
      if (!losses.empty()) sums.add(losses[order[end]], 1.0);
    }
    units.rows.push_back(static_cast<std::uint32_t>(end - begin));
    units.truth.push_back(truth[first]);
    units.called.push_back(called[first]);
    if (!losses.empty()) units.losses.push_back({sums.log / sums.rows, sums.brier / sums.rows});
    if (!weights.empty()) units.weights.push_back(weights[first]);
    begin = end;
  }
  return units;
}

void resample(const ClassUnits& units, std::size_t classes, std::span<const double> counts,
              std::span<double> out) {
  const RowWeights row_weight{units.weights};
  ConfusionMatrix confusion(classes);
  LossSums sums;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double w = counts[i] * row_weight(i);
    confusion.add(units.truth[i], units.called[i], w);
    if (!units.losses.empty()) sums.add(units.losses[i], w);
  }
  fill_from(confusion, out);
  sums.fill(out);
}

}  // namespace

Evaluation evaluate_classes(const ClassPredictions& predictions, const EvaluationOptions& options) {
  Evaluation evaluation = started(predictions.truth.size(), predictions.weights, options);
  const std::size_t classes = predictions.names.size();
  Classification result;
  describe(ConfusionMatrix::of(predictions.truth, predictions.called, classes, predictions.weights),
           predictions.names, result);
  add_curves(predictions, options, result);
  result.roc_auc.value = mean_area(result.classes, &ClassEvaluation::roc);
  result.pr_auc.value = mean_area(result.classes, &ClassEvaluation::precision_recall);
  const std::vector<RowLosses> losses = all_losses(predictions);
  if (!losses.empty()) result.probability = probability_of(predictions, losses);
  if (options.bootstrap && evaluation.rows > 0) {
    const ClassUnits units = class_units(predictions, losses);
    const auto statistics = [&](std::span<const double> counts, std::span<double> out) {
      resample(units, classes, counts, out);
    };
    take_intervals(bootstrap_intervals(*options.bootstrap, options.threads, units.rows, kStatistics,
                                       statistics),
                   result);
  }
  evaluation.result = std::move(result);
  return evaluation;
}

}  // namespace pegasos
