// The model file. src/base/section_file.h has the container; its magic here is 0x89 'P' 'G' 'M' CR
// LF 0x1a LF, its version 1, and the kinds of its sections are
//
//   1 metadata  JSON: everything of a LinearModel but the following
//   2 weights   f64[d]
//   3 schema    JSON, as in binary data files
//   4 seen      u32[d], the written indices of an IndexMap that is not contiguous
//   5 duals     f64[rows], if they were kept
//
// Numbers in JSON have the digits that read back to the same bits.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "base/file.h"
#include "base/section_file.h"
#include "data/json_fields.h"
#include "data/schema_json.h"
#include "pegasos/error.h"
#include "pegasos/model.h"

namespace pegasos {
namespace {

using json_fields::finite_number;
using json_fields::json;

enum Kind : std::uint32_t { kMetadata = 1, kWeights = 2, kSchema = 3, kSeen = 4, kDuals = 5 };

constexpr SectionFormat kModel = {"\x89PGM\r\n\x1a\n", 1, "model"};

constexpr std::uint64_t kAnyCount = std::numeric_limits<std::uint64_t>::max();

json record_to_json(const TrainingRecord& record) {
  return {{"solver", json_fields::text(record.solver)},
          {"settings", json_fields::text(record.settings)},
          {"rows", record.rows},
          {"non_zeros", record.non_zeros},
          {"epochs", record.epochs},
          {"steps", record.steps},
          {"violations", record.violations},
          {"seed", record.seed},
          {"data_fingerprint", record.data_fingerprint},
          {"interrupted", record.interrupted}};
}

TrainingRecord record_from_json(const json& value) {
  const auto count = [&value](const char* name) {
    return json_fields::whole_number(value, name, kAnyCount);
  };
  return {.solver = json_fields::text_of(value.at("solver")),
          .settings = json_fields::text_of(value.at("settings")),
          .rows = count("rows"),
          .non_zeros = count("non_zeros"),
          .epochs = count("epochs"),
          .steps = count("steps"),
          .violations = count("violations"),
          .seed = count("seed"),
          .data_fingerprint = count("data_fingerprint"),
          .interrupted = value.at("interrupted").get<bool>()};
}

json certificate_to_json(const ModelCertificate& certificate) {
  json result = {{"primal", certificate.primal},
                 {"regulariser", certificate.regulariser},
                 {"mean_loss", certificate.mean_loss}};
  if (certificate.dual) result["dual"] = *certificate.dual;
  if (certificate.wrong) result["wrong"] = *certificate.wrong;
  return result;
}

ModelCertificate certificate_from_json(const json& value) {
  ModelCertificate certificate = {.primal = finite_number(value, "primal"),
                                  .regulariser = finite_number(value, "regulariser"),
                                  .mean_loss = finite_number(value, "mean_loss")};
  if (value.contains("dual")) certificate.dual = finite_number(value, "dual");
  if (value.contains("wrong")) {
    certificate.wrong = json_fields::whole_number(value, "wrong", kAnyCount);
  }
  return certificate;
}

json metadata_to_json(const LinearModel& model) {
  json result = {{"b", model.b},
                 {"classifies", model.classifies},
                 {"loss", name_of(model.loss.loss)},
                 {"epsilon", model.loss.epsilon},
                 {"delta", model.loss.delta},
                 {"lambda", model.lambda},
                 {"bias", name_of(model.bias)},
                 {"bias_feature", model.bias_feature},
                 {"record", record_to_json(model.record)}};
  if (model.classifies) {
    result["positive_label"] = model.positive_label;
    result["one_against_rest"] = model.one_against_rest;
    if (!model.one_against_rest) result["negative_label"] = model.negative_label;
  }
  if (model.certificate) result["certificate"] = certificate_to_json(*model.certificate);
  return result;
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

// Everything but w and schema.
LinearModel metadata_from_json(std::string_view text) {
  const json value = json::parse(text);
  LinearModel model;
  model.b = finite_number(value, "b");
  model.classifies = value.at("classifies").get<bool>();
  if (model.classifies) {
    model.positive_label = finite_number(value, "positive_label");
    model.one_against_rest = value.at("one_against_rest").get<bool>();
    if (!model.one_against_rest) model.negative_label = finite_number(value, "negative_label");
  }
  model.loss = loss_from_json(value);
  model.lambda = finite_number(value, "lambda");
  model.bias = bias_from_json(value);
  model.bias_feature = finite_number(value, "bias_feature");
  model.record = record_from_json(value.at("record"));
  if (value.contains("certificate")) {
    model.certificate = certificate_from_json(value.at("certificate"));
  }
  return model;
}

LinearModel checked_model(const SectionFile& file) {
  std::uint64_t place = file.offset_of(kMetadata);
  try {
    LinearModel model = metadata_from_json(file.text(kMetadata));
    place = file.offset_of(kSchema);
    std::vector<std::uint32_t> seen;
    if (file.has(kSeen)) seen = file.values<std::uint32_t>(kSeen);
    model.schema =
        std::make_shared<const Schema>(schema_from_json(file.text(kSchema), std::move(seen)));
    place = file.offset_of(kWeights);
    model.w = file.values<double>(kWeights);
    if (file.has(kDuals)) {
      place = file.offset_of(kDuals);
      model.duals = file.values<double>(kDuals);
    }
    model.validate();
    return model;
  } catch (const CorruptFile&) {
    throw;
  } catch (const Error& problem) {
    file.fail(place, problem.what());
  } catch (const json::exception& problem) {
    file.fail(place, fmt::format("the metadata is damaged: {}", problem.what()));
  }
}

}  // namespace

void save_model(const LinearModel& model, const std::string& path) {
  model.validate();
  const std::string metadata = metadata_to_json(model).dump();
  const std::string schema = schema_to_json(*model.schema);
  std::vector<SectionContents> sections = {{kMetadata, metadata},
                                           section_of(kWeights, std::span<const double>(model.w)),
                                           {kSchema, schema}};
  const std::span<const std::uint32_t> seen = model.schema->indices.seen();
  if (!seen.empty()) sections.push_back(section_of(kSeen, seen));
  if (!model.duals.empty()) {
    sections.push_back(section_of(kDuals, std::span<const double>(model.duals)));
  }
  write_section_file(kModel, sections, path);
}

LinearModel load_model(const std::string& path) {
  return load_model_from_memory(read_file_beginning_with(kModel.magic, path).view(), path);
}

LinearModel load_model_from_memory(std::span<const char> bytes, const std::string& name) {
  try {
    ThreadPool alone(1);  // nearly all of a model is one section
    return checked_model(SectionFile(kModel, std::as_bytes(bytes), name, alone));
  } catch (const CorruptFile& problem) {
    throw CorruptModel(problem);
  }
}

bool is_model_file(const std::string& path) {
  return file_begins_with(kModel.magic, path);
}

}  // namespace pegasos
