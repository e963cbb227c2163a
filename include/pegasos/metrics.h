// Metrics: pure functions of labels and predictions, as defined by scikit-learn.
//
// `weights` are non-negative row weights; none: every row has weight 1. Undefined ratios (no rows,
// only one class) are NaN unless stated otherwise. Throws InvalidOption if array lengths differ, a
// value is NaN or a weight is negative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pegasos {

// Of one class, or averaged over classes.
struct ClassMetrics {
  double precision = 0.0;  // 0 if the class is never predicted
  double recall = 0.0;     // 0 if the class has no rows
  double f1 = 0.0;         // harmonic mean of the two, 0 where both are
  double rows = 0.0;       // of this class, or of all
};

enum class Averaging {
  macro,    // unweighted mean over classes that occur, true or predicted
  micro,    // pooled over rows: with one label per row all three equal the accuracy
  weighted  // mean over classes weighted by their rows
};

// Number of rows per true and predicted class.
class ConfusionMatrix {
 public:
  ConfusionMatrix() = default;
  explicit ConfusionMatrix(std::size_t classes) : classes_(classes), rows_(classes * classes) {}
  // Class indices below `classes`.
  static ConfusionMatrix of(std::span<const std::uint32_t> truth,
                            std::span<const std::uint32_t> called, std::size_t classes,
                            std::span<const double> weights = {});

  void add(std::size_t truth, std::size_t called, double rows) {
    rows_[truth * classes_ + called] += rows;
  }
  void clear() { rows_.assign(rows_.size(), 0.0); }

  std::size_t classes() const { return classes_; }
  double at(std::size_t truth, std::size_t called) const {
    return rows_[truth * classes_ + called];
  }
  double rows() const;
  double rows_of(std::size_t truth) const;
  double called(std::size_t predicted) const;

  double accuracy() const;
  double balanced_accuracy() const;  // mean recall of the classes that have rows
  // Matthews' correlation of truth and prediction, -1 to 1; 0 where either is constant.
  double matthews() const;
  ClassMetrics of_class(std::size_t k) const;
  ClassMetrics averaged(Averaging averaging) const;

 private:
  std::size_t classes_ = 0;
  std::vector<double> rows_;  // truth · classes + called
};

// ---- scores, the higher the more positive ----

// The share of (positive, negative) pairs in the right order; tied scores count half.
double area_under_roc(std::span<const bool> positive, std::span<const double> scores,
                      std::span<const double> weights = {});
// The area under precision over recall as a staircase: sum_n (R_n - R_{n-1}) P_n.
double average_precision(std::span<const bool> positive, std::span<const double> scores,
                         std::span<const double> weights = {});

struct CurvePoint {
  double x = 0.0;
  double y = 0.0;
  double threshold = 0.0;  // rows with this score or more are called positive
};

struct Curve {
  std::vector<CurvePoint> points;  // by descending threshold
  double area = 0.0;               // of all points, before thinning
};

// True positive rate over false positive rate, from (0, 0) with an infinite threshold to (1, 1).
// Thinned to about `most_points`, evenly along the curve; no points where one class is missing.
Curve roc_curve(std::span<const bool> positive, std::span<const double> scores,
                std::span<const double> weights = {}, std::size_t most_points = 200);
// Precision over recall, from recall 0; thinned evenly along recall.
Curve precision_recall_curve(std::span<const bool> positive, std::span<const double> scores,
                             std::span<const double> weights = {}, std::size_t most_points = 200);

// ---- probabilities ----

// The probability an outcome had, as log_loss takes it: never less than 2^-52.
double probability_of_outcome(double probability);

// Mean -ln(probability of what happened).
double log_loss(std::span<const bool> positive, std::span<const double> probabilities,
                std::span<const double> weights = {});
// Mean squared distance of probability and outcome.
double brier_score(std::span<const bool> positive, std::span<const double> probabilities,
                   std::span<const double> weights = {});

struct CalibrationBin {
  double rows = 0.0;
  double mean_probability = 0.0;
  double share = 0.0;  // observed frequency in this bin
};

// Predicted probability against observed frequency in bins of equal width over [0, 1]; the error is
// their mean absolute difference, weighted by rows (Naeini, Cooper, Hauskrecht 2015).
struct Reliability {
  double error = 0.0;
  std::vector<CalibrationBin> bins;  // those with rows
};
Reliability reliability(std::span<const bool> came_true, std::span<const double> probabilities,
                        std::span<const double> weights = {}, std::size_t bins = 10);

// ---- numbers ----

struct RegressionMetrics {
  double rows = 0.0;
  double mae = 0.0;
  double rmse = 0.0;
  // 1 - residual/total sum of squares. As in scikit-learn NaN for a single row; where all labels
  // are the same 1 if every prediction is exact, else 0.
  double r2 = 0.0;
  double median_error = 0.0;  // median of |label - prediction|
};

RegressionMetrics regression_metrics(std::span<const double> labels,
                                     std::span<const double> predicted,
                                     std::span<const double> weights = {});

}  // namespace pegasos
