// Explanations: contributions of features and support vectors to the score of a row.
//
//   additive    linear models: feature j contributes w_j (x_j - mean_j), where the mean is that of
//               the training rows and x_j is scaled as the model does; the contributions and the
//               score of the mean row add up to the score (for multiclass, that of the predicted
//               class). Of a model without means, feature j contributes w_j x_j
//   leave-out   other models: the effect of feature j is f(x) - f(x with x_j = 0). Effects do not
//               add up to the score
//   vectors     kernel models: support vector s contributes c_s K(s, x); the contributions and the
//               bias add up to the score
#pragma once

#include <cstddef>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/model.h"

namespace pegasos {

struct ExplainOptions {
  std::size_t top = 10;  // features and vectors to list, the largest contributions first; 0: all
  int threads = 0;       // 0: as many as the process may use

  void validate() const;  // throws InvalidOption
};

struct FeatureContribution {
  FeatureId feature = 0;
  double value = 0.0;  // in the row
  double contribution = 0.0;
};

struct VectorContribution {
  std::size_t vector = 0;  // place among the model's support vectors
  double coefficient = 0.0;
  double kernel = 0.0;  // K(s, x)
  double contribution = 0.0;
};

struct Explanation {
  std::size_t output = 0;  // of many classes: the place of the one that is explained
  double score = 0.0;
  double bias = 0.0;
  // What the contributions of features are added to: the score of the mean training row, or the
  // bias if the model has no means.
  double base = 0.0;
  bool additive = true;  // features and base add up to the score
  bool centred = false;  // contributions are relative to the mean training row
  std::vector<FeatureContribution> features = {};
  std::size_t other_features = 0;  // of the row, not listed
  double others = 0.0;             // their contributions, where they are additive
  // Of kernel machines.
  std::vector<VectorContribution> vectors = {};
  std::size_t other_vectors = 0;
  double vector_others = 0.0;
};

// Whether the contributions of features add up to the scores of a model.
bool has_additive_features(const Model& model);

// Of each row, whose features are those of the model's schema.
std::vector<Explanation> explain(const Model& model, const Dataset& rows,
                                 const ExplainOptions& options = {});

}  // namespace pegasos
