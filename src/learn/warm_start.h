// Where training can begin after an earlier model.
#pragma once

#include <string>

#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/solver_options.h"

namespace pegasos {

// The weights of a linear model, feature by feature of the same name and for rows as they are,
// unscaled, and its duals if it kept them and `data` is what it was trained on. Of a kernel machine
// the duals, kept or read off its coefficients. Throws InvalidOption for a model with a feature
// map, whose weights are not of features.
WarmStart warm_start_from(const LinearModel& model, const Dataset& data, int threads = 0);
WarmStart warm_start_from(const KernelModel& model, const Dataset& data, int threads = 0);

}  // namespace pegasos
