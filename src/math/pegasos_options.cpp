#include "pegasos/pegasos_options.h"

#include "math/option_tables.h"
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
  check_ranges(pegasos_option_table(), *this);
  if (epochs < 1) throw InvalidOption("epochs", "must be at least 1");
}

}  // namespace pegasos
