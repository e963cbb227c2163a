// Watches a run of train: draws progress, keeps the trace, decides when it is over.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "live_plot.h"
#include "pegasos/dataset.h"
#include "pegasos/kernel_problem.h"
#include "pegasos/progress.h"
#include "progress.h"
#include "run_clock.h"
#include "scoring.h"
#include "training.h"
#include "training_report.h"

namespace pegasos::cli {

class TrainingWatch {
 public:
  // `test`: rows to score after every epoch, or null.
  TrainingWatch(const Session& session, const TrainingWishes& wishes, const Dataset* test,
                Meaning meaning);

  // What the solvers call; they refer to this object.
  TrainWatch watch();
  KernelWatch kernel_watch();

  void add(const std::variant<EpochReport, KernelReport>& report);
  // The last drawing, with all that happened.
  void end();

  std::vector<TracedEpoch>& trace() { return trace_; }
  bool out_of_time() const { return clock_.is_over(wishes_.max_seconds); }

 private:
  Verdict verdict() const;
  Verdict epoch_done(const EpochReport& report, const LinearPoint& point);
  // The plot of --live, or a line.
  void show(const std::string& line);
  std::string kernel_progress(const KernelReport& report) const;
  std::optional<double> seconds_left(const KernelReport& report) const;

  const TrainingWishes& wishes_;
  Progress progress_;
  std::optional<LivePlot> plot_ = {};
  const Dataset* test_;
  Meaning meaning_;
  RunClock clock_ = {};
  std::vector<TracedEpoch> trace_ = {};
};

}  // namespace pegasos::cli
