#include "learn/performance.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <vector>

#include "learn/class_labels.h"
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

Performance two_classes_score(const ModelBase& model, const Dataset& held_out,
                              std::span<const double> decisions, Score score) {
  const std::size_t rows = held_out.rows();
  const auto positive = std::make_unique<bool[]>(rows);
  for (std::size_t i = 0; i < rows; ++i) positive[i] = held_out.label(i) == model.positive_label;
  const std::span<const bool> truth(positive.get(), rows);
  if (score == Score::auc) return {area_under_roc(truth, decisions)};
  ConfusionMatrix confusion(2);
  for (std::size_t i = 0; i < rows; ++i) {
    confusion.add(truth[i] ? 1 : 0, decisions[i] > 0 ? 1 : 0, 1.0);
  }
  return {confusion.of_class(1).f1};
}

// The mean over the classes of 2 right / (rows of the class + rows called so).
double mean_f1(const MulticlassModel& model, const Dataset& held_out,
               std::span<const double> decisions) {
  const ClassLabels labels(held_out, model.classes);
  const std::size_t classes = model.classes.size();
  std::vector<double> right(classes, 0.0);
  std::vector<double> either(classes, 0.0);
  for (std::size_t i = 0; i < held_out.rows(); ++i) {
    const auto scores = decisions.subspan(i * classes, classes);
    for (std::size_t c = 0; c < classes; ++c) {
      const bool called = model.multilabel ? scores[c] > 0 : model.choose(scores) == c;
      const bool is = labels.has(i, c);
      either[c] += (called ? 1.0 : 0.0) + (is ? 1.0 : 0.0);
      right[c] += called && is ? 1.0 : 0.0;
    }
  }
  double total = 0;
  for (std::size_t c = 0; c < classes; ++c) total += either[c] > 0 ? 2.0 * right[c] / either[c] : 0;
  return total / static_cast<double>(classes);
}

Performance classes_score(const Model& model, const Dataset& held_out,
                          std::span<const double> decisions, Score score) {
  const auto* many = std::get_if<MulticlassModel>(&model);
  if (score == Score::auc && many != nullptr) {
    throw InvalidOption("score", "auc is for two classes, and there are more");
  }
  if (score == Score::f1 && many != nullptr) return {mean_f1(*many, held_out, decisions)};
  if (score == Score::f1 || score == Score::auc) {
    return two_classes_score(base_of(model), held_out, decisions, score);
  }
  std::vector<double> charges;
  for (const bool right : right_labels(model, held_out, decisions)) {
    charges.push_back(right == (score == Score::accuracy) ? 1.0 : 0.0);
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

std::vector<bool> right_labels(const Model& model, const Dataset& rows,
                               std::span<const double> decisions) {
  std::vector<bool> right(rows.rows());
  const auto* many = std::get_if<MulticlassModel>(&model);
  if (many == nullptr) {
    // A class that a fold did not see is neither of its two.
    const ModelBase& two = base_of(model);
    for (std::size_t i = 0; i < right.size(); ++i) {
      const bool positive = decisions[i] > 0;
      right[i] = positive || two.one_against_rest
                     ? positive == (rows.label(i) == two.positive_label)
                     : rows.label(i) == two.negative_label;
    }
    return right;
  }
  const ClassLabels labels(rows, many->classes);
  const std::size_t classes = many->classes.size();
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto scores = decisions.subspan(i * classes, classes);
    if (!many->multilabel) {
      right[i] = many->label_of(scores) == rows.label(i);
      continue;
    }
    right[i] = true;
    for (std::size_t c = 0; c < classes; ++c) {
      if (labels.has(i, c) != (scores[c] > 0)) right[i] = false;
    }
  }
  return right;
}

Performance performance(const Model& model, const Dataset& held_out, Score score, int threads) {
  const bool classifies = base_of(model).classifies;
  if (is_for_classes(score) != classifies) {
    throw InvalidOption("score", fmt::format("{} is for {}, but the labels are {}", name_of(score),
                                             classifies ? "regression" : "classification",
                                             classifies ? "classes" : "numbers to predict"));
  }
  const std::vector<double> scores = decisions(model, held_out, threads);
  return classifies ? classes_score(model, held_out, scores, score)
                    : numbers_score(held_out, scores, score);
}

}  // namespace pegasos
