#include "model_evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string_view>

namespace pegasos::cli {
namespace {

// Resampling classes takes a second at most. With numbers it takes longer the more rows there are:
// above so many it is done when asked for.
constexpr std::size_t kNumbersResampledUnasked = 100'000;
// Resampling two classes costs the same for any number of rows; with more it grows with both.
constexpr std::size_t kClassesResampledUnasked = 200;
constexpr std::size_t kScoresResampledUnasked = 10'000'000;

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

// Members of a set that are none of the model's labels are never called.
Evaluation label_sets(const MulticlassModel& model, const Scored& scored,
                      const EvaluationOptions& options) {
  const std::size_t labels = model.classes.size();
  const std::size_t rows = scored.sets.size();
  LabelSetPredictions predictions;
  std::map<std::string, std::size_t, std::less<>> places;
  for (const double label : model.classes) {
    places.emplace(model.label_text(label), predictions.names.size());
    predictions.names.push_back(model.label_text(label));
  }
  const auto truth = std::make_unique<bool[]>(rows * labels);
  const auto called = std::make_unique<bool[]>(rows * labels);
  for (std::size_t i = 0; i < rows; ++i) {
    std::string_view rest = scored.sets[i];
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      const auto place = places.find(rest.substr(0, comma));
      if (place != places.end()) truth[i * labels + place->second] = true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    for (std::size_t k = 0; k < labels; ++k) {
      called[i * labels + k] = scored.scores[i * labels + k] > 0;
    }
  }
  predictions.truth = {truth.get(), rows * labels};
  predictions.called = {called.get(), rows * labels};
  predictions.scores = scored.scores;
  predictions.weights = scored.weights;
  return evaluate_label_sets(predictions, options);
}

Evaluation many_classes(const Model& any, const Scored& scored, const EvaluationOptions& options) {
  const MulticlassModel& model = std::get<MulticlassModel>(any);
  if (model.multilabel) return label_sets(model, scored, options);
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
  if (!rows.has_labels()) return;
  const bool none = std::isnan(rows.label(i));
  if (rows.schema().multilabel) {
    sets.push_back(none ? "" : rows.schema().label_text(rows.label(i)));
  } else if (none) {
    return;
  }
  scores.insert(scores.end(), of_row.begin(), of_row.end());
  labels.push_back(rows.label(i));
  if (rows.has_weights()) weights.push_back(rows.weight(i));
}

EvaluationOptions default_options(const Session& session, const Model& any, std::size_t rows) {
  const ModelBase& model = base_of(any);
  EvaluationOptions options;
  options.threads = session.threads;
  const bool quick = model.classifies ? rows * outputs(any) <= kScoresResampledUnasked &&
                                            outputs(any) <= kClassesResampledUnasked
                                      : rows <= kNumbersResampledUnasked;
  if (quick) options.bootstrap.emplace();
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
