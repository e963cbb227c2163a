// pegasos predict: a line for every row, of any number of rows.
#include <fmt/format.h>

#include <array>
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
  LineWriter(const Model& any, const DecisionRule& rule, const Wish& wish)
      : model_(base_of(any)),
        many_(std::get_if<MulticlassModel>(&any)),
        rule_(rule),
        scores_(wish.scores || !model_.classifies),
        probabilities_(wish.probabilities) {
    const ModelBase& model = model_;
    if (many_ != nullptr) {
      check_.emplace(*many_);
      if (probabilities_) calibrations_ = calibrations_of(any);
      for (const double label : many_->classes) names_.push_back(model.label_text(label) + "\n");
      choose_separator(names_);
      return;
    }
    if (!model.classifies) return;
    positive_ = model.label_text(model.positive_label) + "\n";
    negative_ = (model.one_against_rest ? "not " + model.label_text(model.positive_label)
                                        : model.label_text(model.negative_label)) +
                "\n";
    choose_separator({positive_, negative_});
  }

  // A blank, as LIBLINEAR and LIBSVM have it, unless it is part of a label.
  void choose_separator(const std::vector<std::string>& labels) {
    for (const auto& label : labels) {
      if (label.find(' ') != std::string::npos) separator_ = '\t';
    }
  }

  // What stands before the first row: of probabilities the classes in their order, as LIBLINEAR and
  // LIBSVM write it.
  std::string header() const {
    if (!probabilities_) return "";
    const std::string between(1, separator_);
    if (many_ == nullptr) return "labels" + between + without_end(positive_) + between + negative_;
    std::string line = "labels";
    for (const auto& name : names_) line += between + without_end(name);
    return line + "\n";
  }

  // A line for a row.
  void append(std::span<const double> scores, fmt::memory_buffer& out) const {
    if (scores_) {
      append_numbers(scores, out);
      return;
    }
    const std::string label = label_of(scores);
    if (!probabilities_) {
      out.append(label);
      return;
    }
    out.append(without_end(label) + separator_);
    if (many_ == nullptr) {
      const double p = rule_.calibration->probability(scores[0]);
      append_numbers(std::array{p, 1.0 - p}, out);
      return;
    }
    std::vector<double> probabilities(scores.size());
    class_probabilities(calibrations_, scores, probabilities);
    append_numbers(probabilities, out);
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
      tally.right += rule_.is_positive(score) == (label == model_.positive_label) ? 1 : 0;
    } else {
      tally.absolute_error += std::abs(label - score);
    }
  }

 private:
  static std::string without_end(const std::string& line) {
    return line.substr(0, line.size() - 1);
  }

  void append_numbers(std::span<const double> numbers, fmt::memory_buffer& out) const {
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (k > 0) out.push_back(separator_);
      fmt::format_to(std::back_inserter(out), "{}", numbers[k]);
    }
    out.append(std::string_view("\n"));
  }

  // With the end of the line.
  std::string label_of(std::span<const double> scores) const {
    if (many_ == nullptr) return rule_.is_positive(scores[0]) ? positive_ : negative_;
    return many_->multilabel ? many_->prediction_text(scores) + "\n"
                             : names_[many_->choose(scores)];
  }

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
  DecisionRule rule_;
  std::optional<ClassCheck> check_;
  std::vector<std::string> names_;
  std::vector<Calibration> calibrations_;  // of many classes, for probabilities
  bool scores_;
  bool probabilities_;
  char separator_ = ' ';
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
  const auto* many = std::get_if<MulticlassModel>(&model);
  if (many != nullptr && many->multilabel) {
    throw UsageError("--probabilities: rows with several labels have no probability of one of them",
                     "--scores writes a decision value for each");
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
  const LineWriter writer(loaded, rule, wish);
  file.write(writer.header());
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
  command.example("pegasos predict test.svm spam.model --probabilities",
                  "How sure it is of each; for models trained with --probability.");
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
