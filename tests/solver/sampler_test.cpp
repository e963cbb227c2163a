// Which rows the samplers hand out: what is promised of each kind, and that nothing but seed and
// epoch decides.
#include "solver/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "base/residency.h"

namespace pegasos {
namespace {

constexpr Sampling kAll[] = {Sampling::shuffle, Sampling::fixed, Sampling::iid,
                             Sampling::without_replacement};

std::vector<RowId> rows_of(Sampler& sampler, std::uint64_t epoch) {
  const auto rows = sampler.epoch(epoch);
  return {rows.begin(), rows.end()};
}

bool is_permutation_of_all(std::vector<RowId> rows) {
  std::sort(rows.begin(), rows.end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != i) return false;
  }
  return true;
}

TEST(Sampler, PermutationsVisitEveryRowOnce) {
  for (const Sampling kind : {Sampling::shuffle, Sampling::fixed}) {
    for (const std::size_t m : {1u, 2u, 3u, 17u, 1000u}) {
      Sampler sampler(kind, m, 1, 5);
      EXPECT_TRUE(sampler.visits_every_row());
      for (std::uint64_t e = 0; e < 5; ++e) {
        const auto rows = rows_of(sampler, e);
        EXPECT_EQ(rows.size(), m);
        EXPECT_TRUE(is_permutation_of_all(rows)) << name_of(kind) << " " << m;
      }
    }
  }
}

TEST(Sampler, ShuffleIsFreshEachEpochAndFixedIsNot) {
  Sampler shuffle(Sampling::shuffle, 100, 1, 5);
  Sampler fixed(Sampling::fixed, 100, 1, 5);
  const auto first_shuffle = rows_of(shuffle, 0);
  const auto first_fixed = rows_of(fixed, 0);
  std::vector<RowId> in_order(100);
  std::iota(in_order.begin(), in_order.end(), RowId{0});
  EXPECT_NE(first_fixed, in_order);
  for (std::uint64_t e = 1; e < 6; ++e) {
    EXPECT_NE(rows_of(shuffle, e), first_shuffle);
    EXPECT_EQ(rows_of(fixed, e), first_fixed);
  }
}

// All 24 orders of four rows, about equally often: chi-squared with 23 degrees of freedom stays
// below 60 with probability 0.99997.
TEST(Sampler, ShufflesAreUniform) {
  std::vector<int> count(256);
  constexpr int kDraws = 24000;
  Sampler sampler(Sampling::shuffle, 4, 1, 9);
  for (int e = 0; e < kDraws; ++e) {
    std::size_t code = 0;
    for (const RowId row : sampler.epoch(static_cast<std::uint64_t>(e))) code = 4 * code + row;
    ++count[code];
  }
  double chi_squared = 0;
  int seen = 0;
  for (const int n : count) {
    if (n == 0) continue;
    ++seen;
    chi_squared += (n - 1000.0) * (n - 1000.0) / 1000.0;
  }
  EXPECT_EQ(seen, 24);
  EXPECT_LT(chi_squared, 60.0);
}

TEST(Sampler, IidIsInRangeAndUniform) {
  constexpr std::size_t kRows = 50;
  Sampler sampler(Sampling::iid, kRows, 1, 7);
  EXPECT_FALSE(sampler.visits_every_row());
  std::vector<int> count(kRows);
  bool repeats = false;
  for (std::uint64_t e = 0; e < 1000; ++e) {
    const auto rows = rows_of(sampler, e);
    ASSERT_EQ(rows.size(), kRows);
    repeats = repeats || std::set<RowId>(rows.begin(), rows.end()).size() < kRows;
    for (const RowId row : rows) {
      ASSERT_LT(row, kRows);
      ++count[row];
    }
  }
  EXPECT_TRUE(repeats);
  double chi_squared = 0;
  for (const int n : count) chi_squared += (n - 1000.0) * (n - 1000.0) / 1000.0;
  EXPECT_LT(chi_squared, 110.0);  // 49 degrees of freedom: exceeded once in a million
}

TEST(Sampler, WithoutReplacementDoesNotRepeatInsideABatch) {
  for (const std::size_t batch : {1u, 3u, 7u, 20u}) {
    Sampler sampler(Sampling::without_replacement, 20, batch, 3);
    std::vector<int> count(20);
    std::set<std::vector<RowId>> first_batches;
    for (std::uint64_t e = 0; e < 400; ++e) {
      const auto rows = rows_of(sampler, e);
      ASSERT_EQ(rows.size(), 20u);
      for (std::size_t begin = 0; begin < 20; begin += batch) {
        const std::size_t end = std::min<std::size_t>(20, begin + batch);
        const std::set<RowId> distinct(rows.begin() + static_cast<long>(begin),
                                       rows.begin() + static_cast<long>(end));
        EXPECT_EQ(distinct.size(), end - begin);
      }
      for (const RowId row : rows) ++count[row];
      first_batches.emplace(rows.begin(), rows.begin() + static_cast<long>(batch));
    }
    double chi_squared = 0;
    for (const int n : count) chi_squared += (n - 400.0) * (n - 400.0) / 400.0;
    EXPECT_LT(chi_squared, 65.0);  // 19 degrees of freedom
    EXPECT_GT(first_batches.size(), batch == 1 ? 18u : 300u);
  }
}

TEST(Sampler, WithoutReplacementMayRepeatBetweenBatches) {
  Sampler sampler(Sampling::without_replacement, 20, 4, 3);
  EXPECT_FALSE(sampler.visits_every_row());
  EXPECT_FALSE(is_permutation_of_all(rows_of(sampler, 0)));
}

TEST(Sampler, SeedDecides) {
  for (const Sampling kind : kAll) {
    Sampler one(kind, 64, 4, 11);
    Sampler same(kind, 64, 4, 11);
    Sampler other(kind, 64, 4, 12);
    for (std::uint64_t e = 0; e < 3; ++e) {
      const auto rows = rows_of(one, e);
      EXPECT_EQ(rows, rows_of(same, e)) << name_of(kind);
      EXPECT_NE(rows, rows_of(other, e)) << name_of(kind);
    }
  }
}

// A run can be taken up at any epoch: nothing but its number decides, not the epochs before it.
TEST(Sampler, EpochsDoNotDependOnThoseBefore) {
  for (const Sampling kind : kAll) {
    Sampler whole(kind, 64, 5, 11);
    for (std::uint64_t e = 0; e < 4; ++e) {
      const auto rows = rows_of(whole, e);
      Sampler resumed(kind, 64, 5, 11);
      EXPECT_EQ(rows, rows_of(resumed, e)) << name_of(kind) << " epoch " << e;
    }
  }
}

// Rows of one value each, of which 160 (0.16 of 4,000 bytes) are in a window.
Dataset paged_rows(const std::vector<float>& values) {
  DatasetParts parts;
  parts.rows = values.size();
  parts.features = 1;
  parts.dense = DenseMatrix{values, 1};
  parts.residency = std::make_shared<Residency>(4000, ".");
  return Dataset::from_parts(parts);
}

TEST(Sampler, PagedRowsComeInWindowsOfFewBlocks) {
  const std::vector<float> values(10'000, 1.0F);
  const Dataset data = paged_rows(values);
  ASSERT_EQ(data.rows_at_a_time(), 160U);
  Sampler sampler(Sampling::shuffle, data.rows(), 1, 5, &data);
  const auto order = rows_of(sampler, 3);
  EXPECT_TRUE(is_permutation_of_all(order));
  EXPECT_EQ(order, rows_of(sampler, 3));
  EXPECT_NE(order, rows_of(sampler, 4));
  // 8 blocks of 20 neighbours make a window, in no order inside it.
  for (std::size_t begin = 0; begin + 160 <= order.size(); begin += 160) {
    std::set<RowId> blocks;
    std::size_t neighbours = 0;
    for (std::size_t j = begin; j < begin + 160; ++j) {
      blocks.insert(order[j] / 20);
      neighbours += j > begin && order[j] == order[j - 1] + 1 ? 1 : 0;
    }
    EXPECT_EQ(blocks.size(), 8U);
    EXPECT_LT(neighbours, 40U);
  }
  for (std::size_t j = 0; j < order.size(); ++j) sampler.reach(j);  // hints, for all windows
}

TEST(Sampler, WindowsOfSomeRowsKeepThemAll) {
  const std::vector<float> values(10'000, 1.0F);
  const Dataset data = paged_rows(values);
  std::vector<RowId> some;
  for (RowId i = 0; i < 10'000; i += 7) some.push_back(i);
  std::vector<RowId> shuffled = some;
  Random random(1, 2);
  shuffle_in_windows(data, shuffled, random);
  EXPECT_NE(shuffled, some);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, some);
}

}  // namespace
}  // namespace pegasos
