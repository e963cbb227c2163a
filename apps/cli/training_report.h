// What train says about a run: the words at the end, the same as JSON, and the trace as CSV.
#pragma once

#include <string>
#include <vector>

#include "pegasos/train.h"

namespace pegasos::cli {

// One line per event; of several classifiers each line says which one it is about.
std::string trace_as_csv(const std::vector<TracedReport>& trace);

// The summary a person reads after training.
std::string training_summary(const Trained& trained);

// The same for programs.
std::string training_json(const Trained& trained, const std::string& model_path);

}  // namespace pegasos::cli
