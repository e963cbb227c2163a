// The search for pairs on every vector target, against plain loops.
#include "simd/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "simd/target.h"

namespace pegasos::simd {
namespace {

constexpr double kEndlessPull = std::numeric_limits<double>::infinity();

class PairSearches : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(force_target(GetParam())); }
  void TearDown() override { force_target(usable_targets().front()); }
};

// Whole numbers out of a few, so that many are equal and the first of them counts.
struct PairCase {
  PairCase(std::size_t size, std::size_t filled, Random& random) {
    const auto number = [&] { return static_cast<double>(random.below(7)) - 3.0; };
    for (std::size_t r = 0; r < size; ++r) {
      const bool is_row = r < filled;
      right.push_back(is_row && random.below(4) != 0 ? number() : -kEndlessPull);
      left.push_back(is_row && random.below(4) != 0 ? number() : kEndlessPull);
      z.push_back(is_row ? number() : 0.0);
      q.push_back(is_row ? 4.0 : 0.0);
      gram.push_back(is_row ? number() : 0.0);
      other.push_back(is_row ? number() : 0.0);
    }
  }
  PullRows rows() { return {right.data(), left.data(), z.data(), z.size()}; }

  std::vector<double> right, left, z, q, gram, other;
};

TEST_P(PairSearches, StrongestPullsAndTheFirstOfThem) {
  Random random(1, 0);
  for (std::size_t size = 0; size <= 5 * kPairLanes; size += kPairLanes) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      PairCase rows(size, size - std::min<std::size_t>(size, random.below(kPairLanes)), random);
      StrongestPulls expected = {-kEndlessPull, kEndlessPull, size};
      for (std::size_t r = 0; r < size; ++r) {
        const double up = rows.right[r] - rows.z[r];
        if (up > expected.up) expected.first_up = r;
        expected.up = std::max(expected.up, up);
        expected.down = std::min(expected.down, rows.left[r] - rows.z[r]);
      }
      const StrongestPulls found = strongest_pulls(rows.rows());
      ASSERT_EQ(found.up, expected.up);
      ASSERT_EQ(found.down, expected.down);
      ASSERT_EQ(found.first_up, expected.first_up);
    }
  }
}

TEST_P(PairSearches, PartnerThatGainsMost) {
  Random random(2, 0);
  for (std::size_t size = kPairLanes; size <= 5 * kPairLanes; size += kPairLanes) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      PairCase rows(size, size - random.below(kPairLanes), random);
      const std::size_t up = random.below(size);
      const double pull = static_cast<double>(random.below(7)) - 3.0;
      std::size_t expected = size;
      double most = 0;
      for (std::size_t r = 0; r < size; ++r) {
        const double difference = pull - (rows.left[r] - rows.z[r]);
        if (r == up || !(difference > 0)) continue;
        const double curvature = curvature_of_pair(rows.q[up], rows.q[r], rows.gram[r]);
        const double gain = difference * difference / curvature;
        if (gain > most) {
          most = gain;
          expected = r;
        }
      }
      ASSERT_EQ(best_partner(rows.rows(), {up, pull, rows.q.data(), rows.gram.data()}), expected);
    }
  }
}

TEST(PairCurvatures, AreSquaredDistances) {
  EXPECT_EQ(curvature_of_pair(3.0, 4.0, 1.5), 4.0);
  EXPECT_EQ(curvature_of_pair(3.0, 3.0, 3.0), 6.0 * kLeastShare) << "of two equal rows";
  EXPECT_GT(curvature_of_pair(0.0, 0.0, 0.0), 0.0);
}

TEST_P(PairSearches, AnEndlessPullFindsAPartnerAndNobodyPairsWithItself) {
  std::vector<double> right(kPairLanes, -kEndlessPull), left(kPairLanes, kEndlessPull);
  std::vector<double> z(kPairLanes, 0.0), q(kPairLanes, 1.0), gram(kPairLanes, 0.0);
  right[2] = kEndlessPull;
  left[2] = -kEndlessPull;
  const PullRows rows = {right.data(), left.data(), z.data(), kPairLanes};
  EXPECT_EQ(strongest_pulls(rows).first_up, 2U);
  EXPECT_EQ(best_partner(rows, {2, kEndlessPull, q.data(), gram.data()}), kPairLanes);
  left[5] = -kEndlessPull;
  EXPECT_EQ(best_partner(rows, {2, kEndlessPull, q.data(), gram.data()}), 5U);
}

TEST_P(PairSearches, ScoresMoveByTwoRows) {
  Random random(3, 0);
  PairCase rows(4 * kPairLanes, 4 * kPairLanes, random);
  const std::vector<double> before = rows.z;
  add_two(rows.rows(), 0.5, rows.gram.data(), -0.25, rows.other.data());
  for (std::size_t r = 0; r < before.size(); ++r) {
    ASSERT_EQ(rows.z[r], before[r] + 0.5 * rows.gram[r] - 0.25 * rows.other[r]) << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, PairSearches, ::testing::ValuesIn(usable_targets()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace pegasos::simd
