// The files that one name stands for.
#pragma once

#include <string>
#include <vector>

namespace pegasos {

// In the order in which their rows are read: of a name with * or ? all files that match, sorted by
// name; of @list the files whose names the file `list` has, one on each line; else the file of this
// name, whatever characters it has. Throws IoError where nothing matches.
std::vector<std::string> files_named(const std::string& name);

}  // namespace pegasos
