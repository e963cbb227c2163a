// The score of a model on held-out rows.
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

// Answers are those of decision.h; rows count by their weights. F1 of many classes is the mean over
// the classes. Of the rows of all ranks, where they are divided. Throws InvalidOption for a score
// that is not for such a model.
Performance performance(const Model& model, const Dataset& rows, Score score, int threads,
                        Collective& ranks = alone());

}  // namespace pegasos
