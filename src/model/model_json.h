// The parts of a model that are JSON in its file. Readers throw Error, or what the JSON library
// throws, for a value that is missing, of another type or out of its range.
#pragma once

#include <vector>

#include "data/json_fields.h"
#include "pegasos/model.h"

namespace pegasos {

json_fields::json kernel_to_json(const KernelOptions& kernel);
KernelOptions kernel_from_json(const json_fields::json& value);
json_fields::json map_to_json(const FeatureMap& map);
FeatureMapOptions map_options_from_json(const json_fields::json& value);
json_fields::json shared_to_json(const ModelBase& model);
json_fields::json machine_to_json(const Machine& machine);
Machine machine_from_json(const json_fields::json& value);
Strategy strategy_from_json(const json_fields::json& value);
void read_shared(const json_fields::json& value, ModelBase& model);
json_fields::json calibrations_to_json(const std::vector<Calibration>& calibrations);
std::vector<Calibration> calibrations_from_json(const json_fields::json& list);

}  // namespace pegasos
