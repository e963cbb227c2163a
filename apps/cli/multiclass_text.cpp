#include "multiclass_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model_text.h"
#include "pegasos/model.h"
#include "pegasos/progress.h"
#include "quantities.h"
#include "terminal.h"
#include "training_report.h"

namespace pegasos::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kClassesNamed = 8;
constexpr std::size_t kMachinesShown = 40;

std::string strategy_in_words(const MulticlassModel& model) {
  if (model.multilabel) return "any number of them a row, each against the rest";
  switch (model.strategy) {
    case Strategy::one_against_rest:
      return "one against the rest";
    case Strategy::one_against_one:
      return "one against one";
    case Strategy::joint:
      break;
  }
  return "trained jointly";
}

Certificate certificate_of(const ModelCertificate& proof) {
  return {proof.primal, proof.dual.value_or(0.0)};
}

Json certificate_json(const ModelCertificate& proof) {
  const auto gap = proof.relative_gap();
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
  if (model.kernel) {
    json["support_rows"] = machine.support_rows;
    json["bounded"] = machine.bounded;
    json["norm"] = machine.norm;
  }
  if (machine.certificate) json.update(certificate_json(*machine.certificate));
  json["duals_kept"] = !machine.duals.empty();
  return json;
}

// "26 machines, each within 0.09 % of its optimum or better, proven"
std::string proof_in_words(const MulticlassModel& model) {
  const auto worst = model.worst_certificate();
  if (!worst) return "none: nothing is known about the optimum";
  const std::string words = gap_in_words(certificate_of(*worst));
  if (model.strategy == Strategy::joint) return words;
  return fmt::format("{}, each {}", counted(model.machines.size(), "machine"), words);
}

std::string fact(const Style& style, std::string_view name, const std::string& text) {
  return fmt::format("{}  {}\n", style.bold(fmt::format("{:<11}", name)), text);
}

}  // namespace

std::string classes_in_words(const MulticlassModel& model) {
  std::string names;
  for (std::size_t k = 0; k < std::min(kClassesNamed, model.classes.size()); ++k) {
    names += (k > 0 ? ", " : "") + model.label_text(model.classes[k]);
  }
  if (model.classes.size() > kClassesNamed) names += ", ...";
  return fmt::format("{} classes ({}), {}", model.classes.size(), names, strategy_in_words(model));
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
  text += "\nMachines\n";
  for (std::size_t k = 0; k < shown; ++k) {
    const Machine& machine = model.machines[k];
    const std::string name = printable(model.machine_name(k));
    text += fmt::format("  {}{}", name, std::string(room - cells(name), ' '));
    if (const auto& proof = machine.certificate) {
      text += fmt::format("  objective {:<12.8g} {}", proof->primal,
                          gap_in_words(certificate_of(*proof)));
    }
    text += fmt::format(", bias {:.6g}\n", machine.b);
  }
  if (shown < model.machines.size()) {
    text += fmt::format("  and {} more; --json has all\n", model.machines.size() - shown);
  }
  return text;
}

std::string multiclass_summary(const MulticlassModel& model, const MulticlassOutcome& outcome) {
  const Style style(STDERR_FILENO);
  std::string text;
  if (const auto& proof = model.certificate) {
    text += fact(style, "objective",
                 fmt::format("{:.8g} = {:.6g} regulariser + {:.6g} mean loss", proof->primal,
                             proof->regulariser, proof->mean_loss));
  }
  text += fact(style, "certificate", style.green(proof_in_words(model)));
  if (model.kernel) text += fact(style, "vectors", counted(model.vectors(), "support vector"));
  if (outcome.training_error) {
    text += fact(style, "on training", in_percent(*outcome.training_error) + " wrong");
  }
  if (outcome.test_error) {
    text += fact(style, "on test", in_percent(*outcome.test_error) + " wrong");
  }
  const TrainingRecord& record = model.record;
  return text + fact(style, "work",
                     fmt::format("{}, {}, {}, {:.3g} s", record.solver,
                                 counted(model.machines.size(), "machine"),
                                 counted(record.steps, "step"), outcome.seconds));
}

void add_classes(const MulticlassModel& model, Json& json) {
  json["strategy"] = name_of(model.strategy);
  json["multilabel"] = model.multilabel;
  for (const double label : model.classes) json["classes"].push_back(model.label_text(label));
  json["features"] = model.schema->feature_count();
  if (model.kernel) json["support_vectors"] = model.vectors();
  const auto worst = model.worst_certificate();
  const auto gap = worst ? worst->relative_gap() : std::nullopt;
  json["worst_relative_gap"] = gap ? Json(*gap) : Json(nullptr);
  if (model.strategy == Strategy::joint) return;
  for (std::size_t k = 0; k < model.machines.size(); ++k) {
    json["machines"].push_back(machine_json(model, k));
  }
}

std::string multiclass_training_json(const MulticlassModel& model, const MulticlassOutcome& outcome,
                                     const std::string& path) {
  Json json = model_json(model);
  json["model"] = path;
  json["seconds"] = outcome.seconds;
  if (outcome.training_error) json["training_error"] = *outcome.training_error;
  if (outcome.test_error) json["test_error"] = *outcome.test_error;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pegasos::cli
