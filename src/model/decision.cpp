#include "pegasos/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "base/option_builder.h"
#include "model/class_labels.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

OptionInfo decision(std::string name, std::string meaning) {
  return {.name = std::move(name), .group = "Decision threshold", .meaning = std::move(meaning)};
}

OptionInfo cost(std::string name, std::string meaning) {
  OptionInfo info = decision(std::move(name), std::move(meaning));
  info.default_text = "1";
  return info;
}

double threshold_of_costs(const DecisionOptions& options) {
  const double false_positive = options.cost_false_positive.value_or(1.0);
  const double false_negative = options.cost_false_negative.value_or(1.0);
  return false_positive / (false_positive + false_negative);
}

void check_options(const DecisionOptions& options, bool probabilities) {
  if (options.has_costs() && options.threshold) {
    throw InvalidOption("threshold", "give a threshold or costs, not both");
  }
  if (options.has_costs() && !probabilities) {
    throw InvalidOption("cost",
                        "costs need probabilities, which this model does not have; train it with "
                        "probabilities, or set a threshold on the score");
  }
  check_ranges(decision_option_table(), options);
  const double threshold = options.threshold.value_or(0.0);
  if (probabilities && !(threshold >= 0 && threshold <= 1)) {
    throw InvalidOption("threshold", "must be from 0 to 1, because this model has probabilities");
  }
}

// `agree`: do probabilities say the same as the scores about where the classes part?
ModelThreshold usual_threshold(bool probabilities, bool agree) {
  const bool of_probability = probabilities && agree;
  return {.above = of_probability ? 0.5 : 0.0, .of_probability = of_probability};
}

// The threshold that options or model ask for.
std::optional<ModelThreshold> asked_threshold(const SingleOutputModel& model,
                                              const DecisionOptions& options, bool probabilities) {
  if (options.has_costs()) return ModelThreshold{threshold_of_costs(options), true};
  if (options.threshold) return ModelThreshold{*options.threshold, probabilities};
  return model.threshold;
}

}  // namespace

const OptionTable<DecisionOptions>& decision_option_table() {
  static const OptionTable<DecisionOptions> table = {
      option::number(decision("threshold",
                              "Predict the positive class above this probability, or above this "
                              "score if the model has no probabilities; by default the threshold "
                              "stored in the model, otherwise 0.5 (0 for scores, and for models "
                              "trained with class weights)"),
                     &DecisionOptions::threshold, option::finite()),
      option::number(cost("cost_false_positive",
                          "Cost of a false positive; the threshold that minimises the expected "
                          "cost is fp/(fp + fn). Needs probabilities"),
                     &DecisionOptions::cost_false_positive, option::more_than(0)),
      option::number(cost("cost_false_negative", "Cost of a false negative"),
                     &DecisionOptions::cost_false_negative, option::more_than(0)),
  };
  return table;
}

Decision::Decision(const Model& model, const DecisionOptions& options)
    : outputs_(pegasos::outputs(model)), calibrations_(calibrations_of(model)) {
  if (const auto* many = std::get_if<MulticlassModel>(&model)) {
    if (options.any()) {
      throw InvalidOption("threshold", "thresholds and costs need a model with two classes");
    }
    kind_ = many->multilabel ? AnswerKind::label_sets : AnswerKind::classes;
    votes_ = many->strategy == Strategy::one_against_one;
    classes_ = many->classes;
    if (options.probabilities_of == ProbabilitiesOf::weighted_rows) weigh(*many, classes_);
    take(usual_threshold(has_probabilities(),
                         many->label_weights.empty() || !class_weights_.empty()));
    for (const double label : classes_) names_.push_back(many->label_text(label));
    return;
  }
  const SingleOutputModel& single = *single_output(model);
  if (!single.labels) {
    if (options.any()) {
      throw InvalidOption(
          "threshold", "thresholds and costs are for classification; this is a regression model");
    }
    calibrations_.clear();
    transform_ = single.transform;
    return;
  }
  kind_ = AnswerKind::two_classes;
  labels_ = *single.labels;
  names_ = {single.positive_text(), single.negative_text()};
  // The rest of one label against the rest has no weight of its own.
  if (options.probabilities_of == ProbabilitiesOf::weighted_rows && labels_.negative) {
    weigh(single, std::array{labels_.positive, *labels_.negative});
  }
  check_options(options, has_probabilities());
  const auto asked = asked_threshold(single, options, has_probabilities());
  take(asked.value_or(usual_threshold(has_probabilities(),
                                      single.label_weights.empty() || !class_weights_.empty())));
  // What is asked for is a probability of rows as they occur.
  if (asked && asked->of_probability && !class_weights_.empty()) {
    threshold_ = weighted(threshold_, 0);
  }
}

