// Schema to and from JSON, for data and model files.
#pragma once

#include <string>
#include <string_view>

#include "pegasos/schema.h"

namespace pegasos {

// Everything but IndexMap::seen(), which may be long and travels as an array of its own.
std::string schema_to_json(const Schema& schema);

// Throws Error with a sentence if the text is not what schema_to_json writes.
Schema schema_from_json(std::string_view json, std::vector<std::uint32_t> seen);

}  // namespace pegasos
