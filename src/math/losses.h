// The losses with their slopes and conjugates, one stateless struct each.
//
// z is the score <w,x> + b, y the label (-1 or +1, or a number), a the dual variable of a row.
//
//   value(z, y)   the loss
//   ascent(z, y)  u, minus a sub-gradient in z: the direction in which z should move
//   gain(a, y)    -conj(-a), what a row with dual a adds to the dual objective
//   clamp(a, y)   the feasible dual nearest to a
//
// By definition of the conjugate gain(a) ≤ loss(z) + a z for every z and every feasible a, which is
// all that weak duality needs, and ascent(z, y) is feasible for every z. A row weight s turns these
// into s·value, s·ascent, s·gain(a/s), s·clamp(a/s).
#pragma once

#include <algorithm>
#include <cmath>

#include "pegasos/loss.h"

namespace pegasos {

struct HingeLoss {
  static double value(double z, double y) { return std::max(0.0, 1.0 - y * z); }
  static double ascent(double z, double y) { return y * z < 1.0 ? y : 0.0; }
  static double gain(double a, double y) { return y * a; }
  static double clamp(double a, double y) { return y * std::clamp(y * a, 0.0, 1.0); }
};

struct SquaredHingeLoss {
  static double value(double z, double y) {
    const double slack = std::max(0.0, 1.0 - y * z);
    return slack * slack;
  }
  static double ascent(double z, double y) { return 2.0 * y * std::max(0.0, 1.0 - y * z); }
  static double gain(double a, double y) { return y * a - 0.25 * a * a; }
  static double clamp(double a, double y) { return y * std::max(0.0, y * a); }
};

struct LogisticLoss {
  // ln(1 + e^-m) without overflow for either sign of the margin m.
  static double value(double z, double y) {
    const double m = y * z;
    return std::max(0.0, -m) + std::log1p(std::exp(-std::abs(m)));
  }
  static double ascent(double z, double y) { return y / (1.0 + std::exp(y * z)); }
  // The entropy of beta = y a; 0 ln 0 = 0.
  static double gain(double a, double y) {
    const double beta = y * a;
    const double p = beta > 0.0 ? beta * std::log(beta) : 0.0;
    const double q = beta < 1.0 ? (1.0 - beta) * std::log1p(-beta) : 0.0;
    return -(p + q);
  }
  static double clamp(double a, double y) { return y * std::clamp(y * a, 0.0, 1.0); }
};

struct EpsilonInsensitiveLoss {
  double epsilon;
  double value(double z, double y) const { return std::max(0.0, std::abs(y - z) - epsilon); }
  double ascent(double z, double y) const {
    const double r = y - z;
    return std::abs(r) > epsilon ? std::copysign(1.0, r) : 0.0;
  }
  double gain(double a, double y) const { return y * a - epsilon * std::abs(a); }
  static double clamp(double a, double) { return std::clamp(a, -1.0, 1.0); }
};

struct SquaredEpsilonInsensitiveLoss {
  double epsilon;
  double value(double z, double y) const {
    const double excess = std::max(0.0, std::abs(y - z) - epsilon);
    return excess * excess;
  }
  double ascent(double z, double y) const {
    const double r = y - z;
    return 2.0 * std::copysign(std::max(0.0, std::abs(r) - epsilon), r);
  }
  double gain(double a, double y) const { return y * a - epsilon * std::abs(a) - 0.25 * a * a; }
  static double clamp(double a, double) { return a; }
};

struct HuberLoss {
  double delta;
  double value(double z, double y) const {
    const double r = std::abs(y - z);
    return r <= delta ? 0.5 * r * r : delta * (r - 0.5 * delta);
  }
  double ascent(double z, double y) const { return std::clamp(y - z, -delta, delta); }
  static double gain(double a, double y) { return y * a - 0.5 * a * a; }
  double clamp(double a, double) const { return std::clamp(a, -delta, delta); }
};

// Calls f with the struct the options name: the one switch between an option and its inner loop.
template <typename F>
decltype(auto) with_loss(const LossOptions& options, F&& f) {
  switch (options.loss) {
    case Loss::squared_hinge:
      return f(SquaredHingeLoss{});
    case Loss::logistic:
      return f(LogisticLoss{});
    case Loss::epsilon_insensitive:
      return f(EpsilonInsensitiveLoss{options.epsilon});
    case Loss::squared_epsilon_insensitive:
      return f(SquaredEpsilonInsensitiveLoss{options.epsilon});
    case Loss::huber:
      return f(HuberLoss{options.delta});
    case Loss::hinge:
      break;
  }
  return f(HingeLoss{});
}

// The curvature of the losses whose slope has no bound; 0 for the others. Sub-gradient steps must
// stay below 1 / (curvature |x|^2) or they diverge.
inline double unbounded_curvature(Loss loss) {
  return loss == Loss::squared_hinge || loss == Loss::squared_epsilon_insensitive ? 2.0 : 0.0;
}

}  // namespace pegasos
