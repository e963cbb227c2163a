// Fitting a Calibration to scores of rows whose class is known.
//
// The scores must be of rows that the model has not learned from: on its own training rows it is
// surer than it may be. calibrate() deals the rows into folds and scores each with a model of the
// others, which has the same options; the model itself learns from all rows.
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
// order the rows the wrong way give a = 0, the share of positive rows for all. Both classes must
// occur. Throws InvalidOption.
Calibration fit_platt(std::span<const bool> positive, std::span<const double> scores,
                      std::span<const double> weights = {});

// The ascending function nearest to the outcomes in squares, by pooling adjacent violators.
Calibration fit_isotonic(std::span<const bool> positive, std::span<const double> scores,
                         std::span<const double> weights = {});

struct CalibrateOptions {
  CalibrationKind kind = CalibrationKind::platt;
  std::size_t folds = 5;   // ≥ 2; fewer where the smaller class has not so many rows
  std::uint64_t seed = 1;  // of the folds

  void validate() const;  // throws InvalidOption
};

// Calibrations for a model trained on `data` with `options`, one for each of its scores. Nothing if
// `interrupted` ended it. Throws InvalidOption for regression and for a class of a single row.
std::optional<std::vector<Calibration>> calibrate(const Model& model, const Dataset& data,
                                                  const TrainOptions& options,
                                                  const CalibrateOptions& how,
                                                  const std::function<bool()>& interrupted = {});

}  // namespace pegasos
