// The two basic operations of a linear solver, for sparse and dense rows:
//
//   dot(x, v)      <x, v>, summed in double
//   add(x, c, v)   v += c x
//
// Four independent sums hide the latency of the additions behind one another. A sparse row is bound
// by the number of its instructions: values are widened and multiplied several at a time, which
// gives the same bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/residency.h"
#include "pegasos/dataset.h"

namespace pegasos {

// Rows with raw pointers, so that the compiler sees that nothing changes under the loop.
struct SparseRow {
  const FeatureId* ids;
  const float* values;
  std::size_t size;
};

struct DenseRow {
  const float* values;
  std::size_t size;
};

// Four numbers at a time for the compiler, which has instructions for two or four of them.
using FourFloats [[gnu::vector_size(16)]] = float;
using FourDoubles [[gnu::vector_size(32)]] = double;
using PairOfDoubles [[gnu::vector_size(16)]] = double;

inline PairOfDoubles first_two(FourFloats narrow) {
  const auto wide = __builtin_convertvector(narrow, FourDoubles);
  return PairOfDoubles{wide[0], wide[1]};
}
// Moved to the front first: where vectors hold two doubles, gcc would widen them through memory.
inline PairOfDoubles last_two(FourFloats narrow) {
  return first_two(__builtin_shufflevector(narrow, narrow, 2, 3, 2, 3));
}

inline double dot(SparseRow x, const double* v) {
  PairOfDoubles s01 = {0, 0};
  PairOfDoubles s23 = {0, 0};
  std::size_t j = 0;
  for (; j + 4 <= x.size; j += 4) {
    FourFloats narrow;
    std::memcpy(&narrow, x.values + j, sizeof narrow);
    s01 += PairOfDoubles{v[x.ids[j]], v[x.ids[j + 1]]} * first_two(narrow);
    s23 += PairOfDoubles{v[x.ids[j + 2]], v[x.ids[j + 3]]} * last_two(narrow);
  }
  double s0 = s01[0];
  for (; j < x.size; ++j) s0 += v[x.ids[j]] * double{x.values[j]};
  return (s0 + s01[1]) + (s23[0] + s23[1]);
}

inline void add(SparseRow x, double c, double* v) {
  std::size_t j = 0;
  for (; j + 4 <= x.size; j += 4) {
    FourFloats narrow;
    std::memcpy(&narrow, x.values + j, sizeof narrow);
    const PairOfDoubles m01 = c * first_two(narrow);
    const PairOfDoubles m23 = c * last_two(narrow);
    v[x.ids[j]] += m01[0];
    v[x.ids[j + 1]] += m01[1];
    v[x.ids[j + 2]] += m23[0];
    v[x.ids[j + 3]] += m23[1];
  }
  for (; j < x.size; ++j) v[x.ids[j]] += c * double{x.values[j]};
}

// v = 0 where x is not.
inline void clear(SparseRow x, double* v) {
  for (std::size_t j = 0; j < x.size; ++j) v[x.ids[j]] = 0.0;
}

inline void clear(DenseRow x, double* v) {
  for (std::size_t j = 0; j < x.size; ++j) v[j] = 0.0;
}

inline double dot(DenseRow x, const double* v) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t j = 0;
  for (; j + 4 <= x.size; j += 4) {
    s0 += v[j] * double{x.values[j]};
    s1 += v[j + 1] * double{x.values[j + 1]};
    s2 += v[j + 2] * double{x.values[j + 2]};
    s3 += v[j + 3] * double{x.values[j + 3]};
  }
  for (; j < x.size; ++j) s0 += v[j] * double{x.values[j]};
  return (s0 + s1) + (s2 + s3);
}

