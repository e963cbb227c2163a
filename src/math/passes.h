// Passes over all rows of the data, in parallel, with the same bits for any number of threads:
//
//   multiply       z = X w
//   combine        g = X' a
//   weighted_gram  H = X' diag(c) X, its diagonal, and its product with a vector
//   sums           of anything that a row contributes to, and the largest of such values
//
// Work is cut into parts by the data alone, and partial sums are added in their order.
//
// Whatever a solver or a certificate sums over rows goes through here, and sums go on over the
// ranks of the pool: with rows divided among processes every rank gets the sum over all rows, in
// the same bits. for_row_blocks and multiply work on the rows at hand.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
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

template <std::size_t N>
using RowSums = std::array<double, N>;

// Several sums over rows at once, of what task(begin, end) returns for each block.
template <std::size_t N, typename Task>
RowSums<N> sums_over_blocks(std::size_t rows, ThreadPool& pool, Task&& task) {
  std::vector<RowSums<N>> parts(blocks_of(rows));
  for_row_blocks(rows, pool, [&](std::size_t block, std::size_t begin, std::size_t end) {
    parts[block] = task(begin, end);
  });
  RowSums<N> total = {};
  for (const RowSums<N>& part : parts) {
    for (std::size_t k = 0; k < N; ++k) total[k] += part[k];
  }
  pool.ranks().sum(total);
  return total;
}

// One sum over rows.
template <typename Task>
double sum_over_blocks(std::size_t rows, ThreadPool& pool, Task&& task) {
  return sums_over_blocks<1>(rows, pool, [&](std::size_t begin, std::size_t end) {
    return RowSums<1>{task(begin, end)};
  })[0];
}

// The sum of one number for each row: next to a pass over the rows themselves too little to share
// among threads.
double sum_over_rows(std::span<const double> values, Collective& ranks);

// The largest of one number for each rank.
double largest_over_ranks(double value, Collective& ranks);

// What each rank has of a vector, added up. Sparse parts travel sparse.
void sum_over_ranks(std::span<double> values, Collective& ranks);

// The same object of every rank, in their order; of plain bytes.
template <typename T>
std::vector<T> gather_over_ranks(const T& mine, Collective& ranks) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (ranks.size() == 1) return {mine};
  std::vector<T> all;
  for (const std::string& bytes :
       ranks.gather({reinterpret_cast<const char*>(&mine), sizeof mine})) {
    all.emplace_back();
    std::memcpy(static_cast<void*>(&all.back()), bytes.data(), std::min(bytes.size(), sizeof mine));
  }
  return all;
}

// The numbers of every rank, one behind the other.
std::vector<double> gather_numbers(std::span<const double> mine, Collective& ranks);

// The largest of value(i) over all rows, or 0.
template <typename Value>
double largest_over_rows(std::size_t rows, ThreadPool& pool, Value&& value) {
  std::vector<double> parts(blocks_of(rows));
  for_row_blocks(rows, pool, [&](std::size_t block, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) parts[block] = std::max(parts[block], value(i));
  });
  double largest = 0;
  for (const double part : parts) largest = std::max(largest, part);
  return largest_over_ranks(largest, pool.ranks());
}

void multiply(const Dataset& data, std::span<const double> w, std::span<double> z,
              ThreadPool& pool);

std::vector<double> combine(const Dataset& data, std::span<const double> a, ThreadPool& pool);

// The same of some rows: sum_k a[k] x_ids[k].
std::vector<double> combine_some(const Dataset& data, std::span<const RowId> ids,
                                 std::span<const double> a, ThreadPool& pool);

// The same of several columns at once: G = scale X' A. A has the columns of a row side by side, G
// those of a feature.
std::vector<double> combine_columns(const Dataset& data, std::span<const double> A,
                                    std::size_t columns, double scale, ThreadPool& pool);
// The sum of each column of A.
std::vector<double> column_sums(std::span<const double> A, std::size_t columns, Collective& ranks);

// The lower triangle of a row-major matrix of `side` rows and columns; side is at least the
// number of features, and rows beyond them are zero. Rows with c = 0 cost nothing.
void weighted_gram(const Dataset& data, std::span<const double> c, std::size_t side,
                   std::span<double> H, ThreadPool& pool);

// Its diagonal: the sum of c x_j^2 for every feature j.
std::vector<double> weighted_squares(const Dataset& data, std::span<const double> c,
                                     ThreadPool& pool);

// Its product with v, without the matrix: X' diag(c) X v. If v is longer than the features by one,
// every row has a constant feature of value B besides.
std::vector<double> weighted_product(const Dataset& data, std::span<const double> c, double B,
                                     std::span<const double> v, ThreadPool& pool);

}  // namespace pegasos
