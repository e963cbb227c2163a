// How well a model predicts rows held out: model and rows to scores, scores to one number.
#pragma once

#include <limits>

#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/tune.h"

namespace pegasos {

struct Performance {
  double value = 0.0;
  // From the spread over the rows; NaN for scores that are no mean over rows.
  double standard_error = std::numeric_limits<double>::quiet_NaN();
};

// Throws InvalidOption for a score that is not for such a model.
Performance performance(const Model& model, const Dataset& held_out, Score score, int threads);

// The same from decision values.
Performance performance_of(const ModelBase& model, const Dataset& held_out,
                           std::span<const double> decisions, Score score);

}  // namespace pegasos
