// Residency: advice on pages changes what is in memory, and never what is read.
#include "base/residency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "support/temporary_folder.h"

namespace pegasos {
namespace {

constexpr std::size_t kNumbers = 300'000;  // some hundred pages

std::vector<unsigned> ascending() {
  std::vector<unsigned> numbers(kNumbers);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

TEST(Residency, AdviceKeepsWhatWasWritten) {
  const testing::TemporaryFolder folder;
  const auto residency = std::make_shared<Residency>(std::size_t{64} << 20, folder.path(""));
  SpoolFile file(residency);
  const std::vector<unsigned> numbers = ascending();
  auto* const mapped = static_cast<unsigned*>(file.resize(kNumbers * sizeof(unsigned)));
  std::copy(numbers.begin(), numbers.end(), mapped);
  for (const PageUse use : {PageUse::soon, PageUse::now, PageUse::over, PageUse::now}) {
    for (const std::size_t begin : {std::size_t{0}, std::size_t{1234}, kNumbers - 10}) {
      residency->advise(mapped + begin, (kNumbers - begin) * sizeof(unsigned), use);
      residency->advise(mapped + begin, 1, use);
    }
    EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), mapped));
  }
}

// Memory whose pages are given back is zero afterwards.
TEST(Residency, AdviceIsForItsMappingsAlone) {
  const testing::TemporaryFolder folder;
  const auto residency = std::make_shared<Residency>(std::size_t{64} << 20, folder.path(""));
  SpoolFile file(residency);
  file.resize(4096);
  std::vector<unsigned> others = ascending();
  residency->advise(others.data(), others.size() * sizeof(unsigned), PageUse::over);
  EXPECT_EQ(others, ascending());
}

}  // namespace
}  // namespace pegasos
