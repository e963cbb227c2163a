#include "math/best_bias.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "math/losses.h"

namespace pegasos {
namespace {

double weight(std::span<const double> weights, std::size_t i) {
  return weights.empty() ? 1.0 : weights[i];
}

// The slope of the sum rises by `jump` at `at`.
struct Breakpoint {
  double at;
  double jump;
};

double minimum_of_pieces(std::vector<Breakpoint>& points, double slope_at_minus_infinity) {
  std::sort(points.begin(), points.end(),
            [](const Breakpoint& a, const Breakpoint& b) { return a.at < b.at; });
  // Slopes are sums of weights; what rounding leaves of zero must not move the minimum.
  double total = 0;
  for (const auto& point : points) total += point.jump;
  const double nothing = 1e-12 * total;
  double slope = slope_at_minus_infinity;
  for (const auto& point : points) {
    slope += point.jump;
    if (slope >= -nothing) return point.at;
  }
  return points.empty() ? 0.0 : points.back().at;
}

double bisected(const LossOptions& options, std::span<const double> z, std::span<const double> y,
                std::span<const double> weights) {
  return with_loss(options, [&](const auto& loss) {
    const auto total_ascent = [&](double b) {
      double sum = 0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        sum += weight(weights, i) * loss.ascent(z[i] + b, y[i]);
      }
      return sum;
    };
    double reach = 1;
    for (std::size_t i = 0; i < z.size(); ++i) {
      reach = std::max(reach, std::abs(z[i]) + std::abs(y[i]) + 1);
    }
    double low = -reach;
    double high = reach;
    // A few times further: a logistic loss with one class has no minimum to find.
    for (int i = 0; i < 6 && total_ascent(low) < 0; ++i) low *= 2;
    for (int i = 0; i < 6 && total_ascent(high) > 0; ++i) high *= 2;
    for (int i = 0; i < 80 && low < high; ++i) {
      const double middle = 0.5 * (low + high);
      if (middle == low || middle == high) break;
      (total_ascent(middle) > 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  });
}

}  // namespace

double best_bias(const LossOptions& loss, std::span<const double> z, std::span<const double> y,
                 std::span<const double> weights) {
  if (z.empty()) return 0.0;
  std::vector<Breakpoint> points;
  double slope = 0;
  if (loss.loss == Loss::hinge) {
    // s max(0, 1 - y (z + b)) bends at b = y - z; left of it a positive falls, a negative is flat.
    for (std::size_t i = 0; i < z.size(); ++i) {
      points.push_back({y[i] - z[i], weight(weights, i)});
      if (y[i] > 0) slope -= weight(weights, i);
    }
    return minimum_of_pieces(points, slope);
  }
  if (loss.loss == Loss::epsilon_insensitive) {
    for (std::size_t i = 0; i < z.size(); ++i) {
      points.push_back({y[i] - z[i] - loss.epsilon, weight(weights, i)});
      points.push_back({y[i] - z[i] + loss.epsilon, weight(weights, i)});
      slope -= weight(weights, i);
    }
    return minimum_of_pieces(points, slope);
  }
  return bisected(loss, z, y, weights);
}

void balance_at_kinks(const LossOptions& loss, std::span<const double> z, std::span<const double> y,
                      std::span<const double> weights, std::span<double> u) {
  const bool hinge = loss.loss == Loss::hinge;
  if (!hinge && loss.loss != Loss::epsilon_insensitive) return;
  double excess = 0;
  for (const double slope : u) excess += slope;
  for (std::size_t i = 0; i < u.size() && excess != 0.0; ++i) {
    const double r = y[i] - z[i];
    const double bend = hinge ? std::abs(1.0 - y[i] * z[i]) : std::abs(std::abs(r) - loss.epsilon);
    if (bend > 1e-9 * (1.0 + std::abs(z[i]))) continue;
    // Between 0 and this the row may take any value.
    const double full = weight(weights, i) * (hinge ? y[i] : std::copysign(1.0, r));
    const double low = std::min(0.0, full);
    const double high = std::max(0.0, full);
    const double balanced = std::clamp(u[i] - excess, low, high);
    excess += balanced - u[i];
    u[i] = balanced;
  }
}

}  // namespace pegasos
