// Some rows of a dataset as a dataset of their own: what a model keeps of its training data.
#pragma once

#include <span>

#include "pegasos/dataset.h"

namespace pegasos {

// In the order asked for, in the layout of `data`, with its schema; labels and weights are left
// behind. Rows must exist.
Dataset copy_rows(const Dataset& data, std::span<const RowId> rows);

}  // namespace pegasos
