// A model as text and as JSON, for inspect and train.
#pragma once

#include <string>

#include "base/json_text.h"
#include "pegasos/model.h"

namespace pegasos::cli {

// With the `top` heaviest features of each sign.
Json model_json(const Model& model, std::size_t top = 0);

// All of it, for a person; `path` is what it is called, `top` as above.
std::string model_for_people(const Model& model, const std::string& path, std::size_t top = 10);

}  // namespace pegasos::cli
