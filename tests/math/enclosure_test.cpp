// Enclosures contain the truth, computed in 400 bits; and where a bound on a rounding error can be
// met, it nearly is, so that half of it would be too little.
#include "math/enclosure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "support/real.h"

namespace pegasos {
namespace {

using testing::Real;

double draw(Random& random) {
  const double fraction = 1.0 + static_cast<double>(random.below(1ULL << 52)) * 0x1p-52;
  const int exponent = static_cast<int>(random.below(41)) - 20;
  return std::ldexp(random.below(2) == 0 ? fraction : -fraction, exponent);
}

Real middle(Near x) {
  return x.mid;
}
Real middle(Nearer x) {
  return Real(x.hi) + Real(x.lo);
}

// How much of the bound the error takes up; more than 1 is a false bound.
template <typename Number>
double used(Number x, const Real& truth) {
  const Real error = abs(middle(x) - truth);
  if (x.error == 0.0) return error == Real(0.0) ? 0.0 : 2.0;
  return (error / Real(x.error)).nearest();
}

template <typename Number>
double largest_share() {
  Random random(1, 2);
  double sum = 0, product = 0, quotient = 0;
  for (int round = 0; round < 20'000; ++round) {
    const double x = draw(random);
    const double y = draw(random);
    const double z = draw(random);
    // Of numbers that carry an error already, too.
    const Number a = Number(x) * Number(y);
    const Real exact = Real(x) * Real(y);
    product = std::max(product, used(a, exact));
    sum = std::max(sum, used(Number(x) + Number(y), Real(x) + Real(y)));
    sum = std::max(sum, used(a - Number(z), exact - Real(z)));
    quotient = std::max(quotient, used(Number(x) / y, Real(x) / Real(y)));
    quotient = std::max(quotient, used(a * a / z, exact * exact / Real(z)));
  }
  EXPECT_LE(sum, 1.0);
  EXPECT_LE(product, 1.0);
  EXPECT_LE(quotient, 1.0);
  return std::min({sum, product, quotient});
}

TEST(Enclosure, HoldsTheTruth) {
  EXPECT_GT(largest_share<Near>(), 0.9);  // u is met by numbers just above powers of 2
  largest_share<Nearer>();
}

TEST(Enclosure, UpperAndLowerAreOutside) {
  Random random(3, 4);
  for (int round = 0; round < 20'000; ++round) {
    const Nearer x = Nearer(draw(random)) * Nearer(draw(random)) + Nearer(draw(random));
    const Real exact = middle(x);
    EXPECT_TRUE(exact + Real(x.error) <= Real(upper(x)));
    EXPECT_TRUE(Real(lower(x)) <= exact - Real(x.error));
    EXPECT_LE(upper(x) - lower(x), 2 * x.error + 64 * kUnit * std::abs(x.hi) + 4 * kTiny);
  }
  EXPECT_EQ(upper(Nearer(1e300) * Nearer(1e300)), kUnknown);
  EXPECT_EQ(lower(Nearer(1e300) * Nearer(-1e300)), -kUnknown);
  EXPECT_EQ(upper(Nearer(std::nan(""))), kUnknown);
  EXPECT_EQ(upper(Nearer(0.0) * Nearer(5.0)), 0.0);  // zero is exact
}

TEST(Enclosure, SumsAreRightWhateverCancels) {
  Random random(5, 6);
  for (int round = 0; round < 300; ++round) {
    CertifiedSum sum;
    Real exact;
    double last = 0;
    for (int k = 0; k < 200; ++k) {
      last = k % 2 == 1 && random.below(3) > 0 ? -last : draw(random) * 1e12;
      sum.add(last);
      exact += Real(last);
    }
    EXPECT_LE(used(sum.total(), exact), 1.0);
  }
}

TEST(Enclosure, FunctionsAreWithinTwoUnitsInTheLastPlace) {
  Random random(7, 8);
  double worst = 0;
  const auto units = [](double value, const Real& truth) {
    const double place = std::max(std::abs(value) * 0x1p-53, 0x1p-1074);
    return (abs(Real(value) - truth) / Real(2 * place)).nearest();
  };
  for (int round = 0; round < 50'000; ++round) {
    const double x = 700.0 * static_cast<double>(random.below(1U << 30)) * 0x1p-30;
    const double p = std::abs(draw(random)) * 0x1p-22;
    worst = std::max({worst, units(std::exp(-x), exp(Real(-x))), units(std::log(p), log(Real(p))),
                      units(std::log1p(p), log1p(Real(p)))});
    if (p < 0.5) worst = std::max(worst, units(std::log1p(-p), log1p(Real(-p))));
  }
  EXPECT_LE(worst, 2.0);
}

}  // namespace
}  // namespace pegasos
