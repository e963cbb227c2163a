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

// Progressive validation: every row is predicted before it is learned from, so the mean over a
// stream is an honest estimate without rows held out. Rows count by their weights.
struct ProgressiveLoss {
  double weight = 0.0;  // of the rows
  double loss = 0.0;    // sums; of more than two classes the mean over the classifiers
  double error = 0.0;   // rows predicted wrongly, or the absolute error of a regression

  double mean_loss() const { return weight > 0 ? loss / weight : 0.0; }
  double mean_error() const { return weight > 0 ? error / weight : 0.0; }
};

// A model that learns. It keeps no rows, only weights. Calls are for one thread at a time.
class OnlineLearner {
 public:
  // Learns from where a model is, after so many counted rows (OnlineResult::counted), or from
  // nothing. Throws InvalidOption for a model of other classes or features, and for one that has
  // scaled or mapped features.
  OnlineLearner(std::shared_ptr<const Schema> schema, const OnlineOptions& options,
                const std::shared_ptr<const Model>& from = {}, double counted = 0.0);
  OnlineLearner(OnlineLearner&&) noexcept;
  ~OnlineLearner();

  // One step on each row, in their order, cut into calls in whatever way. Rows of a svmlight stream
  // may have features beyond those so far. Throws InvalidOption for a label that is none of the
  // classes, before any row of the call is learned from, and Error where the weights would no
  // longer fit into memory.
  void learn(const Dataset& rows);

  // Of all rows since this learner was made.
  const ProgressiveLoss& progressive() const;
  double counted() const;
  std::size_t features() const;
  Model model() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct OnlineResult {
  Model model = {};
  double counted = 0.0;  // rows that the step size counts, to be handed back with the model
};

// One pass over the rows in their order, from where an earlier result is, or from nothing. Throws
// as OnlineLearner does.
OnlineResult learn_online(const Dataset& rows, const OnlineOptions& options,
                          const std::shared_ptr<const Model>& from = {}, double counted = 0.0);

}  // namespace pegasos
