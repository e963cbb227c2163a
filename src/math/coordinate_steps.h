// Exact steps of dual ascent: one dual variable, or a pair whose sum stays, all others fixed.
//
// A row with weight s, label y, score z and q = K_ii/(lambda m) adds to the dual, as its variable
// moves from a to a':
//
//   s gain(a'/s) - s gain(a/s) - (a' - a) z - q/2 (a' - a)^2
//
// The a' that makes this largest is the loss's ascend. dual_slopes(loss, a, y, s) is the slope
// of s gain(a/s) to the left and to the right of a, infinite at the ends of its domain.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/losses.h"

namespace pegasos {

struct DualRow {
  double a;
  double z;
  double y;
  double s;
  double q;
};

// What the step is worth. A row whose q is 0 has nothing to lose by going to the end.
template <typename LossType>
double best_dual_of_row(const LossType& loss, const DualRow& r) {
  if (r.s == 0.0) return 0.0;
  // The quotient would overflow; what is lost is less than rounding.
  constexpr double kNothing = 1e-290;
  if (r.q < kNothing) return r.s * loss.ascent(r.z, r.y);
  return loss.ascend(r.a, r.z, r.y, r.q, r.s);
}

template <typename LossType>
double dual_improvement(const LossType& loss, const DualRow& r, double to) {
  const double step = to - r.a;
  if (step == 0.0) return 0.0;
  return r.s * (loss.gain(to / r.s, r.y) - loss.gain(r.a / r.s, r.y)) - step * r.z -
         0.5 * r.q * step * step;
}

// The dual is at the end of its range that is not 0, but for what balancing may have taken off.
template <typename LossType>
bool is_at_bound(const LossType& loss, double a, double y, double s) {
  if (a == 0.0 || s == 0.0) return false;
  return std::abs(s * loss.clamp(2 * a / s, y)) <= (1 + 1e-6) * std::abs(a);
}

struct DualSlopes {
  double left;   // of the gain as a goes down
  double right;  // as a goes up
};

inline constexpr double kEndless = std::numeric_limits<double>::infinity();

// A slope that is constant inside [low, high] and infinite beyond.
inline DualSlopes slopes_inside(double slope, double a, double low, double high) {
  return {a <= low ? kEndless : slope, a >= high ? -kEndless : slope};
}

inline DualSlopes dual_slopes(const HingeLoss&, double a, double y, double s) {
  return slopes_inside(y, a, std::min(0.0, s * y), std::max(0.0, s * y));
}

inline DualSlopes dual_slopes(const SquaredHingeLoss&, double a, double y, double s) {
  const double low = y > 0 ? 0.0 : -kEndless;
  const double high = y > 0 ? kEndless : 0.0;
  return slopes_inside(y - 0.5 * a / s, a, low, high);
}

inline DualSlopes dual_slopes(const LogisticLoss&, double a, double y, double s) {
  const double beta = y * a;
  if (beta <= 0) return y > 0 ? DualSlopes{kEndless, kEndless} : DualSlopes{-kEndless, -kEndless};
  if (beta >= s) return y > 0 ? DualSlopes{-kEndless, -kEndless} : DualSlopes{kEndless, kEndless};
  const double slope = y * std::log((s - beta) / beta);
  return {slope, slope};
}

inline DualSlopes dual_slopes(const EpsilonInsensitiveLoss& loss, double a, double y, double s) {
  if (a == 0.0) return {y + loss.epsilon, y - loss.epsilon};
  return slopes_inside(y - std::copysign(loss.epsilon, a), a, -s, s);
}

inline DualSlopes dual_slopes(const SquaredEpsilonInsensitiveLoss& loss, double a, double y,
                              double s) {
  if (a == 0.0) return {y + loss.epsilon, y - loss.epsilon};
  const double slope = y - std::copysign(loss.epsilon, a) - 0.5 * a / s;
  return {slope, slope};
}

inline DualSlopes dual_slopes(const HuberLoss& loss, double a, double y, double s) {
  return slopes_inside(y - a / s, a, -loss.delta * s, loss.delta * s);
}

// How far the slope stays straight on the way from a in a direction, 1 or -1, and what it loses on
// each unit of that way. The logistic loss has no straight slope.
struct Straight {
  double fall;
  double length;
};

inline Straight straight_from(const HingeLoss&, double a, double y, double s, double direction) {
  const double end = direction * y > 0 ? s * y : 0.0;
  return {0.0, (end - a) * direction};
}

inline Straight straight_from(const SquaredHingeLoss&, double a, double y, double s,
                              double direction) {
  return {0.5 / s, direction * y > 0 ? kEndless : std::abs(a)};
}

inline Straight straight_from(const EpsilonInsensitiveLoss&, double a, double, double s,
                              double direction) {
  return {0.0, a * direction < 0 ? std::abs(a) : s - std::abs(a)};
}

inline Straight straight_from(const SquaredEpsilonInsensitiveLoss&, double a, double, double s,
                              double direction) {
  return {0.5 / s, a * direction < 0 ? std::abs(a) : kEndless};
}

inline Straight straight_from(const HuberLoss& loss, double a, double, double s, double direction) {
  return {1.0 / s, loss.delta * s - a * direction};
}

// The step t ≥ 0 that is best when `up` goes up by t and `down` goes down by t; curvature is
// K_uu + K_dd - 2 K_ud over lambda m. The slope of the dual along it falls with t. Where it is made
// of straight pieces, the search goes from one to the next, at most three of them; otherwise it
// doubles a bracket and halves it.
template <typename LossType>
double best_pair_step(const LossType& loss, const DualRow& up, const DualRow& down,
                      double curvature) {
  const auto slope = [&](double t) {
    return dual_slopes(loss, up.a + t, up.y, up.s).right -
           dual_slopes(loss, down.a - t, down.y, down.s).left - (up.z - down.z) - curvature * t;
  };
  if constexpr (requires { straight_from(loss, 0.0, 0.0, 0.0, 0.0); }) {
    for (double t = 0;;) {
      const double here = slope(t);
      if (!(here > 0)) return t;
      const Straight of_up = straight_from(loss, up.a + t, up.y, up.s, 1.0);
      const Straight of_down = straight_from(loss, down.a - t, down.y, down.s, -1.0);
      const double length = std::min(of_up.length, of_down.length);
      const double step = here / (curvature + of_up.fall + of_down.fall);
      if (step <= length) return t + step;
      const double end = t + length;
      if (!(end > t)) return t;  // a kink, but for rounding
      t = end;
    }
  } else {
    const double start = slope(0.0);
    if (!(start > 0)) return 0.0;
    double far = std::isfinite(start) ? start / std::max(curvature, 1e-12) : up.s + down.s;
    double near = 0;
    for (int i = 0; i < 100 && slope(far) > 0; ++i) {
      near = far;
      far *= 2;
    }
    for (int i = 0; i < 100; ++i) {
      const double middle = 0.5 * (near + far);
      if (middle == near || middle == far) break;
      (slope(middle) > 0 ? near : far) = middle;
    }
    return near;
  }
}

}  // namespace pegasos
