// What goes into the HTML report about one model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/report.h"
#include "session.h"
#include "training_report.h"

namespace pegasos::cli {

// Facts, command, certificate and features of a model; no measurement yet. `data` is the file it
// was trained on, if that is known; `tolerance` what it was asked to prove.
ReportRun report_of(const Model& model, const std::string& name, const std::string& data,
                    std::optional<double> tolerance);

// At most some hundred moments of the trace, which show the same curve.
std::vector<ReportMoment> moments_of(const std::vector<TracedEpoch>& trace);

// Everything that labelled rows with the model's features say about it.
ReportMeasurement measured_on(const Session& session, const Model& model, const Dataset& rows,
                              const std::string& path);

// The page about a model that was just trained: on test rows, or without them on its own.
struct TrainedReport {
  const Model& model;
  std::string model_path;
  std::string data_path;
  const Dataset& data;
  std::string test_path;  // of test
  const Dataset* test = nullptr;
  std::vector<TracedEpoch> trace = {};
  std::optional<TuneResult> tuned = {};
  double tolerance = 1e-3;
};
Report report_after_training(const Session& session, const TrainedReport& trained);

// The page, written at once or not at all.
void write_report(const Report& report, const std::string& path);

}  // namespace pegasos::cli
