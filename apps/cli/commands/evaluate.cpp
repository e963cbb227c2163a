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

// Resampling classes takes a second at most. With numbers it takes longer the more rows there are:
// above so many it is done when asked for.
constexpr std::uint64_t kNumbersResampledUnasked = 100'000;
constexpr std::uint64_t kResamples = 1000;

struct Wish {
  std::string data;
  std::string model;
  ReadOptions reading;
  ThresholdWishes threshold;
  std::optional<std::uint64_t> resamples;  // 0: none
  std::uint64_t seed = 1;
};

// Scores, labels and weights of the rows that have a label, however wide the rows are.
struct Scored {
  std::vector<double> scores;  // outputs of each row side by side
  std::vector<double> labels;
  std::vector<double> weights;  // none if no row says any
  ReadNotes notes;
  std::uint64_t unknown_labels = 0;
};

Scored score(const Session& session, const Model& model, Wish wish) {
  const ModelBase& facts = base_of(model);
  const std::size_t width = outputs(model);
  wish.reading.threads = session.threads;
  Progress progress(session, "evaluating " + wish.data, Progress::Unit::bytes);
  wish.reading.watch = progress.watch_reading();
  Scored result;
  const auto take = [&](const Dataset& rows, std::span<const double> scores) {
    for (std::size_t i = 0; i < rows.rows() && rows.has_labels(); ++i) {
      if (std::isnan(rows.label(i))) continue;
      const auto of_row = scores.subspan(i * width, width);
      result.scores.insert(result.scores.end(), of_row.begin(), of_row.end());
      result.labels.push_back(rows.label(i));
      if (rows.has_weights()) result.weights.push_back(rows.weight(i));
      result.unknown_labels += width == 1 && is_unknown_label(rows.label(i), facts) ? 1 : 0;
    }
  };
  result.notes = score_file(model, wish.data, wish.reading, take);
  if (result.scores.empty()) {
    Diagnostic whole;
    whole.message = "no row has a label to compare with";
    throw ParseError(wish.data, {std::move(whole)});
  }
  return result;
}

EvaluationOptions options_for(const Session& session, const Wish& wish, const ModelBase& model,
                              std::size_t rows) {
  EvaluationOptions options;
  options.threads = session.threads;
  const std::uint64_t resamples = wish.resamples.value_or(
      model.classifies || rows <= kNumbersResampledUnasked ? kResamples : 0);
  if (resamples > 0) {
    options.bootstrap = BootstrapOptions{.resamples = resamples, .seed = wish.seed};
  }
  return options;
}

Evaluation two_classes(const ModelBase& model, const DecisionRule& rule, const Scored& scored,
                       const EvaluationOptions& options) {
  const std::size_t rows = scored.labels.size();
  const auto positive = std::make_unique<bool[]>(rows);
  const auto called = std::make_unique<bool[]>(rows);
  std::vector<double> probabilities;
  for (std::size_t i = 0; i < rows; ++i) {
    positive[i] = scored.labels[i] == model.positive_label;
    called[i] = rule.is_positive(scored.scores[i]);
    if (rule.calibration) {
      probabilities.push_back(rule.calibration->probability(scored.scores[i]));
    }
  }
  BinaryPredictions predictions;
  predictions.positive = {positive.get(), rows};
  predictions.called = {called.get(), rows};
  predictions.scores = scored.scores;
  predictions.probabilities = probabilities;
  predictions.weights = scored.weights;
  predictions.positive_name = model.label_text(model.positive_label);
  predictions.negative_name = model.label_text(model.one_against_rest ? NAN : model.negative_label);
  return evaluate_binary(predictions, options);
}

// Labels that are none of the model's classes become one more class, which is never called.
Evaluation many_classes(const Model& any, const Scored& scored, const EvaluationOptions& options) {
  const MulticlassModel& model = std::get<MulticlassModel>(any);
  if (model.multilabel) {
    throw UsageError("rows with several labels have no confusion table",
                     "pegasos predict says how many rows were right");
  }
  const std::size_t width = model.classes.size();
  const std::vector<Calibration> calibrations = calibrations_of(any);
  std::vector<std::uint32_t> truth;
  std::vector<std::uint32_t> called;
  std::vector<double> probabilities(calibrations.empty() ? 0 : scored.scores.size());
  for (std::size_t i = 0; i < scored.labels.size(); ++i) {
    const auto scores = std::span(scored.scores).subspan(i * width, width);
    const auto found = std::find(model.classes.begin(), model.classes.end(), scored.labels[i]);
    truth.push_back(static_cast<std::uint32_t>(found - model.classes.begin()));
    called.push_back(static_cast<std::uint32_t>(model.choose(scores)));
    if (!calibrations.empty()) {
      class_probabilities(calibrations, scores, std::span(probabilities).subspan(i * width, width));
    }
  }
  ClassPredictions predictions;
  for (const double label : model.classes) predictions.names.push_back(model.label_text(label));
  const bool unknown = std::find(truth.begin(), truth.end(), width) != truth.end();
  if (unknown) {
    predictions.names.emplace_back("(other labels)");  // which have no scores to draw curves from
  } else {
    predictions.scores = scored.scores;
    predictions.probabilities = probabilities;
  }
  predictions.truth = truth;
  predictions.called = called;
  predictions.weights = scored.weights;
  return evaluate_classes(predictions, options);
}

Evaluation evaluated(const Model& model, const DecisionRule& rule, const Scored& scored,
                     const EvaluationOptions& options) {
  const ModelBase& facts = base_of(model);
  if (!facts.classifies) {
    return evaluate_numbers({scored.labels, scored.scores, scored.weights}, options);
  }
  if (std::holds_alternative<MulticlassModel>(model)) return many_classes(model, scored, options);
  return two_classes(facts, rule, scored, options);
}

std::string advice(const Model& model, const Wish& wish, const Evaluation& evaluation) {
  std::string text;
  if (!evaluation.bootstrap && !wish.resamples) {
    text += fmt::format("note: --bootstrap {} adds intervals to every number\n", kResamples);
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
  for (const auto& note : sentences_of(scored.notes)) say(session, "note: " + note + "\n");
  say(session, note_on_unknown_labels(scored.unknown_labels, model));
  const EvaluationOptions options = options_for(session, wish, model, scored.labels.size());
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
