// Numbers of a table to values of features; see ColumnScale.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "pegasos/schema.h"

namespace pegasos {

// What is stored of a number until it is scaled.
inline float less_origin(double number, const ColumnScale& scale) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(number - scale.origin, -kLargest, kLargest));
}

inline float scaled(float stored, const ColumnScale& scale) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  const double value = (static_cast<double>(stored) - scale.shift) * scale.factor;
  return static_cast<float>(std::clamp(value, -kLargest, kLargest));
}

// The number of the file that has this value.
inline double unscaled(double value, const ColumnScale& scale) {
  return scale.factor == 0.0 ? scale.origin + scale.shift
                             : value / scale.factor + scale.shift + scale.origin;
}

// The value of a missing number. Those of a missing date are 0, the mean where they are scaled.
inline float fill_value(const CsvColumn& column, MissingValues missing) {
  const double number = missing == MissingValues::mean     ? column.mean
                        : missing == MissingValues::median ? column.median
                                                           : 0.0;
  if (column.scales.empty()) return static_cast<float>(number);
  return scaled(less_origin(number, column.scales[0]), column.scales[0]);
}

}  // namespace pegasos
