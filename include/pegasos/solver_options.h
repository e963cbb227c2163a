// Options of the linear solvers: which one, its starting point and when to stop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/pegasos_options.h"
#include "pegasos/problem.h"
#include "pegasos/solver_state.h"

namespace pegasos {

enum class Solver {
  automatic,  // what suits the data: dual ascent after an epoch of Pegasos, Newton steps, or one
              // after the other
  pegasos,    // stochastic sub-gradient steps and nothing else
  sdca,       // dual coordinate ascent: many features
  newton      // Newton steps on the augmented Lagrangian: few features, or high precision
};

std::string name_of(Solver solver);

// Where a solver begins. A state resumes an earlier run exactly; dual variables of the same rows
// carry over the progress of an earlier run; from a point alone the duals have to be found first.
struct WarmStart {
  LinearPoint point = {};      // weights of as many features as the problem has, or none
  std::vector<double> a = {};  // duals of as many rows as the problem has, or none
  // How many epochs of Pegasos the duals are worth, ≥ 1: the weight they keep against new steps.
  std::uint64_t epochs = 1;

  // The state of an earlier run with the same problem and options; the other fields are ignored.
  SolverState state = {};

  bool empty() const { return point.w.empty() && a.empty() && state.empty(); }
};

struct SolverOptions {
  Solver kind = Solver::automatic;

  // Stop when the objective is proven to be within this share of the optimum; ≥ 0, and 0 means as
  // close as rounding allows.
  double tolerance = 1e-3;

  // Stop after so many passes over the data, or Newton steps. ≥ 1. Default: pegasos.epochs for
  // Pegasos, 1000 for the others.
  std::optional<std::uint64_t> max_epochs = {};

  PegasosOptions pegasos = {};

  void validate() const;  // throws InvalidOption
};

}  // namespace pegasos
