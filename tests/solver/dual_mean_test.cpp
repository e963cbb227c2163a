// The running mean of the duals: the same weights of epochs for all rows, whether they are visited
// or left out.
#include "solver/dual_mean.h"

#include <gtest/gtest.h>

namespace pegasos {
namespace {

TEST(DualMean, IsTheLastDualsWhileTheEstimateFallsFast) {
  DualMean mean;
  mean.begin({0.0, 1.0});
  std::vector<double> a = {0.0, 1.0};
  double estimate = 1.0;
  for (int epoch = 0; epoch < 8; ++epoch, estimate *= 0.5) {
    a = {a[0] + 1, a[1] - 1};
    mean.visit(0, a[0]);
    mean.visit(1, a[1]);
    mean.end_epoch(a, estimate);
    EXPECT_EQ(mean.values(), a);
    EXPECT_FALSE(mean.is_ready());
  }
}

TEST(DualMean, TreatsRowsLeftOutAsVisited) {
  // Both rows move alike and come to rest at 1 in the third epoch; the second is left out then.
  DualMean mean;
  mean.begin({0.0, 0.0});
  mean.end_epoch({0.0, 0.0}, 1.0);
  for (int epoch = 0; epoch < 12; ++epoch) {
    const double a = epoch < 2 ? -1.0 : 1.0;
    mean.visit(0, a);
    if (epoch < 2) mean.visit(1, a);
    if (epoch == 2) mean.leave_out(1, a);
    mean.end_epoch({a, a}, 0.9);
    EXPECT_DOUBLE_EQ(mean.values()[0], mean.values()[1]) << epoch;
  }
  EXPECT_TRUE(mean.is_ready());
  EXPECT_GT(mean.values()[0], 0.5);
  EXPECT_LT(mean.values()[0], 1.0);
}

TEST(DualMean, LiesBetweenDualsThatSwing) {
  DualMean mean;
  mean.begin({0.0});
  for (int epoch = 0; epoch < 30; ++epoch) {
    const double a = epoch % 2 == 0 ? 1.0 : -1.0;
    mean.visit(0, a);
    mean.end_epoch({a}, 1.0);
  }
  EXPECT_LT(std::abs(mean.values()[0]), 0.2);
}

}  // namespace
}  // namespace pegasos
