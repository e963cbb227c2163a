#include "math/cholesky.h"

#include <algorithm>
#include <cmath>

#include "simd/tiles.h"

namespace pegasos {
namespace {

using simd::kTileSide;
using simd::kTileSize;

// Columns of tiles that are made together, so that what lies left of them is read once for all.
constexpr std::size_t kTilesPerBlock = 4;
constexpr std::size_t kTasksPerBlock = 12;  // at least, where there are so many rows of tiles
// Rows of two strips that are multiplied at once: both stay in the first-level cache.
constexpr std::size_t kDepth = 4 * kTileSide;

// Rows of tiles below which one thread is done before others have woken up.
constexpr std::size_t kFewStrips = 11;

constexpr double kFirstRidge = 1e-14;
constexpr double kRidgeGrowth = 100.0;
constexpr double kLastRidge = 1e16;

std::size_t strips_of(std::size_t n) {
  return (n + kTileSide - 1) / kTileSide;
}

template <typename Task>
void for_each(std::size_t count, bool alone, ThreadPool& pool, Task&& task) {
  if (!alone) return pool.for_each(count, task);
  for (std::size_t i = 0; i < count; ++i) task(i);
}

}  // namespace

double* Cholesky::tile(std::size_t I, std::size_t J) {
  return tiles_.data() + (I * (I + 1) / 2 + J) * kTileSize;
}

double* Cholesky::inverses(std::size_t I) {
  return inverses_.data() + I * kTileSide;
}

void Cholesky::solve(std::span<const double> H, std::span<double> g, ThreadPool& pool) {
  const std::size_t n = g.size();
  const std::size_t strips = strips_of(n);
  tiles_.resize(strips * (strips + 1) / 2 * kTileSize);
  inverses_.resize(strips * kTileSide);
  if (blocks_done_.size() != strips) {
    blocks_done_ = std::vector<std::atomic<std::size_t>>(strips);
  }
  scale(H, n);
  for (double ridge = 0.0;; ridge = ridge == 0.0 ? kFirstRidge : ridge * kRidgeGrowth) {
    if (!(ridge < kLastRidge)) return std::fill(g.begin(), g.end(), 0.0);
    for_each(strips, strips < kFewStrips, pool, [&](std::size_t I) { load(H, n, ridge, I); });
    if (factor(pool)) break;
  }
  std::vector<double> x(strips * kTileSide, 0.0);
  for (std::size_t i = 0; i < n; ++i) x[i] = g[i] * scale_[i];
  substitute(x);
  for (std::size_t i = 0; i < n; ++i) g[i] = x[i] * scale_[i];
}

void Cholesky::scale(std::span<const double> H, std::size_t n) {
  scale_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double diagonal = H[i * n + i];
    scale_[i] = diagonal > 0.0 ? 1.0 / std::sqrt(diagonal) : 1.0;
  }
}

// Row I of tiles, from the scaled H. Beyond n it is continued as the identity.
void Cholesky::load(std::span<const double> H, std::size_t n, double ridge, std::size_t I) {
  const std::size_t first = I * kTileSide;
  const std::size_t rows = std::min(kTileSide, n - first);
  double* strip = tile(I, 0);
  std::fill_n(strip + first * kTileSide, kTileSize, 0.0);
  if (rows < kTileSide) std::fill_n(strip, first * kTileSide, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t i = first + r;
    const double* row = H.data() + i * n;
    for (std::size_t j = 0; j <= i; ++j) {
      strip[j * kTileSide + r] = row[j] * (scale_[i] * scale_[j]);
    }
    strip[i * kTileSide + r] += ridge;
  }
  for (std::size_t r = rows; r < kTileSide; ++r) strip[(first + r) * kTileSide + r] = 1.0;
}

