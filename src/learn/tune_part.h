// Tuning as a part of a run that can be resumed; see pegasos/tune.h.
#pragma once

#include "learn/journal.h"
#include "pegasos/tune.h"

namespace pegasos {

TuneResult tune_part(const Dataset& data, const TuneOptions& options, const TuneWatch& watch,
                     const RunPart& part);

}  // namespace pegasos
