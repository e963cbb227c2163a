// How the command line spells the library's options: max_epochs is --max-epochs, and some have a
// shorter flag or one that LIBLINEAR and LIBSVM made familiar.
#pragma once

#include <string>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/setting.h"

namespace pegasos::cli {

// "-g,--gamma" for "gamma".
std::string flags_of(const std::string& option);
// The one flag to show: "--gamma".
std::string flag_of(const std::string& option);

// "--max-epochs 100"; of a flag "--balanced".
std::string spelled(const Setting& setting);
// All of them, with blanks between.
std::string spelled(const std::vector<Setting>& settings);
std::string spelled(const Hint& hint);

}  // namespace pegasos::cli
