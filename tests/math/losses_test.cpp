// Every loss against its definition: sub-gradients by their inequality, slopes by differences,
// conjugates by minimising on a grid.
#include "math/losses.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "pegasos/error.h"
#include "support/naive_objective.h"

namespace pegasos {
namespace {

using testing::feasible_duals;
using testing::kAllLosses;
using testing::naive_loss;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double value(const LossOptions& options, double z, double y) {
  return with_loss(options, [&](const auto& loss) { return loss.value(z, y); });
}
double ascent(const LossOptions& options, double z, double y) {
  return with_loss(options, [&](const auto& loss) { return loss.ascent(z, y); });
}
double gain(const LossOptions& options, double a, double y) {
  return with_loss(options, [&](const auto& loss) { return loss.gain(a, y); });
}
double clamp(const LossOptions& options, double a, double y) {
  return with_loss(options, [&](const auto& loss) { return loss.clamp(a, y); });
}

double ascend(const LossOptions& options, double a, double z, double y, double q, double s) {
  return with_loss(options, [&](const auto& loss) { return loss.ascend(a, z, y, q, s); });
}
double response(const LossOptions& options, double a, double y, double q, double s) {
  return with_loss(options, [&](const auto& loss) { return loss.response(a, y, q, s); });
}

class Losses : public ::testing::TestWithParam<Loss> {
 protected:
  LossOptions any_options() {
    LossOptions options;
    options.loss = GetParam();
    options.epsilon = random_.below(4) == 0 ? 0.0 : random_.uniform();
    options.delta = 0.05 + 2 * random_.uniform();
    return options;
  }
  double any_label() {
    if (is_classification(GetParam())) return random_.below(2) == 0 ? 1.0 : -1.0;
    return 3 * random_.normal();
  }
  double any_score() { return 4 * random_.normal(); }
  // Unbounded sides are cut at 6.
  double any_dual(const LossOptions& options, double y) {
    const auto domain = feasible_duals(options, y);
    const double low = std::max(domain.low, -6.0);
    const double high = std::min(domain.high, 6.0);
    switch (random_.below(6)) {
      case 0:
        return low;
      case 1:
        return high;
      default:
        return low + (high - low) * random_.uniform();
    }
  }

