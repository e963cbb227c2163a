// What a search for hyperparameters has found; see tune.h.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/loss.h"

namespace pegasos {

// What is measured on rows held out; rows count by their weights.
enum class Score { error, accuracy, f1, auc, mae, rmse };

std::string name_of(Score score);
bool larger_is_better(Score score);
bool is_for_classes(Score score);

struct TunePoint {
  // The strength, as lambda and as C, for all rows; `by_c` says which of them was walked.
  double lambda = 0.0;
  double c = 0.0;
  bool by_c = false;
  std::optional<double> gamma = {};  // of a kernel that has one
  std::optional<unsigned> degree = {};
  std::optional<double> epsilon = {};  // of a loss that has one
  // Of a wide search. Of a table, the scaling is that of its columns when it is read.
  std::optional<Loss> loss = {};
  std::string scaling = {};  // "none", "standard", "maxabs", "minmax", "unit-row"
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

}  // namespace pegasos