// Threads take blocks of columns from left to right, and in each the rows of tiles from the
// diagonal down, a few at a time. Whatever a tile waits for was taken before it, so the first
// unfinished one never waits, and there is no barrier to wait for.
bool Cholesky::factor(ThreadPool& pool) {
  const std::size_t strips = blocks_done_.size();
  // More rows a task read less memory; fewer leave more tasks to share.
  const std::size_t height = std::clamp<std::size_t>(strips / kTasksPerBlock, 1, kTilesPerBlock);
  const auto tasks_in = [&](std::size_t block) {
    return (strips - block * kTilesPerBlock + height - 1) / height;
  };
  std::size_t tasks = 0;
  for (std::size_t block = 0; block * kTilesPerBlock < strips; ++block) tasks += tasks_in(block);
  for (auto& done : blocks_done_) done.store(0, std::memory_order_relaxed);
  std::atomic<bool> failed = false;
  for_each(tasks, strips < kFewStrips, pool, [&](std::size_t task) {
    std::size_t block = 0;
    while (task >= tasks_in(block)) task -= tasks_in(block++);
    const std::size_t first = block * kTilesPerBlock + task * height;
    const std::size_t last = std::min(first + height, strips);
    for (std::size_t I = first; I < last; ++I) wait_for(I, block);
    if (!failed) subtract_left(first, last, block);
    for (std::size_t I = first; I < last; ++I) {
      if (!failed && !finish_row(I, block, failed)) failed = true;
      blocks_done_[I].store(block + 1, std::memory_order_release);
      blocks_done_[I].notify_all();
    }
  });
  return !failed;
}

// Subtracts the products of what lies left of a block of columns from its tiles in rows
// [first, last).
void Cholesky::subtract_left(std::size_t first, std::size_t last, std::size_t block) {
  const std::size_t left = block * kTilesPerBlock;
  const std::size_t end = std::min(left + kTilesPerBlock, last);
  for (std::size_t J = left; J < end; ++J) wait_for(J, block);
  for (std::size_t k = 0; k < left * kTileSide; k += kDepth) {
    const std::size_t depth = std::min(kDepth, left * kTileSide - k);
    for (std::size_t I = first; I < last; ++I) {
      for (std::size_t J = left; J < std::min(end, I + 1); ++J) {
        simd::add_product(tile(J, 0) + k * kTileSide, tile(I, 0) + k * kTileSide, depth, -1.0,
                          {.values = tile(I, J), .stride = kTileSide});
      }
    }
  }
}

// The rest for one row, as the rows of the block itself are done. False if a pivot fails.
bool Cholesky::finish_row(std::size_t I, std::size_t block, const std::atomic<bool>& failed) {
  const std::size_t left = block * kTilesPerBlock;
  for (std::size_t J = left; J < std::min(left + kTilesPerBlock, I + 1); ++J) {
    if (J < I) wait_for(J, block + 1);
    if (failed) return false;
    simd::add_product(tile(J, left), tile(I, left), (J - left) * kTileSide, -1.0,
                      {.values = tile(I, J), .stride = kTileSide});
    if (J == I) return simd::factor_tile(tile(I, I), inverses(I));
    simd::solve_tile(tile(J, J), inverses(J), tile(I, J));
  }
  return true;
}

// Until row I of tiles is done in so many blocks of columns.
void Cholesky::wait_for(std::size_t I, std::size_t blocks) {
  auto& done = blocks_done_[I];
  for (auto now = done.load(std::memory_order_acquire); now < blocks;
       now = done.load(std::memory_order_acquire)) {
    done.wait(now, std::memory_order_acquire);
  }
}

// L y = x, then L' x = y. Strips hold L by columns: (i, k) is at k * kTileSide + i.
void Cholesky::substitute(std::span<double> x) {
  const std::size_t strips = blocks_done_.size();
  for (std::size_t I = 0; I < strips; ++I) {
    const double* strip = tile(I, 0);
    double* mine = x.data() + I * kTileSide;
    double sums[kTileSide] = {};
    for (std::size_t k = 0; k < I * kTileSide; ++k) {
      for (std::size_t r = 0; r < kTileSide; ++r) sums[r] += strip[k * kTileSide + r] * x[k];
    }
    const double* L = tile(I, I);
    for (std::size_t r = 0; r < kTileSide; ++r) {
      double value = mine[r] - sums[r];
      for (std::size_t k = 0; k < r; ++k) value -= L[k * kTileSide + r] * mine[k];
      mine[r] = value * inverses(I)[r];
    }
  }
  for (std::size_t I = strips; I-- > 0;) {
    const double* L = tile(I, I);
    double* mine = x.data() + I * kTileSide;
    for (std::size_t r = kTileSide; r-- > 0;) {
      double value = mine[r];
      for (std::size_t k = r + 1; k < kTileSide; ++k) value -= L[r * kTileSide + k] * mine[k];
      mine[r] = value * inverses(I)[r];
    }
    const double* strip = tile(I, 0);
    for (std::size_t k = 0; k < I * kTileSide; ++k) {
      double sums[4] = {};
      for (std::size_t r = 0; r < kTileSide; ++r) sums[r % 4] += strip[k * kTileSide + r] * mine[r];
      x[k] -= (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
  }
}

}  // namespace pegasos
