// The options of train, and the line that would repeat a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "command.h"
#include "pegasos/calibration.h"
#include "pegasos/train.h"
#include "session.h"

namespace pegasos::cli {

struct TrainingWishes {
  TrainOptions options = {.solver = {.pegasos = {.epochs = 100}}};
  std::optional<double> max_seconds;
  bool strict = false;                         // exit code 6 if the tolerance is not reached
  bool keep_dual = false;                      // duals go into the model
  std::string start;                           // a model to begin from, or none
  std::optional<CalibrationKind> probability;  // scores are calibrated after training
  std::string names;                           // a file with the names of the features, or none
  std::string weights;                         // a file with a weight for each row, or none
  bool live = false;                           // draws the course of the training
  bool tune_lambda = false;                    // --lambda auto
  std::optional<std::size_t> folds = {};       // cross-validate instead of writing a model
};

// Adds --lambda, -c, --loss, --batch … to a command, and answers for flags of LIBLINEAR that mean
// something else here.
void add_training_options(Command& command, TrainingWishes& wishes);

// Flags that only Pegasos has a use for mean Pegasos; beside another solver they are a UsageError.
void settle_solver(const Command& command, TrainingWishes& wishes);

// What a scaling leaves undone on sparse rows, as a line to say; "" for nothing.
std::string note_on_scaling(const TrainOptions& options, const Dataset& data);

// Those of them that only Pegasos has, if it was asked for; and a limit to the epochs.
std::string explicit_pegasos(const TrainOptions& options);

// The options that say in full what was decided: "--loss hinge --lambda 0.001 --bias …".
std::string explicit_options(const TrainingWishes& wishes, const ModelBase& model);

}  // namespace pegasos::cli
