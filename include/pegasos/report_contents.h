// What goes into a report about one model: facts, certificate, features, the course of training,
// and everything that labelled rows say about it.
#pragma once

#include <optional>
#include <string>

#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/report.h"
#include "pegasos/train.h"

namespace pegasos {

// What things are called on the page.
struct ReportNames {
  std::string model = {};
  std::string data = {};     // the training set, if it is known
  std::string test = {};     // the test set
  std::string command = {};  // that trains the model again
};

// Facts, certificate and features of a model; no measurement yet. `tolerance` is what it was asked
// to prove.
ReportRun report_of(const Model& model, const ReportNames& names,
                    std::optional<double> tolerance = {});

// Everything that labelled rows with the model's features say about it.
ReportMeasurement measured_on(const Model& model, const Dataset& rows, const std::string& name,
                              int threads = 0);

// A model that was just trained, with its trace and search: measured on the test rows, or without
// them on its own.
ReportRun report_after_training(const Trained& trained, const Dataset& data,
                                const ReportNames& names);

}  // namespace pegasos
