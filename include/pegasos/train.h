// Training: a Dataset and options in, a LinearModel with its certificate out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pegasos/dataset.h"
#include "pegasos/loss.h"
#include "pegasos/model.h"
#include "pegasos/problem.h"
#include "pegasos/progress.h"
#include "pegasos/solver_options.h"
#include "pegasos/summary.h"

namespace pegasos {

struct TrainOptions {
  // What the labels mean. Default: two distinct values classify; numbers of more than 100 kinds or
  // with fractions are regression; other classes need positive_label.
  std::optional<Task> task = {};

  // Train this label against all others. A word or a number, as in the file.
  std::optional<std::string> positive_label = {};

  // Default: hinge for classification, epsilon-insensitive for regression.
  std::optional<Loss> loss = {};
  double epsilon = 0.1;
  double delta = 1.0;

  // lambda > 0, or C > 0 with lambda = 1/(C m); not both. Default: C = 1.
  std::optional<double> lambda = {};
  std::optional<double> c = {};

  Bias bias = Bias::regularised;
  double bias_feature = 1.0;

  SolverOptions solver = {};

  // Threads for what runs in parallel, ≥ 1; 0: as many as the process may use. Changes no bit.
  int threads = 0;

  void validate() const;  // throws InvalidOption
};

struct TrainResult {
  LinearModel model = {};
  EpochReport report = {};
  std::vector<double> duals = {};  // feasible dual variables, one per row, that prove report.dual
  std::string reason = {};         // why this solver, where the choice was left open
};

// Throws InvalidOption for options that do not fit the data (a label that does not occur, one class
// only, classes where two are needed).
TrainResult train(const Dataset& data, const TrainOptions& options = {},
                  const TrainWatch& watch = {});

// Where training on `data` can begin after `model`: its weights, feature by feature of the same
// name, and its duals if it kept them and `data` is what it was trained on.
WarmStart warm_start_from(const LinearModel& model, const Dataset& data, int threads = 0);

}  // namespace pegasos
