// Row weights from a separate file.
#pragma once

#include <string>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

// A text file with one non-negative number per line. Blank lines at the end are allowed. Throws
// ParseError.
std::vector<double> read_weights(const std::string& path);

// The same rows with these weights instead of their own, one for each. Throws InvalidOption.
Dataset with_weights(const Dataset& data, std::vector<double> weights);

}  // namespace pegasos
