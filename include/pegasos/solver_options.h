// Which solver runs, from where, and when it has done enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/pegasos_options.h"
#include "pegasos/problem.h"

namespace pegasos {

enum class Solver {
  automatic,  // two epochs of Pegasos, then the one of the next two that suits the data
  pegasos,    // stochastic sub-gradient steps and nothing else
  sdca,       // dual coordinate ascent: many features
  newton      // Newton steps on the augmented Lagrangian: few features
};

std::string name_of(Solver solver);

// Where a solver begins. From the duals of the same rows it goes on as if it had never stopped;
// from a point alone it has to find the duals first.
struct WarmStart {
  LinearPoint point = {};      // weights of as many features as the problem has, or none
  std::vector<double> a = {};  // duals of as many rows as the problem has, or none
  // How many epochs of Pegasos the duals are worth, ≥ 1: the weight they keep against new steps.
  std::uint64_t epochs = 1;

  bool empty() const { return point.w.empty() && a.empty(); }
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

  WarmStart start = {};

  void validate() const;  // throws InvalidOption
};

}  // namespace pegasos
