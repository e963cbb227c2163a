// One model of whatever kind the options ask for: the seam between those who need many models
// (folds, paths) and those who know how each kind is trained.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "pegasos/model.h"
#include "pegasos/train.h"

namespace pegasos {

struct Fitted {
  Model model = {};
  double lambda = 0.0;
  std::vector<double> duals = {};  // one a row; those of many classes are in the model
  double gap = std::numeric_limits<double>::infinity();  // proven, as a share of the optimum
  bool interrupted = false;
};

// `before` are models of the same rows and options but for lambda, in the order they were walked:
// none, the last, or the last two. They lead to where this one begins.
Fitted fit(const Dataset& rows, const TrainOptions& options, std::span<const Fitted> before,
           const std::function<bool()>& interrupted);

// The options with the task decided for all rows: parts of them could seem to be something else.
TrainOptions with_task(const TrainOptions& options, const Dataset& data);

}  // namespace pegasos
