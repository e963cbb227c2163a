// pegasos predict: one prediction per row, streamed.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "command.h"
#include "commands/commands.h"
#include "decision_options.h"
#include "exit_codes.h"
#include "model_files.h"
#include "options.h"
#include "output_file.h"
#include "pegasos/evaluate.h"
#include "pegasos/read.h"
#include "pegasos/score_file.h"
#include "prediction_text.h"
#include "progress.h"
#include "ranked_output.h"
#include "reading.h"
#include "scoring.h"
#include "session.h"
#include "signals.h"
#include "table_options.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

struct Arguments {
  std::string data;
  std::string model;
  std::string output = "-";
  bool scores = false;
  bool probabilities = false;
  bool force = false;
  std::optional<PredictionForm> form;
  DecisionOptions decision;
  ReadOptions reading;
};

// The column to learn, as the training data called it.
std::string label_name(const Schema& schema) {
  if (schema.csv && schema.csv->has_header) {
    for (const auto& column : schema.csv->columns) {
      if (column.role == CsvColumn::Role::label) return column.name;
    }
  }
  return "label";
}

// With an id the result is a table.
PredictionLayout prediction_layout(const Arguments& arguments, const Model& model) {
  const bool named = !arguments.reading.id_column.empty();
  PredictionForm form = arguments.form.value_or(form_of_name(arguments.output));
  if (!arguments.form && named && form == PredictionForm::plain) form = PredictionForm::csv;
  if (named && form == PredictionForm::plain) {
    throw UsageError("--id needs tabular output", "use --to csv or --to jsonl");
  }
  return {form, arguments.scores, arguments.probabilities, arguments.reading.id_column,
          label_name(*base_of(model).schema)};
}

// A mistyped name must not destroy a file.
void refuse_to_overwrite(const Arguments& arguments, const PredictionWriter& writer) {
  std::error_code absent;
  if (arguments.force || arguments.output == "-" ||
      !std::filesystem::is_regular_file(arguments.output, absent)) {
    return;
  }
  std::ifstream file(arguments.output, std::ios::binary);
  std::string first(4096, '\0');
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  first.resize(std::min(first.find('\n'), first.size()));
  if (first.ends_with('\r')) first.pop_back();
  if (writer.may_have_written(first)) return;
  throw UsageError(
      fmt::format("'{}' exists and does not look like predictions", printable(arguments.output)),
      "choose another file name, or overwrite it with --force");
}

std::string result_in_words(const Decision& decision, const ErrorTally& tally) {
  const std::string text = counted(tally.rows, "row") + " predicted";
  if (tally.labelled == 0) return text + "\n";
  if (decision.kind() == AnswerKind::number) {
    return fmt::format("{}, mean absolute error {:.6g}\n", text, tally.mean());
  }
  return fmt::format("{}, accuracy {} ({} of {} labelled rows correct)\n", text,
                     in_percent(1.0 - tally.mean()), with_separators(tally.right),
                     with_separators(tally.labelled));
}

std::string as_json(const Decision& decision, const ErrorTally& tally, const ReadNotes& notes) {
  Json json = {{"rows", tally.rows}, {"labelled", tally.labelled}};
  if (tally.labelled > 0) {
    const bool number = decision.kind() == AnswerKind::number;
    json[number ? "mean_absolute_error" : "accuracy"] = number ? tally.mean() : 1.0 - tally.mean();
  }
  json["unknown_features"] = notes.unknown_features;
  json["unknown_words"] = notes.unknown_words;
  return json.text();
}

void check_probabilities(const Arguments& arguments, PredictionForm form,
                         const Decision& decision) {
  if (!arguments.probabilities) return;
  if (arguments.scores && form == PredictionForm::plain) {
    throw UsageError("--scores and --probabilities cannot both be written as plain lines",
                     "use --to csv to write both");
  }
  if (decision.kind() == AnswerKind::number) {
    throw UsageError("--probabilities: this is a regression model, which has no probabilities");
  }
  if (decision.kind() == AnswerKind::label_sets) {
    throw UsageError("--probabilities: multilabel models have no probabilities",
                     "--scores writes a decision value for each label");
  }
  if (!decision.has_probabilities()) {
    throw UsageError("--probabilities: this model has no probabilities",
                     "train it with --probability");
  }
}

