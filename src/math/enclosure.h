// Real numbers known up to an error: arithmetic whose results carry a bound on their own rounding.
//
//   Near     |x - mid|       ≤ error      one double: fast
//   Nearer   |x - (hi + lo)| ≤ error      two doubles, |lo| ≤ u |hi|: twice the digits
//
// With u = 2^-53 every double operation is exact up to a factor 1 + d, |d| ≤ u, and up to half the
// smallest subnormal number where it underflows. Sums of two doubles have an error that is itself a
// double (TwoSum, Knuth), and so have products (TwoProduct, by fused multiply-add). Double-double
// operations made of them have relative errors of at most (Joldes, Muller, Popescu 2017; Muller,
// Rideau 2022), up to terms of u^3 that the quarters below make room for:
//
//   sum        3 u^2      AccurateDWPlusDW
//   product    5 u^2      DWTimesDW1
//   quotient   4 u^2      by a double: the remainder is exact; adding the low part to it and
//                         dividing by b each round a number of at most 2 u |q|
//
// Errors are doubles too; kUp, a factor after every few operations with them, and kTiny, added for
// underflow, make sure that they are never rounded below the truth. What is exactly zero stays so.
// A number that overflowed has an error that is not finite, and so an infinite upper() and lower().
#pragma once

#include <cmath>
#include <limits>

namespace pegasos {

inline constexpr double kUnit = 0x1p-53;
inline constexpr double kPairSum = 3.25 * kUnit * kUnit;
inline constexpr double kPairProduct = 5.25 * kUnit * kUnit;
inline constexpr double kPairQuotient = 4.25 * kUnit * kUnit;
inline constexpr double kUp = 1.0 + 0x1p-48;
inline constexpr double kTiny = 0x1p-990;  // normal: arithmetic with subnormal numbers is slow
inline constexpr double kUnknown = std::numeric_limits<double>::infinity();

struct TwoDoubles {
  double hi;
  double lo;
};

inline TwoDoubles two_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
// |a| ≥ |b|, or a is 0.
inline TwoDoubles quick_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}
inline TwoDoubles two_product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}

struct Near {
  double mid = 0.0;
  double error = 0.0;

  Near() = default;
  Near(double exact) : mid(exact) {}  // NOLINT: a double is a Near
  Near(double middle, double bound) : mid(middle), error(bound) {}

  double middle() const { return mid; }
  bool is_zero() const { return mid == 0.0 && error == 0.0; }
  Near with_error(double more) const { return {mid, (error + more) * kUp}; }

  friend Near operator-(Near a) { return {-a.mid, a.error}; }
  friend Near operator+(Near a, Near b) {
    const double sum = a.mid + b.mid;
    return {sum, (a.error + b.error + kUnit * std::abs(sum)) * kUp};
  }
  friend Near operator-(Near a, Near b) { return a + -b; }
  friend Near operator*(Near a, Near b) {
    if (a.is_zero() || b.is_zero()) return {};
    const double product = a.mid * b.mid;
    const double bound = std::abs(a.mid) * b.error + std::abs(b.mid) * a.error + a.error * b.error +
                         kUnit * std::abs(product);
    return {product, bound * kUp + kTiny};
  }
  friend Near operator/(Near a, double b) {
    if (a.is_zero()) return {};
    const double quotient = a.mid / b;
    return {quotient, (a.error / std::abs(b) + kUnit * std::abs(quotient)) * kUp + kTiny};
  }
};

struct Nearer {
  double hi = 0.0;
  double lo = 0.0;
  double error = 0.0;

  Nearer() = default;
  Nearer(double exact) : hi(exact) {}                     // NOLINT: a double is a Nearer
  Nearer(Near near) : hi(near.mid), error(near.error) {}  // NOLINT
  Nearer(double high, double low, double bound) : hi(high), lo(low), error(bound) {}

  double middle() const { return hi; }
  bool is_zero() const { return hi == 0.0 && lo == 0.0 && error == 0.0; }
  Nearer with_error(double more) const { return {hi, lo, (error + more) * kUp}; }

