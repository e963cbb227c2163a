// What the doctor found, in lines and in JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "pegasos/doctor.h"
#include "session.h"

namespace pegasos::cli {

// A line: what it is and what to do.
std::string symptom_line(const Symptom& symptom);

// All of it, with places.
std::string symptoms_for_people(std::span<const Symptom> symptoms);
nlohmann::ordered_json symptoms_json(std::span<const Symptom> symptoms);

// What train says before it learns: a line for each, and the command that names the places in
// `data`.
void say_symptoms(const Session& session, std::span<const Symptom> symptoms,
                  const std::string& data);

}  // namespace pegasos::cli
