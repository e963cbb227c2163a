// SolverState: a snapshot of a running solver, from which the run can be resumed.
//
// An observer gets it from an event (watch.h). Resumed with the same problem and options, the run
// reaches the same bits as one that never stopped. A resumed run first repeats the event at which
// the state was taken.
#pragma once

#include <string>

namespace pegasos {

struct SolverState {
  // Opaque and checksummed; may be stored in a file. Solvers reject a state that is damaged, was
  // written by another solver, or belongs to other dimensions, labels, weights or options. The
  // feature values are not checked: the caller must pass the same data.
  std::string bytes = {};

  bool empty() const { return bytes.empty(); }
};

}  // namespace pegasos
