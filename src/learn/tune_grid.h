// The search grid: one path of lambdas for each kernel and loss setting.
//
// The default values of lambda span the range that can matter for the data. With R^2 the mean
// squared norm of a row (mean K(x, x) of a kernel) and s the size of the labels' losses,
//
//   strongest  lambda = R^2/s min(1, 1000/m)    all rows but a few are within the margin
//   weakest    lambda = R^2/(100 s m)           C of 100 for rows of norm 1: rows are met exactly
//
// in steps of about half a decade, rounded to three digits.
#pragma once

#include <vector>

#include "pegasos/tune.h"

namespace pegasos {

// All points in the order they are walked: path by path, each from strong to weak. Scores are
// empty. The task of `options.train` is decided, and the rows are scaled.
std::vector<TunePoint> points_of(const TuneOptions& options, const Dataset& data);

}  // namespace pegasos
