// Decision: from the scores of a row to an answer. The one place where that is decided, for all who
// predict, evaluate, tune, report or draw.
//
//   two classes    the positive one where its probability is above the threshold (1/2); of a model
//                  without probabilities where the score is above it (0)
//   many classes   the class with the highest probability, or score; of one against one the one
//                  with the most votes; of equals the first
//   label sets     every label by itself, as two classes
//   regression     the score is the answer; where the model learned logarithms, its exponential
//
// The threshold is that of the options; else the one that the model keeps; else that of the rule
// above. Where classes were weighted in training (balanced, say), the rule compares scores even if
// there are probabilities: these are calibrated to how often the classes occur, and comparing them
// with 1/2 would undo the weights. With ProbabilitiesOf::weighted_rows they are those of data in
// which every row occurs as often as its class weighs, p_k w_k/sum_j p_j w_j; these are compared
// then, so that the predicted class is always the most probable one.
//
// A label that the model cannot predict is never right: it counts as an error wherever errors are
// counted. To one label against the rest every other label is known: it is one of the rest.
// Rows count by their weights wherever data has weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pegasos/calibration.h"
#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/option_table.h"

namespace pegasos {

// Of rows as they occur, or of rows that count by the class weights of the training.
enum class ProbabilitiesOf { rows, weighted_rows };

// Thresholds and costs are of two classes.
struct DecisionOptions {
  // A probability from 0 to 1 where the model has probabilities, else a score.
  std::optional<double> threshold = {};
  // What a false positive and a false negative cost, > 0 (1 unless given). The threshold that costs
  // least is fp/(fp + fn). Needs probabilities; not beside a threshold.
  std::optional<double> cost_false_positive = {};
  std::optional<double> cost_false_negative = {};
  ProbabilitiesOf probabilities_of = ProbabilitiesOf::rows;

  bool has_costs() const { return cost_false_positive || cost_false_negative; }
  bool any() const { return threshold || has_costs(); }
};
const OptionTable<DecisionOptions>& decision_option_table();

enum class AnswerKind { two_classes, classes, label_sets, number };

class Decision {
 public:
  // Throws InvalidOption for options that contradict each other or that the model cannot honour.
  explicit Decision(const Model& model, const DecisionOptions& options = {});

  AnswerKind kind() const { return kind_; }
  std::size_t outputs() const { return outputs_; }  // scores per row
  // Of the classes: two, the positive one first; or one for each score. Of a regression none.
  const std::vector<std::string>& names() const { return names_; }

  bool has_probabilities() const { return !calibrations_.empty(); }
  // Of rows as they occur. Only where has_probabilities().
  double probability(double score, std::size_t output = 0) const {
    return calibrations_[output].probability(score);
  }

  double threshold() const { return threshold_; }  // of two classes and label sets
  // Is it a probability, of what probabilities_of says, that is compared with it? Else the score.
  bool compares_probabilities() const { return compares_probabilities_; }
  // Both as a model of two classes keeps them, of rows as they occur; see
  // SingleOutputModel::threshold.
  ModelThreshold kept_threshold() const;
  // What of one score is compared with the threshold.
  double measure(double score, std::size_t output = 0) const {
    if (!compares_probabilities_) return score;
    const double p = probability(score, output);
    return class_weights_.empty() ? p : weighted(p, output);
  }

  // The predicted number of a regression, in the units of the labels.
  double number(double score) const { return restored(transform_, score); }
  // The predicted class, a place in names(). Not for label sets and numbers.
  std::size_t class_of(std::span<const double> scores) const;
  // Is label k of a label set predicted; of two classes k = 0 asks for the positive one.
  bool says(std::span<const double> scores, std::size_t k) const {
    return measure(scores[k], k) > threshold_;
  }
  // The answer as text: "spam", "1,3" (of no label ""), or the number in its shortest form.
  std::string text(std::span<const double> scores) const;
  // The probability of each of names(). Only where has_probabilities(), and not for label sets.
  void probabilities(std::span<const double> scores, std::span<double> of_names) const;

 private:
  friend class Truth;

  void take(const ModelThreshold& threshold);
  void weigh(const ModelBase& model, std::span<const double> labels);
  double weighted(double probability, std::size_t output) const;

  AnswerKind kind_ = AnswerKind::number;
  std::size_t outputs_ = 1;
  std::vector<std::string> names_;
  std::vector<Calibration> calibrations_;
  std::vector<double> class_weights_;  // of names(), or none if rows count as they occur
  double threshold_ = 0.0;
  bool compares_probabilities_ = false;
  bool votes_ = false;
  TargetTransform transform_ = TargetTransform::none;
  BinaryLabels labels_;          // of two classes
  std::vector<double> classes_;  // of many, and of label sets
};

// What the labels of rows mean to a model. The rows were read with the model's schema, or with that
// of its training data. Refers to both while it lives.
class Truth {
 public:
  Truth(const Decision& decision, const Dataset& rows);
  ~Truth();
  Truth(const Truth&) = delete;
  Truth& operator=(const Truth&) = delete;

  // Has this row a label to compare with? Where rows have sets of labels, no label is the empty
  // set.
  bool is_known(std::size_t row) const;
  // The true class, a place in names(); names().size() for a label the model does not know.
  std::size_t class_of(std::size_t row) const;
  bool has(std::size_t row, std::size_t k) const;  // label k of a label set
  // Has the row a label that the model cannot predict?
  bool is_foreign(std::size_t row) const;
  // Is the answer from these scores right? Of a label set all of it. Not for numbers.
  bool is_right(std::size_t row, std::span<const double> scores) const;

 private:
  struct Sets;
  const Decision& decision_;
  const Dataset& rows_;
  std::unique_ptr<const Sets> sets_;  // of label sets
};

}  // namespace pegasos