// |x|^2
template <typename Row>
double squared_norm(Row x) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t j = 0;
  for (; j + 4 <= x.size; j += 4) {
    s0 += double{x.values[j]} * double{x.values[j]};
    s1 += double{x.values[j + 1]} * double{x.values[j + 1]};
    s2 += double{x.values[j + 2]} * double{x.values[j + 2]};
    s3 += double{x.values[j + 3]} * double{x.values[j + 3]};
  }
  for (; j < x.size; ++j) s0 += double{x.values[j]} * double{x.values[j]};
  return (s0 + s1) + (s2 + s3);
}

inline void add(DenseRow x, double c, double* v) {
  for (std::size_t j = 0; j < x.size; ++j) v[j] += c * double{x.values[j]};
}

// v += c x^2, entry by entry.
inline void add_squares(SparseRow x, double c, double* v) {
  for (std::size_t j = 0; j < x.size; ++j) {
    v[x.ids[j]] += c * double{x.values[j]} * double{x.values[j]};
  }
}

inline void add_squares(DenseRow x, double c, double* v) {
  for (std::size_t j = 0; j < x.size; ++j) v[j] += c * double{x.values[j]} * double{x.values[j]};
}

// The two layouts behind one face: row(i), prefetch(i) for a row that will be asked for soon, and
// prefetch_place(i) for one that will be prefetched soon. Visits to rows that are not all in memory
// are counted (base/residency.h).
class SparseRows {
 public:
  explicit SparseRows(const SparseMatrix& matrix,
                      Residency::Visits visits = Residency::Visits::none)
      : offsets_(matrix.offsets.data()),
        ids_(matrix.features.data()),
        values_(matrix.values.data()),
        visits_(visits) {}

  SparseRow row(std::size_t i) const {
    const auto begin = offsets_[i];
    const auto size = static_cast<std::size_t>(offsets_[i + 1] - begin);
    if (visits_ != Residency::Visits::none) [[unlikely]] {
      Residency::visit(ids_ + begin, size * (sizeof(FeatureId) + sizeof(float)), visits_);
    }
    return {ids_ + begin, values_ + begin, size};
  }
  void prefetch_place(std::size_t i) const { __builtin_prefetch(offsets_ + i); }
  // All of a row, up to a length: rows come in random order, and short ones are over before the
  // processor's own prefetcher has seen a pattern.
  void prefetch(std::size_t i) const {
    constexpr std::uint64_t kPerLine = 16;
    constexpr std::uint64_t kMost = 24 * kPerLine;
    const auto begin = offsets_[i];
    const auto end = std::min(offsets_[i + 1], begin + kMost);
    for (auto j = begin; j < end; j += kPerLine) {
      __builtin_prefetch(ids_ + j);
      __builtin_prefetch(values_ + j);
    }
  }

 private:
  const std::uint64_t* offsets_;
  const FeatureId* ids_;
  const float* values_;
  Residency::Visits visits_;
};

class DenseRows {
 public:
  explicit DenseRows(const DenseMatrix& matrix, Residency::Visits visits = Residency::Visits::none)
      : values_(matrix.values.data()), columns_(matrix.columns), visits_(visits) {}

  DenseRow row(std::size_t i) const {
    const float* const values = values_ + i * columns_;
    if (visits_ != Residency::Visits::none) [[unlikely]] {
      Residency::visit(values, columns_ * sizeof(float), visits_);
    }
    return {values, columns_};
  }
  void prefetch_place(std::size_t) const {}
  void prefetch(std::size_t i) const { __builtin_prefetch(values_ + i * columns_); }

 private:
  const float* values_;
  std::size_t columns_;
  Residency::Visits visits_;
};

// Calls f with the rows of the data in their layout: the one branch between layouts. `order` says
// how rows are visited that are not all in memory.
template <typename F>
decltype(auto) with_rows(const Dataset& data, F&& f,
                         Residency::Visits order = Residency::Visits::in_order) {
  const auto visits = data.is_paged() ? order : Residency::Visits::none;
  if (data.is_dense()) return f(DenseRows(data.dense(), visits));
  return f(SparseRows(data.sparse(), visits));
}

}  // namespace pegasos
