// Online learning: a linear model that goes on learning from rows as they come and keeps none.
//
// Every row is one step of Pegasos. Nothing is certified: a proof needs all rows at once.
#pragma once

#include <memory>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/loss.h"
#include "pegasos/model.h"
#include "pegasos/problem.h"

namespace pegasos {

struct OnlineOptions {
  // The label values of all classes that will ever come, ascending, two or more; none: regression.
  // More than two are learned one against the rest.
  std::vector<double> classes = {};

  LossOptions loss = {};
  double lambda = 1e-4;  // > 0
  // Bias::exact, which is computed for each batch, is not available.
  Bias bias = Bias::regularised;
  double bias_feature = 1.0;  // not 0

  void validate() const;  // throws InvalidOption
};

struct OnlineResult {
  Model model = {};
  double counted = 0.0;  // rows that the step size counts, to be handed back with the model
};

// One pass over the rows in their order, from where an earlier result is, or from nothing. Rows
// count by their weights. Throws InvalidOption for a model of other classes or features, and for a
// label that is none of the classes.
OnlineResult learn_online(const Dataset& rows, const OnlineOptions& options,
                          std::shared_ptr<const Model> from = {}, double counted = 0.0);

}  // namespace pegasos
