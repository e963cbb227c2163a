// Evaluation: all metrics of a model's predictions on labelled rows, in one value from which text,
// JSON and reports are made.
//
// Confidence intervals are percentiles of a Poisson bootstrap: in each resample a row counts as
// often as a Poisson variable with mean 1 (Hanley and MacGibbon 2006; Chamandy et al. 2012), which
// approximates sampling with replacement. For very many rows, rows with neighbouring scores and the
// same classes are resampled together, so the cost does not grow with the number of rows. Random
// numbers come from a counter-based generator with one stream per resample, so results do not
// depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pegasos/metrics.h"

namespace pegasos {

struct BootstrapOptions {
  std::uint64_t resamples = 1000;  // ≥ 2
  double confidence = 0.95;        // above 0, below 1
  std::uint64_t seed = 1;

  void validate() const;  // throws InvalidOption
};

struct EvaluationOptions {
  std::optional<BootstrapOptions> bootstrap = {};  // none: no intervals
  std::size_t curve_points = 200;                  // about so many at most, ≥ 2
  int threads = 0;                                 // 0: as many as the process may use

  void validate() const;  // throws InvalidOption
};

struct Interval {
  double low = 0.0;
  double high = 0.0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

// A metric and its confidence interval. No interval without a bootstrap, or if the metric is
// undefined in most resamples.
struct Estimate {
  double value = 0.0;
  std::optional<Interval> interval = {};
};

// Of calibrated models.
struct ProbabilityEvaluation {
  Estimate log_loss = {};
  // Two classes: of the positive class. More: summed over the classes.
  Estimate brier = {};
  // Two classes: probability against share of positive rows. More: probability of the called class
  // against share of rows that are of it.
  Reliability reliability = {};
};

struct ClassEvaluation {
  std::string name;
  ClassMetrics metrics = {};
  // This class against the rest, if there are scores; without points where it has no rows, or all.
  Curve roc = {};
  Curve precision_recall = {};
};

struct Classification {
  std::vector<ClassEvaluation> classes = {};  // two: the positive class first
  bool binary = false;
  ConfusionMatrix confusion = {};  // in the order of `classes`
  ClassMetrics macro = {};
  ClassMetrics micro = {};
  ClassMetrics weighted = {};
  Estimate accuracy = {};
  Estimate balanced_accuracy = {};
  Estimate matthews = {};
  Estimate macro_f1 = {};
  // Two classes: of the positive class. More: F1 and so on are in `classes`, areas are the mean
  // over the classes, each against the rest, and have no interval.
  Estimate precision = {};
  Estimate recall = {};
  Estimate f1 = {};
  Estimate roc_auc = {};
  Estimate pr_auc = {};
  std::optional<ProbabilityEvaluation> probability = {};
};

// Rows with any number of labels.
struct LabelSets {
  std::vector<ClassEvaluation> labels = {};
  Estimate exact = {};         // share of rows whose label set is exactly right
  Estimate hamming_loss = {};  // share of wrong label decisions
  Estimate micro_f1 = {};      // pooled over rows and labels
  Estimate macro_f1 = {};      // unweighted mean over labels
  ClassMetrics macro = {};
  ClassMetrics micro = {};
  ClassMetrics weighted = {};  // mean over labels weighted by their rows
};

struct Regression {
  Estimate mae = {};
  Estimate rmse = {};
  Estimate r2 = {};
  Estimate median_error = {};
};

struct Evaluation {
  std::uint64_t rows = 0;
  bool weighted = false;  // rows are weighted
  std::optional<BootstrapOptions> bootstrap = {};
  std::variant<Classification, LabelSets, Regression> result = {};
};

// Arrays have one element per row; probabilities and weights are optional.
struct BinaryPredictions {
  std::span<const bool> positive = {};
  std::span<const bool> called = {};           // the prediction
  std::span<const double> scores = {};         // what ranks the rows
  std::span<const double> probabilities = {};  // of the positive class
  std::span<const double> weights = {};
  std::string positive_name = {};
  std::string negative_name = {};
};
Evaluation evaluate_binary(const BinaryPredictions& predictions,
                           const EvaluationOptions& options = {});

struct ClassPredictions {
  std::vector<std::string> names = {};         // K of them
  std::span<const std::uint32_t> truth = {};   // below K
  std::span<const std::uint32_t> called = {};  // below K
  std::span<const double> scores = {};         // rows × K or none
  std::span<const double> probabilities = {};  // rows × K or none
  std::span<const double> weights = {};
};
Evaluation evaluate_classes(const ClassPredictions& predictions,
                            const EvaluationOptions& options = {});

struct LabelSetPredictions {
  std::vector<std::string> names = {};  // K of them
  std::span<const bool> truth = {};     // rows × K
  std::span<const bool> called = {};    // rows × K
  std::span<const double> scores = {};  // rows × K or none
  std::span<const double> weights = {};
};
Evaluation evaluate_label_sets(const LabelSetPredictions& predictions,
                               const EvaluationOptions& options = {});

struct NumberPredictions {
  std::span<const double> labels = {};
  std::span<const double> predicted = {};
  std::span<const double> weights = {};
};
Evaluation evaluate_numbers(const NumberPredictions& predictions,
                            const EvaluationOptions& options = {});

}  // namespace pegasos
