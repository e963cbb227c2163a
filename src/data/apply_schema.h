// Data that was read with one schema, in the features and labels of another: what makes a binary
// file fit a model that was trained on a different one.
#pragma once

#include <memory>

#include "pegasos/dataset.h"
#include "pegasos/read.h"

namespace pegasos {

// Features are matched by index as written (svmlight) or by name (CSV); those the schema does not
// know are dropped and counted in notes.unknown_features. Label words the schema does not know are
// numbered after those it does. Where everything agrees the arrays are shared, else copied.
Dataset apply_schema(const Dataset& data, std::shared_ptr<const Schema> schema, ReadNotes& notes);

}  // namespace pegasos
