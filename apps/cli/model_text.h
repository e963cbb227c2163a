// A model in words and in JSON, for inspect and train.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pegasos/model.h"

namespace pegasos::cli {

// With the `top` heaviest features of each sign.
nlohmann::ordered_json model_json(const Model& model, std::size_t top = 0);

// What it predicts: "spam (positive) against ham", "numbers".
std::string task_in_words(const ModelBase& model);
std::string task_in_words(const Model& model);

// "rbf, gamma 0.5"
std::string kernel_in_words(const KernelOptions& kernel);

// "345 support vectors from 360 of 1,000 rows, 12 bounded"
std::string vectors_in_words(const KernelModel& model);

// "12 weights", "345 support vectors"
std::string size_in_words(const Model& model);

// All of it, for a person; `path` is what it is called, `top` as above.
std::string model_for_people(const Model& model, const std::string& path, std::size_t top = 10);

}  // namespace pegasos::cli
