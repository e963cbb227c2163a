// Calibration: from the score of a row to the probability that it is of the positive class.
//
//   platt      1/(1 + exp(a s + b)) with a ≤ 0: two numbers, safe with few rows
//   isotonic   an ascending line through knots, constant before the first and after the last: any
//              shape, for some thousand rows and more
//
// Both ascend, so that probabilities and scores put rows in the same order.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pegasos {

enum class CalibrationKind { platt, isotonic };

std::string name_of(CalibrationKind kind);  // "platt", "isotonic"
std::optional<CalibrationKind> calibration_of_name(const std::string& name);

struct Calibration {
  CalibrationKind kind = CalibrationKind::platt;
  double a = 0.0;
  double b = 0.0;
  // The knots: scores ascend strictly, probabilities ascend.
  std::vector<double> scores = {};
  std::vector<double> probabilities = {};

  double probability(double score) const;

  void validate() const;  // throws InvalidOption

  friend bool operator==(const Calibration&, const Calibration&) = default;
};

// Of the scores of several classes, each against the rest: every one calibrated, and all divided by
// their sum; the same for all where the sum is 0. `probabilities` has a place for each score.
void class_probabilities(std::span<const Calibration> calibrations, std::span<const double> scores,
                         std::span<double> probabilities);

}  // namespace pegasos
