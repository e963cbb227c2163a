// All numbers of a model, with all digits: what a program needs to compute its objective and bound
// by itself, as scripts/check_certificate does.
#pragma once

#include "base/json_text.h"
#include "pegasos/model.h"

namespace pegasos::cli {

// The problem, and for each classifier (one for two classes, regression and the joint loss) weights
// or support vectors, bias, the duals that were kept and what it claims. Weights are in the order
// of "features", which are named as in the file; a support vector is its features and their values.
Json model_contents(const Model& model);

}  // namespace pegasos::cli
