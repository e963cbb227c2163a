// pegasos report: an HTML report about one or more models.
#include <fmt/format.h>

#include <memory>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "command.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "model_files.h"
#include "options.h"
#include "output_file.h"
#include "pegasos/report_contents.h"
#include "reading.h"
#include "report_file.h"
#include "scoring.h"
#include "session.h"
#include "signals.h"
#include "spelling.h"
#include "symptoms.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

struct Arguments {
  std::string data;
  std::vector<std::string> models;
  std::string output;
  ReadOptions reading;
};

ReportRun run_for(const Session& session, const Arguments& arguments, const std::string& path) {
  const Model model = load_model_beside(arguments.data, path);
  ReadOptions reading = arguments.reading;
  reading.schema = base_of(model).schema;
  const ReadResult read = read_data(session, arguments.data, reading);
  refuse_without_labels(arguments.data, read.data,
                        "a report measures a model on labelled rows, such as its training data; if "
                        "another column has the labels: --label NAME");
  for (const auto& note : sentences_of(read.notes)) say(session, "note: " + note + "\n");
  ReportNames names{.model = file_name(path)};
  if (const auto& settings = base_of(model).record.settings; !settings.empty()) {
    names.command =
        fmt::format("pegasos train DATA {} {}", file_word(names.model), spelled(settings));
  }
  ReportRun run = report_of(model, names);
  run.measured = measured_on(model, read.data, file_name(arguments.data), session.threads);
  const Untroubled untroubled = {.scaled = base_of(model).scaling.has_value(),
                                 .regression = !base_of(model).classifies()};
  run.symptoms = symptoms_of(read.data, nullptr, untroubled, session);
  return run;
}

int report(Session& session, Arguments& arguments) {
  if (arguments.data == "-" && arguments.models.size() > 1) {
    throw UsageError("data from standard input can only be read once, for one model",
                     "save the data to a file first");
  }
  if (arguments.output.empty()) {
    arguments.output = arguments.data == "-" ? "report.html" : file_name(arguments.data) + ".html";
  }
  refuse_json_beside_data(session, arguments.output);
  std::vector<std::string> inputs = arguments.models;
  inputs.push_back(arguments.data);
  refuse_same_files(inputs, {arguments.output});
  session.output = arguments.output;
  Report page;
  page.title =
      arguments.models.size() == 1
          ? fmt::format("{} on {}", file_name(arguments.models[0]), file_name(arguments.data))
          : fmt::format("{} models on {}", arguments.models.size(), file_name(arguments.data));
  for (const auto& path : arguments.models) page.runs.push_back(run_for(session, arguments, path));
  {
    const FileAtRisk at_risk(arguments.output);  // until here there was nothing to lose
    write_report(page, arguments.output);
  }
  say(session,
      fmt::format("report       {}\n",
                  arguments.output == "-" ? "standard output" : printable(arguments.output)));
  if (session.json) {
    const Json json = {{"report", arguments.output}, {"models", arguments.models}};
    print(json.text());
  }
  return kDone;
}

}  // namespace

void define_report(Command& command, Session& session) {
  const auto arguments = std::make_shared<Arguments>();
  command.example(
      "pegasos report test.svm spam.model",
      "Writes test.svm.html: certificate, curves, a threshold slider, misclassified rows.");
  command.example("pegasos report test.svm small.model large.model -o compare.html",
                  "Compare models side by side.");
  command.describe(
      "The report is one self-contained HTML file that works offline. train --report and tune "
      "--report write the same page with training curves.");
  add_file(command, "data", arguments->data, "Labelled rows, preferably held out from training")
      ->required();
  command.add_option("models", arguments->models, "One or more models")
      ->required()
      ->type_name("MODEL");
  add_file(command, "-o,--output", arguments->output,
           "The report to write; by default the name of the data file with .html appended, in the "
           "current folder");
  add_reading_options_for_model(command, arguments->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, arguments] { return report(session, *arguments); });
}

}  // namespace pegasos::cli
