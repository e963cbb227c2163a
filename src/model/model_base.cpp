#include <fmt/format.h>

#include <cmath>
#include <limits>

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
  require(is_word, field, "is none of the label words");
}

void check_label_weights(const ModelBase& model) {
  const auto& weights = model.label_weights;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    check_label(weights[k].label, *model.schema, "label_weights");
    require(is_finite_from_zero(weights[k].weight), "label_weights", "must be finite, 0 or more");
    require(k == 0 || weights[k - 1].label < weights[k].label, "label_weights",
            "must be of ascending labels");
  }
  require(weights.empty() || model.classifies, "label_weights", "need classes");
}

void check_labels(const ModelBase& model) {
  if (!model.classifies) {
    require(!model.one_against_rest, "one_against_rest", "needs a model that classifies");
    require(model.schema->label_words.empty(), "schema", "regression has no label words");
    require(!is_classification(model.loss.loss), "loss", "regression needs a loss for it");
    return;
  }
  check_label(model.positive_label, *model.schema, "positive_label");
  if (model.one_against_rest) return;
  check_label(model.negative_label, *model.schema, "negative_label");
  require(model.positive_label != model.negative_label, "negative_label",
          "must differ from the positive label");
}

}  // namespace

std::optional<double> ModelCertificate::relative_gap() const {
  if (!dual) return std::nullopt;
  const double gap = Certificate{primal, *dual}.relative_gap();
  if (std::isinf(gap)) return std::nullopt;
  return gap;
}

double ModelBase::label_for(double decision) const {
  if (!classifies) return decision;
  if (is_positive(decision)) return positive_label;
  return one_against_rest ? std::numeric_limits<double>::quiet_NaN() : negative_label;
}

std::string ModelBase::label_text(double label) const {
  if (std::isnan(label) && one_against_rest) return "not " + label_text(positive_label);
  if (schema && label >= 0 && label < static_cast<double>(schema->label_words.size())) {
    return schema->label_words[static_cast<std::size_t>(label)];
  }
  return fmt::format("{}", label);
}

void ModelBase::validate_shared() const {
  require(schema != nullptr, "schema", "is missing");
  require(std::isfinite(b), "b", "must be finite");
  loss.validate();
  require((lambda > 0 && std::isfinite(lambda)) || (lambda == 0 && record.rows == 0), "lambda",
          "must be more than 0");
  require(bias != Bias::none || b == 0, "b", "must be 0 in a model without a bias");
  require(bias != Bias::regularised || (std::isfinite(bias_feature) && bias_feature != 0),
          "bias_feature", "must be finite and not 0");
  if (scaling) scaling->validate(schema->feature_count());
  if (certificate) check_certificate(*certificate, record.rows);
  check_label_weights(*this);
  for (const double dual : duals) require(std::isfinite(dual), "duals", "must be finite");
  for (const auto& calibration : calibrations) calibration.validate();
}

void ModelBase::validate_two_labels() const {
  require(duals.empty() || duals.size() == record.rows, "duals", "must be one per training row");
  check_labels(*this);
}

bool ModelBase::same_shared(const ModelBase& a, const ModelBase& b) {
  const bool same_schema = a.schema && b.schema ? *a.schema == *b.schema : a.schema == b.schema;
  const bool same_labels =
      a.classifies == b.classifies && a.one_against_rest == b.one_against_rest &&
      (!a.classifies || a.positive_label == b.positive_label) &&
      (!a.classifies || a.one_against_rest || a.negative_label == b.negative_label);
  return same_schema && same_labels && a.b == b.b && a.loss == b.loss && a.lambda == b.lambda &&
         a.bias == b.bias && a.bias_feature == b.bias_feature && a.record == b.record &&
         a.certificate == b.certificate && a.duals == b.duals && a.scaling == b.scaling &&
         a.label_weights == b.label_weights && a.calibrations == b.calibrations;
}

const ModelBase& base_of(const Model& model) {
  return std::visit([](const auto& kind) -> const ModelBase& { return kind; }, model);
}

ModelBase& base_of(Model& model) {
  return std::visit([](auto& kind) -> ModelBase& { return kind; }, model);
}

}  // namespace pegasos
