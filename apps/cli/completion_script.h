// Completion scripts for shells, from the root Command.
//
// They are complete in themselves: pressing Tab does not start the program.
#pragma once

#include <string>

#include "command.h"

namespace pegasos::cli {

enum class Shell { bash, zsh, fish };

std::string completion_script(const Command& root, Shell shell);

}  // namespace pegasos::cli
