// The largest weights of a linear model, for inspect: with bars for one output, a line for each
// class where there are many.
#pragma once

#include <cstddef>
#include <string>

#include "base/json_text.h"
#include "pegasos/model.h"
#include "terminal.h"

namespace pegasos::cli {

// The `top` largest of each sign, 0 for all. Empty for kernels and for mapped features, which have
// no names.
std::string largest_weights(const Model& model, std::size_t top, const Style& style);
// "largest_weights", of each classifier where there are many.
void add_largest_weights(const Model& model, std::size_t top, Json& json);

}  // namespace pegasos::cli
