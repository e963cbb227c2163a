// Tuning: chooses lambda and kernel parameters by cross-validation, and in a wide search the
// scaling and the loss. Also cross-validation of a single setting.
//
//   for each gamma, degree and epsilon:            a path
//     for each lambda, from strong to weak:        a point of it
//       for each fold:  train on the other rows, score the fold's
//
// Warm starts make a path cheap: the bounds of the dual variables depend on the loss alone, so
// those of earlier lambdas stay feasible, and extrapolating the last two is close to the next
// solution. Folds run in parallel. Scaling and feature maps are fitted on training folds only,
// never on held-out rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/read.h"
#include "pegasos/train.h"
#include "pegasos/tune_result.h"

namespace pegasos {

enum class Choice {
  best,               // the best mean over the folds
  one_standard_error  // the strongest regularisation whose mean is within one standard error of it
};

// A wide search walks the usual paths, then the same for other scalings, and then, with the best of
// the scalings, for other losses: one after the other, because all combinations would be several
// times the work. What train says of the loss or the scaling is kept.
enum class SearchKind { usual, wide };

// Number columns of tables are scaled when they are read, so a wide search reads a table again.
struct TableReading {
  TableScaling scaling = TableScaling::standard;  // that the data was read with
  std::function<Dataset(TableScaling)> read_again = {};
};

// If no values of lambda (or gamma) are given and the best is at an end of the default ones,
// the search goes on beyond that end, a few times.
struct TuneOptions {
  // What all points have in common, with the number of threads and the seed. Its lambda or C, or
  // its gamma, hold where none are listed below; without them a list is made for the data.
  TrainOptions train = {};

  // The strengths to walk, of which at most one kind is given; they are sorted, each > 0. C is that
  // of the rows that are trained on, as in LIBLINEAR.
  std::vector<double> lambdas = {};
  std::vector<double> cs = {};

  // Paths: for kernels with such a parameter, and the epsilon losses.
  std::vector<double> gammas = {};
  std::vector<unsigned> degrees = {};
  std::vector<double> epsilons = {};

  SearchKind search = SearchKind::usual;
  // Wide searches: keep train.scaling, also where it is none. Without `table`, the scaling of a
  // table is kept too.
  bool keep_scaling = false;
  std::optional<TableReading> table = {};

  std::size_t folds = 5;               // 2 … rows
  std::optional<double> holdout = {};  // one fold of this share of the rows instead

  Choice choice = Choice::one_standard_error;
  std::optional<Score> score = {};  // default: error, or mae for regression

  // Tolerance of the models in the search; choosing does not need more precision.
  double tolerance = 1e-2;

  void validate() const;  // throws InvalidOption
};

struct TuneProgress {
  Score score = Score::error;
  std::size_t fits = 0;  // models trained and scored so far
  std::size_t fits_planned = 0;
  std::size_t points = 0;           // complete ones
  const TunePoint* best = nullptr;  // of them; valid during the call
};

struct TuneWatch {
  // After every model, from one thread at a time.
  std::function<void(const TuneProgress&)> progress = {};
  // Asked often, from several threads; true ends the search with the points that are complete.
  std::function<bool()> interrupted = {};
  CheckpointWatch checkpoint = {};
};

// Also ends when train.max_seconds are over, with the points that are complete. Throws
// InvalidOption for options that do not fit the data, as train does, Error where the time was too
// short for a single point, and Cancelled where it was ended before there was one.
TuneResult tune(const Dataset& data, const TuneOptions& options = {}, const TuneWatch& watch = {});

// The options that train what a point stands for on all rows.
TrainOptions options_at(const TuneOptions& options, const TunePoint& point);

// Out-of-fold predictions for every row.
struct CrossValidation {
  // The decision value of a row, or its number, by a model that did not learn from it; for many
  // classes the label;
  // where rows have several labels, the decision value of the first class.
  std::vector<double> predicted = {};
  double gap = 0.0;                       // as in TunePoint
  std::optional<TuneResult> search = {};  // of lambda, on all rows, where it was to be tuned

  // Classes: the share of right labels. Regression: as LIBLINEAR prints them.
  double accuracy = 0.0;
  double mean_squared_error = 0.0;
  double squared_correlation = 0.0;
  bool classifies = true;
};

// Throws Cancelled where it was interrupted, Error where train's max_seconds were too short.
CrossValidation cross_validate(const Dataset& data, const TrainOptions& options, std::size_t folds,
                               const std::function<bool()>& interrupted = {},
                               const CheckpointWatch& checkpoint = {});

}  // namespace pegasos
