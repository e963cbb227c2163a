#include "decision_rule.h"

#include <fmt/format.h>

#include "options.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr const char* kGroup = "When a row is called positive";

double cost_threshold(const ThresholdWishes& wishes) {
  if (wishes.threshold) {
    throw UsageError("--threshold and costs exclude each other", "the costs make the threshold");
  }
  const double false_positive = wishes.cost_false_positive.value_or(1.0);
  const double false_negative = wishes.cost_false_negative.value_or(1.0);
  if (!(false_positive > 0) || !(false_negative > 0)) {
    throw UsageError("costs must be more than 0");
  }
  return false_positive / (false_positive + false_negative);
}

}  // namespace

void add_threshold_options(Command& command, ThresholdWishes& wishes) {
  add_real(
      command, "--threshold", [&wishes](double value) { wishes.threshold = value; },
      "Call a row positive above this probability (0.5), or score if the model has no "
      "probabilities (0)")
      ->group(kGroup);
  add_real(
      command, "--cost-false-positive",
      [&wishes](double value) { wishes.cost_false_positive = value; },
      "What a row wrongly called positive costs (1); the threshold that costs least is "
      "fp/(fp + fn). Needs probabilities")
      ->group(kGroup);
  add_real(
      command, "--cost-false-negative",
      [&wishes](double value) { wishes.cost_false_negative = value; },
      "What a positive row that is missed costs (1)")
      ->group(kGroup);
}

std::string DecisionRule::in_words() const {
  return fmt::format("a {} above {:.4g}", calibration ? "probability" : "score", threshold);
}

DecisionRule rule_for(const Model& model, const ThresholdWishes& wishes) {
  if (wishes.any() && !base_of(model).classifies) {
    throw UsageError("thresholds are for two classes; this model predicts numbers");
  }
  if (wishes.any() && std::holds_alternative<MulticlassModel>(model)) {
    throw UsageError("thresholds are for two classes; this model has more",
                     "train one of them against the rest with --positive LABEL");
  }
  DecisionRule rule;
  const std::vector<Calibration> calibrations = calibrations_of(model);
  if (!calibrations.empty()) {
    rule.calibration = calibrations.front();
    rule.threshold = 0.5;
  }
  const bool costs = wishes.cost_false_positive || wishes.cost_false_negative;
  if (costs && !rule.calibration) {
    throw UsageError("costs need probabilities, which this model does not have",
                     "train it with --probability, or give a score as --threshold");
  }
  if (costs) rule.threshold = cost_threshold(wishes);
  if (wishes.threshold) rule.threshold = *wishes.threshold;
  if (rule.calibration && !(rule.threshold >= 0 && rule.threshold <= 1)) {
    throw UsageError("--threshold: this model has probabilities, which are from 0 to 1");
  }
  return rule;
}

}  // namespace pegasos::cli
