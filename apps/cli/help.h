// The help of a command: examples first, then usage, arguments, options by group.
#pragma once

#include <string>

#include "command.h"

namespace pegasos::cli {

// Coloured if `fd`, where it will go, is a terminal.
std::string help_text(const Command& command, int fd);

// Lines of at most `width` cells, each after `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

// "-o, --output FILE"
std::string signature(const OptionView& view);

// The groups of a command's options in the order they first appear, "Common" last.
std::vector<std::string> option_groups(const std::vector<OptionView>& views);

}  // namespace pegasos::cli
