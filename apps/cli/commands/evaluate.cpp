// pegasos evaluate: metrics of a model on labelled rows.
#include "pegasos/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "command.h"
#include "commands/commands.h"
#include "decision_options.h"
#include "evaluation_text.h"
#include "exit_codes.h"
#include "model_files.h"
#include "options.h"
#include "output_file.h"
#include "pegasos/error.h"
#include "pegasos/score_file.h"
#include "progress.h"
#include "reading.h"
#include "scoring.h"
#include "session.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

struct Arguments {
  std::string data;
  std::string model;
  ReadOptions reading;
  DecisionOptions decision;
  std::optional<ThresholdAim> aim;         // the best threshold for this is looked for
  bool keep_threshold = false;             // in the model
  std::optional<std::uint64_t> resamples;  // 0: none
  std::uint64_t seed = 1;
};

// Scores the file block by block; tells what the reader noticed.
ScoredRows score(const Session& session, const Model& model, const Decision& decision,
                 Arguments arguments) {
  arguments.reading.threads = session.threads;
  arguments.reading.ranks = session.ranks;
  Progress progress(session, "evaluating " + arguments.data, Progress::Unit::bytes);
  arguments.reading.watch = progress.watch_reading();
  ScoredRows result;
  ReadNotes notes = score_file(model, arguments.data, arguments.reading,
                               [&](const Dataset& rows, std::span<const double> scores) {
                                 result.add(decision, rows, scores);
                               });
  if (session.ranks) {
    result.add_other_ranks(*session.ranks);
    add_other_ranks(notes, *session.ranks);
  }
  if (result.rows == 0) {
    refuse_unlabelled(
        arguments.data, *base_of(model).schema,
        fmt::format("to predict them: pegasos predict {} {}; if another column has the labels: "
                    "--label NAME",
                    file_word(arguments.data), file_word(arguments.model)));
  }
  for (const auto& note : sentences_of(notes)) say(session, "note: " + note + "\n");
  say(session, note_on_foreign_labels(result.foreign));
  return result;
}

std::string advice(const Model& model, const Arguments& arguments, const Evaluation& evaluation) {
  std::string text;
  if (!evaluation.bootstrap && !arguments.resamples) {
    text += fmt::format("note: --bootstrap {} adds confidence intervals\n",
                        BootstrapOptions{}.resamples);
  }
  const ModelBase& facts = base_of(model);
  if (facts.classifies() && facts.record.rows > 0 && calibrations_of(model).empty()) {
    text += "note: for log loss and calibration error, train with --probability\n";
  }
  return text;
}

void check_threshold_arguments(const Arguments& arguments) {
  if (arguments.aim && arguments.decision.threshold) {
    throw UsageError("--best-threshold and --threshold cannot be combined");
  }
  if (arguments.aim && arguments.aim != ThresholdAim::cost && arguments.decision.has_costs()) {
    throw UsageError("costs can only be combined with --best-threshold cost");
  }
  if (!arguments.keep_threshold) return;
  if (!arguments.aim && !arguments.decision.any()) {
    throw UsageError("--keep-threshold: there is no threshold to keep",
                     "add --best-threshold f1, --threshold or costs");
  }
  if (!is_model_file(arguments.model)) {
    throw UsageError("--keep-threshold: only models in Pegasos format can store a threshold",
                     "pegasos convert converts models of LIBLINEAR and LIBSVM");
  }
}

// The model with the threshold that suits these rows best, for this evaluation at least.
BestThreshold use_best_threshold(const Arguments& arguments, const ScoredRows& scored,
                                 Model& model) {
  const BestThreshold best = best_threshold(Decision(model), scored, *arguments.aim,
                                            arguments.decision.cost_false_positive.value_or(1.0),
                                            arguments.decision.cost_false_negative.value_or(1.0));
  single_output(model)->threshold = {.above = best.above, .of_probability = false};
  return best;
}

std::string best_in_words(ThresholdAim aim, const BestThreshold& best) {
  const char* const what = aim == ThresholdAim::f1         ? "F1"
                           : aim == ThresholdAim::balanced ? "balanced accuracy"
                                                           : "mean cost per row";
  return fmt::format(
      "note: the best threshold on these rows is a score above {:.6g}: {} {:.4g}. Because it was "
      "chosen on these rows, expect slightly worse results on others\n",
      best.above, what, best.value);
}

