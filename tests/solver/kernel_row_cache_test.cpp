// The cache hands out right rows whatever its size, computes none twice that it could hold, and
// gives up the one used longest ago.
#include "solver/kernel_row_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <memory>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "data/take_rows.h"
#include "support/kernel_problems.h"

namespace pegasos {
namespace {

using testing::kernel_of;
using testing::make_problem;

constexpr std::size_t kRows = 40;

struct Fixture {
  testing::SmallProblem rows = make_problem({.rows = kRows, .features = 4});
  Dataset data = rows.linear().data;
  ThreadPool pool{1};
  KernelBlocks blocks{kernel_of(KernelKind::rbf), data, pool};
  std::vector<std::vector<float>> truth;

  Fixture() {
    for (RowId i = 0; i < kRows; ++i) {
      truth.emplace_back(kRows);
      float* place = truth.back().data();
      blocks.compute({&i, 1}, {&place, 1}, pool);
    }
  }
};

TEST(KernelRowCache, SizeFollowsTheBudget) {
  Fixture f;
  constexpr std::size_t kRowBytes = kRows * sizeof(float);
  EXPECT_EQ(KernelRowCache(f.blocks, 1).capacity(), 1U) << "never less than a row";
  EXPECT_EQ(KernelRowCache(f.blocks, 3 * kRowBytes + 1).capacity(), 3U);
  EXPECT_EQ(KernelRowCache(f.blocks, 1'000'000).capacity(), kRows) << "never more than there are";
  EXPECT_EQ(KernelRowCache(f.blocks, 0).capacity(), kRows) << "a default";
}

TEST(KernelRowCache, CheapRowsDoNotTakeAllMemory) {
  constexpr std::size_t kMany = 150'000;
  const std::vector<float> values(2 * kMany, 1.0F);
  DatasetParts parts;
  parts.rows = kMany;
  parts.features = 2;
  parts.dense = DenseMatrix{.values = values, .columns = 2};
  const Dataset data = Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
  ThreadPool pool(1);
  const KernelBlocks blocks(kernel_of(KernelKind::rbf), data, pool);
  EXPECT_LE(KernelRowCache(blocks, 0).capacity(), 1024U);
  EXPECT_GT(KernelRowCache(blocks, 0, KernelRowCache::Use::again_and_again).capacity(), 1024U);
  EXPECT_EQ(KernelRowCache(blocks, 5000 * kMany * sizeof(float)).capacity(), 5000U) << "as asked";
}

TEST(KernelRowCache, SparseRowsOfFewEntriesAreCheapToo) {
  constexpr std::size_t kMany = 150'000;
  std::vector<std::uint64_t> offsets(kMany + 1);
  std::iota(offsets.begin(), offsets.end(), std::uint64_t{0});
  const std::vector<FeatureId> features(kMany, 7);
  const std::vector<float> values(kMany, 1.0F);
  const auto blocks_of = [&](std::size_t d, ThreadPool& pool) {
    DatasetParts parts;
    parts.rows = kMany;
    parts.features = d;
    parts.sparse = SparseMatrix{.offsets = offsets, .features = features, .values = values};
    return std::make_unique<KernelBlocks>(
        kernel_of(KernelKind::rbf),
        Dataset::from_parts(std::move(parts), Dataset::Contents::trusted), pool);
  };
  ThreadPool pool(1);
  EXPECT_LE(KernelRowCache(*blocks_of(100, pool), 0).capacity(), 1024U);
  EXPECT_GT(KernelRowCache(*blocks_of(5000, pool), 0).capacity(), 1024U)
      << "panels of many features are in no cache";
}

// Against a list of row numbers, newest last.
TEST(KernelRowCache, KeepsTheRowsUsedLast) {
  Fixture f;
  for (const std::size_t capacity : {1U, 2U, 7U, 40U}) {
    KernelRowCache cache(f.blocks, capacity * kRows * sizeof(float));
    std::list<RowId> expected;
    std::uint64_t computed = 0;
    Random random(1, capacity);
    for (int round = 0; round < 300; ++round) {
      std::vector<RowId> wanted;
      const std::size_t count = 1 + random.below(std::min<std::size_t>(capacity, 5));
      while (wanted.size() < count) {
        const auto row = static_cast<RowId>(random.below(kRows));
        if (std::find(wanted.begin(), wanted.end(), row) == wanted.end()) wanted.push_back(row);
      }
      std::vector<const float*> out(count);
      cache.fetch(wanted, out, f.pool);
      for (std::size_t r = 0; r < count; ++r) {
        ASSERT_TRUE(std::equal(out[r], out[r] + kRows, f.truth[wanted[r]].begin()));
      }
      for (const bool held_before : {true, false}) {
        for (const RowId row : wanted) {
          const auto at = std::find(expected.begin(), expected.end(), row);
          if (held_before && at != expected.end()) {
            expected.erase(at);
            expected.push_back(row);
          } else if (!held_before && at == expected.end()) {
            ++computed;
            if (expected.size() == capacity) expected.pop_front();
            expected.push_back(row);
          }
        }
      }
      for (RowId row = 0; row < kRows; ++row) {
        const bool held = std::find(expected.begin(), expected.end(), row) != expected.end();
        ASSERT_EQ(cache.holds(row), held);
      }
    }
    EXPECT_EQ(cache.computed(), computed);
  }
}

// What is kept has the bits that the smaller problem would compute, and the oldest still goes
// first.
TEST(KernelRowCache, KeepsValuesOfFewerRows) {
  Fixture f;
  const std::vector<RowId> kept = {1, 4, 5, 17, 22, 38};
  const Dataset fewer = take_rows(f.data, kept);
  const KernelBlocks blocks(kernel_of(KernelKind::rbf), fewer, f.pool);
  KernelRowCache cache(f.blocks, 4 * kRows * sizeof(float));
  std::vector<const float*> out(1);
  for (const RowId row : {RowId{22}, RowId{3}, RowId{38}, RowId{1}, RowId{4}}) {
    cache.fetch({&row, 1}, out, f.pool);  // 22 makes room for 4
  }
  cache.keep(kept, blocks, f.pool);
  EXPECT_EQ(cache.capacity(), kept.size()) << "the same bytes hold more of the shorter rows";
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const bool was_there = kept[k] == 38 || kept[k] == 1 || kept[k] == 4;
    EXPECT_EQ(cache.holds(static_cast<RowId>(k)), was_there) << kept[k];
  }
  std::vector<RowId> all = {0, 1, 2, 3, 4, 5};
  out.resize(all.size());
  cache.fetch(all, out, f.pool);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    for (std::size_t j = 0; j < kept.size(); ++j) EXPECT_EQ(out[k][j], f.truth[kept[k]][kept[j]]);
  }
  EXPECT_EQ(cache.computed(), 5U + 3U);
}

