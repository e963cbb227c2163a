#include "certify/certificate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "certify/feasible_duals.h"
#include "certify/row_terms.h"
#include "math/passes.h"
#include "math/rows.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

double weight_for(SparseRow x, std::size_t j, const double* w) {
  return w[x.ids[j]];
}
double weight_for(DenseRow, std::size_t j, const double* w) {
  return w[j];
}

// No product of two numbers that are not zero became zero.
template <typename Row>
bool no_product_is_lost(Row x, const double* w) {
  for (std::size_t j = 0; j < x.size; ++j) {
    if (x.values[j] != 0.0F && weight_for(x, j, w) != 0.0) return false;
  }
  return true;
}

// <x, w> in doubles: four running sums, so every product takes part in at most n/4 + 4 roundings,
// each of a number that is no larger than the sum of magnitudes.
template <typename Row>
Near dot_of(Row x, const double* w, Near) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  double t0 = 0, t1 = 0, t2 = 0, t3 = 0;
  std::size_t j = 0;
  for (; j + 4 <= x.size; j += 4) {
    const double p0 = weight_for(x, j, w) * double{x.values[j]};
    const double p1 = weight_for(x, j + 1, w) * double{x.values[j + 1]};
    const double p2 = weight_for(x, j + 2, w) * double{x.values[j + 2]};
    const double p3 = weight_for(x, j + 3, w) * double{x.values[j + 3]};
    s0 += p0;
    s1 += p1;
    s2 += p2;
    s3 += p3;
    t0 += std::abs(p0);
    t1 += std::abs(p1);
    t2 += std::abs(p2);
    t3 += std::abs(p3);
  }
  for (; j < x.size; ++j) {
    const double p = weight_for(x, j, w) * double{x.values[j]};
    s0 += p;
    t0 += std::abs(p);
  }
  const double n = static_cast<double>(x.size);
  const double size = (t0 + t1) + (t2 + t3);
  if (size == 0.0) return no_product_is_lost(x, w) ? Near() : Near(0.0, (n + 1.0) * kTiny);
  const double roundings = (0.25 * n + 8.0) * kUnit;
  return {(s0 + s1) + (s2 + s3),
          roundings * size * (1.0 + 2 * roundings) * kUp + (n + 1.0) * kTiny};
}

// The same in pairs.
template <typename Row>
Nearer dot_of(Row x, const double* w, Nearer) {
  if (no_product_is_lost(x, w)) return {};
  CertifiedSum sum;
  for (std::size_t j = 0; j < x.size; ++j) {
    const TwoDoubles product = two_product(weight_for(x, j, w), double{x.values[j]});
    sum.add(product.hi);
    sum.add(product.lo);
  }
  return sum.total().with_error((static_cast<double>(x.size) + 1.0) * kTiny);
}

struct Sums {
  CertifiedSum losses = {};
  CertifiedSum bounds = {};
  CertifiedSum duals = {};
  double lengths = 0.0;  // sum |a_i| |x_i|, up to rounding
  std::uint64_t wrong = 0;
  std::uint64_t used = 0;  // duals that are not zero

  void add(const Sums& other) {
    losses.add(other.losses);
    bounds.add(other.bounds);
    duals.add(other.duals);
    lengths += other.lengths;
    wrong += other.wrong;
    used += other.used;
  }
};

template <typename Number>
Sums pass_over_rows(const LinearProblem& problem, const LinearPoint& point,
                    std::span<const double> a, ThreadPool& pool) {
  const std::size_t m = problem.rows();
  const bool classifies = is_classification(problem.loss.loss);
  std::vector<Sums> parts(blocks_of(m));
  with_loss(problem.loss, [&](const auto& loss) {
    with_rows(problem.data, [&](const auto& rows) {
      for_row_blocks(m, pool, [&](std::size_t block, std::size_t begin, std::size_t end) {
        Sums sums;
        for (std::size_t i = begin; i < end; ++i) {
          const auto x = rows.row(i);
          const double y = problem.y[i];
          const double dual = a.empty() ? 0.0 : a[i];
          const Number product = dot_of(x, point.w.data(), Number());
          // A bias as large as the targets cancels before anything is lost.
          const Number t = classifies ? (product + Number(point.b)) * Number(y)
                                      : (Number(y) - Number(point.b)) - product;
          const double s = problem.weight(i);
          if (classifies && !((product.middle() + point.b > 0) == (y > 0))) ++sums.wrong;
          if (s == 0.0 || (dual == 0.0 && has_no_loss(loss, t.middle(), t.error))) continue;
          const RowTerms<Number> terms = row_terms(loss, s, y, dual, t);
          sums.losses.add(terms.loss);
          if (dual == 0.0) continue;
          sums.bounds.add(terms.bound);
          sums.duals.add(dual);
          sums.lengths += std::abs(dual) * std::sqrt(squared_norm(x));
          ++sums.used;
        }
        parts[block] = sums;
      });
    });
  });
  Sums here;
  for (const Sums& part : parts) here.add(part);
  Sums all;
  for (const Sums& of_rank : gather_over_ranks(here, pool.ranks())) all.add(of_rank);
  return all;
}

