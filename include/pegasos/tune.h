// Tuning: which strength of regularisation, and which kernel, predicts rows best that were not
// learned from. And cross-validation of a single choice.
//
//   for each gamma, degree and epsilon:            a path
//     for each lambda, from strong to weak:        a point of it
//       for each fold:  train on the other rows, score the fold's
//
// Along a path every fold begins near its end: dual variables are bounded by the loss alone, so
// those of the lambdas before stay feasible, and the line through the last two leads most of the
// way. Folds run side by side.
// Scaling and feature maps are fitted on the rows that are learned from, never on those held out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/train.h"

namespace pegasos {

// What is measured on rows held out; every row counts the same, whatever it weighs in training.
enum class Score { error, accuracy, f1, auc, mae, rmse };

std::string name_of(Score score);
bool larger_is_better(Score score);
bool is_for_classes(Score score);

enum class Choice {
  best,               // the best mean over the folds
  one_standard_error  // the strongest regularisation whose mean is within one standard error of it
};

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

  std::size_t folds = 5;               // 2 … rows
  std::optional<double> holdout = {};  // one fold of this share of the rows instead

  Choice choice = Choice::one_standard_error;
  std::optional<Score> score = {};  // default: error, or mae for regression

  // How near the optimum the models of the search are; the choice does not need more.
  double tolerance = 1e-2;

  void validate() const;  // throws InvalidOption
};

struct TunePoint {
  // The strength, as lambda and as C, for all rows; `by_c` says which of them was walked.
  double lambda = 0.0;
  double c = 0.0;
  bool by_c = false;
  std::optional<double> gamma = {};  // of a kernel that has one
  std::optional<unsigned> degree = {};
  std::optional<double> epsilon = {};  // of a loss that has one
  std::size_t path = 0;

  std::vector<double> scores = {};  // one for each fold
  double mean = 0.0;
  // Of the mean: from the spread between folds, or of a hold-out's rows; NaN where there is none.
  double standard_error = std::numeric_limits<double>::quiet_NaN();
  // The widest proven gap of its models, as a share of the optimum; infinite where there is none.
  double gap = 0.0;
};

struct TuneResult {
  Score score = Score::error;
  std::vector<TunePoint> points = {};  // those all of whose folds were scored; strong to weak
  std::size_t planned = 0;             // points there were to be
  std::size_t best = 0;                // places in points, unless it is empty
  std::size_t chosen = 0;
  bool interrupted = false;
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
};

// Throws InvalidOption for options that do not fit the data, as train does.
TuneResult tune(const Dataset& data, const TuneOptions& options = {}, const TuneWatch& watch = {});

// The options that train what a point stands for on all rows.
TrainOptions options_at(const TuneOptions& options, const TunePoint& point);

// What models of the other folds say about every row.
struct CrossValidation {
  // The decision value of a row, by a model that did not learn from it; for many classes the label;
  // where rows have several labels, the decision value of the first class.
  std::vector<double> predicted = {};
  double gap = 0.0;  // as in TunePoint
  bool interrupted = false;

  // Classes: the share of right labels. Regression: as LIBLINEAR prints them.
  double accuracy = 0.0;
  double mean_squared_error = 0.0;
  double squared_correlation = 0.0;
  bool classifies = true;
};

CrossValidation cross_validate(const Dataset& data, const TrainOptions& options, std::size_t folds,
                               const std::function<bool()>& interrupted = {});

}  // namespace pegasos
