#include "support/exact_objective.h"

#include <cmath>

namespace pegasos::testing {
namespace {

// s gain(a/s): minus the conjugate of s loss at -a.
Real exact_gain(const LossOptions& loss, double a, double y, double s) {
  if (s == 0.0) return 0.0;
  const Real A(a);
  const Real S(s);
  switch (loss.loss) {
    case Loss::hinge:
      return A * Real(y);
    case Loss::squared_hinge:
      return A * Real(y) - A * A / (Real(4.0) * S);
    case Loss::logistic: {
      const Real p = A * Real(y) / S;
      const Real q = Real(1.0) - p;
      Real sum;
      if (Real(0.0) < p) sum = sum - p * log(p);
      if (Real(0.0) < q) sum = sum - q * log(q);
      return S * sum;
    }
    case Loss::epsilon_insensitive:
      return A * Real(y) - Real(loss.epsilon) * abs(A);
    case Loss::squared_epsilon_insensitive:
      return A * Real(y) - Real(loss.epsilon) * abs(A) - A * A / (Real(4.0) * S);
    case Loss::huber:
      return A * Real(y) - A * A / (Real(2.0) * S);
  }
  return 0.0;
}

Real gains(const ExactProblem& problem, const std::vector<double>& a) {
  Real sum;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += exact_gain(problem.loss, a[i], problem.y[i], problem.weights[i]);
  }
  return sum / Real(static_cast<double>(problem.rows()));
}

Real mean_loss(const ExactProblem& problem, const std::vector<Real>& z) {
  Real sum;
  for (std::size_t i = 0; i < z.size(); ++i) {
    sum += Real(problem.weights[i]) * exact_loss(problem.loss, z[i], problem.y[i]);
  }
  return sum / Real(static_cast<double>(problem.rows()));
}

Real half(const ExactProblem& problem, const Real& squared_norm) {
  return Real(0.5) * Real(problem.lambda) * squared_norm;
}

}  // namespace

Real exact_loss(const LossOptions& loss, const Real& z, double y) {
  const Real Y(y);
  const Real slack = max(Real(0.0), Real(1.0) - Y * z);
  const Real r = abs(Y - z);
  const Real over = max(Real(0.0), r - Real(loss.epsilon));
  const Real delta(loss.delta);
  switch (loss.loss) {
    case Loss::hinge:
      return slack;
    case Loss::squared_hinge:
      return slack * slack;
    case Loss::logistic: {
      const Real t = Y * z;
      return max(Real(0.0), -t) + log1p(exp(-abs(t)));
    }
    case Loss::epsilon_insensitive:
      return over;
    case Loss::squared_epsilon_insensitive:
      return over * over;
    case Loss::huber:
      return r <= delta ? Real(0.5) * r * r : delta * (r - Real(0.5) * delta);
  }
  return 0.0;
}

Real exact_kernel(const KernelOptions& kernel, const std::vector<float>& x,
                  const std::vector<float>& other) {
  Real dot;
  Real squares;
  Real absolute;
  Real chi;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Real a(double{x[k]});
    const Real b(double{other[k]});
    const Real difference = a - b;
    dot += a * b;
    squares += difference * difference;
    absolute += abs(difference);
    if (!(a + b == Real(0.0))) chi += difference * difference / (a + b);
  }
  const Real gamma(kernel.gamma);
  switch (kernel.kind) {
    case KernelKind::polynomial: {
      Real power(1.0);
      for (unsigned k = 0; k < kernel.degree; ++k) power = power * (gamma * dot + kernel.coef0);
      return power;
    }
    case KernelKind::rbf:
      return exp(-gamma * squares);
    case KernelKind::laplacian:
      return exp(-gamma * absolute);
    case KernelKind::chi_squared:
      return exp(-gamma * chi);
    case KernelKind::sigmoid:
      return tanh(gamma * dot + kernel.coef0);
    default:
      return dot;
  }
}

Real exact_primal(const ExactProblem& problem, const std::vector<double>& w, double b) {
  Real squares;
  for (const double value : w) squares += Real(value) * Real(value);
  if (problem.bias == Bias::regularised) {
    const Real weight = Real(b) / Real(problem.bias_feature);
    squares += weight * weight;
  }
  std::vector<Real> z(problem.rows(), Real(b));
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t k = 0; k < w.size(); ++k) z[i] += Real(w[k]) * Real(double{problem.x[i][k]});
  }
  return half(problem, squares) + mean_loss(problem, z);
}

Real exact_kernel_primal(const ExactProblem& problem, const KernelOptions& kernel,
                         const std::vector<std::vector<float>>& vectors,
                         const std::vector<double>& coefficients, double b) {
  Real squares;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    for (std::size_t j = 0; j < vectors.size(); ++j) {
      squares += Real(coefficients[i]) * Real(coefficients[j]) *
                 exact_kernel(kernel, vectors[i], vectors[j]);
    }
  }
  std::vector<Real> z(problem.rows(), Real(b));
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t j = 0; j < vectors.size(); ++j) {
      z[i] += Real(coefficients[j]) * exact_kernel(kernel, vectors[j], problem.x[i]);
    }
  }
  return half(problem, squares) + mean_loss(problem, z);
}

