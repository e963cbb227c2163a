// Platt's sigmoid of largest likelihood.
//
//   minimise over a, b   F = -sum_i w_i [t_i ln p_i + (1 - t_i) ln(1 - p_i)]
//   p_i = 1/(1 + exp(a s_i + b))
//
// t is (n+ + 1)/(n+ + 2) for positive rows and 1/(n- + 2) for others, where n counts them. Newton
// steps on the 2 x 2 Hessian with a small ridge, halved until F falls enough. Lin, Lin and Weng,
// "A note on Platt's probabilistic outputs for support vector machines", Machine Learning 68
// (2007).
#include <algorithm>
#include <cmath>

#include "eval/checks.h"
#include "pegasos/calibrate.h"

namespace pegasos {
namespace {

constexpr int kMostSteps = 100;
constexpr double kShortestStep = 1e-10;
constexpr double kRidge = 1e-12;
constexpr double kGradientGoal = 1e-5;

// Rows with targets between 0 and 1, scores divided by their largest size so that the ridge and
// the gradient's goal mean the same for all.
struct Rows {
  std::vector<double> scores;
  std::vector<double> targets;
  std::vector<double> weights;
};

double objective(const Rows& rows, double a, double b) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.scores.size(); ++i) {
    const double z = a * rows.scores[i] + b;
    const double t = rows.targets[i];
    // The exponential of something negative only.
    sum += rows.weights[i] *
           (z >= 0 ? t * z + std::log1p(std::exp(-z)) : (t - 1.0) * z + std::log1p(std::exp(z)));
  }
  return sum;
}

struct Slopes {
  double a = 0.0;
  double b = 0.0;
  double aa = kRidge;
  double ab = 0.0;
  double bb = kRidge;
};

Slopes slopes_at(const Rows& rows, double a, double b) {
  Slopes slopes;
  for (std::size_t i = 0; i < rows.scores.size(); ++i) {
    const double s = rows.scores[i];
    const double z = a * s + b;
    const double small = std::exp(-std::abs(z));
    const double p = (z >= 0 ? small : 1.0) / (1.0 + small);
    const double curvature = rows.weights[i] * small / ((1.0 + small) * (1.0 + small));
    const double slope = rows.weights[i] * (rows.targets[i] - p);
    slopes.a += s * slope;
    slopes.b += slope;
    slopes.aa += s * s * curvature;
    slopes.ab += s * curvature;
    slopes.bb += curvature;
  }
  return slopes;
}

void minimise(const Rows& rows, double& a, double& b) {
  double value = objective(rows, a, b);
  for (int step = 0; step < kMostSteps; ++step) {
    const Slopes slopes = slopes_at(rows, a, b);
    if (std::abs(slopes.a) < kGradientGoal && std::abs(slopes.b) < kGradientGoal) return;
    const double determinant = slopes.aa * slopes.bb - slopes.ab * slopes.ab;
    const double da = -(slopes.bb * slopes.a - slopes.ab * slopes.b) / determinant;
    const double db = -(slopes.aa * slopes.b - slopes.ab * slopes.a) / determinant;
    const double descent = slopes.a * da + slopes.b * db;
    double length = 1.0;
    for (;; length /= 2) {
      if (length < kShortestStep) return;  // rounding has the last word
      const double candidate = objective(rows, a + length * da, b + length * db);
      if (candidate < value + 1e-4 * length * descent) {
        a += length * da;
        b += length * db;
        value = candidate;
        break;
      }
    }
  }
}

}  // namespace

Calibration fit_platt(std::span<const bool> positive, std::span<const double> scores,
                      std::span<const double> weights) {
  check_numbers(scores, positive.size(), "scores");
  check_weights(weights, positive.size());
  const RowWeights weight{weights};
  double counts[2] = {0, 0};
  double largest = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    counts[positive[i] ? 1 : 0] += weight(i);
    largest = std::max(largest, std::abs(scores[i]));
  }
  if (!(counts[0] > 0) || !(counts[1] > 0) || std::isinf(largest)) {
    throw InvalidOption("positive", "calibration needs finite scores of both classes");
  }
  const double unit = largest > 0 ? largest : 1.0;
  Rows rows;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    rows.scores.push_back(scores[i] / unit);
    rows.targets.push_back(positive[i] ? (counts[1] + 1.0) / (counts[1] + 2.0)
                                       : 1.0 / (counts[0] + 2.0));
    rows.weights.push_back(weight(i));
  }
  Calibration fit;
  const double prior = std::log((counts[0] + 1.0) / (counts[1] + 1.0));
  double a = 0;
  double b = prior;
  minimise(rows, a, b);
  const bool sensible = a <= 0 && std::isfinite(a / unit) && std::isfinite(b);
  fit.a = sensible ? a / unit : 0.0;
  fit.b = sensible ? b : prior;
  return fit;
}

}  // namespace pegasos
