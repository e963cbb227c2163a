// A manual page in roff (man macros) from a Command.
#pragma once

#include <string>

#include "command.h"

namespace pegasos::cli {

std::string man_page(const Command& command);

}  // namespace pegasos::cli
