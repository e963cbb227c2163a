// The options of train, and the line that would repeat a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpointing.h"
#include "command.h"
#include "pegasos/calibration.h"
#include "pegasos/read.h"
#include "pegasos/setting.h"
#include "pegasos/train.h"
#include "session.h"

namespace pegasos::cli {

// What train takes from the command line: the library's options, and the files they come from.
struct TrainingFlags {
  TrainOptions options;                   // threads, test and start are set when all is read
  bool scale_given = false;               // --scale other than auto; none included
  std::optional<bool> target_scale = {};  // --target; none: by the format of the data
  std::string table_scale;                // of a table, as it would be typed; else ""
  bool strict = false;                    // exit code 6 if the tolerance is not reached
  std::string start;                      // a model to begin from, or none
  std::string names;                      // a file with the names of the features, or none
  std::string weights;                    // a file with a weight for each row, or none
  CheckpointFlags checkpoint;
  bool live = false;                      // draws the course of the training
  std::optional<std::size_t> folds = {};  // cross-validate instead of writing a model
};

// Adds --lambda, -c, --loss, --batch … to a command, and answers for flags of LIBLINEAR that mean
// something else here.
void add_training_options(Command& command, TrainingFlags& flags);

// Flags that only Pegasos has a use for mean Pegasos; beside another solver they are a UsageError.
void settle_solver(const Command& command, TrainingFlags& flags);

// Number columns of tables are scaled while they are read, in double precision, rows of other files
// when they are trained on; --scale auto standardises tables and leaves other files as they are.
// Before reading, and after it when the format is known.
TableScaling table_scaling_of(const TrainingFlags& flags);
void settle_scaling(TrainingFlags& flags, DataFormat format);

// What a scaling leaves undone on sparse rows, as a line to say; "" for nothing.
std::string note_on_scaling(const TrainOptions& options, const Dataset& data);

// What the command adds to the options that train returned: files, and how strict it is.
std::vector<Setting> settings_beside(const TrainingFlags& flags);

}  // namespace pegasos::cli
