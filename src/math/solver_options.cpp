#include "pegasos/solver_options.h"

#include "math/option_tables.h"
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
  check_ranges(solver_option_table(), *this);
  pegasos.validate();
}

}  // namespace pegasos
