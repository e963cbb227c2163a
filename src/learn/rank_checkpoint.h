// Checkpoints of a run whose rows are divided among ranks: the dual variables of all rows, in their
// order, from which any number of ranks can go on, also one. The run that goes on is not the same
// to the bit, because solvers keep more than that; its certificate is as good.
//
//   part "duals/K"   of classifier K: vector of doubles
#pragma once

#include <memory>
#include <vector>

#include "base/run_clock.h"
#include "learn/training_job.h"
#include "pegasos/checkpoint.h"
#include "pegasos/train.h"
#include "pegasos/watch.h"

namespace pegasos {

// What the checkpoint of such a run has for the rows of this rank, classifier by classifier;
// nothing where it is of another kind. Throws InvalidOption where the numbers are too few.
std::vector<std::vector<double>> duals_in(const Checkpoint& saved, const WholeRows& whole,
                                          std::size_t own_rows);

class RankCheckpoint {
 public:
  // `run` is what the checkpoint says about the run. Throws InvalidOption, on all ranks, where the
  // job's resume is of another run or data; else the job begins with its duals.
  RankCheckpoint(TrainingJob& job, const CheckpointWatch& watch, Checkpoint run);

  // Every rank calls these at the same events. Rank 0 says when it is time, and saves.
  void take(const TrainingEvent& event);
  void save(const std::vector<std::vector<double>>& own_duals);
  double seconds() const { return clock_.seconds(); }

 private:
  void keep(std::size_t classifier, const std::vector<double>& own);
  void hand_over();

  const TrainingJob& job_;
  CheckpointWatch watch_;
  Checkpoint now_;
  RunClock clock_;
  double next_ = 0.0;
};

}  // namespace pegasos
