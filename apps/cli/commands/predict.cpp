// pegasos predict: a line for every row, of any number of rows.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "commands/commands.h"
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

namespace pegasos::cli {
namespace {

struct Wish {
  std::string data;
  std::string model;
  std::string output = "-";
  bool scores = false;
  ReadOptions reading;
};

// Counts what can be checked: rows whose label is known.
struct Tally {
  std::uint64_t rows = 0;
  std::uint64_t labelled = 0;
  std::uint64_t right = 0;
  double absolute_error = 0.0;
  std::uint64_t unknown_labels = 0;
  std::uint64_t empty = 0;  // rows without a label, where rows have sets of them
  std::uint64_t empty_right = 0;

  void count_empty_sets() {
    if (labelled == 0) return;
    labelled += empty;
    right += empty_right;
  }
};

// The words for the classes are looked up once, not once a row.
class LineWriter {
 public:
  LineWriter(const Model& any, bool scores)
      : model_(base_of(any)),
        many_(std::get_if<MulticlassModel>(&any)),
        scores_(scores || !model_.classifies) {
    const ModelBase& model = model_;
    if (many_ != nullptr) {
      check_.emplace(*many_);
      for (const double label : many_->classes) names_.push_back(model.label_text(label) + "\n");
      return;
    }
    if (!model.classifies) return;
    positive_ = model.label_text(model.positive_label) + "\n";
    negative_ = (model.one_against_rest ? "not " + model.label_text(model.positive_label)
                                        : model.label_text(model.negative_label)) +
                "\n";
  }

  // A line for a row.
  void append(std::span<const double> scores, fmt::memory_buffer& out) const {
    if (scores_) {
      for (std::size_t k = 0; k < scores.size(); ++k) {
        fmt::format_to(std::back_inserter(out), "{}{}", k > 0 ? " " : "", scores[k]);
      }
      out.append(std::string_view("\n"));
    } else if (many_ != nullptr) {
      out.append(many_->multilabel ? many_->prediction_text(scores) + "\n"
                                   : names_[many_->choose(scores)]);
    } else {
      out.append(scores[0] > 0 ? positive_ : negative_);
    }
  }

  void count(const Dataset& rows, std::size_t i, std::span<const double> scores,
             Tally& tally) const {
    ++tally.rows;
    const double label = rows.has_labels() ? rows.label(i) : NAN;
    if (many_ != nullptr) {
      count_classes(rows, label, scores, tally);
      return;
    }
    const double score = scores[0];
    if (std::isnan(label)) return;
    ++tally.labelled;
    tally.unknown_labels += is_unknown_label(label, model_) ? 1 : 0;
    if (model_.classifies) {
      tally.right += (score > 0) == (label == model_.positive_label) ? 1 : 0;
    } else {
      tally.absolute_error += std::abs(label - score);
    }
  }

 private:
  // Where rows have sets of labels one without any may be one whose label is not known: it counts
  // if others have labels.
  void count_classes(const Dataset& rows, double label, std::span<const double> scores,
                     Tally& tally) const {
    const bool right = check_->is_right(rows, label, scores);
    if (std::isnan(label)) {
      tally.empty += many_->multilabel ? 1 : 0;
      tally.empty_right += many_->multilabel && right ? 1 : 0;
      return;
    }
    ++tally.labelled;
    tally.right += right ? 1 : 0;
    tally.unknown_labels += check_->is_unknown(label) ? 1 : 0;
  }

  const ModelBase& model_;
  const MulticlassModel* many_;
  std::optional<ClassCheck> check_;
  std::vector<std::string> names_;
  bool scores_;
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

int predict(Session& session, Wish wish) {
  refuse_json_beside_data(session, wish.output);
  refuse_compressed_name(wish.output, fmt::format("pegasos predict {} {}", shell_word(wish.data),
                                                  shell_word(wish.model)));
  refuse_same_files({wish.data, wish.model}, {wish.output});
  const Model loaded = load_model_beside(wish.data, wish.model);
  const ModelBase& model = base_of(loaded);
  wish.reading.threads = session.threads;
  Progress progress(session, "predicting " + wish.data, Progress::Unit::bytes);
  wish.reading.watch = progress.watch_reading();

  session.output = wish.output;
  const FileAtRisk at_risk(wish.output);
  AtomicFile file(wish.output);
  const LineWriter writer(loaded, wish.scores);
  const std::size_t width = outputs(loaded);
  Tally tally;
  fmt::memory_buffer lines;
  const ReadNotes notes = score_file(
      loaded, wish.data, wish.reading, [&](const Dataset& rows, std::span<const double> scores) {
        lines.clear();
        for (std::size_t i = 0; i < rows.rows(); ++i) {
          const auto of_row = scores.subspan(i * width, width);
          writer.append(of_row, lines);
          writer.count(rows, i, of_row, tally);
        }
        file.write(std::span<const char>(lines.data(), lines.size()));
        if (wish.output == "-") file.flush();  // somebody may be waiting for these rows
      });
  file.commit();
  tally.count_empty_sets();
  for (const auto& note : sentences_of(notes)) say(session, "note: " + note + "\n");
  say(session, width > 1 ? note_on_unknown_classes(tally.unknown_labels)
                         : note_on_unknown_labels(tally.unknown_labels, model));
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
  command.example(
      "pegasos predict test.svm spam.model scores.txt --scores",
      "Decision values instead of labels; of many classes one for each, in ascending order.");
  command.describe(
      "Streams: memory does not grow with the file. Features the model has not seen are ignored "
      "and "
      "counted; rows need no label. A score above 0 means the positive label; of many classes each "
      "has a score, and the highest wins. A model of rows with several labels writes 1,3.");
  add_file(command, "data", wish->data, "The rows to predict; - is standard input")->required();
  add_file(command, "model", wish->model,
           "The model, as train wrote it, or LIBLINEAR's or LIBSVM's")
      ->required();
  add_file(command, "output", wish->output, "Where to write; by default standard output");
  command.add_flag("--scores", wish->scores, "Write decision values instead of labels");
  add_reading_options(command, wish->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, wish] { return predict(session, *wish); });
}

}  // namespace pegasos::cli
