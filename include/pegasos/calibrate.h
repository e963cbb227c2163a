// Fits a Calibration to the scores of labelled rows.
//
// The scores must come from held-out rows: on its own training rows a model is overconfident.
// calibrate() splits the rows into folds and scores each fold with a model trained on the others
// with the same options; the final model is trained on all rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pegasos/calibration.h"
#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/train.h"

namespace pegasos {

// Platt's sigmoid of largest likelihood, with his smoothed targets (n+1)/(n+2), 1/(n+2), by the
// Newton method with backtracking of Lin, Lin and Weng (2007), which never overflows. Scores that
// rank the rows the wrong way round give a = 0: every row gets the share of positive rows. Both
// classes must occur. Throws InvalidOption.
Calibration fit_platt(std::span<const bool> positive, std::span<const double> scores,
                      std::span<const double> weights = {});

// Isotonic regression (least squares) by pooling adjacent violators.
Calibration fit_isotonic(std::span<const bool> positive, std::span<const double> scores,
                         std::span<const double> weights = {});

struct CalibrateOptions {
  CalibrationKind kind = CalibrationKind::platt;
  std::size_t folds = 5;   // ≥ 2; fewer if the smaller class has fewer rows
  std::uint64_t seed = 1;  // of the folds

  void validate() const;  // throws InvalidOption
};

struct CalibrateWatch {
  std::function<void(std::size_t fold, std::size_t folds)> fold = {};  // before each of them
  std::function<bool()> stop = {};                                     // asked often
};

// Calibrations for a model trained on `data` with `options`, one for each of its scores. Nothing if
// it was stopped. Throws InvalidOption for regression and for a class of a single row.
std::optional<std::vector<Calibration>> calibrate(const Model& model, const Dataset& data,
                                                  const TrainOptions& options,
                                                  const CalibrateOptions& how,
                                                  const CalibrateWatch& watch = {});

}  // namespace pegasos
