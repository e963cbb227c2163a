#include "training_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/quantity_text.h"
#include "model/model_words.h"
#include "signals.h"
#include "terminal.h"

namespace pegasos::cli {

TrainingWatch::TrainingWatch(const Session& session, const TrainOptions& options, bool live)
    : solver_(options.solver), progress_(session, "training", Progress::Unit::rows) {
  if (live) plot_.emplace(session);
}

Watch TrainingWatch::watch() {
  Watch watch;
  watch.stop = [] { return stop_requested(); };
  watch.event = [this](const TrainingEvent& event) { see(event); };
  return watch;
}

void TrainingWatch::end() {
  if (plot_) plot_->draw(plot_lines(), true);
}

void TrainingWatch::see(const TrainingEvent& event) {
  const TrainingReport& report = event.report;
  if (report.phase == TrainingPhase::training) moments_.push_back({clock_.seconds(), report});
  if (plot_ && plot_->shown() && report.phase == TrainingPhase::training) {
    if (plot_->is_due()) plot_->draw(plot_lines(), false);
    return;
  }
  progress_.show(line_of(report));
}

// The lines of --live: the objective falls onto the optimum, the bound rises to it. Of several
// classifiers the sums of what each has reached, from when all of them have begun.
std::vector<PlotLine> TrainingWatch::plot_lines() const {
  PlotLine objective{"objective", 'o', 34};
  PlotLine dual{"dual bound", '-', 32};
  PlotLine bound{"lemma bound", '.', 33};
  std::map<std::size_t, TrainingReport> latest;
  for (const Moment& moment : moments_) {
    latest[moment.report.classifier.index] = moment.report;
    if (latest.size() < moment.report.classifier.count) continue;
    double primal = 0;
    double lower = 0;
    for (const auto& [index, report] : latest) {
      primal += report.primal.objective();
      lower += report.dual.value_or(NAN);
    }
    objective.points.emplace_back(moment.seconds, primal);
    if (std::isnan(lower)) continue;
    dual.points.emplace_back(moment.seconds, lower);
    if (latest.size() == 1 && moment.report.lemma) {
      bound.points.emplace_back(moment.seconds, lower + moment.report.lemma->bound);
    }
  }
  std::vector<PlotLine> lines;
  for (auto* line : {&bound, &dual, &objective}) {
    if (!line->points.empty()) lines.push_back(std::move(*line));
  }
  return lines;
}

// "sdca epoch 3  objective 0.1  within 2 % of the optimum, proven", of several classifiers
// "7: … (12 of 26 done)".
std::string TrainingWatch::line_of(const TrainingReport& report) const {
  const ClassifierProgress& part = report.classifier;
  if (report.phase == TrainingPhase::search) {
    return fmt::format("tuning lambda  {} of {} models", part.finished, part.count);
  }
  if (report.phase == TrainingPhase::calibration) {
    return fmt::format("calibrating  fold {} of {}", part.finished + 1, part.count);
  }
  if (report.kernel && part.count == 1) return kernel_line(report);
  std::string line = part.name.empty() ? "" : printable(part.name) + ": ";
  const bool blocks = report.kernel && report.kernel->blocks > 0;
  line += fmt::format("{} {} {}  objective {:.5g}", name_of(report.solver),
                      blocks                            ? "block"
                      : report.solver == Solver::newton ? "step"
                                                        : "epoch",
                      blocks ? report.kernel->blocks : report.epoch, report.primal.objective());
  if (report.dual) {
    line += "  " + gap_in_words({.primal = report.primal.objective(), .dual = report.dual});
  }
  if (part.count > 1) line += fmt::format("  ({} of {} done)", part.finished, part.count);
  return line;
}

// Short, for a line of 80 columns.
std::string TrainingWatch::kernel_line(const TrainingReport& report) const {
  const KernelWork& work = *report.kernel;
  std::string line = work.blocks > 0 ? "block " + with_separators(work.blocks)
                                     : fmt::format("epoch {}  {}", report.epoch,
                                                   counted(report.violations, "violation"));
  line += fmt::format("  {} vectors  cache {:.0f} %", with_separators(work.support_vectors),
                      100.0 * work.hit_rate());
  const double gap = report.certificate().value_or(Certificate{}).relative_gap();
  if (std::isfinite(gap)) line += "  gap " + in_percent(gap);
  if (const auto left = seconds_left(report)) line += fmt::format("  {} left", in_time(*left));
  return line;
}

// Pegasos has its epochs. The gap of ascent, once it is small, falls by about the same share
// every second: as from half the time until now to now, and on to the tolerance at that rate.
std::optional<double> TrainingWatch::seconds_left(const TrainingReport& report) const {
  const double now = clock_.seconds();
  if (report.kernel->blocks == 0) {
    const auto epochs = static_cast<double>(solver_.max_epochs.value_or(solver_.pegasos.epochs));
    const auto done = static_cast<double>(report.epoch);
    return now * std::max(0.0, epochs / done - 1.0);
  }
  const auto gap_of = [](const Moment& moment) {
    return moment.report.certificate().value_or(Certificate{}).relative_gap();
  };
  const auto half = std::find_if(moments_.begin(), moments_.end(),
                                 [now](const Moment& one) { return one.seconds >= now / 2; });
  if (half == moments_.end()) return std::nullopt;  // the process was asleep since
  const double before = gap_of(*half);
  const double gap = gap_of(moments_.back());
  constexpr double kSmall = 0.5;
  if (!(before < kSmall) || !(gap < before) || !(solver_.tolerance > 0)) return std::nullopt;
  const double rate = std::log(before / gap) / (now - half->seconds);
  return std::max(0.0, std::log(gap / solver_.tolerance) / rate);
}

}  // namespace pegasos::cli
