// pegasos evaluate: how good a model is on labelled rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "decision_rule.h"
#include "evaluation_text.h"
#include "exit_codes.h"
#include "model_evaluation.h"
#include "model_files.h"
#include "options.h"
#include "pegasos/error.h"
#include "pegasos/evaluation.h"
#include "program.h"
#include "progress.h"
#include "quantities.h"
#include "reading.h"
#include "scoring.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

struct Wish {
  std::string data;
  std::string model;
  ReadOptions reading;
  ThresholdWishes threshold;
  std::optional<std::uint64_t> resamples;  // 0: none
  std::uint64_t seed = 1;
};

// Scores the file row by row; tells what the reader noticed.
Scored score(const Session& session, const Model& model, Wish wish) {
  const ModelBase& facts = base_of(model);
  const std::size_t width = outputs(model);
  wish.reading.threads = session.threads;
  Progress progress(session, "evaluating " + wish.data, Progress::Unit::bytes);
  wish.reading.watch = progress.watch_reading();
  Scored result;
  std::uint64_t unknown_labels = 0;
  const auto take = [&](const Dataset& rows, std::span<const double> scores) {
    for (std::size_t i = 0; i < rows.rows() && rows.has_labels(); ++i) {
      result.add(rows, i, scores.subspan(i * width, width));
      if (std::isnan(rows.label(i))) continue;
      unknown_labels += width == 1 && is_unknown_label(rows.label(i), facts) ? 1 : 0;
    }
  };
  const ReadNotes notes = score_file(model, wish.data, wish.reading, take);
  if (result.scores.empty()) {
    Diagnostic whole;
    whole.message = "no row has a label to compare with";
    throw ParseError(wish.data, {std::move(whole)});
  }
  for (const auto& note : sentences_of(notes)) say(session, "note: " + note + "\n");
  say(session, note_on_unknown_labels(unknown_labels, facts));
  return result;
}

std::string advice(const Model& model, const Wish& wish, const Evaluation& evaluation) {
  std::string text;
  if (!evaluation.bootstrap && !wish.resamples) {
    text += fmt::format("note: --bootstrap {} adds intervals to every number\n",
                        BootstrapOptions{}.resamples);
  }
  const ModelBase& facts = base_of(model);
  if (facts.classifies && facts.record.rows > 0 && calibrations_of(model).empty()) {
    text += "note: train --probability adds probabilities, log loss and calibration\n";
  }
  return text;
}

int evaluate(const Session& session, const Wish& wish) {
  const Model loaded = load_model_beside(wish.data, wish.model);
  const ModelBase& model = base_of(loaded);
  const DecisionRule rule = rule_for(loaded, wish.threshold);
  const Scored scored = score(session, loaded, wish);
  EvaluationOptions options = default_options(session, loaded, scored.labels.size());
  if (wish.resamples == 0) options.bootstrap.reset();
  if (wish.resamples.value_or(0) > 0) {
    options.bootstrap = BootstrapOptions{.resamples = *wish.resamples};
  }
  if (options.bootstrap) options.bootstrap->seed = wish.seed;
  const Evaluation evaluation = evaluated(loaded, rule, scored, options);
  if (session.json) {
    nlohmann::ordered_json json = evaluation_json(evaluation);
    if (model.classifies && outputs(loaded) == 1) {
      json["threshold"] = {{"on", rule.calibration ? "probability" : "score"},
                           {"above", rule.threshold}};
    }
    print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return kDone;
  }
  print(evaluation_for_people(evaluation));
  if (wish.threshold.any()) {
    say(session, fmt::format("note: {} means {}\n", rule.in_words(),
                             printable(model.label_text(model.positive_label))));
  }
  say(session, advice(loaded, wish, evaluation));
  return kDone;
}

}  // namespace

void add_evaluate(Program& program) {
  Session& session = program.session();
  Command& command = program.add("evaluate", "measure a model on labelled rows");
  const auto wish = std::make_shared<Wish>();
  command.example("pegasos evaluate test.svm train.svm.model",
                  "Accuracy, F1, MCC, areas under the curves, a table of the classes.");
  command.example("pegasos evaluate houses.csv houses.model --json",
                  "Errors of a regression, for a program to read.");
  command.example("pegasos evaluate test.svm spam.model --threshold 0.9",
                  "Only what is spam with more than 90 % probability is called so.");
  command.example("pegasos evaluate test.svm fraud.model --cost-false-negative 50",
                  "A missed fraud costs as much as 50 false alarms: the threshold that suits.");
  command.example("pegasos evaluate test.svm spam.model --bootstrap 10000 --seed 7",
                  "Finer intervals, from resamples of another seed.");
  command.describe(
      "Rows without a label are left out. A probability above 1/2 means the positive label, or a "
      "score above 0 if the model has no probabilities; of many classes the highest wins. Behind "
      "each number stands where it would "
      "lie in 95 % of resamples of the rows. Rows of a file with a weight column count by it.");
  add_file(command, "data", wish->data, "Labelled rows; - is standard input")->required();
  add_file(command, "model", wish->model,
           "The model, as train wrote it, or LIBLINEAR's or LIBSVM's")
      ->required();
  add_threshold_options(command, wish->threshold);
  add_count(
      command, "--bootstrap", [wish](std::uint64_t resamples) { wish->resamples = resamples; },
      "Resamples for the intervals, 0 for none (1000; of numbers to predict 0 above 100,000 rows)");
  add_seed(command, wish->seed);
  add_reading_options(command, wish->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, wish] { return evaluate(session, *wish); });
}

}  // namespace pegasos::cli
