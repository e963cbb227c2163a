// Scoring a file of any size in constant memory.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/read.h"

namespace pegasos {

// The scores of all rows, block by block and in order: outputs(model) for each row. The file is
// read with the model's schema. `take` is called from one thread at a time.
ReadNotes score_file(const Model& model, const std::string& path, ReadOptions reading,
                     const std::function<void(const Dataset&, std::span<const double>)>& take);

}  // namespace pegasos
