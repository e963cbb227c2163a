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
      "Predict the positive class above this probability, or above this score if the model has no "
      "probabilities; by default what the model keeps, else 0.5 (0 for scores, and where classes "
      "were weighted)")
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

void add_best_threshold(Command& command, std::optional<ThresholdAim>& aim, bool& keep) {
  add_choice<ThresholdAim>(
      command, "--best-threshold",
      {{"f1", ThresholdAim::f1},
       {"balanced", ThresholdAim::balanced},
       {"cost", ThresholdAim::cost}},
      [&aim](ThresholdAim chosen) { aim = chosen; },
      "Find the threshold with the highest F1 of the positive class, the highest mean recall of "
      "both, or the least cost, on these rows. Use rows that were not trained on, and judge the "
      "result on others still")
      ->group(kGroup);
  command
      .add_flag("--keep-threshold", keep,
                "Write the threshold into the model: predict, evaluate, explain and report use it "
                "from then on")
      ->group(kGroup);
}

bool differs_from_usual(const Decision& decision) {
  return decision.kind() == AnswerKind::two_classes &&
         decision.threshold() != (decision.has_probabilities() ? 0.5 : 0.0);
}

std::string threshold_in_words(const Decision& decision) {
  return fmt::format("a {} above {:.4g}",
                     decision.compares_probabilities() ? "probability" : "score",
                     decision.threshold());
}

}  // namespace pegasos::cli
