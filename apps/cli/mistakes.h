// From "the parser did not like it" to a sentence that helps.
#pragma once

#include <CLI/Error.hpp>

#include "command.h"
#include "usage_error.h"

namespace pegasos::cli {

UsageError explained(const CLI::ParseError& mistake, const Command& root);

// A command that does not exist.
UsageError unknown_command(const std::string& typed, const Command& root);

}  // namespace pegasos::cli
