// When a row is called positive: --threshold and costs, for evaluate and predict.
#pragma once

#include <optional>
#include <string>

#include "command.h"
#include "pegasos/model.h"

namespace pegasos::cli {

struct ThresholdWishes {
  std::optional<double> threshold = {};
  std::optional<double> cost_false_positive = {};
  std::optional<double> cost_false_negative = {};

  bool any() const { return threshold || cost_false_positive || cost_false_negative; }
};

// Adds --threshold, --cost-false-positive and --cost-false-negative.
void add_threshold_options(Command& command, ThresholdWishes& wishes);

// Of two classes. Compares the probability where the model has one, else the score.
struct DecisionRule {
  std::optional<Calibration> calibration = {};
  double threshold = 0.0;

  bool is_positive(double score) const {
    return (calibration ? calibration->probability(score) : score) > threshold;
  }
  // "a probability above 0.2", "a score above 0"
  std::string in_words() const;
};

// With costs the threshold that loses least, fp/(fp + fn). Throws UsageError for wishes that
// contradict each other or that this model cannot fulfil.
DecisionRule rule_for(const Model& model, const ThresholdWishes& wishes);

}  // namespace pegasos::cli
