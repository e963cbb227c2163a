// pegasos predict: a line for every row, of any number of rows.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "base/quantity_text.h"
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
#include "program.h"
#include "progress.h"
#include "reading.h"
#include "scoring.h"
#include "signals.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

struct Wish {
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
PredictionWish prediction_wish(const Wish& wish, const Model& model) {
  const bool named = !wish.reading.id_column.empty();
  PredictionForm form = wish.form.value_or(form_of_name(wish.output));
  if (!wish.form && named && form == PredictionForm::plain) form = PredictionForm::csv;
  if (named && form == PredictionForm::plain) {
    throw UsageError("--id needs a table to stand in", "use --to csv or --to jsonl");
  }
  return {form, wish.scores, wish.probabilities, wish.reading.id_column,
          label_name(*base_of(model).schema)};
}

// A mistyped name must not cost anybody a file.
void refuse_to_overwrite(const Wish& wish, const PredictionWriter& writer) {
  std::error_code absent;
  if (wish.force || wish.output == "-" || !std::filesystem::is_regular_file(wish.output, absent)) {
    return;
  }
  std::ifstream file(wish.output, std::ios::binary);
  std::string first(4096, '\0');
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  first.resize(std::min(first.find('\n'), first.size()));
  if (first.ends_with('\r')) first.pop_back();
  if (writer.may_have_written(first)) return;
  throw UsageError(fmt::format("'{}' exists and is not a prediction", printable(wish.output)),
                   "name another file, or say --force to write over it");
}

std::string result_in_words(const Decision& decision, const ErrorTally& tally) {
  const std::string text = counted(tally.rows, "row") + " predicted";
  if (tally.labelled == 0) return text + "\n";
  if (decision.kind() == AnswerKind::number) {
    return fmt::format("{}, mean absolute error {:.6g}\n", text, tally.mean());
  }
  return fmt::format("{}, accuracy {} ({} of {} with a label)\n", text,
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

void check_probabilities(const Wish& wish, PredictionForm form, const Decision& decision) {
  if (!wish.probabilities) return;
  if (wish.scores && form == PredictionForm::plain) {
    throw UsageError("--scores and --probabilities exclude each other in plain lines",
                     "--to csv has room for both");
  }
  if (decision.kind() == AnswerKind::number) {
    throw UsageError("--probabilities: this model predicts numbers, which have none");
  }
  if (decision.kind() == AnswerKind::label_sets) {
    throw UsageError("--probabilities: rows with several labels have no probability of one of them",
                     "--scores writes a decision value for each");
  }
  if (!decision.has_probabilities()) {
    throw UsageError("--probabilities: this model has none", "train it with --probability");
  }
}

int predict(Session& session, Wish wish) {
  refuse_json_beside_data(session, wish.output);
  refuse_compressed_name(wish.output, fmt::format("pegasos predict {} {}", file_word(wish.data),
                                                  file_word(wish.model)));
  refuse_same_files({wish.data, wish.model}, {wish.output});
  const Model model = load_model_beside(wish.data, wish.model);
  const Decision decision(model, wish.decision);
  const PredictionWish form = prediction_wish(wish, model);
  check_probabilities(wish, form.form, decision);
  const PredictionWriter writer(decision, form);
  refuse_to_overwrite(wish, writer);
  wish.reading.threads = session.threads;
  Progress progress(session, "predicting " + wish.data, Progress::Unit::bytes);
  wish.reading.watch = progress.watch_reading();

  session.output = wish.output;
  const FileAtRisk at_risk(wish.output);
  AtomicFile file(wish.output);
  file.write(writer.header());
  const std::size_t width = decision.outputs();
  ErrorTally tally;
  fmt::memory_buffer lines;
  RowExtras extras;
  wish.reading.extras = [&extras](const RowExtras& of_block) { extras = of_block; };
  std::uint64_t row = 0;
  const ReadNotes notes = score_file(
      model, wish.data, wish.reading, [&](const Dataset& rows, std::span<const double> scores) {
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
        if (wish.output == "-") file.flush();  // somebody may be waiting for these rows
      });
  file.commit();
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

void add_predict(Program& program) {
  Session& session = program.session();
  Command& command = program.add("predict", "predict labels of rows with a model");
  const auto wish = std::make_shared<Wish>();
  command.example("pegasos predict test.svm train.svm.model labels.txt",
                  "One line a row, in order; says how many were right if the labels are known.");
  command.example("tail -f log.svm | pegasos predict - spam.model",
                  "Rows from a pipe, answered as they come.");
  command.example(
      "pegasos predict test.svm spam.model scores.txt --scores",
      "Decision values instead of labels; of many classes one for each, in ascending order.");
  command.example("pegasos predict test.svm spam.model --probabilities",
                  "How sure it is of each; for models trained with --probability.");
  command.example("pegasos predict test.csv titanic.model out.csv --id PassengerId",
                  "A table to hand in: the id of each row and its label, with a header.");
  command.example("pegasos predict - spam.model --to jsonl --on-error blank < mail.csv",
                  "Label, score and probabilities as JSON, an empty answer for a row that cannot "
                  "be read.");
  command.example("pegasos predict test.svm spam.model --threshold 0.9",
                  "Only what is spam with more than 90 % probability is called so.");
  command.describe(
      "Streams: memory does not grow with the file. Features the model has not seen are ignored "
      "and counted; rows need no label. A probability above 1/2 means the positive label, or a "
      "score above 0 if the model has no probabilities; of many classes the likeliest, or the one "
      "of the highest score. A model of rows with several labels writes 1,3.");
  add_file(command, "data", wish->data, "The rows to predict; - is standard input")->required();
  add_file(command, "model", wish->model,
           "The model, as train wrote it, or LIBLINEAR's or LIBSVM's")
      ->required();
  add_file(command, "output", wish->output, "Where to write; by default standard output");
  command.add_flag("--scores", wish->scores, "Write decision values instead of labels");
  command.add_flag("--probabilities", wish->probabilities,
                   "Write label and probabilities: a first line 'labels A B', then 'A 0.9 0.1'; "
                   "with tabs where labels have blanks");
  command
      .add_option(
          "-b",
          [wish](const std::string& value) {
            if (value != "0" && value != "1") {
              throw UsageError("-b is LIBLINEAR's and LIBSVM's: 1 for probabilities, 0 for none",
                               "--probabilities says the same");
            }
            wish->probabilities = value == "1";
          },
          "")
      ->group("");  // LIBLINEAR's and LIBSVM's way to say it, not shown
  add_choice<PredictionForm>(
      command, "--to",
      {{"plain", PredictionForm::plain},
       {"csv", PredictionForm::csv},
       {"jsonl", PredictionForm::json_lines}},
      [wish](PredictionForm form) { wish->form = form; },
      "What to write: plain lines, CSV with a header, or JSON Lines with label, scores and "
      "probabilities; by default told by the extension of the output");
  command
      .add_option("--id", wish->reading.id_column,
                  "The column of a table that names its rows, to be written beside the predictions")
      ->type_name("COLUMN");
  add_choice<BadRows>(
      command, "--on-error",
      {{"stop", BadRows::refuse}, {"skip", BadRows::skip}, {"blank", BadRows::keep_empty}},
      [wish](BadRows bad) { wish->reading.bad_rows = bad; },
      "What to do about a row of a table that cannot be read: stop, leave it out, or answer with "
      "an "
      "empty prediction (stop)");
  command.add_flag("--force", wish->force, "Write over a file that is not a prediction");
  add_decision_options(command, wish->decision);
  add_reading_options(command, wish->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, wish] { return predict(session, *wish); });
}

}  // namespace pegasos::cli
