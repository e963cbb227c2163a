// One model of whatever kind the options ask for: the seam between those who need many models
// (folds, paths) and those who know how each kind is trained.
#pragma once

#include <functional>
#include <limits>

#include "pegasos/model.h"
#include "pegasos/train.h"

namespace pegasos {

struct Fitted {
  Model model = {};
  WarmStart next = {};  // where a model with another lambda, of the same rows, can begin
  double gap = std::numeric_limits<double>::infinity();  // proven, as a share of the optimum
  bool interrupted = false;
};

// Begins from options.solver.start.
Fitted fit(const Dataset& rows, const TrainOptions& options,
           const std::function<bool()>& interrupted);

// The options with the task decided for all rows: parts of them could seem to be something else.
TrainOptions with_task(const TrainOptions& options, const Dataset& data);

}  // namespace pegasos
