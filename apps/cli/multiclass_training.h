// Training of many classes on the command line: what train does where there are more than two.
#pragma once

#include <functional>
#include <string>

#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/read.h"
#include "session.h"
#include "training.h"

namespace pegasos::cli {

struct MulticlassFiles {
  std::string data;
  std::string model;
  const Dataset* test = nullptr;                 // rows to score in the end, or none
  std::function<void(const Model&)> saved = {};  // called with the model that was saved
};

// Trains, saves and reports; returns the exit code.
int train_many(const Session& session, const MulticlassFiles& files, const Dataset& data,
               const ReadOptions& reading, TrainingWishes& wishes);

}  // namespace pegasos::cli
