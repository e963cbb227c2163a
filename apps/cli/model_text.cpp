#include "model_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/json_text.h"
#include "base/quantity_text.h"
#include "decision_options.h"
#include "model/model_words.h"
#include "multiclass_text.h"
#include "probabilities.h"
#include "spelling.h"
#include "terminal.h"
#include "weights_text.h"

namespace pegasos::cli {
namespace {

std::uint64_t non_zero_weights(const LinearModel& model) {
  return static_cast<std::uint64_t>(
      std::count_if(model.w.begin(), model.w.end(), [](double w) { return w != 0.0; }));
}

double norm(const LinearModel& model) {
  double squares = 0;
  for (const double w : model.w) squares += w * w;
  return std::sqrt(squares);
}

std::string fact(std::string_view name, const std::string& text) {
  return fmt::format("  {:<12}{}\n", name, text);
}

Json kernel_json(const KernelOptions& kernel) {
  Json json = {{"kind", name_of(kernel.kind)}};
  if (kernel.uses_gamma()) json["gamma"] = kernel.gamma;
  const bool polynomial = kernel.kind == KernelKind::polynomial;
  if (polynomial || kernel.kind == KernelKind::sigmoid) json["coef0"] = kernel.coef0;
  if (polynomial) json["degree"] = kernel.degree;
  return json;
}

void add_size(const LinearModel& model, Json& json) {
  json["features"] = model.schema->feature_count();
  if (model.map) {
    const FeatureMapOptions& options = model.map->options();
    json["map"] = {{"approximation", name_of(options.approximation)},
                   {"components", options.components},
                   {"seed", options.seed},
                   {"kernel", kernel_json(options.kernel)}};
  }
  json["non_zero_weights"] = non_zero_weights(model);
  json["norm"] = norm(model);
}

void add_size(const MulticlassModel& model, Json& json) {
  add_classes(model, json);
  if (model.kernels() != nullptr) json["kernel"] = kernel_json(model.kernels()->kernel);
}

void add_size(const KernelModel& model, Json& json) {
  json["features"] = model.schema->feature_count();
  json["kernel"] = kernel_json(model.kernel);
  json["certifiable"] = model.kernel.is_positive_semidefinite();
  json["support_vectors"] = model.coefficients.size();
  json["support_rows"] = model.support.rows;
  json["bounded"] = model.support.bounded;
  json["norm"] = model.support.norm;
}

std::string scaling_in_words(const Scaling& scaling) {
  std::string name = name_of(scaling.kind);
  if (scaling.kind == ScalingKind::unit_row) return name + ": rows scaled to norm 1";
  const auto [least, most] = std::minmax_element(scaling.factor.begin(), scaling.factor.end());
  if (least == scaling.factor.end()) return name;
  return fmt::format(
      "{}: features multiplied by {:.4g} to {:.4g}{}; the weights apply to scaled features", name,
      *least, *most, scaling.shift.empty() ? "" : " after centring");
}

std::string size_facts(const LinearModel& model) {
  std::string text;
  if (model.map) {
    const FeatureMapOptions& options = model.map->options();
    text += fact("map", fmt::format("{}, {}, seed {}, kernel {}", name_of(options.approximation),
                                    counted(options.components, "component"), options.seed,
                                    kernel_in_words(options.kernel)));
  }
  return text + fact("weights",
                     fmt::format("{}, {} non-zero, norm {:.6g}", with_separators(model.w.size()),
                                 with_separators(non_zero_weights(model)), norm(model)));
}

std::string size_facts(const KernelModel& model) {
  return fact("kernel", kernel_in_words(model.kernel)) +
         fact("vectors",
              vectors_in_words(model) +
                  (model.support.norm > 0 ? fmt::format(", norm {:.6g}", model.support.norm) : ""));
}

std::string size_facts(const MulticlassModel& model) {
  if (const KernelClassifiers* kernels = model.kernels()) {
    return fact("kernel", kernel_in_words(kernels->kernel)) +
           fact("vectors", counted(kernels->vectors(), "support vector"));
  }
  const std::size_t weights = model.linear()->w.size() / model.classifiers.size();
  return fact("weights", fmt::format("{} in each of {} classifiers", with_separators(weights),
                                     model.classifiers.size()));
}

std::string certificate_facts(const std::optional<Certificate>& proof, bool duals_kept,
                              const std::string& of_what) {
  if (!proof) return "";
  std::string text =
      fact("objective", fmt::format("{:.8g} = {:.6g} regulariser + {:.6g} mean loss", proof->primal,
                                    proof->regulariser, proof->mean_loss));
  if (const auto gap = proof->share()) {
    text +=
        fact("certificate", fmt::format("within {} of the optimum{}, proven{}", in_percent(*gap),
                                        of_what, duals_kept ? ", dual variables kept" : ""));
  }
  return text;
}

// What the certificate is of, where that needs saying, and why there is none.
std::string certificate_part(const Model& model) {
  if (const auto* linear = std::get_if<LinearModel>(&model)) {
    return certificate_facts(linear->certificate, !linear->duals.empty(),
                             linear->map ? " of the approximate problem" : "");
  }
  if (const auto* many = std::get_if<MulticlassModel>(&model)) {
    if (!many->joint) return "";
    return certificate_facts(many->joint->certificate, !many->joint->duals.empty(), "");
  }
  const KernelModel& kernel = std::get<KernelModel>(model);
  if (kernel.kernel.is_positive_semidefinite()) {
    return certificate_facts(kernel.certificate, !kernel.duals.empty(), "");
  }
  return fact("certificate", "none: the kernel is not known to be positive semidefinite");
}

std::string kind_in_words(const Model& model) {
  if (const auto* many = std::get_if<MulticlassModel>(&model)) {
    return many->kernels() != nullptr ? "kernel models" : "linear models";
  }
  return std::holds_alternative<LinearModel>(model) ? "linear model" : "kernel model";
}

std::string record_facts(const TrainingRecord& record, bool classifies) {
  std::string text;
  if (record.rows > 0) {
    text += fact(
        "trained on",
        fmt::format("{}, {}", counted(record.rows, "row"), counted(record.non_zeros, "non-zero")) +
            (record.stream ? ", each seen once" : "") +
            (record.data_fingerprint != 0
                 ? fmt::format(", fingerprint {:016x}", record.data_fingerprint)
                 : ""));
    text += fact("solver", fmt::format("{}, {}, seed {}{}", record.solver,
                                       record.epochs > 0 ? counted(record.epochs, "epoch")
                                                         : counted(record.steps, "block"),
                                       record.seed, record.interrupted ? ", interrupted" : ""));
  }
  if (const auto& stream = record.stream; stream && stream->weight > 0) {
    text += fact("stream",
                 fmt::format("progressive loss {:.4g}, {}, over rows of weight {:.6g}; no "
                             "certificate",
                             stream->loss / stream->weight,
                             classifies ? in_percent(stream->error / stream->weight) + " wrong"
                                        : fmt::format("mean absolute error {:.4g}",
                                                      stream->error / stream->weight),
                             stream->weight));
  }
  if (!record.settings.empty()) text += fact("options", printable(spelled(record.settings)));
  return text;
}

// Where the line between two classes is drawn, and why there.
std::string threshold_part(const Model& any, const SingleOutputModel& model) {
  const Decision decision(any);
  std::string text =
      fmt::format("{}, {}", printable(model.positive_text()), threshold_in_words(decision));
  if (model.threshold) return text + " (stored threshold)";
  if (decision.has_probabilities() && !decision.compares_probabilities()) {
    text += " (trained with class weights)";
  }
  return text;
}

}  // namespace

Json model_json(const Model& any, std::size_t top) {
  const ModelBase& model = base_of(any);
  const auto* many = std::get_if<MulticlassModel>(&any);
  const auto* single = single_output(any);
  const bool linear =
      many != nullptr ? many->linear() != nullptr : std::holds_alternative<LinearModel>(any);
  Json json = {{"kind", linear ? "linear" : "kernel"},
               {"task", model.classifies() ? "classification" : "regression"}};
  if (single != nullptr && single->labels) {
    json["positive_label"] = single->positive_text();
    json["negative_label"] =
        single->labels->negative ? Json(single->negative_text()) : Json(nullptr);
  }
  json["loss"] = name_of(model.loss.loss);
  json["lambda"] = model.lambda;
  json["c"] = model.record.rows > 0 ? Json(model.c()) : Json(nullptr);
  json["scaling"] = model.scaling ? Json(name_of(model.scaling->kind)) : Json(nullptr);
  json["bias"] = {{"kind", name_of(model.bias)}};
  if (single != nullptr) json["bias"]["value"] = single->b;
  for (const auto& [label, weight] : model.label_weights) {
    json["class_weights"][model.label_text(label)] = weight;
  }
  std::visit([&json](const auto& kind) { add_size(kind, json); }, any);
  const bool joint = many != nullptr && many->joint;
  const auto proof = single != nullptr || joint ? certificate_of(any) : std::nullopt;
  if (proof) {
    json["objective"] = proof->primal;
    json["regulariser"] = proof->regulariser;
    json["mean_loss"] = proof->mean_loss;
    json["dual"] = proof->dual ? Json(*proof->dual) : Json(nullptr);
    const auto gap = proof->share();
    json["relative_gap"] = gap ? Json(*gap) : Json(nullptr);
    if (proof->wrong) json["training_rows_wrong"] = *proof->wrong;
    json["duals_kept"] = !(joint ? many->joint->duals : single->duals).empty();
  }
  if (model.has_probabilities()) {
    json["probability"] = name_of(model.calibrations.front().kind);
  }
  if (single != nullptr && single->threshold) {
    json["threshold"] = {{"on", single->threshold->of_probability ? "probability" : "score"},
                         {"above", single->threshold->above}};
  }
  add_largest_weights(any, top, json);
  const TrainingRecord& record = model.record;
  json["training"] = {{"solver", record.solver},
                      {"settings", spelled(record.settings)},
                      {"rows", record.rows},
                      {"non_zeros", record.non_zeros},
                      {"epochs", record.epochs},
                      {"steps", record.steps},
                      {"violations", record.violations},
                      {"seed", record.seed},
                      {"interrupted", record.interrupted},
                      {"data_fingerprint", fmt::format("{:016x}", record.data_fingerprint)}};
  return json;
}

std::string model_for_people(const Model& any, const std::string& path, std::size_t top) {
  const Style style(STDOUT_FILENO);
  const ModelBase& model = base_of(any);
  std::string text = fmt::format("{}  {}\n", style.bold(printable(path)), kind_in_words(any));
  text += fact("predicts", printable(task_in_words(any)));
  std::string strength = fmt::format("{}, lambda {:.6g}", name_of(model.loss.loss), model.lambda);
  if (model.record.rows > 0) strength += fmt::format(" (C {:.6g})", model.c());
  text += fact("loss", strength);
  const auto* many = std::get_if<MulticlassModel>(&any);
  const auto* single = single_output(any);
  text +=
      fact("bias", single == nullptr ? name_of(model.bias)
                                     : fmt::format("{}, {:.6g}", name_of(model.bias), single->b));
  if (model.scaling) text += fact("scaling", scaling_in_words(*model.scaling));
  text += std::visit([](const auto& kind) { return size_facts(kind); }, any);
  if (model.calibrations.size() == 1) {
    text += fact("probability", calibration_in_words(model.calibrations.front()));
  } else if (model.has_probabilities()) {
    text += fact("probability", name_of(model.calibrations.front().kind) + " for each class");
  }
  if (single != nullptr && single->labels) {
    text += fact("decides", threshold_part(any, *single));
  }
  text += certificate_part(any) + record_facts(model.record, model.classifies());
  if (many != nullptr) text += classifiers_part(*many);
  return text + largest_weights(any, top, style);
}

}  // namespace pegasos::cli
