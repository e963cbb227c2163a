#include "checkpointing.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/quantity_text.h"
#include "options.h"
#include "pegasos/error.h"
#include "signals.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr const char* kGroup = "Checkpoints";

// Shorter runs leave nothing behind, unless they are asked to or stopped by a signal.
constexpr double kSecondsByDefault = 60.0;

bool is_taken(const std::string& path) {
  std::error_code absent;
  return std::filesystem::exists(path, absent) && !looks_like_checkpoint(path);
}

double seconds_in(const std::string& text) {
  const auto seconds = parse_real(text);
  if (seconds && *seconds >= 0) return *seconds;
  throw UsageError(fmt::format("--checkpoint-every: '{}' is not a number of seconds, 0 or more",
                               printable(text)));
}

}  // namespace

void add_checkpoint_options(Command& command, CheckpointWish& wish) {
  add_file(command, "--checkpoint", wish.file,
           "Write every few seconds how far the run has come; --resume goes on from there. Removed "
           "when the work is done (by default beside the model, from the second minute on and when "
           "a signal ends the run)")
      ->group(kGroup);
  command
      .add_option(
          "--checkpoint-every",
          [&wish](const std::string& text) { wish.seconds = seconds_in(text); },
          "Seconds from one checkpoint to the next, or longer where it would take more than a "
          "fiftieth of the run; 0 for one after every epoch, whatever it takes (default 5)")
      ->type_name("SECONDS")
      ->group(kGroup);
  command
      .add_flag("--resume", wish.resume,
                "Go on from the checkpoint of an earlier run with the same data and options, to "
                "the same model bit for bit; without a checkpoint, begin")
      ->group(kGroup);
}

CheckpointFile::CheckpointFile(const Session& session, const CheckpointWish& wish,
                               const std::string& by_default)
    : session_(session),
      resume_(wish.resume),
      wished_(!wish.file.empty()),
      seconds_(wish.seconds),
      path_(wished_ ? wish.file : by_default) {
  if (path_ == "-") throw UsageError("a checkpoint needs a file", "name one with --checkpoint");
  if (resume_ && path_.empty()) {
    throw UsageError("there is no checkpoint to go on from", "name it with --checkpoint");
  }
  if (path_.empty() || !is_taken(path_)) return;
  if (wished_ || resume_) {
    throw UsageError(fmt::format("'{}' exists and is not a checkpoint", printable(path_)),
                     "name another file with --checkpoint");
  }
  path_.clear();
}

std::shared_ptr<const Checkpoint> CheckpointFile::load() const {
  std::error_code absent;
  const bool exists = !path_.empty() && std::filesystem::exists(path_, absent);
  if (!resume_) {
    if (exists) {
      say(session_, fmt::format("note: '{}' is of an earlier run; --resume goes on from there\n",
                                printable(path_)));
    }
    return nullptr;
  }
  if (!exists) {
    say(session_,
        fmt::format("note: there is no checkpoint '{}'; the run begins\n", printable(path_)));
    return nullptr;
  }
  auto checkpoint = std::make_shared<const Checkpoint>(load_checkpoint(path_));
  say(session_,
      fmt::format("resumes '{}', after {:.1f} s\n", printable(path_), checkpoint->seconds));
  return checkpoint;
}

CheckpointWatch CheckpointFile::watch() {
  if (path_.empty()) return {};
  return {.save = [this](const Checkpoint& checkpoint) { save(checkpoint); }, .seconds = seconds_};
}

// A run goes on where its checkpoint cannot be written.
void CheckpointFile::save(const Checkpoint& checkpoint) {
  if (!wished_ && checkpoint.seconds < kSecondsByDefault && !stop_requested()) return;
  try {
    save_checkpoint(checkpoint, path_);
    saved_ = true;
  } catch (const IoError& problem) {
    if (!failed_) say(session_, fmt::format("note: no checkpoint: {}\n", problem.what()));
    failed_ = true;
  }
}

void CheckpointFile::remove() {
  if (saved_ || resume_) ::unlink(path_.c_str());
}

void CheckpointFile::say_how_to_resume() const {
  if (!saved_) return;
  say(session_, fmt::format("checkpoint   {}; to go on:\n  {}{}\n", printable(path_),
                            session_.command_line, resume_ ? "" : " --resume"));
}

}  // namespace pegasos::cli
