#include "pegasos/pegasos_options.h"

#include <cmath>

#include "pegasos/error.h"

namespace pegasos {

std::string name_of(Sampling sampling) {
  switch (sampling) {
    case Sampling::shuffle:
      return "shuffle";
    case Sampling::fixed:
      return "fixed";
    case Sampling::iid:
      return "iid";
    case Sampling::without_replacement:
      break;
  }
  return "without-replacement";
}

std::string name_of(Average average) {
  switch (average) {
    case Average::last:
      return "last";
    case Average::mean:
      return "mean";
    case Average::suffix:
      return "suffix";
    case Average::weighted:
      break;
  }
  return "weighted";
}

void PegasosOptions::validate() const {
  if (batch < 1) throw InvalidOption("batch", "must be at least 1");
  if (epochs < 1) throw InvalidOption("epochs", "must be at least 1");
  if (steps && *steps < 1) throw InvalidOption("steps", "must be at least 1");
  if (step_offset && (!(*step_offset >= 0) || std::isinf(*step_offset))) {
    throw InvalidOption("step_offset", "must be 0 or more");
  }
}

}  // namespace pegasos
