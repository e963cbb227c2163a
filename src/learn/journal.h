// Journal: what of a run would be lost if it were stopped, kept so that it can be saved at any
// time.
//
// The parts of a run (classifiers, folds, chains of a search) hand in their results when they are
// finished and the states of their solvers while they run. Every few seconds all of it is handed to
// the caller as a Checkpoint. Taking states and saving them may cost a fiftieth of the run: what
// takes longer happens less often. May be used from several threads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/run_clock.h"
#include "pegasos/checkpoint.h"
#include "pegasos/error.h"
#include "pegasos/train.h"
#include "pegasos/watch.h"

namespace pegasos {

class Journal {
 public:
  // `run` is what a checkpoint says about the run, but for its fingerprint, which is computed when
  // it is first needed. From when `stop` says true nothing is taken any more: solvers that are told
  // to stop cut their work short, and are no longer on the way of a run that is not stopped.
  // Throws InvalidOption if `resume` is of another run.
  Journal(CheckpointWatch watch, const std::shared_ptr<const Checkpoint>& resume, Checkpoint run,
          std::function<std::uint64_t()> fingerprint, std::function<bool()> stop);

  // Called before a checkpoint is saved; what it returns is the part of this name.
  void add_before_saving(std::string name, std::function<std::string()> bytes);

  std::optional<std::string> find(const std::string& name) const;
  // A part that is finished, or has come further; forgets the parts below it.
  void keep(const std::string& name, std::string bytes);
  // Takes the state of a solver, if it is time to.
  void offer(const std::string& name, const TrainingEvent& event);
  void save_now();

  // Of all the runs that were resumed, and this one.
  double seconds() const { return clock_.seconds(); }

 private:
  // When something that took so long may be done again.
  class Pace {
   public:
    bool is_due(double now) const { return now >= next_; }
    // What has only just begun need not be kept.
    void began(double now, double least) { next_ = now + least; }
    void took(double begin, double end, double least);

   private:
    double next_ = 0.0;
  };

  double least_between_states() const;
  bool is_stopped() const { return stop_ && stop_(); }
  void save_if_due();
  void save();

  CheckpointWatch watch_;
  std::function<std::uint64_t()> fingerprint_;
  std::function<bool()> stop_;
  RunClock clock_;
  mutable std::mutex mutex_;  // guards the following
  Checkpoint now_;
  bool identified_ = false;
  std::map<std::string, std::function<std::string()>> before_saving_;
  std::map<std::string, Pace> states_;
  Pace saving_;
};

// A part of a run: a name in a journal, or nothing to be kept.
class RunPart {
 public:
  RunPart() = default;
  explicit RunPart(Journal& journal) : journal_(&journal) {}

  bool is_kept() const { return journal_ != nullptr; }
  RunPart inner(const std::string& name) const;

  std::optional<std::string> find() const;
  void keep(std::string bytes) const;
  // The state its solver begins with, if it was stopped while it ran.
  SolverState state() const;
  // The watch with states taken from its events. Refers to `watch`.
  Watch watching(const Watch& watch) const;

 private:
  Journal* journal_ = nullptr;
  std::string name_;
};

// What a checkpoint says about a run, but for the data. max_seconds is no part of it: a run may be
// resumed with another limit.
Checkpoint run_of(const std::string& work, std::vector<Setting> options);

// One part among others: as pegasos::train, and resumed from what is found under its name.
Trained train_part(const Dataset& data, const TrainOptions& options, const Watch& watch,
                   const RunPart& part);

// Reads what a part has kept. Throws InvalidOption if `read` throws Error, or leaves bytes over.
void read_part(const std::string& bytes, const std::function<void(class ArchiveReader&)>& read);

// Calls work and returns its result; where it throws Cancelled, the journal is saved first.
template <typename Work>
auto saving_what_is_cancelled(std::optional<Journal>& journal, Work&& work) {
  try {
    return work();
  } catch (const Cancelled&) {
    if (journal) journal->save_now();
    throw;
  }
}

}  // namespace pegasos
