#include "model/model_json.h"

#include <fmt/format.h>

#include <limits>

#include "pegasos/error.h"

namespace pegasos {
namespace {

using json_fields::finite_number;
using json_fields::json;

constexpr std::uint64_t kAnyCount = std::numeric_limits<std::uint64_t>::max();

json settings_to_json(const std::vector<Setting>& settings) {
  json list = json::array();
  for (const Setting& one : settings) {
    list.push_back(json::array({json_fields::text(one.name), json_fields::text(one.value)}));
  }
  return list;
}

// Version 0.1 wrote one line of flags.
std::vector<Setting> settings_from_json(const json& value) {
  if (!value.is_array()) return {{.name = "", .value = json_fields::text_of(value)}};
  std::vector<Setting> settings;
  for (const json& pair : value) {
    if (!pair.is_array() || pair.size() != 2) throw Error("a setting is not a name and a value");
    settings.push_back({json_fields::text_of(pair[0]), json_fields::text_of(pair[1])});
  }
  return settings;
}

json record_to_json(const TrainingRecord& record) {
  json value = {{"solver", json_fields::text(record.solver)},
                {"settings", settings_to_json(record.settings)},
                {"rows", record.rows},
                {"non_zeros", record.non_zeros},
                {"epochs", record.epochs},
                {"steps", record.steps},
                {"violations", record.violations},
                {"seed", record.seed},
                {"data_fingerprint", record.data_fingerprint},
                {"interrupted", record.interrupted}};
  if (const auto& stream = record.stream) {
    value["stream"] = {{"counted", stream->counted},
                       {"weight", stream->weight},
                       {"loss", stream->loss},
                       {"error", stream->error}};
  }
  return value;
}

std::optional<StreamRecord> stream_from_json(const json& record) {
  if (!record.contains("stream")) return std::nullopt;
  const json& value = record.at("stream");
  StreamRecord stream{.counted = finite_number(value, "counted"),
                      .weight = finite_number(value, "weight"),
                      .loss = finite_number(value, "loss"),
                      .error = finite_number(value, "error")};
  if (stream.counted < 0 || stream.weight < 0)
    throw Error("the number of rows of a stream is negative");
  return stream;
}

TrainingRecord record_from_json(const json& value) {
  const auto count = [&value](const char* name) {
    return json_fields::whole_number(value, name, kAnyCount);
  };
  return {.solver = json_fields::text_of(value.at("solver")),
          .settings = settings_from_json(value.at("settings")),
          .rows = count("rows"),
          .non_zeros = count("non_zeros"),
          .epochs = count("epochs"),
          .steps = count("steps"),
          .violations = count("violations"),
          .seed = count("seed"),
          .data_fingerprint = count("data_fingerprint"),
          .interrupted = value.at("interrupted").get<bool>(),
          .stream = stream_from_json(value)};
}

LossOptions loss_from_json(const json& value) {
  const auto name = value.at("loss").get<std::string>();
  const auto loss = loss_of_name(name);
  if (!loss) throw Error(fmt::format("unknown loss '{}'", name));
  return {.loss = *loss,
          .epsilon = finite_number(value, "epsilon"),
          .delta = finite_number(value, "delta")};
}

Bias bias_from_json(const json& value) {
  const auto name = value.at("bias").get<std::string>();
  for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised, Bias::exact}) {
    if (name_of(bias) == name) return bias;
  }
  throw Error(fmt::format("unknown bias '{}'", name));
}

}  // namespace

json certificate_to_json(const Certificate& certificate) {
  json result = {{"primal", certificate.primal},
                 {"regulariser", certificate.regulariser},
                 {"mean_loss", certificate.mean_loss}};
  if (certificate.dual) result["dual"] = *certificate.dual;
  if (certificate.wrong) result["wrong"] = *certificate.wrong;
  return result;
}

