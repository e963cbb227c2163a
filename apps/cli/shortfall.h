// What train prints when it stops short of the tolerance: how close it came, why it was
// slow, and the command that would get there.
#pragma once

#include <string>

#include "pegasos/train.h"
#include "training.h"

namespace pegasos::cli {

// As typed, and how the data is read.
struct ShortfallFiles {
  std::string data;
  std::string model;
  std::vector<Setting> reading;
};

std::string shortfall(const TrainingFlags& flags, const Trained& trained, const Dataset& data,
                      const ShortfallFiles& files);

}  // namespace pegasos::cli
