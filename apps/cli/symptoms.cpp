#include "symptoms.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "help.h"
#include "options.h"
#include "output_file.h"
#include "quantities.h"
#include "terminal.h"

namespace pegasos::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(Severity severity) {
  return severity == Severity::serious ? "serious" : "slight";
}

}  // namespace

std::string symptom_line(const Symptom& symptom) {
  return printable(symptom.finding) + "; " + symptom.advice;
}

std::string symptoms_for_people(std::span<const Symptom> symptoms) {
  const Style style(STDOUT_FILENO);
  if (symptoms.empty()) return "nothing to complain about\n";
  std::string text;
  for (const auto& symptom : symptoms) {
    const std::string level = name_of(symptom.severity);
    text += fmt::format(
        "{}  {}\n",
        symptom.severity == Severity::serious ? style.red(level) : style.bold(level + " "),
        style.bold(printable(symptom.finding)));
    text += wrapped("-> " + symptom.advice, 9, 80);
    std::vector<std::string> places;
    for (const auto& example : symptom.examples) places.push_back(printable(example));
    if (symptom.count > places.size()) places.emplace_back("...");
    if (!symptom.examples.empty()) text += wrapped(joined(places, "; "), 9, 80);
    text += "\n";
  }
  text.pop_back();
  return text;
}

Json symptoms_json(std::span<const Symptom> symptoms) {
  Json list = Json::array();
  for (const auto& symptom : symptoms) {
    list.push_back({{"ailment", pegasos::name_of(symptom.ailment)},
                    {"severity", name_of(symptom.severity)},
                    {"count", symptom.count},
                    {"of", symptom.of},
                    {"finding", symptom.finding},
                    {"advice", symptom.advice},
                    {"examples", symptom.examples}});
  }
  return list;
}

void say_symptoms(const Session& session, std::span<const Symptom> symptoms,
                  const std::string& data) {
  for (const auto& symptom : symptoms) {
    const char* const word = symptom.severity == Severity::serious ? "warning" : "note";
    say(session, fmt::format("{}: {}\n", word, symptom_line(symptom)));
  }
  if (!symptoms.empty() && data != "-") {
    say(session, fmt::format("note: pegasos doctor {} names the places\n", shell_word(data)));
  }
}

}  // namespace pegasos::cli
