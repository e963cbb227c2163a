// Calibration: maps the score of a row to the probability of the positive class.
//
//   platt      1/(1 + exp(a s + b)) with a ≤ 0: two numbers, safe with few rows
//   isotonic   piecewise linear and increasing, constant outside its knots: any shape, needs a few
//              thousand rows
//
// Both are increasing, so probabilities rank rows in the same order as scores.
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

// Multiclass: calibrates each one-vs-rest score and normalises the results to sum to 1 (uniform if
// the sum is 0). `probabilities` has one element per score.
void class_probabilities(std::span<const Calibration> calibrations, std::span<const double> scores,
                         std::span<double> probabilities);

}  // namespace pegasos