  Random random_{1, 0};
};

// argmax over a' of s gain(a'/s) - z (a' - a) - q/2 (a' - a)^2: no feasible a' does better, near
// or far.
TEST_P(Losses, AscendIsTheBestCoordinate) {
  for (int round = 0; round < 2000; ++round) {
    const LossOptions options = any_options();
    const double y = any_label();
    const double s = random_.below(3) == 0 ? 1.0 : 0.01 + 3 * random_.uniform();
    const double a = s * any_dual(options, y);
    const double z = any_score();
    const double q = std::exp(6 * random_.normal() / 2);
    const auto objective = [&](double next) {
      return s * testing::naive_gain(options, next / s, y) - z * (next - a) -
             0.5 * q * (next - a) * (next - a);
    };
    const double best = ascend(options, a, z, y, q, s);
    const auto domain = feasible_duals(options, y);
    ASSERT_GE(best, s * domain.low - 1e-12);
    ASSERT_LE(best, s * domain.high + 1e-12);
    const double value = objective(best);
    const double allowed = 1e-11 * (1 + std::abs(value) + std::abs(z * a) + q * a * a);
    for (double step = 1e-6; step < 100; step *= 3) {
      for (const double other : {best - step, best + step}) {
        const double next = std::clamp(other, s * domain.low, s * domain.high);
        ASSERT_LE(objective(next), value + allowed)
            << "a " << a << " z " << z << " y " << y << " q " << q << " s " << s;
      }
    }
  }
}

// Minus the slope of ascend in z, where it has one.
TEST_P(Losses, ResponseIsTheSlopeOfAscend) {
  int checked = 0;
  for (int round = 0; round < 2000; ++round) {
    const LossOptions options = any_options();
    const double y = any_label();
    const double s = 0.1 + 2 * random_.uniform();
    const double centre = s * any_dual(options, y);
    const double z = any_score();
    // Losses without a kink are used without smoothing too.
    const double q = !has_kink(GetParam()) && random_.below(4) == 0 ? 0.0 : 0.1 + random_.uniform();
    const auto at = [&](double score) { return ascend(options, centre, score, y, q, s); };
    const double h = 1e-5;
    const double left = (at(z - h) - at(z)) / h;
    const double right = (at(z) - at(z + h)) / h;
    if (std::abs(left - right) > 1e-3) continue;  // a kink of ascend
    ++checked;
    ASSERT_NEAR(response(options, at(z), y, q, s), 0.5 * (left + right), 1e-4)
        << "centre " << centre << " z " << z << " y " << y << " q " << q << " s " << s;
  }
  EXPECT_GT(checked, 1900);
}

TEST_P(Losses, AscendSurvivesExtremes) {
  LossOptions options;
  options.loss = GetParam();
  for (const double y : {1.0, -1.0}) {
    for (const double z : {0.0, 1e-300, 1e8, -1e8, 1e300, -1e300}) {
      for (const double q : {1e-300, 1e-8, 1.0, 1e8, 1e300}) {
        const double a = ascend(options, 0.0, z, y, q, 1.0);
        ASSERT_FALSE(std::isnan(a)) << z << " " << q;
        const auto domain = feasible_duals(options, y);
        ASSERT_TRUE(a >= domain.low && a <= domain.high) << z << " " << q << ": " << a;
      }
    }
  }
}

TEST_P(Losses, ValuesAreTheFormulas) {
  for (int k = 0; k < 2000; ++k) {
    const auto options = any_options();
    const double y = any_label();
    const double z = any_score();
    const double expected = naive_loss(options, z, y);
    EXPECT_NEAR(value(options, z, y), expected, 1e-14 * (1 + expected));
  }
}

TEST_P(Losses, AscentIsMinusASubGradient) {
  for (int k = 0; k < 5000; ++k) {
    const auto options = any_options();
    const double y = any_label();
    // Kinks are where a mistake would hide.
    const double kinks[] = {y, y + options.epsilon, y - options.epsilon, y + options.delta};
    const double z1 = random_.below(3) == 0 ? kinks[random_.below(4)] : any_score();
    const double z2 = any_score();
    const double u = ascent(options, z1, y);
    const double f1 = naive_loss(options, z1, y);
    const double f2 = naive_loss(options, z2, y);
    EXPECT_GE(f2, f1 - u * (z2 - z1) - 1e-12 * (1 + f1 + f2))
        << name_of(options.loss) << " y " << y << " z1 " << z1 << " z2 " << z2;
  }
}

TEST_P(Losses, AscentIsTheSlopeWhereSmooth) {
  constexpr double kStep = 1e-6;
  for (int k = 0; k < 2000; ++k) {
    const auto options = any_options();
    const double y = any_label();
    const double z = any_score();
    const double bends[] = {y, y + options.epsilon, y - options.epsilon, y + options.delta,
                            y - options.delta};
    bool near_bend = false;
    for (const double bend : bends) near_bend = near_bend || std::abs(z - bend) < 10 * kStep;
    if (near_bend) continue;
    const double slope =
        (naive_loss(options, z + kStep, y) - naive_loss(options, z - kStep, y)) / (2 * kStep);
    EXPECT_NEAR(ascent(options, z, y), -slope, 1e-7 * (1 + std::abs(slope)));
  }
}

// min over z of s loss(z) + a z, on a grid and then by ternary search around its best point.
double conjugate_by_force(const LossOptions& options, double s, double a, double y) {
  const auto at = [&](double z) { return s * naive_loss(options, z, y) + a * z; };
  constexpr double kReach = 60;
  constexpr double kStep = 0.01;
  double best = -kReach;
  for (double z = -kReach; z <= kReach; z += kStep) {
    if (at(z) < at(best)) best = z;
  }
  double low = best - kStep;
  double high = best + kStep;
  for (int k = 0; k < 60; ++k) {
    const double left = low + (high - low) / 3;
    const double right = high - (high - low) / 3;
    if (at(left) < at(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return at(0.5 * (low + high));
}

TEST_P(Losses, GainIsTheConjugate) {
  for (int k = 0; k < 60; ++k) {
    const auto options = any_options();
    const double y = any_label();
    const double a = any_dual(options, y);
    const double expected = conjugate_by_force(options, 1.0, a, y);
    EXPECT_NEAR(gain(options, a, y), expected, 1e-9 * (1 + std::abs(expected)))
        << name_of(options.loss) << " a " << a << " y " << y;
  }
}

TEST_P(Losses, WeightsScaleTheConjugate) {
  for (int k = 0; k < 40; ++k) {
    const auto options = any_options();
    const double y = any_label();
    const double s = 0.1 + 3 * random_.uniform();
    const double a = s * any_dual(options, y);
    const double expected = conjugate_by_force(options, s, a, y);
    EXPECT_NEAR(s * gain(options, a / s, y), expected, 1e-9 * (1 + std::abs(expected)));
  }
}

TEST_P(Losses, AscentIsFeasible) {
  for (int k = 0; k < 5000; ++k) {
    const auto options = any_options();
    const double y = any_label();
    const double z = std::ldexp(any_score(), static_cast<int>(random_.below(12)) - 2);
    const double u = ascent(options, z, y);
    EXPECT_EQ(clamp(options, u, y), u) << name_of(options.loss) << " y " << y << " z " << z;
    const auto domain = feasible_duals(options, y);
    EXPECT_GE(u, domain.low);
    EXPECT_LE(u, domain.high);
  }
}

TEST_P(Losses, ClampIsTheNearestFeasibleDual) {
  for (int k = 0; k < 2000; ++k) {
    const auto options = any_options();
    const double y = any_label();
    const double a = any_score();
    const auto domain = feasible_duals(options, y);
    EXPECT_EQ(clamp(options, a, y), std::clamp(a, domain.low, domain.high));
  }
}

// Fenchel's equality at the slope itself: what makes a gap close at the optimum.
TEST_P(Losses, GainOfTheAscentIsTight) {
  for (int k = 0; k < 3000; ++k) {
    const auto options = any_options();
    const double y = any_label();
    const double z = any_score();
    const double u = ascent(options, z, y);
    const double expected = naive_loss(options, z, y) + u * z;
    EXPECT_NEAR(gain(options, u, y), expected, 1e-12 * (1 + std::abs(u * z) + std::abs(expected)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Losses, ::testing::ValuesIn(kAllLosses), [](const auto& one) {
  std::string name = name_of(one.param);
  for (auto& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST(LossesAtTheEdge, LogisticSurvivesHugeMargins) {
  const LossOptions options{.loss = Loss::logistic};
  EXPECT_EQ(value(options, 1e6, 1.0), 0.0);
  EXPECT_EQ(value(options, -1e6, 1.0), 1e6);
  EXPECT_EQ(ascent(options, 1e6, 1.0), 0.0);
  EXPECT_EQ(ascent(options, -1e6, 1.0), 1.0);
  EXPECT_EQ(ascent(options, 1e6, -1.0), -1.0);
  EXPECT_EQ(gain(options, 0.0, 1.0), 0.0);
  EXPECT_EQ(gain(options, -1.0, -1.0), 0.0);
  EXPECT_NEAR(gain(options, 0.5, 1.0), std::log(2.0), 1e-15);
}

TEST(LossesWithAKink, MiddleIsHalfWayBetweenTheSlopes) {
  const double step = 1e-9;
  for (const double y : {-1.0, 1.0}) {
    const double kink = 1.0 / y;
    const double slopes = HingeLoss::ascent(kink - step, y) + HingeLoss::ascent(kink + step, y);
    EXPECT_EQ(HingeLoss::middle(kink, y), 0.5 * slopes);
  }
  const EpsilonInsensitiveLoss loss{0.25};
  for (const double kink : {1.0 - 0.25, 1.0 + 0.25}) {
    const double slopes = loss.ascent(kink - step, 1.0) + loss.ascent(kink + step, 1.0);
    EXPECT_EQ(loss.middle(kink, 1.0), 0.5 * slopes);
  }
}

TEST(LossesAtTheEdge, OnlySquaredLossesHaveUnboundedSlopes) {
  for (const Loss loss : kAllLosses) {
    const LossOptions options{.loss = loss};
    const double far = std::abs(ascent(options, -1e6, 1.0));
    if (unbounded_curvature(loss) == 0) {
      EXPECT_LE(far, 1.0) << name_of(loss);
    } else {
      EXPECT_GT(far, 1e6) << name_of(loss);
      // The slope changes by no more than the curvature says.
      EXPECT_NEAR(ascent(options, -3.0, 1.0) - ascent(options, -2.0, 1.0),
                  unbounded_curvature(loss), 1e-12);
    }
  }
}

std::string refused_field(const LossOptions& options) {
  try {
    options.validate();
    return "";
  } catch (const InvalidOption& error) {
    return error.field();
  }
}

TEST(LossOptions, AreValidated) {
  EXPECT_EQ(refused_field({}), "");
  EXPECT_EQ(refused_field({.epsilon = 0.0}), "");
  for (const double bad : {-1e-300, -1.0, kInfinity, -kInfinity, kNaN}) {
    EXPECT_EQ(refused_field({.epsilon = bad}), "epsilon") << bad;
    EXPECT_EQ(refused_field({.delta = bad}), "delta") << bad;
  }
  EXPECT_EQ(refused_field({.delta = 0.0}), "delta");
  EXPECT_EQ(refused_field({.delta = 1e-300}), "");
}

TEST(LossNames, GoThereAndBack) {
  ASSERT_EQ(loss_names().size(), std::size(kAllLosses));
  for (const Loss loss : kAllLosses) EXPECT_EQ(loss_of_name(name_of(loss)), loss);
  EXPECT_EQ(loss_of_name("Hinge"), std::nullopt);
  EXPECT_EQ(loss_of_name(""), std::nullopt);
}

}  // namespace
}  // namespace pegasos
