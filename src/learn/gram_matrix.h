// The data of a kernel problem where the data is the kernel matrix itself.
#pragma once

#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/kernel.h"

namespace pegasos {

struct KernelRows {
  Dataset rows = {};  // what a KernelProblem takes
  // Of a precomputed kernel: the feature of the data that holds the values with each row.
  std::vector<FeatureId> columns = {};
};

// The data itself, but for precomputed kernels in LIBSVM's form, where feature 0 of every row is
// its serial number (different whole numbers from 1) and feature n the value with the row of serial
// number n: there feature j of the result is the value with row j. Throws InvalidOption for a
// serial number without a feature.
KernelRows kernel_rows_of(const KernelOptions& kernel, const Dataset& data);

}  // namespace pegasos
