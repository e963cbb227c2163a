// What train says about a run: the words at the end, the same as JSON, and the trace as CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pegasos/dist.h"
#include "pegasos/train.h"

namespace pegasos::cli {

struct TrainArguments;

// One line per event; of several classifiers each line says which one it is about.
std::string trace_as_csv(const std::vector<TracedReport>& trace);

// The summary a person reads after training.
std::string training_summary(const Trained& trained);

// `ranks` and what rank 0 has sent them while training; none where there are no others.
struct RanksUsed {
  int ranks = 1;
  MpiCollective::Traffic sent = {};
};
std::string ranks_in_words(const RanksUsed& used, const Trained& trained);
// The summary for programs.
std::string training_json(const Trained& trained, const TrainArguments& arguments,
                          const std::optional<RanksUsed>& ranks);

}  // namespace pegasos::cli
