// The findings of doctor, as text and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "pegasos/doctor.h"
#include "session.h"

namespace pegasos::cli {

// A line: what it is and what to do.
std::string symptom_line(const Symptom& symptom);

// All of it, with places.
std::string symptoms_for_people(std::span<const Symptom> symptoms);
Json symptoms_json(std::span<const Symptom> symptoms);

// What is no trouble for a run: features of different sizes where they are scaled, and numbers to
// predict that are rare or differ for equal rows.
struct Untroubled {
  bool scaled = false;
  bool regression = false;
};

// What the doctor says of data, and of test rows unless null, before learning from it.
std::vector<Symptom> symptoms_of(const Dataset& data, const Dataset* test,
                                 const Untroubled& untroubled, const Session& session);

// What train says before it learns: a line for each, and the command that names the places in
// `data`.
void say_symptoms(const Session& session, std::span<const Symptom> symptoms,
                  const std::string& data);

}  // namespace pegasos::cli