std::optional<Certificate> optional_certificate(const json& model) {
  if (!model.contains("certificate")) return std::nullopt;
  const json& value = model.at("certificate");
  Certificate certificate;
  certificate.primal = finite_number(value, "primal");
  certificate.regulariser = finite_number(value, "regulariser");
  certificate.mean_loss = finite_number(value, "mean_loss");
  if (value.contains("dual")) certificate.dual = finite_number(value, "dual");
  if (value.contains("wrong")) {
    certificate.wrong = json_fields::whole_number(value, "wrong", kAnyCount);
  }
  return certificate;
}

json kernel_to_json(const KernelOptions& kernel) {
  return {{"kind", name_of(kernel.kind)},
          {"gamma", kernel.gamma},
          {"coef0", kernel.coef0},
          {"degree", kernel.degree},
          {"vouched", kernel.vouched_positive_semidefinite}};
}

KernelOptions kernel_from_json(const json& value) {
  const auto name = value.at("kind").get<std::string>();
  const auto kind = kernel_of_name(name);
  if (!kind || *kind == KernelKind::callable) throw Error(fmt::format("unknown kernel '{}'", name));
  KernelOptions kernel;
  kernel.kind = *kind;
  kernel.gamma = finite_number(value, "gamma");
  kernel.coef0 = finite_number(value, "coef0");
  kernel.degree = static_cast<unsigned>(
      json_fields::whole_number(value, "degree", std::numeric_limits<unsigned>::max()));
  kernel.vouched_positive_semidefinite = value.at("vouched").get<bool>();
  return kernel;
}

json map_to_json(const FeatureMap& map) {
  const FeatureMapOptions& options = map.options();
  return {{"approximation", name_of(options.approximation)},
          {"kernel", kernel_to_json(options.kernel)},
          {"components", options.components},
          {"seed", options.seed}};
}

FeatureMapOptions map_options_from_json(const json& value) {
  FeatureMapOptions options;
  const auto name = value.at("approximation").get<std::string>();
  const auto approximation = approximation_of_name(name);
  if (!approximation) throw Error(fmt::format("unknown approximation '{}'", name));
  options.approximation = *approximation;
  options.kernel = kernel_from_json(value.at("kernel"));
  options.components = json_fields::whole_number(value, "components", kAnyCount);
  options.seed = json_fields::whole_number(value, "seed", kAnyCount);
  return options;
}

json shared_to_json(const ModelBase& model) {
  json result = {{"classifies", model.classifies()},
                 {"loss", name_of(model.loss.loss)},
                 {"epsilon", model.loss.epsilon},
                 {"delta", model.loss.delta},
                 {"lambda", model.lambda},
                 {"bias", name_of(model.bias)},
                 {"bias_feature", model.bias_feature},
                 {"record", record_to_json(model.record)}};
  if (model.scaling) result["scaling"] = name_of(model.scaling->kind);
  for (const auto& [label, weight] : model.label_weights) {
    result["label_weights"].push_back({{"label", label}, {"weight", weight}});
  }
  return result;
}

json single_to_json(const SingleOutputModel& model) {
  json result = shared_to_json(model);
  result["b"] = model.b;
  if (model.labels) {
    result["positive_label"] = model.labels->positive;
    result["one_against_rest"] = !model.labels->negative;
    if (model.labels->negative) result["negative_label"] = *model.labels->negative;
  }
  if (model.transform != TargetTransform::none) result["target"] = name_of(model.transform);
  if (const auto& threshold = model.threshold) {
    result["threshold"] = {{"above", threshold->above},
                           {"of", threshold->of_probability ? "probability" : "score"}};
  }
  if (model.certificate) result["certificate"] = certificate_to_json(*model.certificate);
  return result;
}

void add_support(const SupportCounts& support, json& value) {
  value["support_rows"] = support.rows;
  value["bounded"] = support.bounded;
  value["norm"] = support.norm;
}

SupportCounts support_from_json(const json& value) {
  return {.rows = json_fields::whole_number(value, "support_rows", kAnyCount),
          .bounded = json_fields::whole_number(value, "bounded", kAnyCount),
          .norm = finite_number(value, "norm")};
}

