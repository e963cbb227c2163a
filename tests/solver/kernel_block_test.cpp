// The inner problem of block dual ascent: what a block is left with.
#include "solver/kernel_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/random.h"
#include "math/losses.h"

namespace pegasos {
namespace {

constexpr std::size_t kBlockRows = 37;  // not whole tiles
constexpr double kBlockUnit = 0.3;      // 1/(lambda m)

// Random points on a line, classes mixed, the Gaussian kernel.
struct BlockOnALine {
  BlockOnALine() {
    Random random(5, 0);
    std::vector<double> x(kBlockRows);
    for (double& value : x) value = 6 * random.uniform();
    block.begin(kBlockRows, [this](std::size_t r, std::span<double> to) {
      ++asked[r];
      std::copy(gram[r].begin(), gram[r].end(), to.begin());
    });
    for (std::size_t r = 0; r < kBlockRows; ++r) {
      block.row(r) = {0.0, 0.0, r % 3 == 0 ? 1.0 : -1.0, 1.0, kBlockUnit};
      for (const double other : x) {
        gram[r].push_back(kBlockUnit * std::exp(-(x[r] - other) * (x[r] - other)));
      }
    }
  }

  void expect_scores_follow() const {
    for (std::size_t r = 0; r < kBlockRows; ++r) {
      double z = 0;
      for (std::size_t c = 0; c < kBlockRows; ++c) z += block.row(c).a * gram[r][c];
      EXPECT_NEAR(block.row(r).z, z, 1e-9) << r;
      EXPECT_LE(asked[r], 1) << "a row of the matrix is asked for once";
      EXPECT_TRUE(asked[r] == 1 || block.row(r).a == 0.0) << r;
    }
  }

  std::vector<std::vector<double>> gram = std::vector<std::vector<double>>(kBlockRows);
  std::vector<int> asked = std::vector<int>(kBlockRows, 0);
  KernelBlock<HingeLoss> block{HingeLoss{}};
};

double largest_gain(const KernelBlock<HingeLoss>& block) {
  double most = 0;
  for (std::size_t r = 0; r < kBlockRows; ++r) {
    const DualRow& row = block.row(r);
    most = std::max(most, dual_improvement(HingeLoss{}, row, best_dual_of_row(HingeLoss{}, row)));
  }
  return most;
}

Pulls pulls_of(const KernelBlock<HingeLoss>& block) {
  Pulls pulls;
  for (std::size_t r = 0; r < kBlockRows; ++r) {
    const DualSlopes slopes = slopes_of_row(HingeLoss{}, block.row(r));
    pulls.include(slopes.right - block.row(r).z, slopes.left - block.row(r).z);
  }
  return pulls;
}

TEST(KernelBlock, RowsAloneAreLeftWithAQuarterOfTheFirstGain) {
  BlockOnALine line;
  KernelBlock<HingeLoss>& block = line.block;
  const double before = largest_gain(block);
  block.move_coordinates();
  EXPECT_GT(largest_gain(block), 0.0) << "the rest is for the next block";
  EXPECT_LT(largest_gain(block), 0.25 * before);
  line.expect_scores_follow();
}

TEST(KernelBlock, PairsAreLeftWithHalfOfTheFirstViolation) {
  BlockOnALine line;
  KernelBlock<HingeLoss>& block = line.block;
  const double before = pulls_of(block).violation();
  const double shift = block.move_pairs();
  const Pulls after = pulls_of(block);
  EXPECT_GT(after.violation(), 0.0) << "the rest is for the next block";
  EXPECT_LE(after.violation(), 0.5 * before);
  EXPECT_DOUBLE_EQ(shift, 0.5 * (after.up + after.down));
  double sum = 0;
  for (std::size_t r = 0; r < kBlockRows; ++r) sum += block.row(r).a;
  EXPECT_NEAR(sum, 0.0, 1e-12);
  line.expect_scores_follow();
}

// The gain of the logistic loss is endlessly steep at 0: every row leaves it in its first block.
TEST(KernelBlock, PairsTakeAllRowsOffAnEndlessSlope) {
  KernelBlock<LogisticLoss> block{LogisticLoss{}};
  block.begin(kBlockRows, [](std::size_t r, std::span<double> to) {
    std::fill(to.begin(), to.end(), 0.0);
    to[r] = kBlockUnit;
  });
  for (std::size_t r = 0; r < kBlockRows; ++r) {
    block.row(r) = {0.0, 0.0, r % 3 == 0 ? 1.0 : -1.0, 1.0, kBlockUnit};
  }
  block.move_pairs();
  for (std::size_t r = 0; r < kBlockRows; ++r) EXPECT_NE(block.row(r).a, 0.0) << r;
}

}  // namespace
}  // namespace pegasos
