#include "pegasos/calibration.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

#include "model/checks.h"

namespace pegasos {
namespace {

// 1/(1 + exp(z)) without overflow.
double falling_sigmoid(double z) {
  if (z >= 0) return std::exp(-z) / (1.0 + std::exp(-z));
  return 1.0 / (1.0 + std::exp(z));
}

}  // namespace

std::string name_of(CalibrationKind kind) {
  return kind == CalibrationKind::platt ? "platt" : "isotonic";
}

std::optional<CalibrationKind> calibration_of_name(const std::string& name) {
  for (const auto kind : {CalibrationKind::platt, CalibrationKind::isotonic}) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

double Calibration::probability(double score) const {
  if (kind == CalibrationKind::platt) return falling_sigmoid(a * score + b);
  const auto above = std::upper_bound(scores.begin(), scores.end(), score);
  if (above == scores.begin()) return probabilities.front();
  if (above == scores.end()) return probabilities.back();
  const auto right = static_cast<std::size_t>(above - scores.begin());
  const std::size_t left = right - 1;
  const double part = (score - scores[left]) / (scores[right] - scores[left]);
  // Rounding must not lead out of the two knots, or probabilities would not ascend.
  return std::clamp(probabilities[left] + part * (probabilities[right] - probabilities[left]),
                    probabilities[left], probabilities[right]);
}

void Calibration::validate() const {
  if (kind == CalibrationKind::platt) {
    require(std::isfinite(a) && a <= 0, "a", "must be finite, 0 or less");
    require(std::isfinite(b), "b", "must be finite");
    require(scores.empty() && probabilities.empty(), "scores",
            "only isotonic calibration has knots");
    return;
  }
  require(!scores.empty() && scores.size() == probabilities.size(), "scores",
          "there must be one per probability, and at least one");
  for (std::size_t i = 0; i < scores.size(); ++i) {
    require(std::isfinite(scores[i]), "scores", "must be finite");
    require(probabilities[i] >= 0 && probabilities[i] <= 1, "probabilities", "must be from 0 to 1");
    if (i == 0) continue;
    require(scores[i - 1] < scores[i], "scores", "must be in ascending order");
    require(probabilities[i - 1] <= probabilities[i], "probabilities",
            "must be in ascending order");
  }
}

void class_probabilities(std::span<const Calibration> calibrations, std::span<const double> scores,
                         std::span<double> probabilities) {
  assert(calibrations.size() == scores.size() && scores.size() == probabilities.size());
  double sum = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    probabilities[k] = calibrations[k].probability(scores[k]);
    sum += probabilities[k];
  }
  for (double& p : probabilities) {
    p = sum > 0 ? p / sum : 1.0 / static_cast<double>(probabilities.size());
  }
}

}  // namespace pegasos
