#include "base/memory.h"

#include <gtest/gtest.h>

#include <limits>

namespace pegasos {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

TEST(Memory, AvailableComesFromItsLine) {
  const std::string meminfo =
      "MemTotal:       24000000 kB\nMemFree:          123456 kB\nMemAvailable:    2000001 kB\n";
  EXPECT_EQ(available_of_meminfo(meminfo), 2000001ULL * 1024);
  EXPECT_EQ(available_of_meminfo("MemTotal: 1 kB\n"), 0U);
  EXPECT_EQ(available_of_meminfo(""), 0U);
}

TEST(Memory, ControlGroupLeavesLimitMinusUsage) {
  EXPECT_EQ(left_in_cgroup("1000\n", "400\n"), 600U);
  EXPECT_EQ(left_in_cgroup("1000\n", "1001\n"), 0U);
  EXPECT_EQ(left_in_cgroup("max\n", "400\n"), kNoLimit);
  EXPECT_EQ(left_in_cgroup("", ""), kNoLimit);
}

TEST(Memory, ThisMachineHasSome) {
  EXPECT_GT(available_memory(), 1U << 20);
  EXPECT_LT(available_memory(), std::uint64_t{1} << 60);
}

TEST(LazyArray, HoldsWhatIsWritten) {
  LazyArray<float> array(1 << 20);
  array.data()[0] = 1.0F;
  array.data()[(1 << 20) - 1] = 2.0F;
  LazyArray<float> moved(std::move(array));
  EXPECT_EQ(array.size(), 0U);  // NOLINT: moved from on purpose
  EXPECT_EQ(moved.data()[0], 1.0F);
  EXPECT_EQ(moved.data()[(1 << 20) - 1], 2.0F);
  EXPECT_EQ(LazyArray<float>(0).data(), nullptr);
}

}  // namespace
}  // namespace pegasos
