// Certificate: how far from the optimum a model can be at most.
//
//   dual  ≤  minimum of all objectives  ≤  objective of this model  ≤  primal
//
// The certificate of a trained or verified model is a theorem about the numbers as they are stored:
// primal is rounded up and dual down by a bound of all rounding errors (docs/certificate.md). While
// a solver runs, its reports carry the same two numbers in ordinary double precision.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace pegasos {

struct Certificate {
  double primal = 0.0;                      // the objective, or more
  std::optional<double> dual = {};          // the optimum, or less; none where no bound is known
  double regulariser = 0.0;                 // of the objective: lambda/2 |w|^2
  double mean_loss = 0.0;                   // of the objective: 1/m sum s_i loss_i
  std::optional<std::uint64_t> wrong = {};  // classification: misclassified training rows

  // P - D. Without a bound the objective itself: losses are never negative.
  double gap() const {
    const double bound = dual.value_or(0.0);
    return primal > bound ? primal - bound : 0.0;
  }
  // Only then is the gap a share of the optimum.
  bool has_positive_bound() const { return dual && *dual > 0 && *dual > kRounding * primal; }
  // (P - D)/D, rounded up, bounds (P - P*)/P*; infinite where there is no such statement.
  double relative_gap() const {
    return has_positive_bound() ? gap() / *dual * kUp : std::numeric_limits<double>::infinity();
  }
  // The same, or nothing where it is infinite.
  std::optional<double> share() const {
    return has_positive_bound() ? std::optional(relative_gap()) : std::nullopt;
  }
  // Proven to be within this share of the optimum. An optimum of 0 must be met exactly.
  bool within(double share) const { return gap() <= share * (has_positive_bound() ? *dual : 0.0); }

  friend bool operator==(const Certificate&, const Certificate&) = default;

  static constexpr double kRounding = 1e-15;
  static constexpr double kUp = 1.0 + 0x1p-51;
};

}  // namespace pegasos