void keep_threshold(const Session& session, const Arguments& arguments, const Decision& decision,
                    Model& model) {
  single_output(model)->threshold = decision.kept_threshold();
  save_model(model, arguments.model);
  say(session,
      fmt::format("{}: threshold stored: {} is predicted as {}\n", printable(arguments.model),
                  threshold_in_words(decision), printable(decision.names()[0])));
}

int evaluate(const Session& session, const Arguments& arguments) {
  check_threshold_arguments(arguments);
  Model model = load_model_beside(arguments.data, arguments.model);
  const DecisionOptions given = arguments.aim ? DecisionOptions{} : arguments.decision;
  const ScoredRows scored = score(session, model, Decision(model, given), arguments);
  if (!session.writes_files()) return kDone;  // rank 0 has the rows of all
  std::optional<BestThreshold> best;
  if (arguments.aim) best = use_best_threshold(arguments, scored, model);
  const Decision decision(model, given);
  EvaluationOptions options = default_evaluation(decision, scored.rows, session.threads);
  if (arguments.resamples == 0) options.bootstrap.reset();
  if (arguments.resamples.value_or(0) > 0) {
    options.bootstrap = BootstrapOptions{.resamples = *arguments.resamples};
  }
  if (options.bootstrap) options.bootstrap->seed = arguments.seed;
  const Evaluation evaluation = pegasos::evaluate(decision, scored, options);
  if (session.json) {
    Json json = evaluation_json(evaluation);
    if (decision.kind() == AnswerKind::two_classes) {
      json["threshold"] = {{"on", decision.compares_probabilities() ? "probability" : "score"},
                           {"above", decision.threshold()}};
    }
    print(json.text());
    if (arguments.keep_threshold) keep_threshold(session, arguments, decision, model);
    return kDone;
  }
  print(evaluation_for_people(evaluation));
  if (best) {
    say(session, best_in_words(*arguments.aim, *best));
  } else if (differs_from_usual(decision)) {
    say(session, fmt::format("note: {} is predicted as {}\n", threshold_in_words(decision),
                             printable(decision.names()[0])));
  }
  if (arguments.keep_threshold) keep_threshold(session, arguments, decision, model);
  say(session, advice(model, arguments, evaluation));
  return kDone;
}

}  // namespace

void define_evaluate(Command& command, Session& session) {
  const auto arguments = std::make_shared<Arguments>();
  command.example("pegasos evaluate test.svm train.svm.model",
                  "Accuracy, F1, MCC, ROC and PR AUC, and a table of metrics per class.");
  command.example("pegasos evaluate houses.csv houses.model --json", "Regression errors, as JSON.");
  command.example("pegasos evaluate test.svm spam.model --threshold 0.9",
                  "Predict spam only where its probability is above 90 %.");
  command.example(
      "pegasos evaluate test.svm fraud.model --cost-false-negative 50",
      "A missed fraud costs as much as 50 false alarms; the threshold is chosen to match.");
  command.example("pegasos evaluate valid.svm spam.model --best-threshold f1 --keep-threshold",
                  "Finds the threshold with the highest F1 and stores it in the model.");
  command.example("pegasos evaluate test.svm spam.model --bootstrap 10000 --seed 7",
                  "More precise confidence intervals, with a different seed for the resamples.");
  command.describe(
      "Rows without a label are skipped. The positive label is predicted where its probability is "
      "above 1/2, or where the score is above 0 if the model has no probabilities or was trained "
      "with class weights (--balanced), or above the threshold stored in the model; with more than "
      "two classes, the class with the highest score is predicted. Next to each metric is its 95 % "
      "bootstrap confidence interval. If the data has a weight column, rows count by their "
      "weight.");
  add_file(command, "data", arguments->data, "Labelled rows; - is standard input")->required();
  add_file(command, "model", arguments->model, "A model written by train, LIBLINEAR or LIBSVM")
      ->required();
  add_decision_options(command, arguments->decision);
  add_best_threshold(command, arguments->aim, arguments->keep_threshold);
  add_count(
      command, "--bootstrap",
      [arguments](std::uint64_t resamples) { arguments->resamples = resamples; },
      "Bootstrap resamples for the confidence intervals, 0 for none (1000; for regression 0 above "
      "100,000 rows)");
  add_seed(command, arguments->seed);
  add_reading_options_for_model(command, arguments->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.divides_rows();
  command.runs([&session, arguments] { return evaluate(session, *arguments); });
}

}  // namespace pegasos::cli