json classifier_to_json(const Classifier& classifier) {
  json result = {{"b", classifier.b},
                 {"rows", classifier.rows},
                 {"epochs", classifier.epochs},
                 {"steps", classifier.steps}};
  if (classifier.certificate) result["certificate"] = certificate_to_json(*classifier.certificate);
  return result;
}

Classifier classifier_from_json(const json& value) {
  const auto count = [&value](const char* name) {
    return json_fields::whole_number(value, name, kAnyCount);
  };
  Classifier classifier;
  classifier.b = finite_number(value, "b");
  classifier.rows = count("rows");
  classifier.epochs = count("epochs");
  classifier.steps = count("steps");
  classifier.certificate = optional_certificate(value);
  return classifier;
}

Strategy strategy_from_json(const json& value) {
  const auto name = value.at("strategy").get<std::string>();
  for (const Strategy strategy :
       {Strategy::one_against_rest, Strategy::one_against_one, Strategy::joint}) {
    if (name_of(strategy) == name) return strategy;
  }
  throw Error(fmt::format("unknown strategy '{}'", name));
}

void read_shared(const json& value, ModelBase& model) {
  model.loss = loss_from_json(value);
  if (value.at("classifies").get<bool>() != model.classifies()) {
    throw Error("the loss does not suit the task");
  }
  model.lambda = finite_number(value, "lambda");
  model.bias = bias_from_json(value);
  model.bias_feature = finite_number(value, "bias_feature");
  model.record = record_from_json(value.at("record"));
  if (value.contains("label_weights")) {
    for (const json& entry : value.at("label_weights")) {
      model.label_weights.push_back(
          {finite_number(entry, "label"), finite_number(entry, "weight")});
    }
  }
}

void read_single(const json& value, SingleOutputModel& model) {
  model.b = finite_number(value, "b");
  model.labels.reset();
  if (model.classifies()) {
    model.labels = {finite_number(value, "positive_label"), std::nullopt};
    const bool rest = value.at("one_against_rest").get<bool>();
    if (!rest) model.labels->negative = finite_number(value, "negative_label");
  }
  if (value.contains("target")) {
    const auto name = value.at("target").get<std::string>();
    if (name != "log" && name != "log1p") throw Error(fmt::format("unknown target '{}'", name));
    model.transform = name == "log" ? TargetTransform::log : TargetTransform::log1p;
  }
  if (value.contains("threshold")) {
    const json& threshold = value.at("threshold");
    const auto of = threshold.at("of").get<std::string>();
    if (of != "probability" && of != "score")
      throw Error("the threshold is neither of a probability nor of a score");
    model.threshold = {finite_number(threshold, "above"), of == "probability"};
  }
  model.certificate = optional_certificate(value);
}

json calibrations_to_json(const std::vector<Calibration>& calibrations) {
  json list = json::array();
  for (const auto& one : calibrations) {
    json entry = {{"kind", name_of(one.kind)}};
    if (one.kind == CalibrationKind::platt) {
      entry["a"] = one.a;
      entry["b"] = one.b;
    } else {
      entry["scores"] = one.scores;
      entry["probabilities"] = one.probabilities;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<Calibration> calibrations_from_json(const json& list) {
  std::vector<Calibration> calibrations;
  for (const json& entry : list) {
    const auto name = entry.at("kind").get<std::string>();
    const auto kind = calibration_of_name(name);
    if (!kind) throw Error(fmt::format("unknown calibration '{}'", name));
    Calibration one;
    one.kind = *kind;
    if (*kind == CalibrationKind::platt) {
      one.a = finite_number(entry, "a");
      one.b = finite_number(entry, "b");
    } else {
      one.scores = entry.at("scores").get<std::vector<double>>();
      one.probabilities = entry.at("probabilities").get<std::vector<double>>();
    }
    calibrations.push_back(std::move(one));
  }
  return calibrations;
}

}  // namespace pegasos
