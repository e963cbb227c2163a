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

Json machine_json(const MulticlassModel& model, std::size_t k) {
  const Machine& machine = model.machines[k];
  Json json = {{"name", model.machine_name(k)},
               {"rows", machine.rows},
               {"epochs", machine.epochs},
               {"steps", machine.steps},
               {"bias", machine.b}};
  if (const KernelMachines* kernels = model.kernels()) {
    json["support_rows"] = kernels->support[k].rows;
    json["bounded"] = kernels->support[k].bounded;
    json["norm"] = kernels->support[k].norm;
  }
  if (machine.certificate) json.update(certificate_json(*machine.certificate));
  json["duals_kept"] = !machine.duals.empty();
  return json;
}

}  // namespace

std::string proof_in_words(const MulticlassModel& model) {
  const auto worst = model.worst_certificate();
  if (!worst) return "none: no bound on the optimum is known";
  const std::string words = gap_in_words(*worst);
  if (model.strategy == Strategy::joint) return words;
  return fmt::format("{}, each {}", counted(model.machines.size(), "classifier"), words);
}

std::string machines_part(const MulticlassModel& model) {
  if (model.strategy == Strategy::joint) {
    return fmt::format("  {:<12}{}\n", "certificate", proof_in_words(model));
  }
  std::string text = fmt::format("  {:<12}{}\n", "certificate", proof_in_words(model));
  const std::size_t shown = std::min(kMachinesShown, model.machines.size());
  std::size_t room = 0;
  for (std::size_t k = 0; k < shown; ++k) {
    room = std::max(room, cells(printable(model.machine_name(k))));
  }
  text += "\nClassifiers\n";
  for (std::size_t k = 0; k < shown; ++k) {
    const Machine& machine = model.machines[k];
    const std::string name = printable(model.machine_name(k));
    text += fmt::format("  {}{}", name, std::string(room - cells(name), ' '));
    if (const auto& proof = machine.certificate) {
      text += fmt::format("  objective {:<12.8g} {}", proof->primal, gap_in_words(*proof));
    }
    text += fmt::format(", bias {:.6g}\n", machine.b);
  }
  if (shown < model.machines.size()) {
    text += fmt::format("  and {} more (--json lists all)\n", model.machines.size() - shown);
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
  for (std::size_t k = 0; k < model.machines.size(); ++k) {
    json["classifiers"].push_back(machine_json(model, k));
  }
}

}  // namespace pegasos::cli
