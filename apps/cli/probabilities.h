// train --probability: the option, and the calibration itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "pegasos/calibration.h"
#include "pegasos/model.h"
#include "pegasos/train.h"
#include "session.h"

namespace pegasos::cli {

// Adds --probability, and LIBSVM's -b 1 for it.
void add_probability_options(Command& command, std::optional<CalibrationKind>& kind);

// "--probability" may stand alone: puts "platt" behind it where no kind follows.
void complete_probability(std::vector<std::string>& arguments);

// Calibrates the model on scores of rows it has not learned from. Interrupted, it stays without
// probabilities, and that is said.
void add_probabilities(const Session& session, CalibrationKind kind, const Dataset& data,
                       const TrainOptions& options, Model& model);

// "platt, a -1.7, b 0.02"
std::string calibration_in_words(const Calibration& calibration);

}  // namespace pegasos::cli