// sum_i a_i x_i in pairs of doubles, by a few threads.
struct PairVector {
  std::vector<double> hi;
  std::vector<double> lo;
};
// Adds the pairs of `other`, which are d high parts and then d low ones, in bytes.
void add_pairs(std::string_view other, PairVector& v) {
  const std::size_t d = v.hi.size();
  for (std::size_t j = 0; j < d; ++j) {
    double hi = 0;
    double lo = 0;
    std::memcpy(&hi, other.data() + j * sizeof hi, sizeof hi);
    std::memcpy(&lo, other.data() + (d + j) * sizeof lo, sizeof lo);
    const TwoDoubles sum = two_sum(v.hi[j], hi);
    v.hi[j] = sum.hi;
    v.lo[j] += sum.lo + lo;
  }
}
void add_other_ranks(PairVector& v, ThreadPool& pool) {
  if (pool.is_alone()) return;
  const std::size_t d = v.hi.size();
  std::string mine(2 * d * sizeof(double), '\0');
  std::memcpy(mine.data(), v.hi.data(), d * sizeof(double));
  std::memcpy(mine.data() + d * sizeof(double), v.lo.data(), d * sizeof(double));
  v.hi.assign(d, 0.0);
  v.lo.assign(d, 0.0);
  for (const std::string& part : pool.ranks().gather(mine)) {
    if (part.size() != mine.size()) throw Error("the ranks disagree about the number of features");
    add_pairs(part, v);
  }
}

PairVector combine_in_pairs(const Dataset& data, std::span<const double> a, ThreadPool& pool) {
  constexpr std::size_t kParts = 4;
  const std::size_t d = data.features();
  std::vector<PairVector> parts(kParts);
  with_rows(data, [&](const auto& rows) {
    pool.for_each(kParts, [&](std::size_t part) {
      PairVector& v = parts[part];
      v.hi.assign(d, 0.0);
      v.lo.assign(d, 0.0);
      for (std::size_t i = a.size() * part / kParts; i < a.size() * (part + 1) / kParts; ++i) {
        if (a[i] == 0.0) continue;
        const auto x = rows.row(i);
        for (std::size_t j = 0; j < x.size; ++j) {
          const std::size_t id = [&] {
            if constexpr (std::is_same_v<std::decay_t<decltype(x)>, SparseRow>) {
              return std::size_t{x.ids[j]};
            } else {
              return j;
            }
          }();
          const TwoDoubles product = two_product(a[i], double{x.values[j]});
          const TwoDoubles sum = two_sum(v.hi[id], product.hi);
          v.hi[id] = sum.hi;
          v.lo[id] += sum.lo + product.lo;
        }
      }
    });
  });
  for (std::size_t part = 1; part < kParts; ++part) {
    for (std::size_t j = 0; j < d; ++j) {
      const TwoDoubles sum = two_sum(parts[0].hi[j], parts[part].hi[j]);
      parts[0].hi[j] = sum.hi;
      parts[0].lo[j] += sum.lo + parts[part].lo[j];
    }
  }
  add_other_ranks(parts[0], pool);
  return std::move(parts[0]);
}

