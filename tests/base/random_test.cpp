#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace pegasos {
namespace {

// Sum of (seen - expected)² / expected over equally likely cells.
double chi_square(const std::vector<std::uint64_t>& seen) {
  const double total =
      static_cast<double>(std::accumulate(seen.begin(), seen.end(), std::uint64_t{0}));
  const double expected = total / static_cast<double>(seen.size());
  double sum = 0.0;
  for (const std::uint64_t count : seen) {
    const double off = static_cast<double>(count) - expected;
    sum += off * off / expected;
  }
  return sum;
}

// Chi-square with k degrees of freedom has mean k and variance 2k; five deviations above the mean
// is a bound a fair generator passes and a biased one does not.
double bound(std::size_t cells) {
  const double k = static_cast<double>(cells - 1);
  return k + 5 * std::sqrt(2 * k);
}

// Random123, kat_vectors: philox4x32-10 with counter and key zero.
TEST(Random, IsPhiloxAsPublished) {
  Random zeros(0, 0);
  EXPECT_EQ(zeros.next32(), 0x6627e8d5u);
  EXPECT_EQ(zeros.next32(), 0xe169c58du);
  EXPECT_EQ(zeros.next32(), 0xbc57ac4cu);
  EXPECT_EQ(zeros.next32(), 0x9b00dbd8u);
}

TEST(Random, JoinsWordsHighFirst) {
  Random random(0, 0);
  EXPECT_EQ(random.next64(), 0x6627e8d5e169c58du);
}

TEST(Random, SeedsAndStreamsDiffer) {
  std::vector<std::uint64_t> firsts;
  // All 64 bits of both count.
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      firsts.push_back(Random(std::uint64_t{1} << i, std::uint64_t{1} << j).next64());
    }
  }
  std::sort(firsts.begin(), firsts.end());
  EXPECT_EQ(std::adjacent_find(firsts.begin(), firsts.end()), firsts.end());
}

TEST(Random, GoesOnPastABlock) {
  Random once(7, 9);
  Random again(7, 9);
  std::vector<std::uint32_t> words;
  for (int i = 0; i < 1000; ++i) words.push_back(once.next32());
  for (const auto word : words) EXPECT_EQ(again.next32(), word);
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end()) << "blocks repeat";
}

TEST(Random, BelowIsFair) {
  for (const std::uint64_t n : {2u, 3u, 7u, 10u, 100u, 1000u}) {
    Random random(11, n);
    std::vector<std::uint64_t> seen(n);
    for (std::uint64_t i = 0; i < 200 * n; ++i) {
      const std::uint64_t drawn = random.below(n);
      ASSERT_LT(drawn, n);
      ++seen[drawn];
    }
    EXPECT_LT(chi_square(seen), bound(n)) << "n = " << n;
  }
}

// For n = 3·2^62 plain multiplication gives every third number twice the weight of the others.
TEST(Random, BelowIsFairForHugeBounds) {
  Random random(12, 0);
  const std::uint64_t n = std::uint64_t{3} << 62;
  std::vector<std::uint64_t> thirds(3);
  std::vector<std::uint64_t> remainders(3);
  for (int i = 0; i < 30000; ++i) {
    const std::uint64_t drawn = random.below(n);
    ASSERT_LT(drawn, n);
    ++thirds[drawn >> 62];
    ++remainders[drawn % 3];
  }
  EXPECT_LT(chi_square(thirds), bound(3));
  EXPECT_LT(chi_square(remainders), bound(3));
}

TEST(Random, BelowOneIsZero) {
  Random random(1, 1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(13, 0);
  std::vector<std::uint64_t> seen(64);
  for (int i = 0; i < 64000; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ASSERT_EQ(std::ldexp(u, 53), std::floor(std::ldexp(u, 53)));
    ++seen[static_cast<std::size_t>(64 * u)];
  }
  EXPECT_LT(chi_square(seen), bound(64));
}

TEST(Random, NormalHasTheMomentsOfTheNormal) {
  Random random(14, 0);
  constexpr int kDraws = 200000;
  std::array<double, 5> moments = {};
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = random.normal();
    double power = 1.0;
    for (auto& moment : moments) {
      moment += power / kDraws;
      power *= z;
    }
    beyond_two += std::abs(z) > 2 ? 1 : 0;
  }
  // Standard errors: 1/√n, √2/√n, √15/√n, √96/√n; five of them.
  const double unit = 5 / std::sqrt(kDraws);
  EXPECT_NEAR(moments[1], 0.0, unit);
  EXPECT_NEAR(moments[2], 1.0, unit * std::sqrt(2.0));
  EXPECT_NEAR(moments[3], 0.0, unit * std::sqrt(15.0));
  EXPECT_NEAR(moments[4], 3.0, unit * std::sqrt(96.0));
  EXPECT_NEAR(beyond_two / double{kDraws}, 0.0455, unit * 0.21);
}

TEST(Random, ShuffleReachesEveryPermutationEqually) {
  Random random(15, 0);
  std::map<std::array<int, 4>, std::uint64_t> counts;
  for (int i = 0; i < 24 * 500; ++i) {
    std::array<int, 4> values = {0, 1, 2, 3};
    random.shuffle(std::span<int>(values));
    ++counts[values];
  }
  ASSERT_EQ(counts.size(), 24u);
  std::vector<std::uint64_t> seen;
  for (const auto& [order, count] : counts) {
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, (std::array<int, 4>{0, 1, 2, 3}));
    seen.push_back(count);
  }
  EXPECT_LT(chi_square(seen), bound(24));
}

TEST(Random, ShuffleTakesEmptyAndSingle) {
  Random random(16, 0);
  std::vector<int> none;
  random.shuffle(std::span<int>(none));
  std::vector<int> one = {5};
  random.shuffle(std::span<int>(one));
  EXPECT_EQ(one, std::vector<int>{5});
}

}  // namespace
}  // namespace pegasos
