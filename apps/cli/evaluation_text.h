// An Evaluation as text and as JSON.
#pragma once

#include <string>

#include "base/json_text.h"
#include "pegasos/evaluation.h"

namespace pegasos::cli {

// Undefined numbers are null. Intervals are [low, high].
Json evaluation_json(const Evaluation& evaluation);

// Tables for a person.
std::string evaluation_for_people(const Evaluation& evaluation);

}  // namespace pegasos::cli
