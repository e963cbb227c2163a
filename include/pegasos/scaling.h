// Scaling of features, or of rows, to comparable size before training.
//
//   max_abs    x_j / max |x_j|                           into [-1, 1]
//   standard   (x_j - mean_j) / deviation_j              mean 0, variance 1
//   min_max    (x_j - min_j) / (max_j - min_j)           into [0, 1]
//   unit_row   x / |x|                                   every row of norm 1; nothing is learned
//
// Mean, deviation (of all rows, not of a sample), minimum and maximum are those of the rows it is
// fitted on, each counted once, zeros included. A feature that is constant is not stretched
// by its spread, which is 0.
//
// Sparse rows stay sparse: where the rows it is fitted on are sparse, standard and min_max divide
// but do not subtract, so that zeros stay zeros.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/collective.h"
#include "pegasos/dataset.h"

namespace pegasos {

enum class ScalingKind { max_abs, standard, min_max, unit_row };

std::string name_of(ScalingKind kind);  // "maxabs", "standard", "minmax", "unit-row"
std::optional<ScalingKind> scaling_of_name(const std::string& name);

// x_j becomes (x_j - shift_j) factor_j.
struct Scaling {
  ScalingKind kind = ScalingKind::max_abs;
  std::vector<double> factor = {};  // one for each feature, > 0; none for unit_row
  std::vector<double> shift = {};   // one for each feature, or none: nothing is subtracted

  void validate(std::size_t features) const;  // throws InvalidOption

  friend bool operator==(const Scaling&, const Scaling&) = default;
};

// Over the rows of all ranks.
Scaling fit_scaling(const Dataset& data, ScalingKind kind, Collective& ranks = alone());

// The rows scaled, with their labels and weights. They are as sparse as before, but for a scaling
// that subtracts, which makes them dense. A value beyond float32 becomes the largest there is.
Dataset apply(const Scaling& scaling, const Dataset& data);

// Weights of the scaled features to weights of the features as they are, with the same decisions,
// and back. Not for unit_row.
void unscale_weights(const Scaling& scaling, std::vector<double>& w, double& b);
void scale_weights(const Scaling& scaling, std::vector<double>& w, double& b);

}  // namespace pegasos
