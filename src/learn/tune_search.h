// One grid of a search; see pegasos/tune.h.
#pragma once

#include "learn/journal.h"
#include "pegasos/tune.h"

namespace pegasos {

// Has no points, and no choice, if it was interrupted before one was complete.
TuneResult search_grid(const Dataset& data, const TuneOptions& options, const TuneWatch& watch,
                       const RunPart& part);

}  // namespace pegasos
