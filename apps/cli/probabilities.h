// train --probability: the option, and what it learned in words.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "pegasos/calibration.h"
#include "pegasos/train.h"

namespace pegasos::cli {

// Adds --probability, and LIBSVM's -b 1 for it.
void add_probability_options(Command& command, TrainOptions& options);

// "--probability" may stand alone: puts "platt" behind it where no kind follows.
void complete_probability(std::vector<std::string>& arguments);

// "platt, a -1.7, b 0.02"
std::string calibration_in_words(const Calibration& calibration);

}  // namespace pegasos::cli
