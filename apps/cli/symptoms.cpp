#include "symptoms.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "help.h"
#include "options.h"
#include "output_file.h"
#include "spelling.h"
#include "terminal.h"

namespace pegasos::cli {
namespace {

std::string name_of(Severity severity) {
  return severity == Severity::serious ? "serious" : "slight";
}

}  // namespace

std::string symptom_line(const Symptom& symptom) {
  return printable(symptom.finding) + "; " + spelled(symptom.remedy);
}

std::string symptoms_for_people(std::span<const Symptom> symptoms) {
  const Style style(STDOUT_FILENO);
  if (symptoms.empty()) return "no problems found\n";
  std::string text;
  for (const auto& symptom : symptoms) {
    const std::string level = name_of(symptom.severity);
    text += fmt::format(
        "{}  {}\n",
        symptom.severity == Severity::serious ? style.red(level) : style.bold(level + " "),
        style.bold(printable(symptom.finding)));
    text += wrapped("-> " + spelled(symptom.remedy), 9, 80);
    std::vector<std::string> places;
    places.reserve(symptom.examples.size() + 1);
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
    list.push_back({{"problem", pegasos::name_of(symptom.kind)},
                    {"severity", name_of(symptom.severity)},
                    {"count", symptom.count},
                    {"total", symptom.of},
                    {"finding", symptom.finding},
                    {"advice", spelled(symptom.remedy)},
                    {"examples", symptom.examples}});
  }
  return list;
}

std::vector<Symptom> symptoms_of(const Dataset& data, const Dataset* test,
                                 const Untroubled& untroubled, const Session& session) {
  const DoctorOptions options = {.examples = 1, .threads = session.threads};
  std::vector<Symptom> symptoms =
      test != nullptr ? diagnose(data, *test, options) : diagnose(data, options);
  std::erase_if(symptoms, [&](const Symptom& one) {
    const bool of_classes = one.kind == SymptomKind::imbalance || one.kind == SymptomKind::conflict;
    return (untroubled.scaled && one.kind == SymptomKind::scale) ||
           (untroubled.regression && of_classes);
  });
  return symptoms;
}

void say_symptoms(const Session& session, std::span<const Symptom> symptoms,
                  const std::string& data) {
  for (const auto& symptom : symptoms) {
    const char* const word = symptom.severity == Severity::serious ? "warning" : "note";
    say(session, fmt::format("{}: {}\n", word, symptom_line(symptom)));
  }
  if (!symptoms.empty() && data != "-") {
    say(session, fmt::format("note: pegasos doctor {} lists examples\n", file_word(data)));
  }
}

}  // namespace pegasos::cli