// Rows move to where others were, several at a time.
TEST(KernelRowCache, KeepsManyRowsOnManyThreads) {
  Fixture f;
  ThreadPool pool(4);
  for (const std::size_t step : {1U, 2U, 3U, 13U}) {
    std::vector<RowId> kept;
    for (RowId row = 0; row < kRows; row += static_cast<RowId>(step)) kept.push_back(row);
    const Dataset fewer = take_rows(f.data, kept);
    const KernelBlocks blocks(kernel_of(KernelKind::rbf), fewer, pool);
    KernelRowCache cache(f.blocks, kRows * kRows * sizeof(float));
    std::vector<RowId> all(kRows);
    std::iota(all.begin(), all.end(), RowId{0});
    cache.prepare(all, pool);
    cache.keep(kept, blocks, pool);
    std::vector<const float*> out(kept.size());
    cache.fetch(std::span(all).first(kept.size()), out, pool);
    EXPECT_EQ(cache.computed(), kRows) << "nothing anew";
    for (std::size_t k = 0; k < kept.size(); ++k) {
      for (std::size_t j = 0; j < kept.size(); ++j) {
        ASSERT_EQ(out[k][j], f.truth[kept[k]][kept[j]]) << step << ' ' << k << ' ' << j;
      }
    }
  }
}

// A panel that is not full takes rows that may come next, but only those, and only if all fit.
TEST(KernelRowCache, FillsThePanelWithRowsThatMayComeNext) {
  Fixture f;
  const std::vector<RowId> rows = {3, 4, 5};
  const std::vector<RowId> next = {7, 8};
  KernelRowCache cache(f.blocks, 6 * kRows * sizeof(float));
  cache.prepare_panels(rows, next, f.pool);
  EXPECT_EQ(cache.computed(), 5U);
  for (const RowId row : {RowId{3}, RowId{4}, RowId{5}, RowId{7}, RowId{8}}) {
    EXPECT_TRUE(cache.holds(row)) << row;
  }
  const std::vector<RowId> others = {20, 21};
  cache.prepare_panels(rows, others, f.pool);
  EXPECT_FALSE(cache.holds(20)) << "no row is missing, so no panel is begun";
  KernelRowCache small(f.blocks, 4 * kRows * sizeof(float));
  small.prepare_panels(rows, next, f.pool);
  EXPECT_EQ(small.computed(), 0U) << "no room for all";
}

TEST(KernelRowCache, AnyNumberOfRowsComesInParts) {
  Fixture f;
  KernelRowCache cache(f.blocks, 3 * kRows * sizeof(float));
  const std::vector<RowId> wanted = {5, 1, 30, 2, 39, 0, 7};
  std::vector<RowId> seen;
  cache.for_parts(wanted, f.pool, [&](std::size_t first, std::span<const float* const> rows) {
    EXPECT_EQ(first, seen.size());
    EXPECT_LE(rows.size(), 3U);
    for (const float* row : rows) {
      ASSERT_TRUE(std::equal(row, row + kRows, f.truth[wanted[seen.size()]].begin()));
      seen.push_back(wanted[seen.size()]);
    }
  });
  EXPECT_EQ(seen, wanted);
}

}  // namespace
}  // namespace pegasos
