// Every vector target against plain loops, on every length around the vector sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "simd/arrays.h"
#include "simd/bytes.h"
#include "simd/target.h"

namespace pegasos::simd {
namespace {

class Kernels : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(force_target(GetParam())); }
  void TearDown() override { force_target(usable_targets().front()); }
};

TEST_P(Kernels, TargetIsInUse) {
  EXPECT_EQ(current_target(), GetParam());
}

TEST_P(Kernels, CountByte) {
  Random random(1, 0);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string text(size, ' ');
    for (auto& c : text) c = random.below(4) == 0 ? '"' : 'x';
    EXPECT_EQ(count_byte(text, '"'),
              static_cast<std::size_t>(std::count(text.begin(), text.end(), '"')));
  }
  EXPECT_EQ(count_byte(std::string(100000, '"'), '"'), 100000u);
}

TEST_P(Kernels, AllFiniteSeesEveryPlace) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<float> values(size, std::numeric_limits<float>::max());
    EXPECT_TRUE(all_finite(values));
    for (std::size_t i = 0; i < size; ++i) {
      for (const float bad : {kInfinity, -kInfinity, std::nanf("")}) {
        std::swap(values[i], const_cast<float&>(bad));
        EXPECT_FALSE(all_finite(values)) << i << " of " << size;
        values[i] = std::numeric_limits<float>::max();
      }
    }
  }
}

TEST_P(Kernels, RangeOf) {
  Random random(2, 0);
  for (std::size_t size = 1; size < 100; ++size) {
    std::vector<float> values(size);
    for (auto& x : values) x = static_cast<float>(random.normal());
    const Range range = range_of(values);
    EXPECT_EQ(range.smallest, *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(range.largest, *std::max_element(values.begin(), values.end()));
  }
  EXPECT_GT(range_of({}).smallest, range_of({}).largest);
}

TEST_P(Kernels, CountDescentsSeesEveryPlace) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<std::uint32_t> values(size);
    for (std::size_t i = 0; i < size; ++i) {
      values[i] = static_cast<std::uint32_t>(i) + (i >= size / 2 ? 0x80000000u : 0u);
    }
    EXPECT_EQ(count_descents(values), 0u);
    for (std::size_t i = 1; i < size; ++i) {
      const auto kept = values[i];
      values[i] = values[i - 1];
      EXPECT_EQ(count_descents(values), 1u) << i << " of " << size;
      values[i] = kept;
    }
  }
}

TEST_P(Kernels, CountNonZeros) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<float> values(size, 0.0F);
    for (std::size_t i = 0; i < size; i += 3) values[i] = -1e-40F;
    if (size > 1) values[1] = -0.0F;
    EXPECT_EQ(count_non_zeros(values), (size + 2) / 3);
  }
}

TEST_P(Kernels, Subtract) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<std::uint32_t> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<std::uint32_t>(i + 1);
    subtract(values, 1);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(values[i], i);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Kernels, ::testing::ValuesIn(usable_targets()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Target, RefusesUnknownNames) {
  EXPECT_FALSE(force_target("mmx"));
  EXPECT_FALSE(usable_targets().empty());
  EXPECT_EQ(usable_targets().back(), "scalar");
}

}  // namespace
}  // namespace pegasos::simd
