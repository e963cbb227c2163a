#include "training_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantities.h"
#include "signals.h"

namespace pegasos::cli {
namespace {

// The lines of --live: the objective falls onto the optimum, the bound rises to it.
std::vector<PlotLine> lines_of(const std::vector<TracedEpoch>& trace) {
  PlotLine objective{"objective", 'o', 34};
  PlotLine dual{"dual bound", '-', 32};
  PlotLine bound{"the lemma's bound", '.', 33};
  for (const TracedEpoch& epoch : trace) {
    objective.points.emplace_back(epoch.seconds, epoch.primal().objective());
    const auto certificate = epoch.certificate();
    if (!certificate) continue;
    dual.points.emplace_back(epoch.seconds, certificate->dual);
    const auto* linear = std::get_if<EpochReport>(&epoch.report);
    if (linear != nullptr && linear->lemma) {
      bound.points.emplace_back(epoch.seconds, certificate->dual + linear->lemma->bound);
    }
  }
  std::vector<PlotLine> lines;
  for (auto* line : {&bound, &dual, &objective}) {
    if (!line->points.empty()) lines.push_back(std::move(*line));
  }
  return lines;
}

}  // namespace

TrainingWatch::TrainingWatch(const Session& session, const TrainingWishes& wishes,
                             const Dataset* test, Meaning meaning)
    : wishes_(wishes),
      progress_(session, "training", Progress::Unit::rows),
      test_(test),
      meaning_(std::move(meaning)) {
  if (wishes.live) plot_.emplace(session);
}

TrainWatch TrainingWatch::watch() {
  TrainWatch watch;
  watch.interrupted = [this] { return stop_requested() || out_of_time(); };
  watch.epoch = [this](const EpochReport& report, const LinearPoint& point) {
    return epoch_done(report, point);
  };
  return watch;
}

KernelWatch TrainingWatch::kernel_watch() {
  KernelWatch watch;
  watch.interrupted = [this] { return stop_requested() || out_of_time(); };
  watch.progress = [this](const KernelReport& report) {
    add(report);
    show(kernel_progress(report));
    return verdict();
  };
  return watch;
}

void TrainingWatch::add(const std::variant<EpochReport, KernelReport>& report) {
  trace_.push_back({report, clock_.seconds(), std::nullopt});
}

void TrainingWatch::end() {
  if (plot_) plot_->draw(lines_of(trace_), true);
}

void TrainingWatch::show(const std::string& line) {
  if (plot_ && plot_->shown()) {
    if (plot_->is_due()) plot_->draw(lines_of(trace_), false);
  } else {
    progress_.show(line);
  }
}

Verdict TrainingWatch::verdict() const {
  return stop_requested() || out_of_time() ? Verdict::stop : Verdict::go_on;
}

Verdict TrainingWatch::epoch_done(const EpochReport& report, const LinearPoint& point) {
  add(report);
  // Mapped and scaled rows are scored once, in the end.
  if (test_ != nullptr && !wishes_.options.approximation && !wishes_.options.scaling) {
    trace_.back().test_error = error_of_point(*test_, point, meaning_);
  }
  show(fmt::format("{} {} {}  objective {:.5g}  {}", name_of(report.solver),
                   report.solver == Solver::newton ? "step" : "epoch", report.epoch,
                   report.primal.objective(), gap_in_words(report.certificate())));
  return verdict();
}

// Short, for a line of 80 columns.
std::string TrainingWatch::kernel_progress(const KernelReport& report) const {
  std::string line = report.blocks > 0 ? "block " + with_separators(report.blocks)
                                       : fmt::format("epoch {}  {}", report.epoch,
                                                     counted(report.violations, "violation"));
  line += fmt::format("  {} vectors  cache {:.0f} %", with_separators(report.support_vectors),
                      100.0 * report.hit_rate());
  const double gap = report.certificate().value_or(Certificate{}).relative_gap();
  if (std::isfinite(gap)) line += "  gap " + in_percent(gap);
  if (const auto left = seconds_left(report)) line += fmt::format("  {} left", in_time(*left));
  return line;
}

// Pegasos has its epochs. The gap of ascent, once it is small, falls by about the same share
// every second: as from half the time until now to now, and on to the tolerance at that rate.
std::optional<double> TrainingWatch::seconds_left(const KernelReport& report) const {
  const double now = clock_.seconds();
  const SolverOptions& solver = wishes_.options.solver;
  if (report.blocks == 0) {
    const auto epochs = static_cast<double>(solver.max_epochs.value_or(solver.pegasos.epochs));
    const auto done = static_cast<double>(report.epoch);
    return now * std::max(0.0, epochs / done - 1.0);
  }
  const auto gap_of = [](const TracedEpoch& traced) {
    return traced.certificate().value_or(Certificate{}).relative_gap();
  };
  const auto half = std::find_if(trace_.begin(), trace_.end(), [now](const TracedEpoch& traced) {
    return traced.seconds >= now / 2;
  });
  if (half == trace_.end()) return std::nullopt;  // the process was asleep since
  const double before = gap_of(*half);
  const double gap = gap_of(trace_.back());
  constexpr double kSmall = 0.5;
  if (!(before < kSmall) || !(gap < before) || !(solver.tolerance > 0)) return std::nullopt;
  const double rate = std::log(before / gap) / (now - half->seconds);
  return std::max(0.0, std::log(gap / solver.tolerance) / rate);
}

}  // namespace pegasos::cli
