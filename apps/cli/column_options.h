// The options for reading tables and text: what is missing, what columns hold, how text is counted.
#pragma once

#include <string>

#include "command.h"
#include "pegasos/read.h"

namespace pegasos::cli {

// Adds --missing, --na, --column … to a command. `options` must outlive the parsing.
void add_column_options(Command& command, ReadOptions& options);

// Those that were given, as they would be typed, with a blank before each; "" for none.
std::string typed_column_options(const ReadOptions& options);

// The first of them that was given; "" for none.
std::string first_column_option(const ReadOptions& options);

}  // namespace pegasos::cli
