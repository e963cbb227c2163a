// What train says when it ends without the proof that was asked for: how near it came, why it was
// slow, and the command that would get there.
#pragma once

#include <string>

#include "pegasos/model.h"
#include "training.h"

namespace pegasos::cli {

struct Ending {
  std::string data;   // as typed
  std::string model;  // likewise
  bool out_of_time = false;
};

std::string shortfall(const TrainingWishes& wishes, const Dataset& data, const ModelBase& model,
                      const Ending& ending);

}  // namespace pegasos::cli
