// Passes over all rows of the data, in parallel, with the same bits for any number of threads:
//
//   multiply       z = X w
//   combine        g = X' a
//   weighted_gram  H = X' diag(c) X
//
// Work is cut into parts by the data alone, and partial sums are added in their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "pegasos/dataset.h"

namespace pegasos {

inline constexpr std::size_t kRowsPerBlock = 2048;

inline std::size_t blocks_of(std::size_t rows) {
  return (rows + kRowsPerBlock - 1) / kRowsPerBlock;
}

// Calls task(block, begin, end) for every block of rows.
template <typename Task>
void for_row_blocks(std::size_t rows, ThreadPool& pool, Task&& task) {
  pool.for_each(blocks_of(rows), [&](std::size_t block) {
    const std::size_t begin = block * kRowsPerBlock;
    task(block, begin, std::min(rows, begin + kRowsPerBlock));
  });
}

// The sum over rows of what task(begin, end) returns for each block.
template <typename Task>
double sum_over_blocks(std::size_t rows, ThreadPool& pool, Task&& task) {
  std::vector<double> parts(blocks_of(rows));
  for_row_blocks(rows, pool, [&](std::size_t block, std::size_t begin, std::size_t end) {
    parts[block] = task(begin, end);
  });
  double total = 0;
  for (const double part : parts) total += part;
  return total;
}

void multiply(const Dataset& data, std::span<const double> w, std::span<double> z,
              ThreadPool& pool);

std::vector<double> combine(const Dataset& data, std::span<const double> a, ThreadPool& pool);

// The lower triangle of a row-major matrix of `side` rows and columns; side is at least the
// number of features, and rows beyond them are zero. Rows with c = 0 cost nothing.
void weighted_gram(const Dataset& data, std::span<const double> c, std::size_t side,
                   std::span<double> H, ThreadPool& pool);

}  // namespace pegasos
