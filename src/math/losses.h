// The losses with their slopes and conjugates, one stateless struct each.
//
// z is the score <w,x> + b, y the label (-1 or +1, or a number), a the dual variable of a row.
//
//   value(z, y)   the loss
//   ascent(z, y)  u, minus a sub-gradient in z: the direction in which z should move
//   gain(a, y)    -conj(-a), what a row with dual a adds to the dual objective
//   clamp(a, y)   the feasible dual nearest to a
//
// and for the solvers that move duals, with the row's weight s:
//
//   ascend(a, z, y, q, s)  argmax over a' of  s gain(a'/s) - z (a' - a) - q/2 (a' - a)^2
//   response(a, y, q, s)   how fast that a' falls as z grows, at a' = a: the curvature of the
//                          smoothed loss
//
// ascend is at once the exact step of one dual coordinate (q = |x|^2/(lambda m)) and, with q a
// smoothing parameter and a its centre, minus the slope of the loss smoothed by Moreau's envelope.
//
// and for losses with a kink
//
//   middle(z, y)  the dual half-way between the two slopes at the kink nearest to z
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
  static double ascend(double a, double z, double y, double q, double s) {
    return y * std::clamp(y * a + (1.0 - y * z) / q, 0.0, s);
  }
  static double response(double a, double y, double q, double s) {
    return y * a > 0.0 && y * a < s ? 1.0 / q : 0.0;
  }
  static double middle(double, double y) { return 0.5 * y; }
};

struct SquaredHingeLoss {
  static double value(double z, double y) {
    const double slack = std::max(0.0, 1.0 - y * z);
    return slack * slack;
  }
  static double ascent(double z, double y) { return 2.0 * y * std::max(0.0, 1.0 - y * z); }
  static double gain(double a, double y) { return y * a - 0.25 * a * a; }
  static double clamp(double a, double y) { return y * std::max(0.0, y * a); }
  static double ascend(double a, double z, double y, double q, double s) {
    const double beta = y * a;
    return y * std::max(0.0, beta + (1.0 - y * z - 0.5 * beta / s) / (q + 0.5 / s));
  }
  static double response(double a, double y, double q, double s) {
    return y * a > 0.0 ? 1.0 / (q + 0.5 / s) : 0.0;
  }
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
  // With beta = y a = s sigmoid(t) the condition is  t + y z + q (s sigmoid(t) - beta_old) = 0,
  // increasing in t with a slope of at least 1. Newton, kept inside a bracket.
  static double ascend(double a, double z, double y, double q, double s) {
    const double margin = y * z - q * y * a;
    double low = -margin - q * s;
    double high = -margin;
    double t =
        std::clamp(y * a > 0.0 && y * a < s ? std::log(y * a / (s - y * a)) : -margin, low, high);
    for (int round = 0; round < kMostRounds; ++round) {
      const double sigmoid = 1.0 / (1.0 + std::exp(-t));
      const double value = t + margin + q * s * sigmoid;
      (value > 0.0 ? high : low) = t;
      double next = t - value / (1.0 + q * s * sigmoid * (1.0 - sigmoid));
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      const double change = std::abs(next - t);
      t = next;
      if (change <= kPrecision * (1.0 + std::abs(t))) break;
    }
    return y * s / (1.0 + std::exp(-t));
  }
  static double response(double a, double y, double q, double s) {
    const double slope = y * a * (s - y * a) / s;
    return slope / (1.0 + q * slope);
  }

 private:
  static constexpr int kMostRounds = 100;
  static constexpr double kPrecision = 1e-15;
};

// Towards 0 by epsilon, and no further than 0.
inline double soft_threshold(double value, double epsilon) {
  return std::copysign(std::max(0.0, std::abs(value) - epsilon), value);
}

struct EpsilonInsensitiveLoss {
  double epsilon;
  double value(double z, double y) const { return std::max(0.0, std::abs(y - z) - epsilon); }
  double ascent(double z, double y) const {
    const double r = y - z;
    return std::abs(r) > epsilon ? std::copysign(1.0, r) : 0.0;
  }
  double gain(double a, double y) const { return y * a - epsilon * std::abs(a); }
  static double clamp(double a, double) { return std::clamp(a, -1.0, 1.0); }
  double ascend(double a, double z, double y, double q, double s) const {
    return std::clamp(soft_threshold(y - z + q * a, epsilon) / q, -s, s);
  }
  static double response(double a, double, double q, double s) {
    return a != 0.0 && std::abs(a) < s ? 1.0 / q : 0.0;
  }
  static double middle(double z, double y) { return std::copysign(0.5, y - z); }
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
  double ascend(double a, double z, double y, double q, double s) const {
    return soft_threshold(y - z + q * a, epsilon) / (q + 0.5 / s);
  }
  static double response(double a, double, double q, double s) {
    return a != 0.0 ? 1.0 / (q + 0.5 / s) : 0.0;
  }
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
  double ascend(double a, double z, double y, double q, double s) const {
    return std::clamp((y - z + q * a) / (q + 1.0 / s), -delta * s, delta * s);
  }
  double response(double a, double, double q, double s) const {
    return std::abs(a) < delta * s ? 1.0 / (q + 1.0 / s) : 0.0;
  }
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

// True for the losses with a kink: their response needs q > 0.
inline bool has_kink(Loss loss) {
  return loss == Loss::hinge || loss == Loss::epsilon_insensitive;
}

// The curvature of the losses whose slope has no bound; 0 for the others. Sub-gradient steps must
// stay below 1 / (curvature |x|^2) or they diverge.
inline double unbounded_curvature(Loss loss) {
  return loss == Loss::squared_hinge || loss == Loss::squared_epsilon_insensitive ? 2.0 : 0.0;
}

}  // namespace pegasos
