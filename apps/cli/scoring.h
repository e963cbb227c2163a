// Scores of labelled rows, for train --test and evaluate.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/labels.h"
#include "pegasos/dataset.h"
#include "pegasos/model.h"

namespace pegasos::cli {

// What a score is compared with.
struct Meaning {
  bool classifies = true;
  double positive_label = 1.0;
};

inline Meaning meaning_of(const Targets& targets) {
  return {targets.classifies, targets.positive_label};
}
inline Meaning meaning_of(const LinearModel& model) {
  return {model.classifies, model.positive_label};
}

// The share of labelled rows on the wrong side, or the mean absolute error; NaN without labels.
double error_of_point(const Dataset& data, const LinearPoint& point, const Meaning& meaning);

}  // namespace pegasos::cli
