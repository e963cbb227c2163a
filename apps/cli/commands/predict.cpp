// pegasos predict: a line for every row, of any number of rows.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "commands/commands.h"
#include "decision_rule.h"
#include "exit_codes.h"
#include "model_files.h"
#include "options.h"
#include "output_file.h"
#include "pegasos/read.h"
#include "program.h"
#include "progress.h"
#include "quantities.h"
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
  ThresholdWishes threshold;
  ReadOptions reading;
};

// Counts what can be checked: rows whose label is known.
struct Tally {
  std::uint64_t rows = 0;
  std::uint64_t labelled = 0;
  std::uint64_t right = 0;
  double absolute_error = 0.0;
  std::uint64_t unknown_labels = 0;
};

// The words for the two classes are looked up once, not once a row.
class LineWriter {
 public:
  LineWriter(const ModelBase& model, const DecisionRule& rule, const Wish& wish)
      : model_(model),
        rule_(rule),
        scores_(wish.scores || !model.classifies),
        probabilities_(wish.probabilities) {
    if (!model.classifies) return;
    positive_ = model.label_text(model.positive_label) + "\n";
    negative_ = (model.one_against_rest ? "not " + model.label_text(model.positive_label)
                                        : model.label_text(model.negative_label)) +
                "\n";
  }

  // What stands before the first row: of probabilities the classes in their order, as LIBLINEAR and
  // LIBSVM write it.
  std::string header() const {
    if (!probabilities_) return "";
    return "labels " + positive_.substr(0, positive_.size() - 1) + " " + negative_;
  }

  void append(double score, fmt::memory_buffer& out) const {
    if (scores_) {
      fmt::format_to(std::back_inserter(out), "{}\n", score);
      return;
    }
    const std::string& label = rule_.is_positive(score) ? positive_ : negative_;
    if (!probabilities_) {
      out.append(label);
      return;
    }
    const double p = rule_.calibration->probability(score);
    fmt::format_to(std::back_inserter(out), "{} {:.6g} {:.6g}\n",
                   std::string_view(label).substr(0, label.size() - 1), p, 1.0 - p);
  }

  void count(double label, double score, Tally& tally) const {
    ++tally.rows;
    if (std::isnan(label)) return;
    ++tally.labelled;
    tally.unknown_labels += is_unknown_label(label, model_) ? 1 : 0;
    if (model_.classifies) {
      tally.right += rule_.is_positive(score) == (label == model_.positive_label) ? 1 : 0;
    } else {
      tally.absolute_error += std::abs(label - score);
    }
  }

 private:
  const ModelBase& model_;
  DecisionRule rule_;
  bool scores_;
  bool probabilities_;
  std::string positive_;
  std::string negative_;
};

std::string result_in_words(const ModelBase& model, const Tally& tally) {
  std::string text = counted(tally.rows, "row");
  if (tally.labelled == 0) return text + " predicted\n";
  const auto labelled = static_cast<double>(tally.labelled);
  if (!model.classifies) {
    return fmt::format("{} predicted, mean absolute error {:.6g}\n", text,
                       tally.absolute_error / labelled);
  }
  return fmt::format("{} predicted, accuracy {} ({} of {} with a label)\n", text,
                     in_percent(static_cast<double>(tally.right) / labelled),
                     with_separators(tally.right), with_separators(tally.labelled));
}

std::string as_json(const ModelBase& model, const Tally& tally, const ReadNotes& notes) {
  nlohmann::ordered_json json = {{"rows", tally.rows}, {"labelled", tally.labelled}};
  if (tally.labelled > 0) {
    const auto labelled = static_cast<double>(tally.labelled);
    if (model.classifies) {
      json["accuracy"] = static_cast<double>(tally.right) / labelled;
    } else {
      json["mean_absolute_error"] = tally.absolute_error / labelled;
    }
  }
  json["unknown_features"] = notes.unknown_features;
  json["unknown_words"] = notes.unknown_words;
  return json.dump(2) + "\n";
}

void check_probabilities(const Wish& wish, const Model& model) {
  if (!wish.probabilities) return;
  if (wish.scores) throw UsageError("--scores and --probabilities exclude each other");
  if (!base_of(model).classifies) {
    throw UsageError("--probabilities: this model predicts numbers, which have none");
  }
  if (calibrations_of(model).empty()) {
    throw UsageError("--probabilities: this model has none", "train it with --probability");
  }
}

int predict(Session& session, Wish wish) {
  refuse_json_beside_data(session, wish.output);
  refuse_compressed_name(wish.output, fmt::format("pegasos predict {} {}", shell_word(wish.data),
                                                  shell_word(wish.model)));
  refuse_same_files({wish.data, wish.model}, {wish.output});
  const Model loaded = load_model_beside(wish.data, wish.model);
  const ModelBase& model = base_of(loaded);
  check_probabilities(wish, loaded);
  const DecisionRule rule = rule_for(loaded, wish.threshold);
  wish.reading.threads = session.threads;
  Progress progress(session, "predicting " + wish.data, Progress::Unit::bytes);
  wish.reading.watch = progress.watch_reading();

  session.output = wish.output;
  const FileAtRisk at_risk(wish.output);
  AtomicFile file(wish.output);
  const LineWriter writer(model, rule, wish);
  file.write(writer.header());
  Tally tally;
  fmt::memory_buffer lines;
  const ReadNotes notes = score_file(
      loaded, wish.data, wish.reading, [&](const Dataset& rows, std::span<const double> scores) {
        lines.clear();
        for (std::size_t i = 0; i < scores.size(); ++i) {
          writer.append(scores[i], lines);
          writer.count(rows.has_labels() ? rows.label(i) : NAN, scores[i], tally);
        }
        file.write(std::span<const char>(lines.data(), lines.size()));
        if (wish.output == "-") file.flush();  // somebody may be waiting for these rows
      });
  file.commit();
  for (const auto& note : sentences_of(notes)) say(session, "note: " + note + "\n");
  say(session, note_on_unknown_labels(tally.unknown_labels, model));
  say(session, result_in_words(model, tally));
  if (session.json) print(as_json(model, tally, notes));
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
  command.example("pegasos predict test.svm spam.model scores.txt --scores",
                  "Decision values instead of labels.");
  command.example("pegasos predict test.svm spam.model --probabilities",
                  "How sure it is of each; for models trained with --probability.");
  command.example("pegasos predict test.svm spam.model --threshold 0.9",
                  "Only what is spam with more than 90 % probability is called so.");
  command.describe(
      "Streams: memory does not grow with the file. Features the model has not seen are ignored "
      "and "
      "counted; rows need no label. A probability above 1/2 means the positive label, or a score "
      "above 0 if the model has no probabilities.");
  add_file(command, "data", wish->data, "The rows to predict; - is standard input")->required();
  add_file(command, "model", wish->model,
           "The model, as train wrote it, or LIBLINEAR's or LIBSVM's")
      ->required();
  add_file(command, "output", wish->output, "Where to write; by default standard output");
  command.add_flag("--scores", wish->scores, "Write decision values instead of labels");
  command.add_flag("--probabilities", wish->probabilities,
                   "Write label and probabilities: a first line 'labels A B', then 'A 0.9 0.1'");
  command
      .add_option_function<std::string>(
          "-b", [wish](const std::string& value) { wish->probabilities = value == "1"; }, "")
      ->group("");  // LIBLINEAR's and LIBSVM's way to say it, not shown
  add_threshold_options(command, wish->threshold);
  add_reading_options(command, wish->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, wish] { return predict(session, *wish); });
}

}  // namespace pegasos::cli
