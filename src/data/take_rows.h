// Copies of the rows of a dataset: of some, in the order given (a sample, a fold, a hold-out), or
// of all without their zeros.
#pragma once

#include <memory>
#include <span>

#include "pegasos/dataset.h"

namespace pegasos {

// Labels, weights and schema come along. The rows must exist. The copy is in memory, or with a
// residency in a file (base/residency.h): a large part of rows that are larger than memory.
Dataset take_rows(const Dataset& data, std::span<const RowId> rows,
                  const std::shared_ptr<Residency>& residency = {});

// Dense rows as sparse ones. Labels and weights stay behind.
Dataset without_zeros(const Dataset& dense);
// The share of values that are not 0, of dense rows.
double density_of(const Dataset& dense);

}  // namespace pegasos
