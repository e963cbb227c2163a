// A copy of some rows of a dataset, in the order given: a sample, a fold, a hold-out.
#pragma once

#include <span>

#include "pegasos/dataset.h"

namespace pegasos {

// Labels, weights and schema come along. The rows must exist.
Dataset take_rows(const Dataset& data, std::span<const RowId> rows);

}  // namespace pegasos
