#include "multiclass_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "model/model_words.h"
#include "pegasos/model.h"
#include "terminal.h"

namespace pegasos::cli {
namespace {

constexpr std::size_t kMachinesShown = 40;

Json certificate_json(const Certificate& proof) {
  const auto gap = proof.share();
  Json json = {{"objective", proof.primal},
               {"regulariser", proof.regulariser},
               {"mean_loss", proof.mean_loss},
               {"dual", proof.dual ? Json(*proof.dual) : Json(nullptr)},
               {"relative_gap", gap ? Json(*gap) : Json(nullptr)}};
  if (proof.wrong) json["training_rows_wrong"] = *proof.wrong;
  return json;
}

Json classifier_json(const MulticlassModel& model, std::size_t k) {
  const Classifier& classifier = model.classifiers[k];
  Json json = {{"name", model.classifier_name(k)},
               {"rows", classifier.rows},
               {"epochs", classifier.epochs},
               {"steps", classifier.steps},
               {"bias", classifier.b}};
  if (const KernelClassifiers* kernels = model.kernels()) {
    json["support_rows"] = kernels->support[k].rows;
    json["bounded"] = kernels->support[k].bounded;
    json["norm"] = kernels->support[k].norm;
  }
  if (classifier.certificate) json.update(certificate_json(*classifier.certificate));
  json["duals_kept"] = !classifier.duals.empty();
  return json;
}

}  // namespace

std::string proof_in_words(const MulticlassModel& model) {
  const auto worst = model.worst_certificate();
  if (!worst) return "none: no bound on the optimum is known";
  std::string words = gap_in_words(*worst);
  if (model.strategy == Strategy::joint) return words;
  return fmt::format("{}, each {}", counted(model.classifiers.size(), "classifier"), words);
}

std::string classifiers_part(const MulticlassModel& model) {
  if (model.strategy == Strategy::joint) {
    return fmt::format("  {:<12}{}\n", "certificate", proof_in_words(model));
  }
  std::string text = fmt::format("  {:<12}{}\n", "certificate", proof_in_words(model));
  const std::size_t shown = std::min(kMachinesShown, model.classifiers.size());
  std::size_t room = 0;
  for (std::size_t k = 0; k < shown; ++k) {
    room = std::max(room, cells(printable(model.classifier_name(k))));
  }
  text += "\nClassifiers\n";
  for (std::size_t k = 0; k < shown; ++k) {
    const Classifier& classifier = model.classifiers[k];
    const std::string name = printable(model.classifier_name(k));
    text += fmt::format("  {}{}", name, std::string(room - cells(name), ' '));
    if (const auto& proof = classifier.certificate) {
      text += fmt::format("  objective {:<12.8g} {}", proof->primal, gap_in_words(*proof));
    }
    text += fmt::format(", bias {:.6g}\n", classifier.b);
  }
  if (shown < model.classifiers.size()) {
    text += fmt::format("  and {} more (--json lists all)\n", model.classifiers.size() - shown);
  }
  return text;
}

void add_classes(const MulticlassModel& model, Json& json) {
  json["strategy"] = name_of(model.strategy);
  json["multilabel"] = model.multilabel;
  for (const double label : model.classes) json["classes"].push_back(model.label_text(label));
  json["features"] = model.schema->feature_count();
  if (model.kernels() != nullptr) json["support_vectors"] = model.kernels()->vectors();
  const auto worst = model.worst_certificate();
  const auto gap = worst ? worst->share() : std::nullopt;
  json["worst_relative_gap"] = gap ? Json(*gap) : Json(nullptr);
  if (model.strategy == Strategy::joint) return;
  for (std::size_t k = 0; k < model.classifiers.size(); ++k) {
    json["classifiers"].push_back(classifier_json(model, k));
  }
}

}  // namespace pegasos::cli
