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

constexpr const char* kCheckpointGroup = "Checkpoints";

// Shorter runs leave nothing behind, unless they are asked to or stopped by a signal.
constexpr double kSecondsByDefault = 60.0;

bool is_taken(const std::string& path) {
  std::error_code absent;
  return std::filesystem::exists(path, absent) && !looks_like_checkpoint(path);
}

double seconds_in(const std::string& text) {
  const auto seconds = parse_real(text);
  if (seconds && *seconds >= 0) return *seconds;
  throw UsageError(fmt::format("--checkpoint-every: '{}' is not a number of seconds (0 or more)",
                               printable(text)));
}

}  // namespace

void add_checkpoint_options(Command& command, CheckpointFlags& flags) {
  add_file(command, "--checkpoint", flags.file,
           "Save the state of the run every few seconds, so that --resume can continue it. The "
           "file is removed when the run is complete (by default next to the model, after the "
           "first minute and when the run is stopped by a signal)")
      ->group(kCheckpointGroup);
  command
      .add_option(
          "--checkpoint-every",
          [&flags](const std::string& text) { flags.seconds = seconds_in(text); },
          "Seconds between checkpoints, or longer if writing them would take more than 2 % of the "
          "time; 0 for one after every epoch (5)")
      ->type_name("SECONDS")
      ->group(kCheckpointGroup);
  command
      .add_flag("--resume", flags.resume,
                "Continue from the checkpoint of an earlier run with the same data and options; "
                "the resulting model is identical to that of an uninterrupted run. Without a "
                "checkpoint, start from the beginning")
      ->group(kCheckpointGroup);
}

CheckpointFile::CheckpointFile(const Session& session, const CheckpointFlags& flags,
                               const std::string& by_default)
    : session_(session),
      resume_(flags.resume),
      named_(!flags.file.empty()),
      seconds_(flags.seconds),
      path_(named_ ? flags.file : by_default) {
  if (path_ == "-") throw UsageError("a checkpoint needs a file", "name one with --checkpoint");
  if (resume_ && path_.empty()) {
    throw UsageError("there is no checkpoint to resume from", "name it with --checkpoint");
  }
  if (path_.empty() || !is_taken(path_)) return;
  if (named_ || resume_) {
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
      say(session_,
          fmt::format("note: '{}' belongs to an earlier run; use --resume to continue it\n",
                      printable(path_)));
    }
    return nullptr;
  }
  if (!exists) {
    say(session_, fmt::format("note: there is no checkpoint '{}'; starting from the beginning\n",
                              printable(path_)));
    return nullptr;
  }
  auto checkpoint = std::make_shared<const Checkpoint>(load_checkpoint(path_));
  say(session_,
      fmt::format("resuming from '{}' after {:.1f} s\n", printable(path_), checkpoint->seconds));
  return checkpoint;
}

CheckpointWatch CheckpointFile::watch() {
  if (path_.empty()) return {};
  return {.save = [this](const Checkpoint& checkpoint) { save(checkpoint); }, .seconds = seconds_};
}

// A run goes on where its checkpoint cannot be written.
void CheckpointFile::save(const Checkpoint& checkpoint) {
  if (!named_ && checkpoint.seconds < kSecondsByDefault && !stop_requested()) return;
  try {
    save_checkpoint(checkpoint, path_);
    saved_ = true;
  } catch (const IoError& problem) {
    if (!failed_)
      say(session_, fmt::format("note: no checkpoint was written: {}\n", problem.what()));
    failed_ = true;
  }
}

void CheckpointFile::remove() {
  if (saved_ || resume_) ::unlink(path_.c_str());
}

void CheckpointFile::say_how_to_resume() const {
  if (!saved_) return;
  say(session_, fmt::format("checkpoint   {}; to resume:\n  {}\n", printable(path_), command()));
}

bool CheckpointFile::is_there() const {
  std::error_code absent;
  return saved_ || (resume_ && std::filesystem::exists(path_, absent));
}

std::string CheckpointFile::command() const {
  return session_.command_line + (resume_ ? "" : " --resume");
}

}  // namespace pegasos::cli
