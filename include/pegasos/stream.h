// Training in one pass over rows that come in a stream: memory for the weights alone, however long
// the stream is. Nothing is certified; progressive validation says how well it goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "pegasos/model.h"
#include "pegasos/online.h"
#include "pegasos/option_table.h"
#include "pegasos/read.h"
#include "pegasos/train.h"

namespace pegasos {

struct StreamOptions {
  // The labels of all classes that will ever come, as in the file. Default: those of the sample.
  std::vector<std::string> classes = {};
  // The beginning of a stream that tells what its columns, labels and index base are, in bytes,
  // ≥ 1. A model to go on from knows that, and no sample is taken.
  std::uint64_t sample = std::uint64_t{1} << 20;
  // Seconds between calls of StreamWatch::save, ≥ 0.
  double save_every = 30.0;

  void validate() const;  // throws InvalidOption
};

const OptionTable<StreamOptions>& stream_option_table();

struct StreamProgress {
  std::uint64_t rows = 0;          // learned from
  std::uint64_t unlabelled = 0;    // passed over, as the next two
  std::uint64_t other_labels = 0;  // of none of the classes, with BadRows::skip
  std::size_t features = 0;
  double seconds = 0.0;
  ProgressiveLoss progressive = {};  // of these rows
};

// What a stream turned out to be.
struct StreamBegin {
  const ReadNotes& notes;
  const Schema& schema;
  const OnlineOptions& learns;
};

// All are called from the thread that called train_stream.
struct StreamWatch {
  // Before the first row is learned from. What it throws ends the run.
  std::function<void(const StreamBegin&)> begin = {};
  std::function<void(const StreamProgress&)> event = {};  // after every block of rows
  std::function<bool()> stop = {};  // true ends the run with what it has; called while waiting, too
  // The model so far, every so often, where rows have come since.
  std::function<void(const Model&)> save = {};
};

struct Streamed {
  Model model = {};
  StreamProgress progress = {};
  ReadNotes notes = {};
  TrainOptions options = {};  // with everything decided
  Ending ending = Ending::finished;
  // What was wrong with the row after the last one learned from, or with reading on; null: nothing.
  std::exception_ptr failure = {};
};

// Steps of OnlineLearner on every labelled row of the file ("-": standard input), in its order. Of
// the training options a stream takes task, loss, epsilon, delta, lambda (1e-4), bias,
// bias_feature, scale_targets (of tables), max_seconds and start, a model to go on from, whose
// problem and features it keeps; others are InvalidOption. Terms of text are hashed, to 2^18
// features unless reading.text says otherwise: no sample has the whole vocabulary. What goes wrong
// before the first row is thrown; later it is handed back with the model of the rows above.
Streamed train_stream(const std::string& path, const ReadOptions& reading,
                      const TrainOptions& options, const StreamOptions& stream = {},
                      const StreamWatch& watch = {});

}  // namespace pegasos
