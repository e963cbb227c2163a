// An Evaluation in words and in JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pegasos/evaluation.h"

namespace pegasos::cli {

// Undefined numbers are null. Intervals are [low, high].
nlohmann::ordered_json evaluation_json(const Evaluation& evaluation);

// Tables for a person.
std::string evaluation_for_people(const Evaluation& evaluation);

}  // namespace pegasos::cli
