#include "decision_options.h"

#include <fmt/format.h>

#include "options.h"

namespace pegasos::cli {
namespace {

constexpr const char* kGroup = "When a row is predicted positive";

}  // namespace

void add_decision_options(Command& command, DecisionOptions& options) {
  add_real(
      command, "--threshold", [&options](double value) { options.threshold = value; },
      "Predict the positive class above this probability (0.5), or above this score if the model "
      "has no probabilities (0)")
      ->group(kGroup);
  add_real(
      command, "--cost-false-positive",
      [&options](double value) { options.cost_false_positive = value; },
      "Cost of a false positive (1); the threshold that costs least is fp/(fp + fn). Needs "
      "probabilities")
      ->group(kGroup);
  add_real(
      command, "--cost-false-negative",
      [&options](double value) { options.cost_false_negative = value; },
      "Cost of a false negative (1)")
      ->group(kGroup);
}

std::string threshold_in_words(const Decision& decision) {
  return fmt::format("a {} above {:.4g}", decision.has_probabilities() ? "probability" : "score",
                     decision.threshold());
}

}  // namespace pegasos::cli
