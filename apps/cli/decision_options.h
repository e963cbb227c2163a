// --threshold and costs: when a row is predicted to be positive, for evaluate and predict.
#pragma once

#include <string>

#include "command.h"
#include "pegasos/decision.h"

namespace pegasos::cli {

// Adds --threshold, --cost-false-positive and --cost-false-negative.
void add_decision_options(Command& command, DecisionOptions& options);

// "a probability above 0.2", "a score above 0"
std::string threshold_in_words(const Decision& decision);

}  // namespace pegasos::cli
