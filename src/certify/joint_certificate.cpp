#include "certify/joint_certificate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/passes.h"

namespace pegasos {
namespace {

// Scores of a row with bounds on their errors.
class Scores {
 public:
  Scores(const JointProblem& problem, const JointPoint& point)
      : problem_(problem), point_(point), z_(problem.classes), sizes_(problem.classes) {}

  void compute(std::size_t i) {
    const std::size_t K = z_.size();
    std::copy(point_.b.begin(), point_.b.end(), z_.begin());
    for (std::size_t r = 0; r < K; ++r) sizes_[r] = std::abs(z_[r]);
    const RowView x = problem_.data.row(i);
    for (std::size_t j = 0; j < x.values.size(); ++j) {
      const double* w = point_.w.data() + (x.dense ? j : x.ids[j]) * K;
      const double value = double{x.values[j]};
      for (std::size_t r = 0; r < K; ++r) {
        const double product = value * w[r];
        z_[r] += product;
        sizes_[r] += std::abs(product);
      }
    }
    const double n = static_cast<double>(x.values.size()) + 4.0;
    slip_ = n * kUnit * (1.0 + 2.0 * n * kUnit) * kUp;
    lost_ = n * kTiny;
  }
  Near operator[](std::size_t r) const { return {z_[r], slip_ * sizes_[r] * kUp + lost_}; }
  std::size_t best() const {
    return static_cast<std::size_t>(std::max_element(z_.begin(), z_.end()) - z_.begin());
  }

 private:
  const JointProblem& problem_;
  const JointPoint& point_;
  std::vector<double> z_;
  std::vector<double> sizes_;
  double slip_ = 0.0;
  double lost_ = 0.0;
};

bool out_of_reach(const JointProblem& problem, std::size_t i) {
  if (problem.bias_feature != 0.0) return false;
  const auto values = problem.data.row(i).values;
  return std::all_of(values.begin(), values.end(), [](float value) { return value == 0.0F; });
}

void make_exactly_feasible(const JointProblem& problem, std::size_t i, std::span<double> a) {
  const std::size_t y = problem.y[i];
  const double s = problem.weight(i);
  if (out_of_reach(problem, i)) {
    std::fill(a.begin(), a.end(), 0.0);
    a[y == 0 ? 1 : 0] = -s;
  }
  a[y] = 0.0;
  for (double& value : a) value = std::isfinite(value) ? std::min(value, 0.0) : 0.0;
  const auto total = [&] {
    CertifiedSum sum;
    for (const double value : a) sum.add(-value);
    return sum.total();
  };
  for (int attempt = 0; attempt < 4 && upper(total()) > s; ++attempt) {
    if (std::count_if(a.begin(), a.end(), [](double v) { return v != 0.0; }) == 1) {
      for (double& value : a) value = std::max(value, -s);  // one is exact
      break;
    }
    const double factor = s / total().hi * (1.0 - 0x1p-48);
    for (double& value : a) value *= factor;
  }
  const auto used = std::count_if(a.begin(), a.end(), [](double v) { return v != 0.0; });
  if (used > 1 && upper(total()) > s) std::fill(a.begin(), a.end(), 0.0);
  a[y] = total().hi;
}

struct Sums {
  CertifiedSum losses = {};
  CertifiedSum bounds = {};
  double lengths = 0.0;  // sum |a_i|_1 |x_i|
  std::uint64_t wrong = 0;
};

void take_row(const JointProblem& problem, std::size_t i, const Scores& z,
              std::span<const double> a, Sums& sums) {
  const std::size_t y = problem.y[i];
  const Near of_class = z[y];
  Near loss = 0.0;  // a maximum changes no more than what it is of
  double error = 0.0;
  double duals = 0.0;
  for (std::size_t r = 0; r < problem.classes; ++r) {
    if (r == y) continue;
    const Near excess = Near(1.0) + z[r] - of_class;
    loss.mid = std::max(loss.mid, excess.mid);
    error = std::max(error, excess.error);
    if (a.empty() || a[r] == 0.0) continue;
    sums.bounds.add(Near(-a[r]) * excess);
    duals -= 2.0 * a[r];
  }
  loss.error = error;
  if (problem.weight(i) > 0.0) sums.losses.add(Near(problem.weight(i)) * loss);
  if (z.best() != y) ++sums.wrong;
  if (duals == 0.0) return;
  sums.lengths += duals * std::sqrt(problem.data.row(i).squared_norm());
}

// lambda m (W(a) - W) by class and feature, and the constant feature.
std::vector<double> difference_of(const JointProblem& problem, const JointPoint& point,
                                  std::span<const double> a, double& error) {
  const std::size_t K = problem.classes;
  const std::size_t d = problem.features();
  const double m = static_cast<double>(problem.rows());
  const Near unit = Near(problem.lambda) * Near(m);
  std::vector<double> v((d + 1) * K, 0.0);
  std::vector<CertifiedSum> constant(K);
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const double* of_row = a.data() + i * K;
    if (std::all_of(of_row, of_row + K, [](double value) { return value == 0.0; })) continue;
    const RowView x = problem.data.row(i);
    for (std::size_t j = 0; j < x.values.size(); ++j) {
      double* to = v.data() + (x.dense ? j : x.ids[j]) * K;
      const double value = double{x.values[j]};
      for (std::size_t r = 0; r < K; ++r) to[r] += value * of_row[r];
    }
    for (std::size_t r = 0; r < K; ++r) {
      // What rounding left out of a_iy is part of the error below.
      constant[r].add(Near(of_row[r], r == problem.y[i] ? 2 * kUnit * of_row[r] : 0.0));
    }
  }
  CertifiedSum squared_errors;
  const auto take = [&](double& to, Near g) {
    to = g.mid;
    squared_errors.add(Near(g.error) * Near(g.error));
  };
  for (std::size_t at = 0; at < d * K; ++at) take(v[at], Near(v[at]) - unit * Near(point.w[at]));
  if (problem.bias_feature != 0.0) {
    const double B = problem.bias_feature;
    for (std::size_t r = 0; r < K; ++r) {
      const Nearer sum = constant[r].total();
      const Near of_duals(sum.hi, (sum.error + std::abs(sum.lo)) * kUp);
      take(v[d * K + r], of_duals * Near(B) - unit * (Near(point.b[r]) / B));
    }
  }
  error = std::sqrt(upper(squared_errors.total())) * kUp;
  return v;
}

SquaredNorm norm_of(const JointProblem& problem, const JointPoint& point) {
  if (problem.bias_feature == 0.0) return squared_norm_of(point.w);
  std::vector<double> weights = point.w;
  double error = 0.0;
  for (const double b : point.b) {
    const Near weight = Near(b) / problem.bias_feature;
    weights.push_back(weight.mid);
    error = (error + weight.error) * kUp;
  }
  return widened(squared_norm_of(weights), error);
}

}  // namespace

