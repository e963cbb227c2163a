// What one row adds to the primal and to the dual objective, as enclosures.
//
//   loss    s loss(z; y)
//   bound   s gain(a/s; y) - a z      what a row with dual a adds to D besides the norms
//
// Both are written in the margin t = y z of a class or the residual t = y - z of a number, in which
// a large target or bias has already cancelled:
//
//   hinge                 s (1 - t)+            beta (1 - t)                         beta = y a
//   squared hinge         s (1 - t)+^2          beta (1 - t) - beta^2/4s
//   logistic              s ln(1 + e^-t)        s H(beta/s) - beta t,  H the entropy
//   epsilon-insensitive   s (|t| - eps)+        a t - eps |a|
//   its square            s (|t| - eps)+^2      a t - eps |a| - a^2/4s
//   Huber                 s c (|t| - c/2)       a t - a^2/2s,          c = min(|t|, delta)
//
// exp, log and log1p are taken to be within 2 units in the last place, which is tested.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "math/enclosure.h"
#include "math/losses.h"

namespace pegasos {

// 2 units in the last place, relative.
inline constexpr double kFunctionError = 4 * kUnit;

// The loss of a row is certainly zero.
template <typename LossType>
bool has_no_loss(const LossType& loss, double t, double error) {
  if constexpr (std::is_same_v<LossType, HingeLoss> || std::is_same_v<LossType, SquaredHingeLoss>) {
    return t - 1.0 > 4 * error + 4 * kUnit * t;
  } else if constexpr (std::is_same_v<LossType, EpsilonInsensitiveLoss> ||
                       std::is_same_v<LossType, SquaredEpsilonInsensitiveLoss>) {
    return loss.epsilon - std::abs(t) > 4 * error + 4 * kUnit * loss.epsilon;
  } else {
    return false;
  }
}

template <typename Number>
struct RowTerms {
  Number loss;
  Number bound;
};

template <typename Number>
RowTerms<Number> row_terms(HingeLoss, double s, double y, double a, Number t) {
  const Number slack = Number(1.0) - t;
  return {Number(s) * positive_part(slack), Number(y * a) * slack};
}

template <typename Number>
RowTerms<Number> row_terms(SquaredHingeLoss, double s, double y, double a, Number t) {
  const Number slack = Number(1.0) - t;
  const Number over = positive_part(slack);
  const Number beta(y * a);
  return {Number(s) * over * over, beta * slack - beta * beta * Number(0.25) / s};
}

// ln(1 + e^-t), which changes no faster than t.
template <typename Number>
Near softplus(Number t) {
  const double margin = t.middle();
  const double rest = std::log1p(std::exp(-std::abs(margin)));
  const double value = std::max(0.0, -margin) + rest;
  const double below = std::abs((t - Number(margin)).middle());
  return {value, (t.error + 2 * below + 3 * kFunctionError * value) * kUp + kTiny};
}

// s H(beta/s) for beta in [0, s]; the same for beta and s - beta, which is exact for the larger.
inline Near weighted_entropy(double beta, double s) {
  const double p = beta > 0.5 * s ? s - beta : beta;
  if (p <= 0.0) return 0.0;
  const double q = p / s;
  if (q < 0x1p-960) return {0.0, 1e4 * p + kTiny};
  const double log_q = std::log(q);
  const double log_rest = std::log1p(-q);
  // q has a relative error of u, which moves log q by u and log(1 - q) by 2 u q.
  const Near first(-log_q, (kFunctionError * std::abs(log_q) + 2 * kUnit) * kUp);
  const Near second(-log_rest, (kFunctionError * std::abs(log_rest) + 4 * kUnit * q) * kUp + kTiny);
  return Near(p) * first + (Near(s) - Near(p)) * second;
}

template <typename Number>
RowTerms<Number> row_terms(LogisticLoss, double s, double y, double a, Number t) {
  const double beta = y * a;
  return {Number(s) * Number(softplus(t)), Number(weighted_entropy(beta, s)) - Number(beta) * t};
}

template <typename Number>
RowTerms<Number> row_terms(EpsilonInsensitiveLoss loss, double s, double, double a, Number t) {
  const Number epsilon(loss.epsilon);
  return {Number(s) * positive_part(magnitude(t) - epsilon),
          Number(a) * t - epsilon * Number(std::abs(a))};
}

template <typename Number>
RowTerms<Number> row_terms(SquaredEpsilonInsensitiveLoss loss, double s, double, double a,
                           Number t) {
  const Number epsilon(loss.epsilon);
  const Number over = positive_part(magnitude(t) - epsilon);
  return {Number(s) * over * over,
          Number(a) * t - epsilon * Number(std::abs(a)) - Number(a) * Number(a) * Number(0.25) / s};
}

// On the wrong side of delta the two pieces differ by half the square of the error.
template <typename Number>
RowTerms<Number> row_terms(HuberLoss loss, double s, double, double a, Number t) {
  const Number r = magnitude(t);
  const Number c = r.middle() <= loss.delta ? r : Number(loss.delta);
  const Number value = (c * (r - Number(0.5) * c)).with_error(t.error * t.error);
  return {Number(s) * value, Number(a) * t - Number(a) * Number(a) * Number(0.5) / s};
}

}  // namespace pegasos
