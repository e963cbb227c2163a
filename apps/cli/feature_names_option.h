// --feature-names: a vocabulary for features that are only numbers in the data.
#pragma once

#include <string>

#include "command.h"
#include "pegasos/model.h"

namespace pegasos::cli {

void add_feature_names(Command& command, std::string& path);

// Data or model with the names of the file, or as it is if there is none. Throws UsageError if
// there are too few names.
Dataset name_features(const std::string& path, const Dataset& data);
void name_features(const std::string& path, Model& model);

}  // namespace pegasos::cli
