#include "base/grow_buffer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace pegasos {
namespace {

std::vector<std::uint32_t> contents(const GrowBuffer<std::uint32_t>& buffer) {
  return {buffer.begin(), buffer.end()};
}

// Whatever is done to it, it holds what a vector would.
RC_GTEST_PROP(GrowBuffer, BehavesLikeAVector, ()) {
  GrowBuffer<std::uint32_t> buffer;
  std::vector<std::uint32_t> model;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 7));
  for (const int step : steps) {
    if (step == 0) {
      const auto value = *rc::gen::arbitrary<std::uint32_t>();
      buffer.push_back(value);
      model.push_back(value);
    } else if (step == 1) {
      const auto values = *rc::gen::arbitrary<std::vector<std::uint32_t>>();
      buffer.append(values);
      model.insert(model.end(), values.begin(), values.end());
    } else if (step == 2) {
      buffer.reserve(model.size() + 10);
    } else if (step == 3) {
      buffer.shrink_to_fit();
      RC_ASSERT(buffer.capacity() == model.size());
    } else if (step == 4) {
      buffer.clear();
      model.clear();
    } else if (step == 5) {
      const std::size_t size = model.size() + 100;
      buffer.resize_uninitialised(size);
      for (std::size_t i = model.size(); i < size; ++i) buffer[i] = 7;
      model.resize(size, 7);
    } else {
      GrowBuffer<std::uint32_t> moved(std::move(buffer));
      buffer = std::move(moved);
    }
    RC_ASSERT(contents(buffer) == model);
    RC_ASSERT(buffer.size() == model.size());
    RC_ASSERT(buffer.empty() == model.empty());
    RC_ASSERT(buffer.capacity() >= buffer.size());
    if (!model.empty()) RC_ASSERT(buffer.back() == model.back());
  }
}

TEST(GrowBuffer, MovedFromIsEmpty) {
  GrowBuffer<std::uint32_t> a;
  a.push_back(1);
  const GrowBuffer<std::uint32_t> b(std::move(a));
  EXPECT_EQ(b.size(), 1u);
  EXPECT_EQ(a.size(), 0u);  // NOLINT(bugprone-use-after-move)
  a.push_back(2);
  EXPECT_EQ(a[0], 2u);
  EXPECT_EQ(b[0], 1u);
}

TEST(GrowBuffer, GrowsGeometrically) {
  GrowBuffer<char> buffer;
  int moves = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const auto before = buffer.capacity();
    buffer.push_back('x');
    moves += buffer.capacity() != before ? 1 : 0;
  }
  EXPECT_LT(moves, 40);
}

TEST(GrowBuffer, ImpossibleSizesThrow) {
  GrowBuffer<std::uint64_t> buffer;
  buffer.push_back(5);
  EXPECT_THROW(buffer.reserve(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
  ASSERT_EQ(buffer.size(), 1u);
  EXPECT_EQ(buffer[0], 5u);
}

}  // namespace
}  // namespace pegasos
