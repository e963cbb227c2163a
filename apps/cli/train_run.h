// Training on data that was read, for train and for tune --train.
#pragma once

#include <optional>
#include <string>

#include "pegasos/large_data.h"
#include "pegasos/read.h"
#include "pegasos/tune.h"
#include "session.h"
#include "streaming.h"
#include "training.h"

namespace pegasos::cli {

class Command;

struct TrainArguments {
  std::string data;
  std::string model;
  std::string test;
  std::string trace;
  std::string report;                    // an HTML page, or none
  std::optional<TuneResult> tuned = {};  // the search that chose what is trained
  ReadOptions reading;
  TrainingFlags training;
  StreamFlags stream = {};
  // Read within a limit of memory; none: as it comes, for what needs rows in memory anyway.
  std::optional<MemoryOptions> memory = {};
  double seconds_reading = 0.0;
};

// The data's file name without folder and compression suffix.
std::string plain_name(const std::string& data);

// What of the files can be refused before anything is read. Throws UsageError.
void check_train_files(const Session& session, const TrainArguments& arguments);

// --on-error: stops at rows that cannot be read or learned from, or leaves them out.
void add_on_error(Command& command, ReadOptions& reading);

// The data with the weights of its rows; says what the reader decided. Throws ParseError where rows
// have no label, unless they are to be left out.
ReadResult read_training_data(const Session& session, TrainArguments& arguments);

// The rows of a table once more, with their columns scaled like this.
Dataset read_table_again(const Session& session, const TrainArguments& arguments,
                         TableScaling scaling);

// Trains, writes the model, reports; returns the exit code.
int train_on(Session& session, TrainArguments& arguments, const ReadResult& read);

}  // namespace pegasos::cli
