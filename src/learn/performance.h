// How well a model predicts rows held out: model and rows to scores, scores to one number.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/tune.h"

namespace pegasos {

struct Performance {
  double value = 0.0;
  // From the spread over the rows; NaN for scores that are no mean over rows.
  double standard_error = std::numeric_limits<double>::quiet_NaN();
};

// Whether the label of each row is what the model makes of the row's decision values. Of rows with
// several labels all must be right. Not for regression.
std::vector<bool> right_labels(const Model& model, const Dataset& rows,
                               std::span<const double> decisions);

// Throws InvalidOption for a score that is not for such a model. F1 of many classes is the mean
// over the classes.
Performance performance(const Model& model, const Dataset& held_out, Score score, int threads);

}  // namespace pegasos
