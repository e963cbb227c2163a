#include "certify/kernel_certificate.h"

#include <algorithm>
#include <cmath>

#include "certify/feasible_duals.h"
#include "certify/row_terms.h"
#include "simd/panels.h"

namespace pegasos {
namespace {

// Underflow of a kernel value, and of its product with a coefficient.
constexpr double kLost = 0x1p-980;

bool is_single(KernelKind kind) {
  return kind == KernelKind::precomputed || kind == KernelKind::callable;
}
bool decays(KernelKind kind) {
  return kind == KernelKind::rbf || kind == KernelKind::laplacian ||
         kind == KernelKind::chi_squared;
}

// What the errors of a row's kernel values are measured in (see the header), rounded up.
double size_of(const KernelOptions& kernel, const RowView& row) {
  double sum = 0;
  const bool absolute =
      kernel.kind == KernelKind::laplacian || kernel.kind == KernelKind::chi_squared;
  for (const float value : row.values) {
    sum += absolute ? std::abs(double{value}) : double{value} * double{value};
  }
  sum *= (1.0 + 2.0 * static_cast<double>(row.values.size()) * kUnit) * kUp;
  switch (kernel.kind) {
    case KernelKind::linear:
      return std::sqrt(sum) * kUp;
    case KernelKind::polynomial: {
      const double base = (kernel.gamma * sum + kernel.coef0) * kUp;
      const double p = static_cast<double>(kernel.degree);
      if (base == 0.0) return 0.0;
      // Not below what its products with others, where a power underflowed, are bounded by.
      return std::max(std::pow(base, 0.5 * p) * (1.0 + (p + 8.0) * kUnit) * kUp, 0x1p-500);
    }
    case KernelKind::sigmoid:
      return std::sqrt(sum) * kUp;
    default:
      return sum;
  }
}

std::size_t longest_row(const Dataset& data) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    longest = std::max(longest, data.row(i).values.size());
  }
  return longest;
}

struct Support {
  std::vector<RowId> plus, minus;
  std::vector<double> plus_factors, minus_factors;

  explicit Support(std::span<const double> coefficients) {
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      const double c = coefficients[i];
      if (c > 0.0) {
        plus.push_back(static_cast<RowId>(i));
        plus_factors.push_back(c);
      } else if (c < 0.0) {
        minus.push_back(static_cast<RowId>(i));
        minus_factors.push_back(c);
      }
    }
  }
  std::size_t size() const { return plus.size() + minus.size(); }
  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t r = 0; r < plus.size(); ++r) f(plus[r], plus_factors[r]);
    for (std::size_t r = 0; r < minus.size(); ++r) f(minus[r], minus_factors[r]);
  }
};

KernelScores single_scores(const KernelBlocks& blocks, const Support& support, ThreadPool& pool) {
  KernelScores scores;
  scores.values.resize(blocks.columns());
  scores.errors.resize(blocks.columns());
  pool.for_each(blocks.columns(), [&](std::size_t j) {
    CertifiedSum sum;
    support.for_each([&](RowId i, double c) { sum.add(Near(c) * Near(blocks.value(i, j))); });
    const Nearer total = sum.total();
    scores.values[j] = total.hi;
    scores.errors[j] = (total.error + std::abs(total.lo)) * kUp;
  });
  return scores;
}

// Errors of one score: of its kernel values, and of the sum, in which a value takes part in
// `roundings` of them.
class ErrorBound {
 public:
  ErrorBound(const KernelBlocks& blocks, const Support& support) : kernel_(blocks.kernel()) {
    const double n =
        static_cast<double>(std::max(longest_row(blocks.left()), longest_row(blocks.right())));
    const std::size_t panels = support.size() / simd::kPanelWidth + 1;
    sum_ = (static_cast<double>(simd::kPanelWidth + panels) + 16.0) * kUnit;
    n_ = n;
    support.for_each([&](RowId i, double c) {
      const double size = size_of(kernel_, blocks.left().row(i));
      largest_ = std::max(largest_, size);
      weighted_ += std::abs(c) * size;
      coefficients_ += std::abs(c);
    });
    const double up = (1.0 + 2.0 * static_cast<double>(support.size()) * kUnit) * kUp;
    weighted_ *= up;
    coefficients_ *= up;
  }

  // `plus` and `minus` are the sums over positive and negative coefficients.
  double operator()(const RowView& row, double plus, double minus) const {
    const double size = size_of(kernel_, row);
    const double lost = coefficients_ * kLost + kTiny;
    if (decays(kernel_.kind)) {
      const double roundings = kernel_.kind == KernelKind::rbf ? 2.0 * n_ + 16.0 : 8.0 * n_ + 64.0;
      const double of_t = kernel_.gamma * roundings * kUnit * (size + largest_) * kUp;
      // e^-t is between 0 and 1.
      if (!(of_t < 0.25)) return coefficients_ * (2.0 + sum_) * kUp;
      const double relative = (1.25 * of_t + kFunctionError + sum_) * kUp;
      return (plus - minus) * relative * (1.0 + 2.0 * relative) * kUp + lost;
    }
    if (kernel_.kind == KernelKind::sigmoid) {
      const double argument =
          (n_ + 8.0) * kUnit * (kernel_.gamma * largest_ * size + std::abs(kernel_.coef0)) * kUp;
      return coefficients_ * (argument + kFunctionError + 2.0 * sum_) * kUp + lost;
    }
    const double p =
        kernel_.kind == KernelKind::polynomial ? static_cast<double>(kernel_.degree) : 1.0;
    const double of_values = p * (n_ + 8.0) * kUnit;
    if (!(of_values < 0.25)) return kUnknown;
    const double relative = (of_values * (1.0 + of_values) + 2.0 * sum_) * kUp;
    return weighted_ * size * relative * kUp + lost;
  }

