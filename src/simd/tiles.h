// Dense matrices in vector code: products and triangular systems of small tiles, from which the
// rooms above make matrix products and factorisations of any size and any number of threads.
//
// A strip is kTileSide columns of a matrix, row after row without gaps: (k, j) is at
// k * kTileSide + j. A tile is a strip of kTileSide rows. Every function computes each number in a
// fixed order of its sum, so bits depend on the instruction set (some fuse multiply and add) and on
// nothing else.
#pragma once

#include <cstddef>

namespace pegasos::simd {

// Whole vectors of any width, and whole blocks of registers, fit into 24.
inline constexpr std::size_t kTileSide = 24;
inline constexpr std::size_t kTileSize = kTileSide * kTileSide;

// Where a product goes: a part of a row-major matrix, at most a tile.
struct TileTarget {
  double* values;
  std::size_t stride;  // between rows
  std::size_t rows = kTileSide;
  std::size_t columns = kTileSide;
  bool on_diagonal = false;  // what is above the diagonal may be left out
};

// C += factor A'B for two strips of `depth` rows. A factor of 1 or -1 does not round.
void add_product(const double* A, const double* B, std::size_t depth, double factor,
                 const TileTarget& C) noexcept;

// Both of these hold triangles transposed: column k of the lower triangle L is row k of the tile.
// What the other half of the tile holds does not matter.

// Replaces the lower half of a symmetric tile by the L of L L', and makes the inverses of its
// diagonal. False if a pivot is not positive and finite; the tile is then of no use.
bool factor_tile(double* tile, double* inverses) noexcept;

// Turns X' into the solution of X L' = right side, for what factor_tile has made of L.
void solve_tile(const double* L, const double* inverses, double* X) noexcept;

}  // namespace pegasos::simd