  friend Nearer operator-(Nearer a) { return {-a.hi, -a.lo, a.error}; }
  friend Nearer operator+(Nearer a, Nearer b) {
    TwoDoubles s = two_sum(a.hi, b.hi);
    const TwoDoubles t = two_sum(a.lo, b.lo);
    s = quick_two_sum(s.hi, s.lo + t.hi);
    s = quick_two_sum(s.hi, s.lo + t.lo);
    return {s.hi, s.lo, (a.error + b.error + kPairSum * std::abs(s.hi)) * kUp};
  }
  friend Nearer operator-(Nearer a, Nearer b) { return a + -b; }
  friend Nearer operator*(Nearer a, Nearer b) {
    if (a.is_zero() || b.is_zero()) return {};
    TwoDoubles p = two_product(a.hi, b.hi);
    p = quick_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
    const double x = std::abs(a.hi) * (1.0 + 2 * kUnit);
    const double y = std::abs(b.hi) * (1.0 + 2 * kUnit);
    const double bound =
        x * b.error + y * a.error + a.error * b.error + kPairProduct * std::abs(p.hi);
    return {p.hi, p.lo, bound * kUp + kTiny};
  }
  friend Nearer operator/(Nearer a, double b) {
    if (a.is_zero()) return {};
    const double q = a.hi / b;
    const double rest = std::fma(-q, b, a.hi) + a.lo;
    const TwoDoubles s = quick_two_sum(q, rest / b);
    // The remainder of so small a number may underflow; what it would have added is below 2 u.
    const double unit = std::abs(a.hi) < 0x1p-900 ? 4 * kUnit : kPairQuotient;
    return {s.hi, s.lo, (a.error / std::abs(b) + unit * std::abs(s.hi)) * kUp + kTiny};
  }
};

// Functions that never change by more than their argument keep its error. The positive part of what
// is certainly negative is exactly zero.
template <typename Number>
Number positive_part(Number x) {
  if (x.middle() >= 0) return x;
  return -x.middle() > 2 * x.error ? Number(0.0) : Number(0.0).with_error(x.error);
}
template <typename Number>
Number magnitude(Number x) {
  return x.middle() >= 0 ? x : -x;
}

// 2^exponent x.
inline Nearer shifted(Nearer x, int exponent) {
  if (x.is_zero()) return {};
  return {std::ldexp(x.hi, exponent), std::ldexp(x.lo, exponent),
          std::ldexp(x.error, exponent) * kUp + kTiny};
}

// No number of the enclosure is larger, or smaller. NaN, what became of a number that overflowed,
// says nothing: infinite.
inline double upper(Nearer x) {
  if (x.is_zero()) return 0.0;
  const double sum = x.hi + (x.lo + x.error);
  const double bound = sum + 4 * kUnit * (std::abs(x.hi) + x.error) + kTiny;
  return std::isnan(bound) ? kUnknown : bound;
}
inline double lower(Nearer x) {
  return -upper(-x);
}

// Twice the error, at least: upper - lower but for its own rounding.
inline double width(Nearer x) {
  return std::isfinite(x.hi) && std::isfinite(x.error) ? 2 * x.error : kUnknown;
}

// A sum of many numbers, as accurate as in twice the digits whatever their order (Sum2 of Ogita,
// Rump and Oishi 2005): the rounding errors of the running sum are themselves summed up.
class CertifiedSum {
 public:
  void add(double x) {
    const TwoDoubles s = two_sum(sum_, x);
    sum_ = s.hi;
    rest_ += s.lo;
    size_ += std::abs(x);
    ++count_;
  }
  void add(Near x) {
    add(x.mid);
    error_ += x.error;
  }
  void add(Nearer x) {
    add(x.hi);
    add(x.lo);
    error_ += x.error;
  }
  void add(const CertifiedSum& other) { add(other.total()); }

  // The running sum makes rounding errors of at most u times the sum of magnitudes. After k of them
  // rest_ is at most k u of it, and adding the next one rounds by u of that: n^2/2 u^2 in all.
  Nearer total() const {
    const double n = static_cast<double>(count_) + 1.0;
    const double slip = 0.5 * (n * kUnit) * (n * kUnit) * size_;
    const TwoDoubles s = two_sum(sum_, rest_);
    return {s.hi, s.lo, (error_ + slip) * (1.0 + 4.0 * n * kUnit) * kUp};
  }

 private:
  double sum_ = 0.0;
  double rest_ = 0.0;
  double size_ = 0.0;
  double error_ = 0.0;
  unsigned long long count_ = 0;
};

}  // namespace pegasos