void Decision::weigh(const ModelBase& model, std::span<const double> labels) {
  if (model.label_weights.empty() || !has_probabilities()) return;
  class_weights_.assign(labels.size(), 1.0);
  for (std::size_t k = 0; k < labels.size(); ++k) {
    for (const LabelWeight& one : model.label_weights) {
      if (one.label == labels[k]) class_weights_[k] = one.weight;
    }
  }
}

// Of many classes it is not normalised, which comparing them does not need.
double Decision::weighted(double probability, std::size_t output) const {
  const double own = class_weights_[output] * probability;
  if (kind_ != AnswerKind::two_classes) return own;
  const double other = class_weights_[1] * (1.0 - probability);
  return own + other > 0.0 ? own / (own + other) : probability;
}

void Decision::take(const ModelThreshold& threshold) {
  threshold_ = threshold.above;
  compares_probabilities_ = threshold.of_probability;
}

ModelThreshold Decision::kept_threshold() const {
  if (!compares_probabilities_ || class_weights_.empty()) {
    return {threshold_, compares_probabilities_};
  }
  // Back to rows as they occur: odds by the weights.
  const double own = class_weights_[1] * threshold_;
  const double other = class_weights_[0] * (1.0 - threshold_);
  return {own + other > 0.0 ? own / (own + other) : threshold_, true};
}

std::size_t Decision::class_of(std::span<const double> scores) const {
  if (kind_ == AnswerKind::two_classes) return says(scores, 0) ? 0 : 1;
  // Of one against one the votes alone, which margins change by less than a half.
  const auto value = [&](std::size_t k) {
    return votes_ && !compares_probabilities_ ? std::round(scores[k]) : measure(scores[k], k);
  };
  std::size_t best = 0;
  for (std::size_t k = 1; k < scores.size(); ++k) {
    if (value(k) > value(best)) best = k;
  }
  return best;
}

std::string Decision::text(std::span<const double> scores) const {
  if (kind_ == AnswerKind::number) return fmt::format("{}", number(scores[0]));
  if (kind_ != AnswerKind::label_sets) return names_[class_of(scores)];
  std::string set;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (!says(scores, k)) continue;
    if (!set.empty()) set += ',';
    set += names_[k];
  }
  return set;
}

void Decision::probabilities(std::span<const double> scores, std::span<double> of_names) const {
  if (kind_ == AnswerKind::two_classes) {
    const double p = probability(scores[0]);
    of_names[0] = class_weights_.empty() ? p : weighted(p, 0);
    of_names[1] = 1.0 - of_names[0];
    return;
  }
  class_probabilities(calibrations_, scores, of_names);
  if (class_weights_.empty()) return;
  double total = 0.0;
  for (std::size_t k = 0; k < of_names.size(); ++k) total += of_names[k] *= class_weights_[k];
  for (double& p : of_names) p = total > 0.0 ? p / total : 1.0 / static_cast<double>(names_.size());
}

struct Truth::Sets {
  ClassLabels labels;
};

Truth::Truth(const Decision& decision, const Dataset& rows) : decision_(decision), rows_(rows) {
  if (decision.kind() == AnswerKind::label_sets && rows.has_labels()) {
    sets_ = std::make_unique<const Sets>(Sets{ClassLabels(rows, decision.classes_)});
  }
}

Truth::~Truth() = default;

bool Truth::is_known(std::size_t row) const {
  if (!rows_.has_labels()) return false;
  return decision_.kind() == AnswerKind::label_sets || !std::isnan(rows_.label(row));
}

std::size_t Truth::class_of(std::size_t row) const {
  const double label = rows_.label(row);
  if (decision_.kind() == AnswerKind::two_classes) {
    if (label == decision_.labels_.positive) return 0;
    return !decision_.labels_.negative || label == *decision_.labels_.negative ? 1 : 2;
  }
  const auto& classes = decision_.classes_;
  return static_cast<std::size_t>(std::find(classes.begin(), classes.end(), label) -
                                  classes.begin());
}

bool Truth::has(std::size_t row, std::size_t k) const {
  return sets_->labels.has(row, k);
}

bool Truth::is_foreign(std::size_t row) const {
  if (decision_.kind() == AnswerKind::number || !is_known(row)) return false;
  if (decision_.kind() == AnswerKind::label_sets) return sets_->labels.has_others(row);
  return class_of(row) == decision_.names().size();
}

bool Truth::is_right(std::size_t row, std::span<const double> scores) const {
  if (is_foreign(row)) return false;
  if (decision_.kind() != AnswerKind::label_sets) {
    return decision_.class_of(scores) == class_of(row);
  }
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (decision_.says(scores, k) != has(row, k)) return false;
  }
  return true;
}

}  // namespace pegasos
