#include "decision_options.h"

#include <fmt/format.h>

#include "options.h"
#include "table_options.h"

namespace pegasos::cli {
namespace {

constexpr const char* kThresholdGroup = "Decision threshold";

}  // namespace

void add_decision_options(Command& command, DecisionOptions& options) {
  add_table(command, decision_option_table(), options);
}

void add_best_threshold(Command& command, std::optional<ThresholdAim>& aim, bool& keep) {
  add_choice<ThresholdAim>(
      command, "--best-threshold",
      {{"f1", ThresholdAim::f1},
       {"balanced", ThresholdAim::balanced},
       {"cost", ThresholdAim::cost}},
      [&aim](ThresholdAim chosen) { aim = chosen; },
      "Find the threshold with the highest F1 of the positive class, the highest balanced "
      "accuracy, or the lowest cost on these rows. Use rows that were held out from training, and "
      "evaluate the result on other rows")
      ->group(kThresholdGroup);
  command
      .add_flag("--keep-threshold", keep,
                "Store the threshold in the model, for predict, evaluate, explain and report")
      ->group(kThresholdGroup);
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
