// Turns errors of the argument parser into helpful messages.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "usage_error.h"

namespace pegasos::cli {

// What CLI11 made of a line that makes no sense.
struct Misparse {
  std::string message;                    // in CLI11's words
  std::vector<std::string> left_by_root;  // arguments it does not take
  std::vector<std::string> left_by_command;
};

UsageError explained(const Misparse& misparse, const Command& root, const Command& command);

// LIBSVM's -h 0 and -h 1, which would ask for help here, get an answer as a UsageError.
void refuse_old_habits(const std::vector<std::string>& arguments);

// A command that does not exist.
UsageError unknown_command(const std::string& typed, const Command& root);

}  // namespace pegasos::cli
