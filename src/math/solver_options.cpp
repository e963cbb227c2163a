#include "pegasos/solver_options.h"

#include <cmath>

#include "pegasos/error.h"

namespace pegasos {

std::string name_of(Solver solver) {
  switch (solver) {
    case Solver::automatic:
      return "auto";
    case Solver::pegasos:
      return "pegasos";
    case Solver::sdca:
      return "sdca";
    case Solver::newton:
      break;
  }
  return "newton";
}

void SolverOptions::validate() const {
  if (!(tolerance >= 0) || std::isinf(tolerance)) {
    throw InvalidOption("tolerance", "must be 0 or more");
  }
  if (max_epochs && *max_epochs == 0) throw InvalidOption("max_epochs", "must be at least 1");
  if (start.epochs == 0) throw InvalidOption("start", "duals are worth at least 1 epoch");
  pegasos.validate();
}

}  // namespace pegasos
