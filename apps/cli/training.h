// What train says: the options it has, the line that would repeat a run, the words at the end, and
// the trace of a run as CSV.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "pegasos/train.h"
#include "session.h"

namespace pegasos::cli {

struct TrainingWishes {
  TrainOptions options = {.solver = {.pegasos = {.epochs = 100}}};
  std::optional<double> max_seconds;
  bool strict = false;     // exit code 6 if the tolerance is not reached
  bool keep_dual = false;  // duals go into the model
  std::string start;       // a model to begin from, or none
};

// Adds --lambda, -c, --loss, --batch … to a command, and answers for flags of LIBLINEAR that mean
// something else here.
void add_training_options(Command& command, TrainingWishes& wishes);

// Flags that only Pegasos has a use for mean Pegasos; beside another solver they are a UsageError.
void settle_solver(const Command& command, TrainingWishes& wishes);

// The options that say in full what was decided: "--loss hinge --lambda 0.001 --bias …".
std::string explicit_options(const TrainingWishes& wishes, const LinearModel& model);

// One epoch, with what the command line adds to the solver's report.
struct TracedEpoch {
  EpochReport report;
  double seconds = 0.0;
  std::optional<double> test_error;  // share of wrong labels, or the mean absolute error
};

std::string trace_as_csv(const std::vector<TracedEpoch>& trace);

// "within 0.08 % of the optimum, proven", or what can be said instead.
std::string gap_in_words(const Certificate& certificate);

// The summary a person reads after training.
std::string training_summary(const LinearModel& model, const TracedEpoch& last, bool colour);

// The same for programs.
std::string training_json(const LinearModel& model, const TracedEpoch& last,
                          const std::string& model_path);

}  // namespace pegasos::cli
