// --threshold and costs: when a row is predicted to be positive, for evaluate and predict.
#pragma once

#include <optional>
#include <string>

#include "command.h"
#include "pegasos/decision.h"
#include "pegasos/evaluate.h"

namespace pegasos::cli {

// Adds --threshold, --cost-false-positive and --cost-false-negative.
void add_decision_options(Command& command, DecisionOptions& options);

// --best-threshold and --keep-threshold.
void add_best_threshold(Command& command, std::optional<ThresholdAim>& aim, bool& keep);

// Is the line drawn elsewhere than at a probability of 1/2, or a score of 0?
bool differs_from_usual(const Decision& decision);

// "a probability above 0.2", "a score above 0"
std::string threshold_in_words(const Decision& decision);

}  // namespace pegasos::cli
