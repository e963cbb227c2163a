// Calibration as a part of a run that can be resumed; see pegasos/calibrate.h.
#pragma once

#include <optional>
#include <vector>

#include "learn/journal.h"
#include "pegasos/calibrate.h"

namespace pegasos {

std::optional<std::vector<Calibration>> calibrate_part(const Model& model, const Dataset& data,
                                                       const TrainOptions& options,
                                                       const CalibrateOptions& how,
                                                       const CalibrateWatch& watch,
                                                       const RunPart& part);

}  // namespace pegasos
