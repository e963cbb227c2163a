// Real numbers of 400 digits in binary with an endless exponent, from MPFR: the truth that
// certificates are held to.
#pragma once

#include <mpfr.h>

#include <utility>

namespace pegasos::testing {

class Real {
 public:
  Real(double value = 0.0) {  // NOLINT: a double is a Real
    mpfr_init2(value_, kBits);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real(Real&& other) noexcept : Real() { mpfr_swap(value_, other.value_); }
  Real& operator=(Real other) noexcept {
    mpfr_swap(value_, other.value_);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  friend Real operator+(const Real& a, const Real& b) { return by(mpfr_add, a, b); }
  friend Real operator-(const Real& a, const Real& b) { return by(mpfr_sub, a, b); }
  friend Real operator*(const Real& a, const Real& b) { return by(mpfr_mul, a, b); }
  friend Real operator/(const Real& a, const Real& b) { return by(mpfr_div, a, b); }
  Real& operator+=(const Real& b) { return *this = *this + b; }
  Real operator-() const { return Real(0.0) - *this; }

  friend bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.value_, b.value_); }
  friend bool operator>(const Real& a, const Real& b) { return b < a; }
  friend bool operator<=(const Real& a, const Real& b) { return !(b < a); }
  friend bool operator==(const Real& a, const Real& b) { return mpfr_equal_p(a.value_, b.value_); }

  friend Real exp(const Real& a) { return by(mpfr_exp, a); }
  friend Real log(const Real& a) { return by(mpfr_log, a); }
  friend Real log1p(const Real& a) { return by(mpfr_log1p, a); }
  friend Real tanh(const Real& a) { return by(mpfr_tanh, a); }
  friend Real abs(const Real& a) { return by(mpfr_abs, a); }
  friend Real max(const Real& a, const Real& b) { return a < b ? b : a; }
  friend Real min(const Real& a, const Real& b) { return a < b ? a : b; }

  double nearest() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  static constexpr mpfr_prec_t kBits = 400;

  template <typename F>
  static Real by(F f, const Real& a, const Real& b) {
    Real result;
    f(result.value_, a.value_, b.value_, MPFR_RNDN);
    return result;
  }
  template <typename F>
  static Real by(F f, const Real& a) {
    Real result;
    f(result.value_, a.value_, MPFR_RNDN);
    return result;
  }

  mpfr_t value_;
};

}  // namespace pegasos::testing
