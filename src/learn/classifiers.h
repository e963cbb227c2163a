// One classifier of many as a model of two classes, +1 and -1, of its own rows (machine_rows.h).
#pragma once

#include <cstddef>
#include <memory>

#include "pegasos/model.h"

namespace pegasos {

// Of linear classifiers. `schema` is of the rows as the solver sees them: the data's, or of mapped
// ones plain numbers.
LinearModel linear_classifier(const MulticlassModel& model, std::size_t k,
                              std::shared_ptr<const Schema> schema);

// Of kernel classifiers.
KernelModel kernel_classifier(const MulticlassModel& model, std::size_t k);

// A copy without label words, for labels +1 and -1.
std::shared_ptr<const Schema> without_labels(const Schema& schema);

}  // namespace pegasos