 private:
  const KernelOptions& kernel_;
  double n_ = 0.0;
  double sum_ = 0.0;
  double largest_ = 0.0;       // size of a row with a coefficient
  double weighted_ = 0.0;      // sum |c| size
  double coefficients_ = 0.0;  // sum |c|
};

struct Sums {
  CertifiedSum losses = {};
  CertifiedSum bounds = {};
  std::uint64_t wrong = 0;
};

Sums pass_over_rows(const KernelProblem& problem, const KernelScores& scores, double b,
                    std::span<const double> a) {
  const bool classifies = is_classification(problem.loss.loss);
  Sums sums;
  with_loss(problem.loss, [&](const auto& loss) {
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      const double y = problem.y[i];
      const Near f(scores.values[i], scores.errors[i]);
      const Near t = classifies ? (f + Near(b)) * Near(y) : (Near(y) - Near(b)) - f;
      if (classifies && !((f.mid + b > 0) == (y > 0))) sums.wrong += problem.copies_of(i);
      const double s = problem.weight(i);
      if (s == 0.0) continue;
      const double dual = a.empty() ? 0.0 : a[i];
      const RowTerms<Near> terms = row_terms(loss, s, y, dual, t);
      sums.losses.add(terms.loss);
      if (dual != 0.0) sums.bounds.add(terms.bound);
    }
  });
  return sums;
}

Nearer times_half(Nearer squared_norm, double lambda) {
  return half_times({squared_norm, 0}, lambda);
}

}  // namespace

KernelScores enclose_scores(const KernelBlocks& blocks, std::span<const double> coefficients,
                            ThreadPool& pool) {
  const Support support(coefficients);
  KernelScores scores;
  if (is_single(blocks.kernel().kind)) {
    scores = single_scores(blocks, support, pool);
  } else {
    // Apart by sign: for values that are not negative the difference is the sum of magnitudes.
    std::vector<double> minus(blocks.columns(), 0.0);
    scores.values.assign(blocks.columns(), 0.0);
    scores.errors.assign(blocks.columns(), 0.0);
    blocks.add_scores(support.plus, support.plus_factors, scores.values, pool);
    blocks.add_scores(support.minus, support.minus_factors, minus, pool);
    const ErrorBound bound(blocks, support);
    for (std::size_t j = 0; j < minus.size(); ++j) {
      const double plus = scores.values[j];
      scores.values[j] = plus + minus[j];
      scores.errors[j] =
          (bound(blocks.right().row(j), plus, minus[j]) + kUnit * std::abs(scores.values[j])) * kUp;
    }
  }
  scores.coefficients.assign(coefficients.begin(), coefficients.end());
  return scores;
}

Nearer squared_norm_of(std::span<const double> coefficients, const KernelScores& at_them) {
  CertifiedSum sum;
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    if (coefficients[j] == 0.0) continue;
    sum.add(Near(coefficients[j]) * Near(at_them.values[j], at_them.errors[j]));
  }
  return sum.total();
}

void widen(KernelFunction& f, std::span<const double> diagonal, double norm) {
  if (norm == 0.0) return;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    f.scores.errors[i] = (f.scores.errors[i] + norm * std::sqrt(diagonal[i]) * kUp) * kUp;
  }
  f.squared_norm = widened({f.squared_norm, 0}, norm).sum;
}

std::vector<double> diagonal_above(const KernelBlocks& blocks) {
  std::vector<double> diagonal(blocks.left().rows());
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    switch (blocks.kernel().kind) {
      case KernelKind::linear:
      case KernelKind::polynomial: {
        const double size = size_of(blocks.kernel(), blocks.left().row(i));
        diagonal[i] = size * size * kUp;
        break;
      }
      case KernelKind::precomputed:
      case KernelKind::callable:
        diagonal[i] = blocks.diagonal(i);
        break;
      default:
        diagonal[i] = 1.0;
    }
  }
  return diagonal;
}

void make_exactly_feasible(const KernelProblem& problem, std::span<const double> diagonal,
                           std::span<double> a) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool reached = diagonal[i] != 0.0 || problem.has_free_bias();
    const double y = problem.y[i];
    const double s = problem.weight(i);
    a[i] =
        reached ? feasible_dual(problem.loss, a[i], y, s) : dual_out_of_reach(problem.loss, y, s);
  }
  if (!problem.has_free_bias()) return;
  balance_duals(a, alone());
  balance_exactly(a, alone());
}

Proof certify_kernel(const KernelProblem& problem, const KernelFunction& f, double b,
                     std::span<const double> a, const KernelFunction& of_duals, double distance) {
  const bool same = &f == &of_duals;
  const Sums sums = pass_over_rows(problem, f.scores, b, same ? a : std::span<const double>());
  ProofParts parts;
  parts.regulariser = times_half(f.squared_norm, problem.lambda);
  parts.losses = sums.losses.total();
  parts.bounds = sums.bounds.total();
  parts.wrong = sums.wrong;
  if (!a.empty() && !same) {
    parts.bounds = pass_over_rows(problem, of_duals.scores, b, a).bounds.total();
    parts.dual_regulariser = times_half(of_duals.squared_norm, problem.lambda);
  }
  if (!a.empty()) parts.distance = times_half((Near(distance) * Near(distance)), problem.lambda);
  return proof_of(parts, problem.rows(), !a.empty(), is_classification(problem.loss.loss));
}

}  // namespace pegasos
