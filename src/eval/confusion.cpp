// The confusion matrix and what follows from it alone.
#include <cmath>

#include "eval/checks.h"
#include "pegasos/metrics.h"

namespace pegasos {

ConfusionMatrix ConfusionMatrix::of(std::span<const std::uint32_t> truth,
                                    std::span<const std::uint32_t> called, std::size_t classes,
                                    std::span<const double> weights) {
  check_size(called.size(), truth.size(), "called");
  check_weights(weights, truth.size());
  const RowWeights weight{weights};
  ConfusionMatrix matrix(classes);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] >= classes) throw InvalidOption("truth", "no such class");
    if (called[i] >= classes) throw InvalidOption("called", "no such class");
    matrix.add(truth[i], called[i], weight(i));
  }
  return matrix;
}

double ConfusionMatrix::rows() const {
  double sum = 0;
  for (const double rows : rows_) sum += rows;
  return sum;
}

double ConfusionMatrix::rows_of(std::size_t truth) const {
  double sum = 0;
  for (std::size_t k = 0; k < classes_; ++k) sum += at(truth, k);
  return sum;
}

double ConfusionMatrix::called(std::size_t predicted) const {
  double sum = 0;
  for (std::size_t k = 0; k < classes_; ++k) sum += at(k, predicted);
  return sum;
}

double ConfusionMatrix::accuracy() const {
  double right = 0;
  for (std::size_t k = 0; k < classes_; ++k) right += at(k, k);
  return ratio_or(right, rows(), kUndefined);
}

double ConfusionMatrix::balanced_accuracy() const {
  double recalls = 0;
  double present = 0;
  for (std::size_t k = 0; k < classes_; ++k) {
    const double rows = rows_of(k);
    if (rows == 0) continue;
    recalls += at(k, k) / rows;
    present += 1;
  }
  return ratio_or(recalls, present, kUndefined);
}

// Gorodkin's form for any number of classes: with n rows, c of them right, t_k truly and p_k called
// k,  (c n - sum t_k p_k) / sqrt((n^2 - sum p_k^2)(n^2 - sum t_k^2)).
double ConfusionMatrix::matthews() const {
  const double n = rows();
  if (n == 0) return kUndefined;
  double right = 0;
  double both = 0;
  double truths = 0;
  double calls = 0;
  for (std::size_t k = 0; k < classes_; ++k) {
    const double t = rows_of(k) / n;
    const double p = called(k) / n;
    right += at(k, k) / n;
    both += t * p;
    truths += t * t;
    calls += p * p;
  }
  // Where a single class makes up all rows, 1 - 1 must not become a tiny rounding error.
  const double spread = (1.0 - truths) * (1.0 - calls);
  return spread > 1e-30 ? (right - both) / std::sqrt(spread) : 0.0;
}

ClassMetrics ConfusionMatrix::of_class(std::size_t k) const {
  const double right = at(k, k);
  const double is = rows_of(k);
  const double said = called(k);
  return {.precision = ratio_or(right, said, 0.0),
          .recall = ratio_or(right, is, 0.0),
          .f1 = ratio_or(2 * right, is + said, 0.0),
          .rows = is};
}

ClassMetrics ConfusionMatrix::averaged(Averaging averaging) const {
  const double all = rows();
  if (averaging == Averaging::micro) {
    const double right = accuracy();
    return {right, right, right, all};
  }
  ClassMetrics sum = {0, 0, 0, all};
  double shares = 0;
  for (std::size_t k = 0; k < classes_; ++k) {
    const ClassMetrics one = of_class(k);
    const bool occurs = one.rows > 0 || called(k) > 0;
    const double share = averaging == Averaging::weighted ? one.rows : (occurs ? 1.0 : 0.0);
    sum.precision += share * one.precision;
    sum.recall += share * one.recall;
    sum.f1 += share * one.f1;
    shares += share;
  }
  sum.precision = ratio_or(sum.precision, shares, kUndefined);
  sum.recall = ratio_or(sum.recall, shares, kUndefined);
  sum.f1 = ratio_or(sum.f1, shares, kUndefined);
  return sum;
}

}  // namespace pegasos
