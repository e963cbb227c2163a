// Watch: how every solver reports to its caller while it runs, and how the caller stops it.
//
// A solver calls `event` at the end of every epoch, or of a few Newton steps or blocks, with a
// report and with ways to ask for more: the point, the dual variables, the state of the run. What
// is not asked for costs nothing. It calls `stop` often, and right after every event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/certificate.h"
#include "pegasos/kernel_problem.h"
#include "pegasos/problem.h"
#include "pegasos/progress.h"
#include "pegasos/solver_options.h"
#include "pegasos/solver_state.h"

namespace pegasos {

// What the convergence lemma says about a run (not with a free bias or a step offset):
//
//   mean over t of f_t(w_t) - f_t(w*)  ≤  sum_t |grad_t|^2/(2 lambda t T)
//                                      ≤  G^2 (1 + ln T)/(2 lambda T)
//
// f_t is the objective on batch t; T counts a short last batch of an epoch as its share of a whole
// one. It bounds the average excess of the instantaneous objectives, not the objective of the last
// iterate.
struct LemmaReport {
  double largest_gradient = 0.0;  // G, the largest |lambda w_t - mean u x| so far
  double bound = 0.0;             // the right-hand side
  double tight_bound = 0.0;       // the middle
  double mean_objective = 0.0;    // mean of f_t(w_t), batches weighted by their size
};

// What only kernel solvers have to report.
struct KernelWork {
  std::uint64_t blocks = 0;           // completed blocks of dual ascent
  std::uint64_t support_vectors = 0;  // rows with a coefficient
  std::uint64_t bounded = 0;          // of these, rows whose dual variable is at its bound
  std::uint64_t rows_used = 0;        // of the kernel matrix
  std::uint64_t rows_computed = 0;    // the others were in the cache
  // Objective and bound come from a fresh pass in double precision, not from sums kept up with
  // float32 kernel values. True for the last report.
  bool recomputed = false;

  // Pegasos computes rows ahead, some of which are not used in the end.
  double hit_rate() const {
    if (rows_used <= rows_computed) return 0.0;
    return 1.0 - static_cast<double>(rows_computed) / static_cast<double>(rows_used);
  }
};

// Which of several binary classifiers a report is about, and how many of them are trained.
struct ClassifierProgress {
  std::size_t index = 0;
  std::size_t count = 1;
  std::size_t finished = 0;
  std::string name = {};  // "7", "7 against 9"; "" where there is one
};

// What a run is doing: it may look for lambda first, and calibrate probabilities in the end. There
// `classifier` counts the models that are trained on the way, and nothing else is set.
enum class TrainingPhase { training, search, calibration };

struct TrainingReport {
  TrainingPhase phase = TrainingPhase::training;
  // sdca stands for every dual ascent: by coordinates, and by blocks of rows with a kernel.
  Solver solver = Solver::pegasos;
  std::uint64_t epoch = 0;       // passes or Newton steps completed, from 1
  std::uint64_t steps = 0;       // so far: batches, coordinates or Newton steps
  std::uint64_t rows_seen = 0;   // so far
  std::uint64_t violations = 0;  // rows with a slope that is not zero, in this epoch
  std::uint64_t all_violations = 0;
  PrimalValue primal = {};  // of the point that would be returned
  // The best bound so far; none where the kernel is not known to be positive semidefinite.
  std::optional<double> dual = {};
  double norm = 0.0;  // |w|, or |f| with a kernel, of the last iterate
  std::optional<LemmaReport> lemma = {};
  std::optional<KernelWork> kernel = {};  // of kernel solvers
  ClassifierProgress classifier = {};

  std::optional<Certificate> certificate() const {
    if (!dual) return std::nullopt;
    return Certificate{primal.objective(), *dual};
  }
  // Proven to be within this share of the optimum.
  bool within(double share) const { return dual && certificate()->within(share); }
};

// A moment of a run. The functions may be called until the event returns; those that a solver has
// no answer for are empty.
struct TrainingEvent {
  TrainingReport report = {};
  std::function<LinearPoint()> linear_point = {};   // linear solvers: the point of the report
  std::function<KernelPoint()> kernel_point = {};   // kernel solvers: likewise
  std::function<std::vector<double>()> duals = {};  // feasible; they prove report.dual
  std::function<SolverState()> state = {};          // to resume the run from here
};

struct Checkpoint;  // checkpoint.h

// For runs that are to survive being stopped.
struct CheckpointWatch {
  // Called with how far the run has come: every so many seconds, at the end of an epoch or the
  // like, and when `stop` has ended the run. Any thread may call it, one at a time. Where saving
  // takes long it is called less often: together with making the checkpoint it may take a fiftieth
  // of the run.
  std::function<void(const Checkpoint&)> save = {};
  double seconds = 5.0;  // 0: at every event, whatever it takes
};

struct Watch {
  // Where several classifiers are trained side by side it is called from several threads, but one
  // at a time.
  std::function<void(const TrainingEvent&)> event = {};
  // Called often, possibly by several threads at once. True ends the run there, with what it has;
  // the result is then marked as interrupted.
  std::function<bool()> stop = {};
  // True if whoever said stop cannot wait for a proof either, which may take longer than a step of
  // the solver: the result then has no certificate. Called like stop, and true only if that is.
  std::function<bool()> hurry = {};
  CheckpointWatch checkpoint = {};  // of train; solvers have states
};

}  // namespace pegasos
