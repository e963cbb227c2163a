// Models by file name: ours, LIBLINEAR's and LIBSVM's, and the mistake of swapping data and model.
#pragma once

#include <string>

#include "pegasos/model.h"

namespace pegasos::cli {

// Is it a model of ours, of LIBLINEAR or of LIBSVM, judged by its first bytes?
bool looks_like_model(const std::string& path);

// Loads any of them. Throws CorruptModel, ParseError or IoError.
Model load_any_model(const std::string& path);

// Loads the model of a command that takes data and model, in this order; explains when the two were
// swapped.
Model load_model_beside(const std::string& data, const std::string& model);

}  // namespace pegasos::cli
