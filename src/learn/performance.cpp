#include "learn/performance.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/metrics.h"

namespace pegasos {
namespace {

// Mean of what each row is charged, and the standard error of that mean.
Performance mean_of(const std::vector<double>& charges) {
  const auto rows = static_cast<double>(charges.size());
  double total = 0;
  for (const double charge : charges) total += charge;
  const double mean = total / rows;
  double squares = 0;
  for (const double charge : charges) squares += (charge - mean) * (charge - mean);
  return {mean, std::sqrt(squares / rows / std::max(1.0, rows - 1.0))};
}

Performance classes_score(const ModelBase& model, const Dataset& held_out,
                          std::span<const double> decisions, Score score) {
  const std::size_t rows = held_out.rows();
  const auto positive = std::make_unique<bool[]>(rows);
  for (std::size_t i = 0; i < rows; ++i) positive[i] = held_out.label(i) == model.positive_label;
  const std::span<const bool> truth(positive.get(), rows);
  if (score == Score::auc) return {area_under_roc(truth, decisions)};
  if (score == Score::f1) return {binary_metrics(truth, decisions).f1()};
  std::vector<double> charges(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const bool right = (decisions[i] > 0) == truth[i];
    charges[i] = right == (score == Score::accuracy) ? 1.0 : 0.0;
  }
  return mean_of(charges);
}

Performance numbers_score(const Dataset& held_out, std::span<const double> predicted, Score score) {
  std::vector<double> charges(held_out.rows());
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double error = predicted[i] - held_out.label(i);
    charges[i] = score == Score::mae ? std::abs(error) : error * error;
  }
  Performance found = mean_of(charges);
  if (score == Score::mae) return found;
  // The square root's slope carries the standard error over.
  const double root = std::sqrt(found.value);
  return {root, root > 0 ? found.standard_error / (2.0 * root) : 0.0};
}

}  // namespace

std::string name_of(Score score) {
  switch (score) {
    case Score::error:
      return "error";
    case Score::accuracy:
      return "accuracy";
    case Score::f1:
      return "f1";
    case Score::auc:
      return "auc";
    case Score::mae:
      return "mae";
    case Score::rmse:
      return "rmse";
  }
  return "unknown";
}

bool larger_is_better(Score score) {
  return score == Score::accuracy || score == Score::f1 || score == Score::auc;
}

bool is_for_classes(Score score) {
  return score != Score::mae && score != Score::rmse;
}

Performance performance_of(const ModelBase& model, const Dataset& held_out,
                           std::span<const double> decisions, Score score) {
  if (is_for_classes(score) != model.classifies) {
    throw InvalidOption("score", fmt::format("{} is for {}, but the labels are {}", name_of(score),
                                             model.classifies ? "regression" : "classification",
                                             model.classifies ? "classes" : "numbers to predict"));
  }
  return model.classifies ? classes_score(model, held_out, decisions, score)
                          : numbers_score(held_out, decisions, score);
}

Performance performance(const Model& model, const Dataset& held_out, Score score, int threads) {
  return performance_of(base_of(model), held_out, decisions(model, held_out, threads), score);
}

}  // namespace pegasos
