#include "model_evaluation.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "usage_error.h"

namespace pegasos::cli {
namespace {

// Resampling classes takes a second at most. With numbers it takes longer the more rows there are:
// above so many it is done when asked for.
constexpr std::size_t kNumbersResampledUnasked = 100'000;

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

}  // namespace

void Scored::add(const Dataset& rows, std::size_t i, std::span<const double> of_row) {
  if (!rows.has_labels() || std::isnan(rows.label(i))) return;
  scores.insert(scores.end(), of_row.begin(), of_row.end());
  labels.push_back(rows.label(i));
  if (rows.has_weights()) weights.push_back(rows.weight(i));
}

EvaluationOptions default_options(const Session& session, const ModelBase& model,
                                  std::size_t rows) {
  EvaluationOptions options;
  options.threads = session.threads;
  if (model.classifies || rows <= kNumbersResampledUnasked) options.bootstrap.emplace();
  return options;
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

}  // namespace pegasos::cli
