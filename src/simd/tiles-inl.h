// The kernels of tiles.h, included by kernels.cpp once per instruction set.
//
// All work is done by a block of 4 rows and 3 vectors: twelve sums, enough to keep two fused
// multiply-adds a clock busy through their latency, and with three vectors of B and one number of A
// exactly the sixteen registers there are.
#if defined(PEGASOS_SIMD_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef PEGASOS_SIMD_TILES_INL_H
#undef PEGASOS_SIMD_TILES_INL_H
#else
#define PEGASOS_SIMD_TILES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "simd/tiles.h"

HWY_BEFORE_NAMESPACE();
namespace pegasos::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using TileTag = hn::CappedTag<double, 8>;
using TileVector = hn::Vec<TileTag>;

constexpr std::size_t kBlockRows = 4;

inline std::size_t BlockColumns() {
  return 3 * hn::Lanes(TileTag());
}

HWY_INLINE void AddToRow(TileVector factor, TileVector s0, TileVector s1, TileVector s2,
                         double* row) {
  const TileTag tag;
  const std::size_t lanes = hn::Lanes(tag);
  hn::StoreU(hn::MulAdd(factor, s0, hn::LoadU(tag, row)), tag, row);
  hn::StoreU(hn::MulAdd(factor, s1, hn::LoadU(tag, row + lanes)), tag, row + lanes);
  hn::StoreU(hn::MulAdd(factor, s2, hn::LoadU(tag, row + 2 * lanes)), tag, row + 2 * lanes);
}

// C += factor A'B for 4 columns of the strip A and 3 vectors of columns of the strip B. The sums
// have names: an array of vectors is not possible where their size is known at run time only.
HWY_INLINE void AddBlock(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b,
                         std::size_t depth, double factor, double* c, std::size_t stride) {
  const TileTag tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto s00 = hn::Zero(tag), s01 = s00, s02 = s00;
  auto s10 = s00, s11 = s00, s12 = s00;
  auto s20 = s00, s21 = s00, s22 = s00;
  auto s30 = s00, s31 = s00, s32 = s00;
  for (std::size_t k = 0; k < depth; ++k) {
    const auto b0 = hn::LoadU(tag, b);
    const auto b1 = hn::LoadU(tag, b + lanes);
    const auto b2 = hn::LoadU(tag, b + 2 * lanes);
    const auto a0 = hn::Set(tag, a[0]);
    s00 = hn::MulAdd(a0, b0, s00);
    s01 = hn::MulAdd(a0, b1, s01);
    s02 = hn::MulAdd(a0, b2, s02);
    const auto a1 = hn::Set(tag, a[1]);
    s10 = hn::MulAdd(a1, b0, s10);
    s11 = hn::MulAdd(a1, b1, s11);
    s12 = hn::MulAdd(a1, b2, s12);
    const auto a2 = hn::Set(tag, a[2]);
    s20 = hn::MulAdd(a2, b0, s20);
    s21 = hn::MulAdd(a2, b1, s21);
    s22 = hn::MulAdd(a2, b2, s22);
    const auto a3 = hn::Set(tag, a[3]);
    s30 = hn::MulAdd(a3, b0, s30);
    s31 = hn::MulAdd(a3, b1, s31);
    s32 = hn::MulAdd(a3, b2, s32);
    a += kTileSide;
    b += kTileSide;
  }
  const auto times = hn::Set(tag, factor);
  AddToRow(times, s00, s01, s02, c);
  AddToRow(times, s10, s11, s12, c + stride);
  AddToRow(times, s20, s21, s22, c + 2 * stride);
  AddToRow(times, s30, s31, s32, c + 3 * stride);
}

// The same for a block that reaches over the edge of C.
void AddBlockAtEdge(const double* a, const double* b, std::size_t depth, double factor, double* c,
                    std::size_t stride, std::size_t rows, std::size_t columns) {
  double whole[kBlockRows * kTileSide] = {};
  AddBlock(a, b, depth, factor, whole, kTileSide);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) c[i * stride + j] += whole[i * kTileSide + j];
  }
}

void AddProduct(const double* A, const double* B, std::size_t depth, double factor,
                const TileTarget& C) {
  const std::size_t width = BlockColumns();
  for (std::size_t j = 0; j < C.columns; j += width) {
    const std::size_t columns = std::min(width, C.columns - j);
    const std::size_t first = C.on_diagonal ? j / kBlockRows * kBlockRows : 0;
    for (std::size_t i = first; i < C.rows; i += kBlockRows) {
      const std::size_t rows = std::min(kBlockRows, C.rows - i);
      double* c = C.values + i * C.stride + j;
      if (rows == kBlockRows && columns == width) {
        AddBlock(A + i, B + j, depth, factor, c, C.stride);
      } else {
        AddBlockAtEdge(A + i, B + j, depth, factor, c, C.stride, rows, columns);
      }
    }
  }
}

// row -= l * other, and row *= factor, of one row of a tile.
HWY_INLINE void SubtractRow(double l, const double* other, double* row) {
  const TileTag tag;
  const auto times = hn::Set(tag, l);
  for (std::size_t i = 0; i < kTileSide; i += hn::Lanes(tag)) {
    hn::StoreU(hn::NegMulAdd(times, hn::LoadU(tag, other + i), hn::LoadU(tag, row + i)), tag,
               row + i);
  }
}

HWY_INLINE void ScaleRow(double factor, double* row) {
  const TileTag tag;
  const auto times = hn::Set(tag, factor);
  for (std::size_t i = 0; i < kTileSide; i += hn::Lanes(tag)) {
    hn::StoreU(hn::Mul(times, hn::LoadU(tag, row + i)), tag, row + i);
  }
}

// Subtracts from rows [first, first + 4) of X' what the rows before them add to the right side.
HWY_INLINE void SubtractRowsBefore(const double* L, std::size_t first, double* X) {
  for (std::size_t i = 0; i < kTileSide; i += BlockColumns()) {
    AddBlock(L + first, X + i, first, -1.0, X + first * kTileSide + i, kTileSide);
  }
}

bool FactorTile(double* tile, double* inverses) {
  for (std::size_t first = 0; first < kTileSide; first += kBlockRows) {
    SubtractRowsBefore(tile, first, tile);
    for (std::size_t j = first; j < first + kBlockRows; ++j) {
      double* row = tile + j * kTileSide;
      for (std::size_t k = first; k < j; ++k) {
        SubtractRow(tile[k * kTileSide + j], tile + k * kTileSide, row);
      }
      const double pivot = row[j];
      if (!(pivot > 0.0 && pivot <= std::numeric_limits<double>::max())) return false;
      inverses[j] = 1.0 / std::sqrt(pivot);
      ScaleRow(inverses[j], row);
    }
  }
  return true;
}

void SolveTile(const double* L, const double* inverses, double* X) {
  for (std::size_t first = 0; first < kTileSide; first += kBlockRows) {
    SubtractRowsBefore(L, first, X);
    for (std::size_t j = first; j < first + kBlockRows; ++j) {
      double* row = X + j * kTileSide;
      for (std::size_t k = first; k < j; ++k) {
        SubtractRow(L[k * kTileSide + j], X + k * kTileSide, row);
      }
      ScaleRow(inverses[j], row);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pegasos::simd
HWY_AFTER_NAMESPACE();

#endif
