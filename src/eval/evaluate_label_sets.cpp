// Rows with any number of labels: every label is a yes or no of its own, and a row is right when
// all of them are.
#include <memory>
#include <utility>

#include "base/cores.h"
#include "base/thread_pool.h"
#include "eval/bootstrap.h"
#include "eval/statistics.h"

namespace pegasos {
namespace {

// Of one label, or of all together.
struct Hits {
  double both = 0.0;
  double is = 0.0;
  double called = 0.0;

  ClassMetrics metrics() const {
    return {.precision = ratio_or(both, called, 0.0),
            .recall = ratio_or(both, is, 0.0),
            .f1 = ratio_or(2 * both, is + called, 0.0),
            .rows = is};
  }
};

// What a pass over the rows adds up.
struct Sums {
  std::vector<Hits> labels;
  double rows = 0.0;
  double exact = 0.0;
  double wrong_labels = 0.0;

  explicit Sums(std::size_t count) : labels(count) {}

  void add(std::span<const bool> truth, std::span<const bool> called, double w) {
    bool all_right = true;
    for (std::size_t k = 0; k < labels.size(); ++k) {
      labels[k].is += truth[k] ? w : 0.0;
      labels[k].called += called[k] ? w : 0.0;
      labels[k].both += truth[k] && called[k] ? w : 0.0;
      if (truth[k] == called[k]) continue;
      all_right = false;
      wrong_labels += w;
    }
    rows += w;
    exact += all_right ? w : 0.0;
  }

  ClassMetrics micro() const {
    Hits all;
    for (const Hits& one : labels) {
      all.both += one.both;
      all.is += one.is;
      all.called += one.called;
    }
    return all.metrics();
  }

  ClassMetrics mean(bool by_rows) const {
    ClassMetrics sum;
    double shares = 0;
    for (const Hits& one : labels) {
      const ClassMetrics metrics = one.metrics();
      const double share = by_rows ? one.is : 1.0;
      sum.precision += share * metrics.precision;
      sum.recall += share * metrics.recall;
      sum.f1 += share * metrics.f1;
      sum.rows += one.is;
      shares += share;
    }
    sum.precision = ratio_or(sum.precision, shares, kUndefined);
    sum.recall = ratio_or(sum.recall, shares, kUndefined);
    sum.f1 = ratio_or(sum.f1, shares, kUndefined);
    return sum;
  }

  enum Number : std::size_t { kExact, kHamming, kMicroF1, kMacroF1, kNumbers };
  void fill(std::span<double> out) const {
    out[kExact] = ratio_or(exact, rows, kUndefined);
    out[kHamming] = ratio_or(wrong_labels, rows * static_cast<double>(labels.size()), kUndefined);
    out[kMicroF1] = micro().f1;
    out[kMacroF1] = mean(false).f1;
  }
};

void check(const LabelSetPredictions& predictions) {
  const std::size_t labels = predictions.names.size();
  if (labels == 0) throw InvalidOption("names", "there must be at least one");
  if (predictions.truth.size() % labels != 0) {
    throw InvalidOption("truth", "there must be one per row and label");
  }
  check_size(predictions.called.size(), predictions.truth.size(), "called");
  check_weights(predictions.weights, predictions.truth.size() / labels);
}

void add_curves(const LabelSetPredictions& predictions, std::size_t rows,
                const EvaluationOptions& options, LabelSets& result) {
  if (predictions.scores.empty()) return;
  const std::size_t labels = predictions.names.size();
  check_numbers(predictions.scores, rows * labels, "scores");
  ThreadPool pool(options.threads > 0 ? options.threads : available_cores());
  pool.for_each(labels, [&](std::size_t k) {
    const auto positive = std::make_unique<bool[]>(rows);
    std::vector<double> scores(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      positive[i] = predictions.truth[i * labels + k];
      scores[i] = predictions.scores[i * labels + k];
    }
    const std::span<const bool> truth(positive.get(), rows);
    ClassEvaluation& one = result.labels[k];
    one.roc = roc_curve(truth, scores, predictions.weights, options.curve_points);
    one.precision_recall =
        precision_recall_curve(truth, scores, predictions.weights, options.curve_points);
  });
}

}  // namespace

Evaluation evaluate_label_sets(const LabelSetPredictions& predictions,
                               const EvaluationOptions& options) {
  check(predictions);
  const std::size_t labels = predictions.names.size();
  const std::size_t rows = predictions.truth.size() / labels;
  Evaluation evaluation = started(rows, predictions.weights, options);
  const RowWeights weight{predictions.weights};
  const auto add_row = [&](Sums& sums, std::size_t i, double w) {
    sums.add(predictions.truth.subspan(i * labels, labels),
             predictions.called.subspan(i * labels, labels), w);
  };
  Sums sums(labels);
  for (std::size_t i = 0; i < rows; ++i) add_row(sums, i, weight(i));
  LabelSets result;
  for (std::size_t k = 0; k < labels; ++k) {
    result.labels.push_back({.name = predictions.names[k], .metrics = sums.labels[k].metrics()});
  }
  add_curves(predictions, rows, options, result);
  result.macro = sums.mean(false);
  result.micro = sums.micro();
  result.weighted = sums.mean(true);
  std::vector<double> values(Sums::kNumbers);
  sums.fill(values);
  Estimate* const estimates[] = {&result.exact, &result.hamming_loss, &result.micro_f1,
                                 &result.macro_f1};
  for (std::size_t n = 0; n < Sums::kNumbers; ++n) estimates[n]->value = values[n];
  if (options.bootstrap && rows > 0) {
    const std::vector<std::uint32_t> units(rows, 1);
    const auto intervals =
        bootstrap_intervals(*options.bootstrap, options.threads, units, Sums::kNumbers,
                            [&](std::span<const double> counts, std::span<double> out) {
                              Sums resample(labels);
                              for (std::size_t i = 0; i < rows; ++i) {
                                if (counts[i] > 0) add_row(resample, i, counts[i] * weight(i));
                              }
                              resample.fill(out);
                            });
    for (std::size_t n = 0; n < Sums::kNumbers; ++n) estimates[n]->interval = intervals[n];
  }
  evaluation.result = std::move(result);
  return evaluation;
}

}  // namespace pegasos
