#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "model/checks.h"
#include "pegasos/error.h"
#include "pegasos/model.h"
#include "pegasos/progress.h"

namespace pegasos {
namespace {

void check_label(double label, const Schema& schema, const char* field) {
  require(std::isfinite(label), field, "must be finite");
  if (schema.label_words.empty()) return;
  const bool is_word = label >= 0 && label < static_cast<double>(schema.label_words.size()) &&
                       label == std::trunc(label);
  require(is_word, field, "is not one of the label words");
}

void check_label_weights(const ModelBase& model) {
  const auto& weights = model.label_weights;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    check_label(weights[k].label, *model.schema, "label_weights");
    require(is_finite_from_zero(weights[k].weight), "label_weights", "must be finite, 0 or more");
    require(k == 0 || weights[k - 1].label < weights[k].label, "label_weights",
            "must be in ascending order of the labels");
  }
  require(weights.empty() || model.classifies(), "label_weights", "are only for classification");
}

void check_labels(const SingleOutputModel& model) {
  require(model.labels.has_value() == model.classifies(), "loss", "does not suit the task");
  if (!model.labels) {
    require(model.schema->label_words.empty(), "schema", "regression has no label words");
    return;
  }
  check_label(model.labels->positive, *model.schema, "positive_label");
  if (!model.labels->negative) return;
  check_label(*model.labels->negative, *model.schema, "negative_label");
  require(model.labels->positive != *model.labels->negative, "negative_label",
          "must differ from the positive label");
}

void check_threshold(const SingleOutputModel& model) {
  if (!model.threshold) return;
  require(model.labels.has_value(), "threshold", "needs two classes");
  require(std::isfinite(model.threshold->above), "threshold", "must be finite");
  if (!model.threshold->of_probability) return;
  require(model.threshold->above >= 0 && model.threshold->above <= 1, "threshold",
          "must be from 0 to 1, as probabilities are");
  const bool log_odds = model.loss.loss == Loss::logistic && model.label_weights.empty();
  require(model.has_probabilities() || log_odds, "threshold",
          "is that of a probability, and the model has none");
}

}  // namespace

std::string name_of(TargetTransform transform) {
  switch (transform) {
    case TargetTransform::none:
      return "none";
    case TargetTransform::log:
      return "log";
    case TargetTransform::log1p:
      return "log1p";
  }
  return "unknown";
}

double transformed(TargetTransform transform, double target) {
  if (transform == TargetTransform::none) return target;
  return transform == TargetTransform::log ? std::log(target) : std::log1p(target);
}

double restored(TargetTransform transform, double score) {
  if (transform == TargetTransform::none) return score;
  return transform == TargetTransform::log ? std::exp(score) : std::expm1(score);
}

std::string SingleOutputModel::negative_text() const {
  return labels->negative ? label_text(*labels->negative) : "not " + positive_text();
}

std::string ModelBase::label_text(double label) const {
  if (schema && label >= 0 && label < static_cast<double>(schema->label_words.size())) {
    return schema->label_words[static_cast<std::size_t>(label)];
  }
  return fmt::format("{}", label);
}

void ModelBase::validate_shared() const {
  require(schema != nullptr, "schema", "is missing");
  loss.validate();
  require((lambda > 0 && std::isfinite(lambda)) || (lambda == 0 && record.rows == 0), "lambda",
          "must be greater than 0");
  require(bias != Bias::regularised || (std::isfinite(bias_feature) && bias_feature != 0),
          "bias_feature", "must be finite and not 0");
  if (scaling) scaling->validate(schema->feature_count());
  check_label_weights(*this);
  require(feature_means.empty() || feature_means.size() == schema->feature_count(), "feature_means",
          "there must be one per feature");
  for (const float mean : feature_means) {
    require(std::isfinite(mean), "feature_means", "must be finite");
  }
  for (const auto& calibration : calibrations) calibration.validate();
}

void SingleOutputModel::validate_single() const {
  validate_shared();
  require(std::isfinite(b), "b", "must be finite");
  require(bias != Bias::none || b == 0, "b", "must be 0 in a model without a bias");
  if (certificate) check_certificate(*certificate, record.rows);
  for (const double dual : duals) require(std::isfinite(dual), "duals", "must be finite");
  require(calibrations.size() <= (classifies() ? 1U : 0U), "calibrations",
          "there must be at most one, and none for regression");
  require(duals.empty() || duals.size() == record.rows, "duals",
          "there must be one per training row");
  check_labels(*this);
  require(!labels || transform == TargetTransform::none, "transform", "is for regression");
  check_threshold(*this);
}

bool ModelBase::same_shared(const ModelBase& a, const ModelBase& b) {
  const bool same_schema = a.schema && b.schema ? *a.schema == *b.schema : a.schema == b.schema;
  return same_schema && a.loss == b.loss && a.lambda == b.lambda && a.bias == b.bias &&
         a.bias_feature == b.bias_feature && a.record == b.record && a.scaling == b.scaling &&
         a.label_weights == b.label_weights && a.calibrations == b.calibrations &&
         a.feature_means == b.feature_means;
}

bool SingleOutputModel::same_single(const SingleOutputModel& a, const SingleOutputModel& b) {
  return same_shared(a, b) && a.b == b.b && a.labels == b.labels && a.threshold == b.threshold &&
         a.transform == b.transform && a.certificate == b.certificate && a.duals == b.duals;
}

const ModelBase& base_of(const Model& model) {
  return std::visit([](const auto& kind) -> const ModelBase& { return kind; }, model);
}

ModelBase& base_of(Model& model) {
  return std::visit([](auto& kind) -> ModelBase& { return kind; }, model);
}

const SingleOutputModel* single_output(const Model& model) {
  if (const auto* linear = std::get_if<LinearModel>(&model)) return linear;
  return std::get_if<KernelModel>(&model);
}

SingleOutputModel* single_output(Model& model) {
  return const_cast<SingleOutputModel*>(single_output(std::as_const(model)));
}

std::optional<Certificate> certificate_of(const Model& model) {
  const auto* single = single_output(model);
  return single != nullptr ? single->certificate
                           : std::get<MulticlassModel>(model).worst_certificate();
}

}  // namespace pegasos
