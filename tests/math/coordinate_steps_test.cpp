// Steps of a pair of dual variables, against halving alone: at the step the slope of the dual along
// the pair changes its sign, or a variable reaches the end of its range.
#include "math/coordinate_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "math/losses.h"

namespace pegasos {
namespace {

template <typename LossType>
double slope_along(const LossType& loss, const DualRow& up, const DualRow& down, double curvature,
                   double t) {
  return dual_slopes(loss, up.a + t, up.y, up.s).right -
         dual_slopes(loss, down.a - t, down.y, down.s).left - (up.z - down.z) - curvature * t;
}

template <typename LossType>
double step_by_halving(const LossType& loss, const DualRow& up, const DualRow& down,
                       double curvature) {
  double near = 0;
  double far = 1e6;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (near + far);
    (slope_along(loss, up, down, curvature, middle) > 0 ? near : far) = middle;
  }
  return near;
}

// Regression takes any number as a label; classes are -1 and 1.
template <typename LossType>
void check_pairs(const LossType& loss, bool classes) {
  Random random(7, 0);
  int moved = 0;
  for (int repeat = 0; repeat < 3000; ++repeat) {
    const auto any_row = [&] {
      DualRow row = {};
      row.s = random.below(3) == 0 ? 1.0 : 0.1 + 2.0 * random.uniform();
      row.y = classes ? (random.below(2) == 0 ? -1.0 : 1.0) : 2.0 * random.normal();
      // At either end of its range, at zero, or between.
      const double wanted = 3.0 * random.normal();
      row.a = random.below(4) == 0 ? 0.0 : row.s * loss.clamp(wanted, row.y);
      row.z = 2.0 * random.normal();
      return row;
    };
    const DualRow up = any_row();
    const DualRow down = any_row();
    const double curvature = 0.01 + random.uniform();
    const double step = best_pair_step(loss, up, down, curvature);
    ASSERT_GE(step, 0.0);
    if (!(slope_along(loss, up, down, curvature, 0.0) > 0)) {
      ASSERT_EQ(step, 0.0);
      continue;
    }
    ++moved;
    ASSERT_NEAR(step, step_by_halving(loss, up, down, curvature), 1e-12 * (1.0 + step))
        << "up " << up.a << " of " << up.y << ", down " << down.a << " of " << down.y;
  }
  EXPECT_GT(moved, 500);
}

TEST(PairSteps, Hinge) {
  check_pairs(HingeLoss{}, true);
}
TEST(PairSteps, SquaredHinge) {
  check_pairs(SquaredHingeLoss{}, true);
}
TEST(PairSteps, Logistic) {
  check_pairs(LogisticLoss{}, true);
}
TEST(PairSteps, EpsilonInsensitive) {
  check_pairs(EpsilonInsensitiveLoss{0.3}, false);
}
TEST(PairSteps, SquaredEpsilonInsensitive) {
  check_pairs(SquaredEpsilonInsensitiveLoss{0.3}, false);
}
TEST(PairSteps, Huber) {
  check_pairs(HuberLoss{0.7}, false);
}

}  // namespace
}  // namespace pegasos
