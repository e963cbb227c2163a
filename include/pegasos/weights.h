// Weights of rows that come from elsewhere than the data file.
#pragma once

#include <string>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

// A text with a number a line, 0 or more. Blank lines at the end are fine. Throws ParseError.
std::vector<double> read_weights(const std::string& path);

// The same rows with these weights instead of their own, one for each. Throws InvalidOption.
Dataset with_weights(const Dataset& data, std::vector<double> weights);

}  // namespace pegasos