int predict(Session& session, Arguments arguments) {
  refuse_json_beside_data(session, arguments.output);
  refuse_compressed_name(
      arguments.output,
      fmt::format("pegasos predict {} {}", file_word(arguments.data), file_word(arguments.model)));
  refuse_same_files({arguments.data, arguments.model}, {arguments.output});
  const Model model = load_model_beside(arguments.data, arguments.model);
  const Decision decision(model, arguments.decision);
  const PredictionLayout form = prediction_layout(arguments, model);
  check_probabilities(arguments, form.form, decision);
  const PredictionWriter writer(decision, form);
  refuse_to_overwrite(arguments, writer);
  arguments.reading.threads = session.threads;
  arguments.reading.ranks = session.ranks;
  Progress progress(session, "predicting " + arguments.data, Progress::Unit::bytes);
  arguments.reading.watch = progress.watch_reading();

  session.output = arguments.output;
  const FileAtRisk at_risk(arguments.output);
  RankedOutput file(session, arguments.output, form.form == PredictionForm::json_lines);
  file.write_header(writer.header());
  const std::size_t width = decision.outputs();
  ErrorTally tally;
  fmt::memory_buffer lines;
  RowExtras extras;
  arguments.reading.extras = [&extras](const RowExtras& of_block) { extras = of_block; };
  std::uint64_t row = 0;
  ReadNotes notes =
      score_file(model, arguments.data, arguments.reading,
                 [&](const Dataset& rows, std::span<const double> scores) {
                   lines.clear();
                   for (std::size_t i = 0; i < rows.rows(); ++i) {
                     const std::string id = i < extras.ids.size() ? extras.ids[i] : "";
                     ++row;
                     if (i < extras.bad.size() && extras.bad[i] != 0) {
                       writer.append_blank(row, id, lines);
                     } else {
                       writer.append(row, id, scores.subspan(i * width, width), lines);
                     }
                   }
                   tally.add(decision, rows, scores);
                   file.write(std::span<const char>(lines.data(), lines.size()));
                   if (arguments.output == "-")
                     file.flush();  // a reader may be waiting for these rows
                 });
  file.commit(row);
  if (session.ranks) {
    tally.add_other_ranks(*session.ranks);
    add_other_ranks(notes, *session.ranks);
  }
  for (const auto& note : sentences_of(notes)) say(session, "note: " + note + "\n");
  say(session, note_on_foreign_labels(tally.foreign));
  if (differs_from_usual(decision)) {
    say(session, fmt::format("note: {} means {}\n", threshold_in_words(decision),
                             printable(decision.names()[0])));
  }
  say(session, result_in_words(decision, tally));
  if (session.json) print(as_json(decision, tally, notes));
  return kDone;
}

}  // namespace

void define_predict(Command& command, Session& session) {
  const auto arguments = std::make_shared<Arguments>();
  command.example("pegasos predict test.svm train.svm.model labels.txt",
                  "One line per row, in order; prints the accuracy if the data has labels.");
  command.example("tail -f log.svm | pegasos predict - spam.model",
                  "Predict rows from a pipe as they arrive.");
  command.example("pegasos predict test.svm spam.model scores.txt --scores",
                  "Decision values instead of labels; with more than two classes, one per class, "
                  "in ascending order of the classes.");
  command.example("pegasos predict test.svm spam.model --probabilities",
                  "Class probabilities, for models trained with --probability.");
  command.example("pegasos predict test.csv titanic.model out.csv --id PassengerId",
                  "A table with a header: the id and the predicted label of each row.");
  command.example("pegasos predict - spam.model --to jsonl --on-error blank < mail.csv",
                  "Label, score and probabilities as JSON Lines; rows that cannot be read get an "
                  "empty prediction.");
  command.example("pegasos predict test.svm spam.model --threshold 0.9",
                  "Predict spam only where its probability is above 90 %.");
  command.describe(
      "Data is streamed, so memory does not grow with the file. Features that were not in the "
      "training data are ignored and counted in a note; rows need no label. The positive label is "
      "predicted where its probability is above 1/2, or where the score is above 0 if the model "
      "has no probabilities or was trained with class weights, or above the threshold stored in "
      "the model; with more than two classes, the class with the highest probability or score is "
      "predicted. Multilabel models write lists of labels such as 1,3.");
  add_file(command, "data", arguments->data, "The rows to predict; - is standard input")
      ->required();
  add_file(command, "model", arguments->model, "A model written by train, LIBLINEAR or LIBSVM")
      ->required();
  add_file(command, "output", arguments->output, "The output file; standard output by default");
  command.add_flag("--scores", arguments->scores, "Write decision values instead of labels");
  command.add_flag("--probabilities", arguments->probabilities,
                   "Write labels with probabilities: a header line 'labels A B', then lines such "
                   "as 'A 0.9 0.1'; separated by tabs if labels contain spaces");
  command
      .add_option(
          "-b",
          [arguments](const std::string& value) {
            if (value != "0" && value != "1") {
              throw UsageError("-b: must be 0 or 1, as in LIBLINEAR and LIBSVM",
                               "-b 1 is short for --probabilities");
            }
            arguments->probabilities = value == "1";
          },
          "")
      ->group("");  // LIBLINEAR's and LIBSVM's way to say it, not shown
  add_choice<PredictionForm>(
      command, "--to",
      {{"plain", PredictionForm::plain},
       {"csv", PredictionForm::csv},
       {"jsonl", PredictionForm::json_lines}},
      [arguments](PredictionForm form) { arguments->form = form; },
      "Output format: plain lines, CSV with a header, or JSON Lines with label, scores and "
      "probabilities; by default chosen by the extension of the output file");
  for (const char* name : {"id_column", "bad_rows"}) {
    add_entry(command, *find_option(read_option_table(), name), arguments->reading)
        ->group("Options");
  }
  command.add_flag("--force", arguments->force,
                   "Overwrite the output file even if it does not look like predictions");
  add_decision_options(command, arguments->decision);
  add_reading_options_for_model(command, arguments->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.divides_rows();
  command.runs([&session, arguments] { return predict(session, *arguments); });
}

}  // namespace pegasos::cli