Proof certify_joint(const JointProblem& problem, const JointPoint& point, std::span<double> a,
                    ThreadPool& pool) {
  const std::size_t m = problem.rows();
  const std::size_t K = problem.classes;
  std::vector<Sums> parts_of(blocks_of(m));
  for_row_blocks(m, pool, [&](std::size_t block, std::size_t begin, std::size_t end) {
    Scores z(problem, point);
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<double> of_row = a.empty() ? a : a.subspan(i * K, K);
      if (!a.empty()) make_exactly_feasible(problem, i, of_row);
      z.compute(i);
      take_row(problem, i, z, of_row, parts_of[block]);
    }
  });
  Sums sums;
  for (const Sums& part : parts_of) {
    sums.losses.add(part.losses);
    sums.bounds.add(part.bounds);
    sums.lengths += part.lengths;
    sums.wrong += part.wrong;
  }
  ProofParts parts;
  parts.regulariser = half_times(norm_of(problem, point), problem.lambda);
  parts.losses = sums.losses.total();
  parts.bounds = sums.bounds.total();
  parts.wrong = sums.wrong;
  if (!a.empty()) {
    double error = 0.0;
    const std::vector<double> g = difference_of(problem, point, a, error);
    // Every a_ir x_ij takes part in at most m additions and one product; a_iy is itself rounded.
    const double n = static_cast<double>(m) + 16.0;
    const double d = static_cast<double>(problem.features());
    const double lengths = sums.lengths * (1.0 + 2.0 * (n + d) * kUnit) * kUp + n * kTiny;
    error = (error + n * kUnit * (1.0 + n * kUnit) * lengths +
             n * std::sqrt(static_cast<double>(g.size())) * kTiny) *
            kUp;
    parts.distance = half_over(widened(squared_norm_of(g), error), problem.lambda, m);
  }
  Proof proof = proof_of(parts, m, !a.empty(), true);
  if (!a.empty() && !(proof.certificate.dual > 0.0)) std::fill(a.begin(), a.end(), 0.0);
  return proof;
}

}  // namespace pegasos
