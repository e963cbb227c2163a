// Row weights times class weights.
#pragma once

#include <span>
#include <vector>

#include "learn/whole_rows.h"
#include "pegasos/dataset.h"
#include "pegasos/model_base.h"
#include "pegasos/train.h"

namespace pegasos {

// The weights of labels that the options ask for, as far as they are not 1; by ascending label.
// Throws InvalidOption for a label that no row has, and for data without one class a row.
std::vector<LabelWeight> label_weights_of(const Dataset& data, const TrainOptions& options,
                                          const WholeRows& whole);

// One for each row; none if every row weighs 1.
std::vector<double> row_weights(const Dataset& data, std::span<const LabelWeight> label_weights);

}  // namespace pegasos
