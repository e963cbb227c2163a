// The rows that one classifier of many is trained on.
//
// They are a Dataset like any other, with labels +1 and -1 and the weights its rows have: so each
// classifier is trained, verified and warm-started as a model of two classes. One against the rest
// shares all feature arrays with the data; one against one takes the rows of its classes.
#pragma once

#include <cstddef>
#include <span>

#include "model/class_labels.h"
#include "pegasos/dataset.h"
#include "pegasos/multiclass_model.h"

namespace pegasos {

// The rows of classifier k: `rows` has the features (mapped or not) and `weights` is empty or one
// for each of them.
Dataset classifier_rows(const Dataset& rows, std::span<const double> weights,
                        const ClassLabels& labels, Strategy strategy, std::size_t k);

}  // namespace pegasos
