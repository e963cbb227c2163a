#include "model_contents.h"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace pegasos::cli {
namespace {

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json claim_of(const std::optional<Certificate>& certificate) {
  if (!certificate) return nullptr;
  return {{"primal", certificate->primal}, {"dual", number_or_null(certificate->dual)}};
}

Json kernel_of(const KernelOptions& kernel) {
  return {{"kind", name_of(kernel.kind)},
          {"gamma", kernel.gamma},
          {"coef0", kernel.coef0},
          {"degree", kernel.degree}};
}

Json rows_of(const Dataset& data, const Schema& schema) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < data.rows(); ++i) {
    Json features = Json::array();
    Json values = Json::array();
    const RowView row = data.row(i);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      if (row.values[k] == 0.0F) continue;
      features.push_back(schema.feature_name(row.dense ? static_cast<FeatureId>(k) : row.ids[k]));
      values.push_back(double{row.values[k]});
    }
    Json both = Json::array();
    both.push_back(std::move(features));
    both.push_back(std::move(values));
    rows.push_back(std::move(both));
  }
  return rows;
}

Json scaling_of(const std::optional<Scaling>& scaling) {
  if (!scaling) return nullptr;
  return {{"kind", name_of(scaling->kind)}, {"factor", scaling->factor}, {"shift", scaling->shift}};
}

// Every `step`-th weight.
Json weights_of(const std::vector<double>& w, std::size_t first, std::size_t step) {
  Json weights = Json::array();
  for (std::size_t j = first; j < w.size(); j += step) weights.push_back(w[j]);
  return weights;
}

Json classifier_of(const LinearModel& model) {
  return {{"weights", weights_of(model.w, 0, 1)}};
}

Json classifier_of(const KernelModel& model) {
  return {{"vectors", rows_of(model.support_vectors, *model.schema)},
          {"coefficients", model.coefficients}};
}

Json labels_of(const MulticlassModel& model, std::size_t k) {
  if (model.strategy != Strategy::one_against_one) {
    return {{"positive", model.label_text(model.classes[k])}, {"negative", nullptr}};
  }
  const ClassPair pair = class_pair(model.classes.size(), k);
  return {{"positive", model.label_text(model.classes[pair.first])},
          {"negative", model.label_text(model.classes[pair.second])}};
}

// The coefficient of a support vector in classifier k.
double coefficient_in(const MulticlassModel& model, std::size_t vector, std::size_t k) {
  const std::size_t width = model.coefficients_per_vector();
  const double* of_vector = model.kernels()->coefficients.data() + vector * width;
  if (model.strategy != Strategy::one_against_one) return of_vector[k];
  const ClassPair pair = class_pair(model.classes.size(), k);
  const std::size_t of = model.kernels()->vector_class[vector];
  if (of == pair.first) return of_vector[pair.second - 1];
  return of == pair.second ? of_vector[pair.first] : 0.0;
}

Json classifiers_of(const MulticlassModel& model) {
  Json classifiers = Json::array();
  const std::size_t count = model.classifiers.size();
  for (std::size_t k = 0; k < count; ++k) {
    const Classifier& classifier = model.classifiers[k];
    Json json = labels_of(model, k);
    json["b"] = classifier.b;
    if (model.kernels() != nullptr) {
      json["coefficients"] = Json::array();
      for (std::size_t j = 0; j < model.kernels()->vectors(); ++j) {
        json["coefficients"].push_back(coefficient_in(model, j, k));
      }
    } else {
      json["weights"] = weights_of(model.linear()->w, k, count);
    }
    json["duals"] = classifier.duals;
    json["claim"] = claim_of(classifier.certificate);
    classifiers.push_back(std::move(json));
  }
  return classifiers;
}

void add_classifiers(const MulticlassModel& model, Json& json) {
  json["strategy"] = name_of(model.strategy);
  for (const double label : model.classes) json["classes"].push_back(model.label_text(label));
  if (const auto* kernels = model.kernels()) {
    json["kernel"] = kernel_of(kernels->kernel);
    json["vectors"] = rows_of(kernels->support_vectors, *model.schema);
  }
  if (model.joint) {  // the duals of a row, by class, are side by side
    json["duals"] = model.joint->duals;
    json["claim"] = claim_of(model.joint->certificate);
  }
  json["classifiers"] = classifiers_of(model);
}

template <typename Kind>
void add_classifiers(const Kind& model, Json& json) {
  if constexpr (std::is_same_v<Kind, KernelModel>) json["kernel"] = kernel_of(model.kernel);
  Json classifier = Json::object();
  if (model.labels) {
    classifier["positive"] = model.positive_text();
    classifier["negative"] = model.labels->negative ? Json(model.negative_text()) : Json(nullptr);
  }
  classifier["b"] = model.b;
  classifier.update(classifier_of(model));
  classifier["duals"] = model.duals;
  classifier["claim"] = claim_of(model.certificate);
  json["classifiers"].push_back(std::move(classifier));
}

}  // namespace

Json model_contents(const Model& any) {
  const ModelBase& model = base_of(any);
  const auto* single = single_output(any);
  const bool classifies = single == nullptr || single->labels;
  Json json = {{"task", classifies ? "classification" : "regression"},
               {"loss", name_of(model.loss.loss)},
               {"epsilon", model.loss.epsilon},
               {"delta", model.loss.delta},
               {"lambda", model.lambda},
               {"bias", name_of(model.bias)},
               {"bias_feature", model.bias_feature},
               {"index_base", model.schema->indices.base()},
               {"scaling", scaling_of(model.scaling)}};
  const auto* linear = std::get_if<LinearModel>(&any);
  const auto* many = std::get_if<MulticlassModel>(&any);
  json["map"] = (linear != nullptr && linear->map) ||
                (many != nullptr && many->linear() != nullptr && many->linear()->map);
  json["features"] = Json::array();
  for (FeatureId id = 0; id < model.schema->feature_count(); ++id) {
    json["features"].push_back(model.schema->feature_name(id));
  }
  json["class_weights"] = Json::object();
  for (const auto& [label, weight] : model.label_weights) {
    json["class_weights"][model.label_text(label)] = weight;
  }
  std::visit([&json](const auto& kind) { add_classifiers(kind, json); }, any);
  return json;
}

}  // namespace pegasos::cli
