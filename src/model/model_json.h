// The parts of a model that are JSON in its file. Readers throw Error, or what the JSON library
// throws, for a value that is missing, of another type or out of its range.
#pragma once

#include <optional>
#include <vector>

#include "data/json_fields.h"
#include "pegasos/model.h"

namespace pegasos {

json_fields::json kernel_to_json(const KernelOptions& kernel);
KernelOptions kernel_from_json(const json_fields::json& value);
json_fields::json map_to_json(const FeatureMap& map);
FeatureMapOptions map_options_from_json(const json_fields::json& value);
json_fields::json shared_to_json(const ModelBase& model);
json_fields::json certificate_to_json(const Certificate& certificate);
// The "certificate" of a model, a classifier or a joint model, if there is one.
std::optional<Certificate> optional_certificate(const json_fields::json& model);
json_fields::json single_to_json(const SingleOutputModel& model);
void add_support(const SupportCounts& support, json_fields::json& value);
SupportCounts support_from_json(const json_fields::json& value);
json_fields::json classifier_to_json(const Classifier& classifier);
Classifier classifier_from_json(const json_fields::json& value);
Strategy strategy_from_json(const json_fields::json& value);
void read_shared(const json_fields::json& value, ModelBase& model);
// The rest of a model of one score per row, after what is shared.
void read_single(const json_fields::json& value, SingleOutputModel& model);
json_fields::json calibrations_to_json(const std::vector<Calibration>& calibrations);
std::vector<Calibration> calibrations_from_json(const json_fields::json& list);

}  // namespace pegasos
