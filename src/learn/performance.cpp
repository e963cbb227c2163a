#include "learn/performance.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "pegasos/decision.h"
#include "pegasos/error.h"
#include "pegasos/evaluate.h"
#include "pegasos/metrics.h"

namespace pegasos {
namespace {

// The weighted mean of what each row is charged, and the standard error of that mean:
//
//   mean = sum s_i c_i / sum s_i,   error^2 = n/(n - 1) sum s_i^2 (c_i - mean)^2 / (sum s_i)^2
//
// which with weights of 1 is the usual one.
class Charges {
 public:
  void add(double charge, double weight) {
    charges_.push_back(charge);
    weights_.push_back(weight);
  }

  Performance mean(Collective& ranks) const {
    std::array<double, 3> sums = {0, 0, static_cast<double>(charges_.size())};
    for (std::size_t i = 0; i < charges_.size(); ++i) {
      sums[0] += weights_[i] * charges_[i];
      sums[1] += weights_[i];
    }
    ranks.sum(sums);
    const auto [total, weight, rows] = sums;
    const double mean = total / weight;
    double squares = 0;
    for (std::size_t i = 0; i < charges_.size(); ++i) {
      const double away = weights_[i] * (charges_[i] - mean);
      squares += away * away;
    }
    ranks.sum({&squares, 1});
    return {mean, std::sqrt(squares * rows / std::max(1.0, rows - 1.0)) / weight};
  }

 private:
  std::vector<double> charges_;
  std::vector<double> weights_;
};

// Scores of rows held out, and what they should have said.
struct HeldOut {
  const Decision& decision;
  const Truth& truth;
  const Dataset& rows;
  std::span<const double> scores;
  Collective& ranks;

  std::span<const double> of_row(std::size_t i) const {
    return scores.subspan(i * decision.outputs(), decision.outputs());
  }
};

double area(const HeldOut& held_out) {
  ScoredRows scored;
  scored.add(held_out.decision, held_out.rows, held_out.scores);
  scored.add_other_ranks(held_out.ranks);
  const auto positive = std::make_unique<bool[]>(scored.rows);
  for (std::size_t i = 0; i < scored.rows; ++i) positive[i] = scored.truth[i] == 0;
  return area_under_roc({positive.get(), scored.rows}, scored.scores, scored.weights);
}

// 2 right / (rows of the class + rows predicted to be): of two classes the positive one's, of more
// the mean over the classes.
double f1(const HeldOut& held_out) {
  const Decision& decision = held_out.decision;
  const std::size_t classes =
      decision.kind() == AnswerKind::two_classes ? 1 : decision.names().size();
  const bool sets = decision.kind() == AnswerKind::label_sets;
  std::vector<double> right(classes, 0.0);
  std::vector<double> either(classes, 0.0);
  for (std::size_t i = 0; i < held_out.rows.rows(); ++i) {
    const auto scores = held_out.of_row(i);
    const double s = held_out.rows.weight(i);
    for (std::size_t c = 0; c < classes; ++c) {
      const bool said = sets ? decision.says(scores, c) : decision.class_of(scores) == c;
      const bool is = sets ? held_out.truth.has(i, c) : held_out.truth.class_of(i) == c;
      either[c] += (said ? s : 0.0) + (is ? s : 0.0);
      right[c] += said && is ? s : 0.0;
    }
  }
  held_out.ranks.sum(right);
  held_out.ranks.sum(either);
  double total = 0;
  for (std::size_t c = 0; c < classes; ++c) total += either[c] > 0 ? 2.0 * right[c] / either[c] : 0;
  return total / static_cast<double>(classes);
}

Performance classes_score(const HeldOut& held_out, Score score) {
  if (score == Score::auc && held_out.decision.kind() != AnswerKind::two_classes) {
    throw InvalidOption("score", "auc needs exactly two classes");
  }
  if (score == Score::auc) return {area(held_out)};
  if (score == Score::f1) return {f1(held_out)};
  Charges charges;
  for (std::size_t i = 0; i < held_out.rows.rows(); ++i) {
    const bool right = held_out.truth.is_right(i, held_out.of_row(i));
    charges.add(right == (score == Score::accuracy) ? 1.0 : 0.0, held_out.rows.weight(i));
  }
  return charges.mean(held_out.ranks);
}

Performance numbers_score(const HeldOut& held_out, Score score) {
  Charges charges;
  for (std::size_t i = 0; i < held_out.rows.rows(); ++i) {
    const double predicted = held_out.decision.number(held_out.scores[i]);
    const double error = predicted - held_out.rows.label(i);
    charges.add(score == Score::mae ? std::abs(error) : error * error, held_out.rows.weight(i));
  }
  const Performance found = charges.mean(held_out.ranks);
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

Performance performance(const Model& model, const Dataset& rows, Score score, int threads,
                        Collective& ranks) {
  const bool classifies = base_of(model).classifies();
  if (is_for_classes(score) != classifies) {
    throw InvalidOption("score", fmt::format("{} is for {}, but the labels are {}", name_of(score),
                                             classifies ? "regression" : "classification",
                                             classifies ? "classes" : "numbers"));
  }
  const Decision decision(model);
  const Truth truth(decision, rows);
  const std::vector<double> scores = decisions(model, rows, threads);
  const HeldOut held_out{decision, truth, rows, scores, ranks};
  return classifies ? classes_score(held_out, score) : numbers_score(held_out, score);
}

}  // namespace pegasos
