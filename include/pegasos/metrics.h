// How good predictions are. Pure functions of labels and scores.
//
// A quotient that has no meaning (no rows, one class only) is NaN unless said otherwise. Throws
// InvalidOption if the two arrays differ in length or a number is NaN.
#pragma once

#include <cstdint>
#include <span>

namespace pegasos {

// Of the positive class, on rows with known labels.
struct BinaryMetrics {
  std::uint64_t true_positive = 0;
  std::uint64_t false_positive = 0;
  std::uint64_t true_negative = 0;
  std::uint64_t false_negative = 0;
  double auc = 0.0;  // area under the ROC curve; NaN if one class is missing

  std::uint64_t rows() const {
    return true_positive + false_positive + true_negative + false_negative;
  }
  double accuracy() const;
  double precision() const;  // 0 where nothing was called positive
  double recall() const;     // 0 where nothing is positive
  double f1() const;
};

struct RegressionMetrics {
  std::uint64_t rows = 0;
  double mae = 0.0;
  double rmse = 0.0;
  // 1 - residual/total sum of squares. As in scikit-learn NaN for a single row; where all labels
  // are the same 1 if every prediction is exact, else 0.
  double r2 = 0.0;
};

// positive[i]: is row i of the positive class; score above 0 predicts positive.
BinaryMetrics binary_metrics(std::span<const bool> positive, std::span<const double> scores);
// Tied scores count half, as in scikit-learn.
double area_under_roc(std::span<const bool> positive, std::span<const double> scores);
RegressionMetrics regression_metrics(std::span<const double> labels,
                                     std::span<const double> predicted);

}  // namespace pegasos
