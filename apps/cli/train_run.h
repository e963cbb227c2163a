// Training on data that was read, for train and for tune --train.
#pragma once

#include <string>

#include "pegasos/read.h"
#include "session.h"
#include "training.h"

namespace pegasos::cli {

struct TrainWish {
  std::string data;
  std::string model;
  std::string test;
  std::string trace;
  ReadOptions reading;
  TrainingWishes training;
};

// What of the files can be refused before anything is read. Throws UsageError.
void check_train_files(const Session& session, const TrainWish& wish);

// Says what the reader decided.
void say_decided(const Session& session, const std::string& path, const ReadResult& read);

// Trains, writes the model, reports; returns the exit code.
int train_on(Session& session, TrainWish& wish, const ReadResult& read);

}  // namespace pegasos::cli
