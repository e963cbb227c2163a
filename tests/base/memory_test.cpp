#include "base/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "base/grow_buffer.h"
#include "base/residency.h"
#include "pegasos/error.h"
#include "support/temporary_folder.h"

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

TEST(Residency, ASpoolFileKeepsWhatWasWrittenWhileItGrows) {
  const testing::TemporaryFolder folder;
  const auto residency = std::make_shared<Residency>(std::uint64_t{1} << 30, folder.path(""));
  GrowBuffer<std::uint64_t> values(residency);
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    values.push_back(i * i);
    if (i % 30'000 == 0) residency->release();
  }
  values.shrink_to_fit();
  GrowBuffer<std::uint64_t> moved = std::move(values);
  residency->release();
  ASSERT_EQ(moved.size(), 100'000U);
  for (std::uint64_t i = 0; i < moved.size(); ++i) ASSERT_EQ(moved[i], i * i);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));  // it has no name to leave behind
}

// Values that are appended or replaced go into the file by calls of the system, and are seen through
// the mapping at once, before and after the file has grown.
TEST(Residency, AppendedValuesAreSeenInTheMapping) {
  const testing::TemporaryFolder folder;
  const auto residency = std::make_shared<Residency>(std::uint64_t{1} << 20, folder.path(""));
  GrowBuffer<std::uint32_t> values(residency);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t piece = 1; piece < 60; ++piece) {
    std::vector<std::uint32_t> more(piece * 97);
    std::iota(more.begin(), more.end(), piece * 1000);
    values.append(more);
    values.push_back(piece);
    expected.insert(expected.end(), more.begin(), more.end());
    expected.push_back(piece);
    ASSERT_TRUE(std::ranges::equal(values, expected));
  }
  const std::vector<std::uint32_t> others(5000, 7);
  values.overwrite(3000, others);
  std::ranges::copy(others, expected.begin() + 3000);
  residency->release();
  EXPECT_TRUE(std::ranges::equal(values, expected));
}

TEST(Residency, PagesBeyondTheLimitAreGivenBack) {
  const testing::TemporaryFolder folder;
  constexpr std::uint64_t kLimit = std::uint64_t{8} << 20;
  const ResidentFiles files;
  const std::uint64_t before = files.bytes();
  const auto residency = std::make_shared<Residency>(kLimit, folder.path(""));
  GrowBuffer<char> bytes(residency);
  bytes.resize_uninitialised(std::size_t{64} << 20);
  for (std::size_t i = 0; i < bytes.size(); i += 4096) bytes[i] = 1;
  const auto resident = [&] { return files.bytes() - before; };
  for (int wait = 0; wait < 500 && resident() > kLimit; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LE(resident(), kLimit);
  for (std::size_t i = 0; i < bytes.size(); i += 4096) ASSERT_EQ(bytes[i], 1);
}

TEST(Residency, AFolderThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(GrowBuffer<char>(std::make_shared<Residency>(1 << 20, "/no/such/folder")), IoError);
}

}  // namespace
}  // namespace pegasos
