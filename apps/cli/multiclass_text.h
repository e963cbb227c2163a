// What there is to say about a model of many classes, for inspect and train.
#pragma once

#include <string>

#include "base/json_text.h"
#include "pegasos/multiclass_model.h"

namespace pegasos::cli {

// "26 classifiers, each within 0.09 % of the optimum, proven"
std::string proof_in_words(const MulticlassModel& model);

// Certificates and sizes, one line each, for inspect.
std::string classifiers_part(const MulticlassModel& model);

// "strategy", "classes", "machines" …, into the JSON of a model.
void add_classes(const MulticlassModel& model, Json& json);

}  // namespace pegasos::cli
