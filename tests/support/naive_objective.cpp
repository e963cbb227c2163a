#include "support/naive_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pegasos::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double squared_norm(const SmallProblem& problem, const LinearPoint& point) {
  double squares = 0;
  for (const double weight : point.w) squares += weight * weight;
  if (problem.bias == Bias::regularised) squares += std::pow(point.b / problem.bias_feature, 2);
  return squares;
}

// The dual of row i that is best while the others stay: maximises
// s gain(a/s) - (a - old) z - q/2 (a - old)^2 by ternary search, z = <w, x_i> + b.
double best_coordinate(const SmallProblem& problem, std::size_t i, double old, double z, double q) {
  const double s = problem.weight(i);
  const double y = problem.y[i];
  const auto value = [&](double a) {
    return s * naive_gain(problem.loss, a / s, y) - (a - old) * z - 0.5 * q * (a - old) * (a - old);
  };
  const Interval domain = feasible_duals(problem.loss, y);
  // The losses without a bound have curvature 1/2s of their own: the maximum is no further away.
  const double reach = 2 * s * (std::abs(y - z) + std::abs(old / s) + problem.loss.epsilon + 1);
  double low = std::max(s * domain.low, old - reach);
  double high = std::min(s * domain.high, old + reach);
  for (int k = 0; k < 100; ++k) {
    const double left = low + (high - low) / 3;
    const double right = high - (high - low) / 3;
    if (value(left) < value(right)) {
      low = left;
    } else {
      high = right;
    }
  }
  return 0.5 * (low + high);
}

}  // namespace

double naive_loss(const LossOptions& options, double z, double y) {
  const double margin = y * z;
  const double distance = std::abs(y - z);
  const double outside = distance > options.epsilon ? distance - options.epsilon : 0.0;
  switch (options.loss) {
    case Loss::hinge:
      return margin < 1 ? 1 - margin : 0.0;
    case Loss::squared_hinge:
      return margin < 1 ? (1 - margin) * (1 - margin) : 0.0;
    case Loss::logistic:
      return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
    case Loss::epsilon_insensitive:
      return outside;
    case Loss::squared_epsilon_insensitive:
      return outside * outside;
    case Loss::huber:
      break;
  }
  return distance <= options.delta ? distance * distance / 2
                                   : options.delta * distance - options.delta * options.delta / 2;
}

double naive_ascent(const LossOptions& options, double z, double y) {
  const double side = z < y ? 1.0 : -1.0;
  const double distance = std::abs(y - z);
  switch (options.loss) {
    case Loss::hinge:
      return y * z < 1 ? y : 0.0;
    case Loss::squared_hinge:
      return y * z < 1 ? 2 * y * (1 - y * z) : 0.0;
    case Loss::logistic:
      return y * z > 0 ? y * std::exp(-y * z) / (1 + std::exp(-y * z)) : y / (1 + std::exp(y * z));
    case Loss::epsilon_insensitive:
      return distance > options.epsilon ? side : 0.0;
    case Loss::squared_epsilon_insensitive:
      return distance > options.epsilon ? 2 * side * (distance - options.epsilon) : 0.0;
    case Loss::huber:
      break;
  }
  return side * std::min(distance, options.delta);
}

double naive_gain(const LossOptions& options, double a, double y) {
  const double beta = y * a;
  const auto entropy = [](double p) { return p > 0 ? -p * std::log(p) : 0.0; };
  switch (options.loss) {
    case Loss::hinge:
      return beta;
    case Loss::squared_hinge:
      return beta - beta * beta / 4;
    case Loss::logistic:
      return entropy(beta) + entropy(1 - beta);
    case Loss::epsilon_insensitive:
      return y * a - options.epsilon * std::abs(a);
    case Loss::squared_epsilon_insensitive:
      return y * a - options.epsilon * std::abs(a) - a * a / 4;
    case Loss::huber:
      break;
  }
  return y * a - a * a / 2;
}

Interval feasible_duals(const LossOptions& options, double y) {
  switch (options.loss) {
    case Loss::hinge:
    case Loss::logistic:
      return {std::min(0.0, y), std::max(0.0, y)};
    case Loss::squared_hinge:
      return y > 0 ? Interval{0.0, kInfinity} : Interval{-kInfinity, 0.0};
    case Loss::epsilon_insensitive:
      return {-1.0, 1.0};
    case Loss::squared_epsilon_insensitive:
      return {-kInfinity, kInfinity};
    case Loss::huber:
      break;
  }
  return {-options.delta, options.delta};
}

double naive_primal(const SmallProblem& problem, const LinearPoint& point) {
  double total = 0;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const double z = problem.dot(i, point.w) + point.b;
    total += problem.weight(i) * naive_loss(problem.loss, z, problem.y[i]);
  }
  return 0.5 * problem.lambda * squared_norm(problem, point) +
         total / static_cast<double>(problem.rows());
}

LinearPoint naive_point_of_duals(const SmallProblem& problem, const std::vector<double>& a) {
  LinearPoint point{std::vector<double>(problem.features, 0.0), 0.0};
  const double scale = 1.0 / (problem.lambda * static_cast<double>(problem.rows()));
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    for (std::size_t j = 0; j < problem.features; ++j) {
      point.w[j] += scale * a[i] * double{problem.x[i][j]};
    }
    if (problem.bias != Bias::regularised) continue;
    point.b += scale * a[i] * problem.bias_feature * problem.bias_feature;
  }
  return point;
}

double naive_dual(const SmallProblem& problem, const std::vector<double>& a) {
  double gain = 0;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const double s = problem.weight(i);
    if (s > 0) gain += s * naive_gain(problem.loss, a[i] / s, problem.y[i]);
  }
  const LinearPoint point = naive_point_of_duals(problem, a);
  return gain / static_cast<double>(problem.rows()) -
         0.5 * problem.lambda * squared_norm(problem, point);
}

NaiveOptimum naive_optimum(const SmallProblem& problem, double relative_gap, int most_epochs) {
  const double scale = 1.0 / (problem.lambda * static_cast<double>(problem.rows()));
  const double B = problem.bias == Bias::regularised ? problem.bias_feature : 0.0;
  std::vector<double> a(problem.rows(), 0.0);
  NaiveOptimum best;
  for (int epoch = 1; epoch <= most_epochs; ++epoch) {
    LinearPoint point = naive_point_of_duals(problem, a);
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      if (problem.weight(i) == 0) continue;
      double q = scale * B * B;
      for (const float value : problem.x[i]) q += scale * double{value} * double{value};
      const double z = problem.dot(i, point.w) + point.b;
      const double change = best_coordinate(problem, i, a[i], z, q) - a[i];
      a[i] += change;
      for (std::size_t j = 0; j < problem.features; ++j) {
        point.w[j] += scale * change * double{problem.x[i][j]};
      }
      point.b += scale * change * B * B;
    }
    if (epoch % 10 != 0 && epoch != most_epochs) continue;
    best.point = naive_point_of_duals(problem, a);
    best.primal = naive_primal(problem, best.point);
    best.dual = naive_dual(problem, a);
    if (best.primal - best.dual <= relative_gap * best.dual) break;
  }
  return best;
}

}  // namespace pegasos::testing
