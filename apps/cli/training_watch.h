// Watches a training run for the command line: shows how far it has come, and stops it on Ctrl-C.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/run_clock.h"
#include "live_plot.h"
#include "pegasos/train.h"
#include "progress.h"
#include "session.h"

namespace pegasos::cli {

class TrainingWatch {
 public:
  TrainingWatch(const Session& session, const TrainOptions& options, bool live);

  // What train calls; it refers to this object.
  Watch watch();
  // The last drawing, with all that happened.
  void end();

 private:
  struct Moment {
    double seconds = 0.0;
    TrainingReport report = {};
  };

  void see(const TrainingEvent& event);
  std::string line_of(const TrainingReport& report) const;
  std::string kernel_line(const TrainingReport& report) const;
  std::optional<double> seconds_left(const TrainingReport& report) const;
  std::vector<PlotLine> plot_lines() const;

  SolverOptions solver_;
  Progress progress_;
  std::optional<LivePlot> plot_ = {};
  RunClock clock_ = {};
  std::vector<Moment> moments_ = {};
};

}  // namespace pegasos::cli
