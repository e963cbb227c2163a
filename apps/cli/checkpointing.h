// --checkpoint and --resume: the file that lets a run go on where it was stopped.
//
// It is written every few seconds, by default from the second minute on and beside the model; when
// a signal ends the run, too. When the work is done it is removed.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/run_clock.h"
#include "command.h"
#include "pegasos/checkpoint.h"
#include "pegasos/error.h"
#include "pegasos/watch.h"
#include "session.h"

namespace pegasos::cli {

struct CheckpointFlags {
  std::string file = {};  // "": chosen by default
  bool resume = false;
  double seconds = 5.0;  // from one to the next
};

void add_checkpoint_options(Command& command, CheckpointFlags& flags);

// A run that was cancelled and can go on from a checkpoint.
class Resumable : public Cancelled {
 public:
  Resumable(std::string path, bool written, std::string command)
      : path_(std::move(path)), written_(written), command_(std::move(command)) {}
  const std::string& path() const { return path_; }
  bool written() const { return written_; }  // by this run, not only by an earlier one
  const std::string& command() const { return command_; }  // that goes on

 private:
  std::string path_;
  bool written_;
  std::string command_;
};

class CheckpointFile {
 public:
  // `by_default` is the name where none is named; "" for no checkpoint. Throws UsageError for
  // a file that is something else.
  CheckpointFile(const Session& session, const CheckpointFlags& flags,
                 const std::string& by_default);

  // Is one written at all?
  bool is_kept() const { return !path_.empty(); }
  // The checkpoint to go on from: none without --resume, or where no file was left behind.
  std::shared_ptr<const Checkpoint> load() const;
  // What a run calls; refers to this object.
  CheckpointWatch watch();
  // The work is done.
  void remove();
  // Does the work; where it is cancelled and can go on later, throws Resumable.
  template <typename Work>
  auto resumable(Work&& work) const {
    try {
      return work();
    } catch (const Cancelled&) {
      if (is_there()) throw Resumable(path_, saved_, command());
      throw;
    }
  }
  // The work was stopped: says how to go on, if it can.
  void say_how_to_resume() const;

 private:
  void save(const Checkpoint& checkpoint);
  bool is_there() const;        // of this run, or of the one it goes on with
  std::string command() const;  // that resumes

  const Session& session_;
  bool resume_ = false;
  bool named_ = false;
  double seconds_ = 0.0;
  std::string path_;
  bool saved_ = false;
  bool failed_ = false;
};

}  // namespace pegasos::cli
