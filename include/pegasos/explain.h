// Explanations: what made the score of a row.
//
//   additive    a linear model: feature j adds w_j x_j, and with the bias that is the score
//               (of many classes, that of the class which is predicted)
//   leave-out   any other: feature j counts for  f(x) - f(x without j), the fall of the score when
//               its value becomes 0. These do not add up to the score
//   vectors     a kernel machine, exactly: support vector s adds c_s K(s, x), and with the bias
//               that is the score
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
  bool additive = true;  // features and bias add up to the score
  std::vector<FeatureContribution> features = {};
  std::size_t other_features = 0;  // of the row, not listed
  double others = 0.0;             // their contributions, where they are additive
  // Of kernel machines.
  std::vector<VectorContribution> vectors = {};
  std::size_t other_vectors = 0;
  double vector_others = 0.0;
};

// Of each row, whose features are those of the model's schema.
std::vector<Explanation> explain(const Model& model, const Dataset& rows,
                                 const ExplainOptions& options = {});

}  // namespace pegasos
