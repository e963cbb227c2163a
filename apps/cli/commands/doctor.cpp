// pegasos doctor: what is wrong with data, and what to do about it.
#include "pegasos/doctor.h"

#include <fmt/format.h>

#include <memory>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "command.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "options.h"
#include "pegasos/read.h"
#include "profile_text.h"
#include "reading.h"
#include "session.h"
#include "symptoms.h"
#include "terminal.h"

namespace pegasos::cli {
namespace {

struct Arguments {
  std::string data;
  std::string test;
  ReadOptions reading;
  DoctorOptions options;
};

int doctor(const Session& session, Arguments arguments) {
  arguments.options.threads = session.threads;
  // As training does: numbers that raw 32-bit floats cannot tell apart are no duplicates.
  arguments.reading.table_scaling = TableScaling::standard;
  const ReadResult read = read_or_show_columns(session, arguments.data, arguments.reading);
  ReadNotes notes = read.notes;
  notes.columns.clear();
  for (const auto& note : sentences_of(notes)) say(session, "note: " + note + "\n");
  std::vector<Symptom> symptoms;
  if (arguments.test.empty()) {
    symptoms = diagnose(read.data, arguments.options);
  } else {
    const ReadResult test = read_data(
        session, arguments.test, options_for_second(arguments.reading, read.data.shared_schema()));
    for (const auto& note : sentences_of(test.notes)) {
      say(session, fmt::format("note: in {}: {}\n", printable(arguments.test), note));
    }
    symptoms = diagnose(read.data, test.data, arguments.options);
  }
  if (!read.notes.columns.empty()) {  // training standardises the numbers of tables
    std::erase_if(symptoms, [](const Symptom& one) { return one.kind == SymptomKind::scale; });
  }
  if (session.json) {
    Json json = {{"rows", read.data.rows()}, {"symptoms", symptoms_json(symptoms)}};
    if (!read.notes.columns.empty()) json["columns"] = profile_json(read.notes.columns);
    print(json.text());
    return kDone;
  }
  if (!read.notes.columns.empty()) {
    print(title_of_profile(read.notes.columns, read.data.rows()) + "\n" +
          profile_for_people(read.notes.columns) + "\n");
  }
  print(symptoms_for_people(symptoms));
  return kDone;
}

}  // namespace

void define_doctor(Command& command, Session& session) {
  const auto arguments = std::make_shared<Arguments>();
  command.example("pegasos doctor train.svm",
                  "Check feature scales, constant features, duplicate rows, conflicting labels and "
                  "rare classes.");
  command.example("pegasos doctor train.csv test.csv --label price",
                  "Also find rows that are in both files.");
  command.example("pegasos doctor train.svm --json --examples 100",
                  "List more examples of each problem, as JSON.");
  command.describe(
      "For each problem, prints how many rows, features or classes have it, some examples, and "
      "what to do. Serious problems are likely to lower the accuracy or to invalidate an "
      "evaluation; train prints them too. Two rows are duplicates if all their features are "
      "equal.");
  add_file(command, "data", arguments->data, "The training data; - is standard input")->required();
  add_file(command, "test", arguments->test, "The test data, to find rows that are in both");
  add_count(
      command, "--examples", [arguments](std::uint64_t n) { arguments->options.examples = n; },
      "Number of examples to list for each problem (5)");
  add_reading_options(command, arguments->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, arguments] { return doctor(session, *arguments); });
}

}  // namespace pegasos::cli
