#include "learn/rank_checkpoint.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/archive.h"
#include "learn/journal.h"
#include "math/passes.h"
#include "pegasos/error.h"
#include "pegasos/model.h"

namespace pegasos {
namespace {

constexpr double kMostOfTheRun = 0.02;

std::string name_of_part(std::size_t classifier) {
  return "duals/" + std::to_string(classifier);
}

}  // namespace

std::vector<std::vector<double>> duals_in(const Checkpoint& saved, const WholeRows& whole,
                                          std::size_t own_rows) {
  std::vector<std::vector<double>> duals;
  for (;;) {
    const auto found = saved.parts.find(name_of_part(duals.size()));
    if (found == saved.parts.end()) return duals;
    std::vector<double> all(static_cast<std::size_t>(whole.rows));
    read_part(found->second, [&all](ArchiveReader& reader) { reader.fixed(all); });
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(whole.rows_before);
    duals.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(own_rows));
  }
}

RankCheckpoint::RankCheckpoint(TrainingJob& job, const CheckpointWatch& watch, Checkpoint run)
    : job_(job), watch_(watch), now_(std::move(run)) {
  now_.data_fingerprint =
      fingerprint(job.data, job.options.threads, job.whole.rows_before, job.ranks());
  if (const auto resume = job.options.resume) {
    // The checks of a journal, which need no other ranks any more.
    const Journal checked({}, resume, now_, [this] { return now_.data_fingerprint; }, {});
    job.options.start_duals = duals_in(*resume, job.whole, job.data.rows());
    if (job.options.start_duals.empty()) {
      throw InvalidOption("resume",
                          "the checkpoint is of a run in one process; resume it without ranks");
    }
    now_.parts = resume->parts;
    clock_ = RunClock(resume->seconds);
  }
  next_ = clock_.seconds() + watch_.seconds;
}

void RankCheckpoint::keep(std::size_t classifier, const std::vector<double>& own) {
  std::vector<double> all = gather_numbers(own, job_.ranks());
  if (job_.ranks().rank() > 0) return;
  ArchiveWriter writer;
  writer(all);
  now_.parts[name_of_part(classifier)] = std::move(writer).bytes();
}

void RankCheckpoint::hand_over() {
  if (job_.ranks().rank() > 0 || !watch_.save) return;
  now_.seconds = clock_.seconds();
  watch_.save(now_);
}

void RankCheckpoint::take(const TrainingEvent& event) {
  if (!event.duals) return;
  const double begin = clock_.seconds();
  double due = job_.ranks().rank() == 0 && watch_.save && begin >= next_ ? 1.0 : 0.0;
  job_.ranks().sum({&due, 1});
  if (due == 0.0) return;
  keep(event.report.classifier.index, event.duals());
  hand_over();
  const double end = clock_.seconds();
  next_ = end + std::max(watch_.seconds, (end - begin) / kMostOfTheRun);
}

void RankCheckpoint::save(const std::vector<std::vector<double>>& own_duals) {
  for (std::size_t k = 0; k < own_duals.size(); ++k) keep(k, own_duals[k]);
  hand_over();
}

}  // namespace pegasos
