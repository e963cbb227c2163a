// What there is to say about a model of many classes: by inspect, after training, and as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "pegasos/multiclass_model.h"

namespace pegasos::cli {

// "26 classes (A, B, C, ...), one against the rest"
std::string classes_in_words(const MulticlassModel& model);

// Certificates and sizes, a line each, for inspect.
std::string machines_part(const MulticlassModel& model);

// What a run has to say beyond the model.
struct MulticlassOutcome {
  double seconds = 0.0;
  std::optional<double> training_error = {};  // shares of wrong rows
  std::optional<double> test_error = {};
};

std::string multiclass_summary(const MulticlassModel& model, const MulticlassOutcome& outcome);

// "strategy", "classes", "machines" …, into the JSON of a model.
void add_classes(const MulticlassModel& model, nlohmann::ordered_json& json);
std::string multiclass_training_json(const MulticlassModel& model, const MulticlassOutcome& outcome,
                                     const std::string& path);

}  // namespace pegasos::cli
