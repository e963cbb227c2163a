// Input checks of metrics, and row weights.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "pegasos/error.h"

namespace pegasos {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

inline void check_size(std::size_t found, std::size_t rows, const char* name) {
  if (found != rows) throw InvalidOption(name, fmt::format("{} given for {} rows", found, rows));
}

// A NaN has no place in any order and would pass as a prediction of the negative class.
inline void check_numbers(std::span<const double> numbers, std::size_t rows, const char* name) {
  check_size(numbers.size(), rows, name);
  for (std::size_t i = 0; i < rows; ++i) {
    if (std::isnan(numbers[i]))
      throw InvalidOption(name, fmt::format("row {} has no label (NaN)", i));
  }
}

inline void check_weights(std::span<const double> weights, std::size_t rows) {
  if (weights.empty()) return;
  check_size(weights.size(), rows, "weights");
  for (std::size_t i = 0; i < rows; ++i) {
    if (!(weights[i] >= 0) || std::isinf(weights[i])) {
      throw InvalidOption("weights", fmt::format("the weight of row {} is not 0 or more", i));
    }
  }
}

inline void check_probabilities(std::span<const double> probabilities, std::size_t entries) {
  check_size(probabilities.size(), entries, "probabilities");
  for (std::size_t i = 0; i < entries; ++i) {
    if (!(probabilities[i] >= 0 && probabilities[i] <= 1)) {
      throw InvalidOption("probabilities", fmt::format("entry {} is not between 0 and 1", i));
    }
  }
}

// How much row i counts.
struct RowWeights {
  std::span<const double> weights;
  double operator()(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
};

inline double ratio_or(double part, double whole, double otherwise) {
  return whole > 0 ? part / whole : otherwise;
}

}  // namespace pegasos