// g = lambda m (w(a) - w), with the constant feature of a regularised bias, and how far what is
// in `values` may be from it.
struct Difference {
  std::vector<double> values;
  double error;
};
template <typename Number>
Difference difference_of(const LinearProblem& problem, const LinearPoint& point,
                         std::span<const double> a, const Sums& sums, ThreadPool& pool) {
  const std::size_t d = problem.features();
  const Number unit = Number(problem.lambda) * Number(problem.m());
  // Every a_i x_ij takes part in at most n additions and one product: n the duals that are used.
  const double n = static_cast<double>(sums.used) + 16.0 + pool.ranks().size();
  const double lengths =
      sums.lengths * (1.0 + 2.0 * (n + static_cast<double>(d)) * kUnit) * kUp + n * kTiny;
  Difference difference;
  difference.values.reserve(d + 1);
  double squared_errors = 0.0;
  const auto take = [&](double value, double error) {
    difference.values.push_back(value);
    squared_errors += error * error;
  };
  if constexpr (std::is_same_v<Number, Near>) {
    const std::vector<double> v = combine(problem.data, a, pool);
    for (std::size_t j = 0; j < d; ++j) {
      const Near g = Near(v[j]) - unit * Near(point.w[j]);
      take(g.mid, g.error);
    }
    difference.error = n * kUnit * lengths * (1.0 + n * kUnit);
  } else {
    const PairVector v = combine_in_pairs(problem.data, a, pool);
    for (std::size_t j = 0; j < d; ++j) {
      const TwoDoubles sum = two_sum(v.hi[j], v.lo[j]);
      const Nearer g = Nearer(sum.hi, sum.lo, 0.0) - unit * Nearer(point.w[j]);
      take(g.hi, (std::abs(g.lo) + g.error) * kUp);
    }
    difference.error = 16.0 * (n * kUnit) * (n * kUnit) * lengths;
  }
  // Products underflow by less than kTiny each; squares of errors by what is added at the end.
  difference.error += n * std::sqrt(static_cast<double>(d)) * kTiny;
  if (problem.bias == Bias::regularised) {
    const double B = problem.bias_feature;
    const Nearer exact = sums.duals.total() * Nearer(B) -
                         Nearer(problem.lambda) * Nearer(problem.m()) * (Nearer(point.b) / B);
    difference.values.push_back(exact.hi);
    difference.error += (std::abs(exact.lo) + exact.error) * kUp;
  }
  const double rounding =
      std::sqrt(squared_errors * (1.0 + 2.0 * static_cast<double>(d) * kUnit) * kUp);
  difference.error = (difference.error + rounding * kUp) * kUp + 0x1p-500;
  return difference;
}

SquaredNorm norm_of(const LinearProblem& problem, const LinearPoint& point) {
  if (problem.bias != Bias::regularised || point.b == 0.0) return squared_norm_of(point.w);
  std::vector<double> weights = point.w;
  const Nearer of_constant = Nearer(point.b) / problem.bias_feature;
  weights.push_back(of_constant.hi);
  return widened(squared_norm_of(weights), (std::abs(of_constant.lo) + of_constant.error) * kUp);
}

template <typename Number>
Proof prove(const LinearProblem& problem, const LinearPoint& point, std::span<const double> a,
            ThreadPool& pool) {
  const Sums sums = pass_over_rows<Number>(problem, point, a, pool);
  ProofParts parts;
  parts.regulariser = half_times(norm_of(problem, point), problem.lambda);
  parts.losses = sums.losses.total();
  parts.bounds = sums.bounds.total();
  parts.wrong = sums.wrong;
  if (!a.empty()) {
    const Difference g = difference_of<Number>(problem, point, a, sums, pool);
    parts.distance = half_over(widened(squared_norm_of(g.values), g.error), problem.lambda,
                               static_cast<std::size_t>(problem.m()));
  }
  Proof proof = proof_of(parts, static_cast<std::size_t>(problem.m()), !a.empty(),
                         is_classification(problem.loss.loss));
  proof.used = std::is_same_v<Number, Near> ? Arithmetic::doubles : Arithmetic::pairs;
  return proof;
}

void make_exactly_feasible(const LinearProblem& problem, std::span<double> a, ThreadPool& pool) {
  for_row_blocks(a.size(), pool, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (a[i] == 0.0 && problem.bias != Bias::none) continue;
      const double s = problem.weight(i);
      const double y = problem.y[i];
      const auto values = problem.data.row(i).values;
      const bool reached =
          problem.bias != Bias::none ||
          std::any_of(values.begin(), values.end(), [](float value) { return value != 0.0F; });
      a[i] =
          reached ? feasible_dual(problem.loss, a[i], y, s) : dual_out_of_reach(problem.loss, y, s);
    }
  });
  if (!problem.has_free_bias()) return;
  balance_duals(a, pool.ranks());
  balance_exactly(a, pool.ranks());
}

}  // namespace

Proof certify(const LinearProblem& problem, const LinearPoint& point, std::span<double> a,
              ThreadPool& pool, Arithmetic arithmetic) {
  make_exactly_feasible(problem, a, pool);
  Proof proof;
  if (arithmetic != Arithmetic::pairs) proof = prove<Near>(problem, point, a, pool);
  const bool pairs =
      arithmetic == Arithmetic::pairs || (arithmetic == Arithmetic::automatic && is_wide(proof));
  if (pairs) proof = prove<Nearer>(problem, point, a, pool);
  if (!a.empty() && !(proof.certificate.dual > 0.0)) std::fill(a.begin(), a.end(), 0.0);
  return proof;
}

}  // namespace pegasos
