// The support vectors that the kernel classifiers of several classes share: the rows with a
// coefficient in any classifier, equal ones (of one class, where that matters) put together.
#pragma once

#include <span>
#include <vector>

#include "model/class_labels.h"
#include "pegasos/multiclass_model.h"

namespace pegasos {

struct ClassifiedRows {
  const Dataset& rows;
  std::span<const FeatureId> columns;  // of a precomputed kernel
  const ClassLabels& labels;
  Strategy strategy;
};

// `coefficients` has those of each classifier, for its own rows. Sets the vectors, or columns,
// their classes and their coefficients.
void share_support(const ClassifiedRows& trained_on,
                   std::span<const std::span<const double>> coefficients,
                   KernelClassifiers& kernels);

}  // namespace pegasos
