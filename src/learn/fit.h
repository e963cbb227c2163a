// One model of a path or a fold: trained through the one door, from where the ones before lead.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "learn/journal.h"
#include "pegasos/model.h"
#include "pegasos/train.h"

namespace pegasos {

struct Fitted {
  Model model = {};
  double lambda = 0.0;
  std::vector<std::vector<double>> duals = {};           // as in Trained
  double gap = std::numeric_limits<double>::infinity();  // proven, as a share of the optimum
  bool interrupted = false;
};

// `before` are models of the same rows and options but for lambda, in the order they were walked:
// none, the last, or the last two. They lead to where this one begins.
Fitted fit(const Dataset& rows, const TrainOptions& options, std::span<const Fitted> before,
           const std::function<bool()>& interrupted, const RunPart& part = {});

}  // namespace pegasos
