#include "learn/journal.h"

#include <algorithm>
#include <utility>

#include "base/archive.h"
#include "pegasos/error.h"
#include "pegasos/version.h"

namespace pegasos {
namespace {

// Between two states of a solver; what was done since the last one is done again by who resumes.
constexpr double kLeastBetweenStates = 0.2;
constexpr double kMostOfTheRun = 0.02;

[[noreturn]] void refuse(const std::string& why, Hint hint = {}) {
  throw InvalidOption("resume", why, std::move(hint));
}

const Setting* missing_from(const std::vector<Setting>& all, const std::vector<Setting>& others) {
  for (const Setting& one : all) {
    if (std::find(others.begin(), others.end(), one) == others.end()) return &one;
  }
  return nullptr;
}

void refuse_other_options(const Checkpoint& saved, const Checkpoint& run) {
  const Setting* there = missing_from(saved.options, run.options);
  const Setting* here = missing_from(run.options, saved.options);
  if (there == nullptr && here == nullptr) return;
  if (there != nullptr && here != nullptr && there->name != here->name) here = nullptr;
  Hint hint("the earlier run used {}", {});
  if (there != nullptr) hint.settings.push_back(*there);
  if (there == nullptr) hint.text = "the earlier run did not use {}";
  if (there != nullptr && here != nullptr) hint.text += ", this run uses {}";
  if (here != nullptr) hint.settings.push_back(*here);
  refuse("the checkpoint belongs to a run with different options", std::move(hint));
}

void refuse_another_run(const Checkpoint& saved, const Checkpoint& run) {
  if (saved.version != run.version) {
    refuse("the checkpoint was written by version " + saved.version + ", but this is " +
           run.version);
  }
  if (saved.work != run.work) {
    refuse("the checkpoint belongs to " + saved.work + ", but this is " + run.work);
  }
  refuse_other_options(saved, run);
}

}  // namespace

void Journal::Pace::took(double begin, double end, double least) {
  next_ = end + (least > 0 ? std::max(least, (end - begin) / kMostOfTheRun) : 0.0);
}

Journal::Journal(CheckpointWatch watch, const std::shared_ptr<const Checkpoint>& resume,
                 Checkpoint run, std::function<std::uint64_t()> fingerprint,
                 std::function<bool()> stop)
    : watch_(std::move(watch)),
      fingerprint_(std::move(fingerprint)),
      stop_(std::move(stop)),
      now_(std::move(run)) {
  if (resume) {
    refuse_another_run(*resume, now_);
    now_.data_fingerprint = fingerprint_();
    identified_ = true;
    if (resume->data_fingerprint != now_.data_fingerprint) {
      refuse("the checkpoint belongs to different data: rows, labels or weights differ");
    }
    now_.parts = resume->parts;
    clock_ = RunClock(resume->seconds);
  }
  saving_.took(seconds(), seconds(), watch_.seconds);
}

void Journal::add_before_saving(std::string name, std::function<std::string()> bytes) {
  const std::lock_guard lock(mutex_);
  before_saving_.insert_or_assign(std::move(name), std::move(bytes));
}

std::optional<std::string> Journal::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = now_.parts.find(name);
  if (found == now_.parts.end()) return std::nullopt;
  return found->second;
}

void Journal::keep(const std::string& name, std::string bytes) {
  if (is_stopped()) return;
  const std::lock_guard lock(mutex_);
  const std::string below = name + "/";
  const auto is_below = [&](const auto& part) { return part.first.starts_with(below); };
  std::erase_if(now_.parts, is_below);
  std::erase_if(states_, is_below);
  now_.parts.insert_or_assign(name, std::move(bytes));
  save_if_due();
}

void Journal::offer(const std::string& name, const TrainingEvent& event) {
  if (!event.state || !watch_.save || is_stopped()) return;
  const double begin = seconds();
  {
    const std::lock_guard lock(mutex_);
    const auto [pace, is_new] = states_.try_emplace(name);
    if (is_new) pace->second.began(begin, least_between_states());
    if (!pace->second.is_due(begin)) return;
  }
  SolverState state = event.state();
  const std::lock_guard lock(mutex_);
  now_.parts.insert_or_assign(name, std::move(state.bytes));
  states_[name].took(begin, seconds(), least_between_states());
  save_if_due();
}

double Journal::least_between_states() const {
  return std::min(watch_.seconds, kLeastBetweenStates);
}

void Journal::save_now() {
  if (!watch_.save) return;
  const std::lock_guard lock(mutex_);
  save();
}

void Journal::save_if_due() {
  if (watch_.save && saving_.is_due(seconds())) save();
}

void Journal::save() {
  const double begin = seconds();
  if (!identified_) now_.data_fingerprint = fingerprint_();
  identified_ = true;
  for (const auto& [name, bytes] : before_saving_) now_.parts.insert_or_assign(name, bytes());
  now_.seconds = begin;
  watch_.save(now_);
  saving_.took(begin, seconds(), watch_.seconds);
}

RunPart RunPart::inner(const std::string& name) const {
  RunPart part = *this;
  if (journal_ != nullptr) part.name_ = name_.empty() ? name : name_ + "/" + name;
  return part;
}

std::optional<std::string> RunPart::find() const {
  return journal_ == nullptr ? std::nullopt : journal_->find(name_);
}

void RunPart::keep(std::string bytes) const {
  if (journal_ != nullptr) journal_->keep(name_, std::move(bytes));
}

SolverState RunPart::state() const {
  return {inner("state").find().value_or(std::string())};
}

Watch RunPart::watching(const Watch& watch) const {
  if (journal_ == nullptr) return watch;
  Watch watching = watch;
  watching.event = [&watch, journal = journal_,
                    name = inner("state").name_](const TrainingEvent& event) {
    if (watch.event) watch.event(event);
    journal->offer(name, event);
  };
  return watching;
}

Checkpoint run_of(const std::string& work, std::vector<Setting> options) {
  std::erase_if(options, [](const Setting& one) { return one.name == "max_seconds"; });
  Checkpoint run;
  run.version = kVersion;
  run.work = work;
  run.options = std::move(options);
  return run;
}

void read_part(const std::string& bytes, const std::function<void(ArchiveReader&)>& read) {
  ArchiveReader reader(bytes);
  try {
    read(reader);
  } catch (const Error& problem) {
    refuse(std::string("a part of the checkpoint cannot be read: ") + problem.what());
  }
  if (!reader.at_end()) refuse("a part of the checkpoint is too long");
}

}  // namespace pegasos
