// What a solver tells its watcher after every epoch.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "pegasos/problem.h"
#include "pegasos/solver_options.h"

namespace pegasos {

struct PrimalValue {
  double regulariser = 0.0;  // lambda/2 |w|^2
  double mean_loss = 0.0;    // 1/m sum s_i loss_i
  std::uint64_t wrong = 0;   // classification: rows on the wrong side (a score of 0 counts as -1)

  double objective() const { return regulariser + mean_loss; }
};

// How far from the optimum at most: dual ≤ minimum ≤ primal. The two may belong to different
// points.
struct Certificate {
  double primal = 0.0;
  double dual = 0.0;

  // Rounding may put the bound a little above the objective.
  double gap() const { return primal > dual ? primal - dual : 0.0; }
  // Above rounding: only then is there a share of the optimum to speak of.
  bool has_positive_bound() const { return dual > 0 && dual > kRounding * primal; }
  // (P - D)/D bounds (P - P*)/P*; without a positive dual bound there is no such statement:
  // infinity.
  double relative_gap() const {
    return has_positive_bound() ? gap() / dual : std::numeric_limits<double>::infinity();
  }
  // Proven to be within this share of the optimum. An optimum of 0 must be met exactly.
  bool within(double share) const { return gap() <= share * (has_positive_bound() ? dual : 0.0); }

  static constexpr double kRounding = 1e-15;
};

// What the convergence lemma says about a run (not with a free bias or a step offset):
//
//   mean over t of f_t(w_t) - f_t(w*)  ≤  sum_t |grad_t|^2/(2 lambda t T)  ≤  G^2 (1 + ln T)/(2
//   lambda T)
//
// f_t is the objective on batch t; T counts a short last batch of an epoch as its share of a whole
// one. It bounds the average excess of the instantaneous objectives,
// not the objective of the last iterate.
struct LemmaReport {
  double largest_gradient = 0.0;  // G, the largest |lambda w_t - mean u x| so far
  double bound = 0.0;             // the right-hand side
  double tight_bound = 0.0;       // the middle
  double mean_objective = 0.0;    // mean of f_t(w_t), batches weighted by their size
};

struct EpochReport {
  Solver solver = Solver::pegasos;
  std::uint64_t epoch = 0;       // passes or Newton steps completed, from 1
  std::uint64_t steps = 0;       // so far: batches, coordinates or Newton steps
  std::uint64_t rows_seen = 0;   // so far
  std::uint64_t violations = 0;  // rows with a slope that is not zero, in this epoch
  std::uint64_t all_violations = 0;
  PrimalValue primal = {};  // of the point that would be handed out
  double dual = 0.0;        // best bound so far
  double norm = 0.0;        // |w| of the last iterate
  std::optional<LemmaReport> lemma = {};

  Certificate certificate() const { return {primal.objective(), dual}; }
};

enum class Verdict { go_on, stop };

struct TrainWatch {
  // After every epoch, with the point that would be handed out now.
  std::function<Verdict(const EpochReport&, const LinearPoint&)> epoch = {};
  // Asked every few hundred rows; true ends the run there, with what it has.
  std::function<bool()> interrupted = {};
};

}  // namespace pegasos