std::string infeasible(const ExactProblem& problem, const std::vector<double>& a) {
  if (a.size() != problem.rows()) return "not one dual per row";
  Real sum;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += Real(a[i]);
    const Real s(problem.weights[i]);
    const Real beta = Real(a[i]) * Real(problem.y[i]);
    const Real size = abs(Real(a[i]));
    bool inside = true;
    switch (problem.loss.loss) {
      case Loss::hinge:
      case Loss::logistic:
        inside = Real(0.0) <= beta && beta <= s;
        break;
      case Loss::squared_hinge:
        inside = Real(0.0) <= beta && (s > Real(0.0) || beta == Real(0.0));
        break;
      case Loss::epsilon_insensitive:
        inside = size <= s;
        break;
      case Loss::squared_epsilon_insensitive:
        inside = s > Real(0.0) || size == Real(0.0);
        break;
      case Loss::huber:
        inside = size <= s * Real(problem.loss.delta);
        break;
    }
    if (!inside) return "the dual of row " + std::to_string(i) + " leaves its range";
  }
  if (problem.has_free_bias() && !(sum == Real(0.0))) {
    return "the duals sum to " + std::to_string(sum.nearest());
  }
  return "";
}

Real exact_dual(const ExactProblem& problem, const std::vector<double>& a) {
  Real squares;
  for (std::size_t k = 0; k < problem.x.front().size(); ++k) {
    Real v;
    for (std::size_t i = 0; i < a.size(); ++i) v += Real(a[i]) * Real(double{problem.x[i][k]});
    squares += v * v;
  }
  if (problem.bias == Bias::regularised) {
    Real v;
    for (const double value : a) v += Real(value) * Real(problem.bias_feature);
    squares += v * v;
  }
  const Real unit = Real(problem.lambda) * Real(static_cast<double>(problem.rows()));
  return gains(problem, a) - half(problem, squares / unit / unit);
}

Real exact_kernel_dual(const ExactProblem& problem, const KernelOptions& kernel,
                       const std::vector<double>& a) {
  Real squares;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (a[i] == 0.0 || a[j] == 0.0) continue;
      squares += Real(a[i]) * Real(a[j]) * exact_kernel(kernel, problem.x[i], problem.x[j]);
    }
  }
  const Real unit = Real(problem.lambda) * Real(static_cast<double>(problem.rows()));
  return gains(problem, a) - half(problem, squares / unit / unit);
}

Real exact_joint_primal(const ExactProblem& problem, const std::vector<std::uint32_t>& y,
                        std::size_t classes, const std::vector<double>& w,
                        const std::vector<double>& b) {
  Real squares;
  for (const double value : w) squares += Real(value) * Real(value);
  if (problem.bias == Bias::regularised) {
    for (const double value : b) {
      const Real weight = Real(value) / Real(problem.bias_feature);
      squares += weight * weight;
    }
  }
  Real losses;
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::vector<Real> z;
    for (std::size_t r = 0; r < classes; ++r) {
      z.emplace_back(b[r]);
      for (std::size_t k = 0; k < problem.x[i].size(); ++k) {
        z[r] += Real(w[k * classes + r]) * Real(double{problem.x[i][k]});
      }
    }
    Real loss;
    for (std::size_t r = 0; r < classes; ++r) {
      if (r != y[i]) loss = max(loss, Real(1.0) + z[r] - z[y[i]]);
    }
    losses += Real(problem.weights[i]) * loss;
  }
  return half(problem, squares) + losses / Real(static_cast<double>(y.size()));
}

Real exact_joint_dual(const ExactProblem& problem, const std::vector<std::uint32_t>& y,
                      std::size_t classes, const std::vector<double>& a, std::string& why_not) {
  const std::size_t d = problem.x.front().size();
  std::vector<Real> v((d + 1) * classes);
  Real gain;
  for (std::size_t i = 0; i < y.size(); ++i) {
    Real total;
    for (std::size_t r = 0; r < classes; ++r) {
      if (r == y[i]) continue;
      if (a[i * classes + r] > 0) why_not = "a dual of another class is positive";
      total += Real(-a[i * classes + r]);
    }
    if (!(total <= Real(problem.weights[i]))) why_not = "the duals of a row are too large";
    gain += total;
    for (std::size_t r = 0; r < classes; ++r) {
      const Real dual = r == y[i] ? total : Real(a[i * classes + r]);
      for (std::size_t k = 0; k < d; ++k)
        v[k * classes + r] += dual * Real(double{problem.x[i][k]});
      if (problem.bias == Bias::regularised) v[d * classes + r] += dual * problem.bias_feature;
    }
  }
  Real squares;
  for (const Real& value : v) squares += value * value;
  const Real m(static_cast<double>(y.size()));
  const Real unit = Real(problem.lambda) * m;
  return gain / m - half(problem, squares / unit / unit);
}

}  // namespace pegasos::testing
