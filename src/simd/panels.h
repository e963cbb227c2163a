// Vector code for kernel matrices: many inner products at once, and the curves that turn them into
// kernel values.
//
// A panel holds kPanelWidth vectors side by side: feature k of vector c is at panel[k * kPanelWidth
// + c]. A row x meets all vectors p of a panel in one sweep over its features:
//
//   dot           sum_k x_k p_k
//   l1            sum_k |x_k - p_k|                    = sum_k |p_k| + sum over x_k ≠ 0 of (…)
//   chi_squared   sum_k (x_k - p_k)^2/(x_k + p_k)      = sum_k  p_k  + sum over x_k ≠ 0 of (…)
//
// so that only the features a row has are visited; `base` holds the first sum of each vector (none
// for dot). Each result is one running sum over ascending features, whatever else is computed
// beside it, and features that are zero leave it as it is: the same bits for a sparse and a dense
// row, for x and p exchanged (dot), for any grouping of rows into panels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pegasos::simd {

inline constexpr std::size_t kPanelWidth = 64;
// Products are made for at most so many rows at once: a tile of them stays in cache.
inline constexpr std::size_t kMostTileRows = 64;

enum class Product { dot, l1, chi_squared };

struct SparseArrays {
  const std::uint64_t* offsets;
  const std::uint32_t* ids;
  const float* values;
  // Features are gone through in slices of so many, each for all rows before the next, so that the
  // part of the panel in use stays in cache. Changes no bit.
  std::size_t slice;
};

struct DenseArrays {
  const float* values;
  std::size_t columns;
};

// out[r * kPanelWidth + c] for rows first … first + count - 1 and every c, count ≤ kMostTileRows.
// Sums are made in T, float or double.
template <typename T>
void panel_products(Product product, const SparseArrays& rows, std::size_t first, std::size_t count,
                    const float* panel, const T* base, T* out) noexcept;
template <typename T>
void panel_products(Product product, const DenseArrays& rows, std::size_t first, std::size_t count,
                    const float* panel, const T* base, T* out) noexcept;

// What becomes of a product v; n and n' are the squared norms of the two vectors.
enum class Curve {
  identity,    // v
  polynomial,  // (gamma v + coef0)^degree
  gaussian,    // exp(-gamma max(0, n + n' - 2 v))
  decay,       // exp(-gamma v)
  tanh         // tanh(gamma v + coef0)
};

struct CurveOptions {
  Curve curve = Curve::identity;
  double gamma = 1.0;
  double coef0 = 0.0;
  unsigned degree = 1;
};

// Bends a tile of `count` rows of kPanelWidth products in place. `row_norms` has an n for each row,
// `panel_norms` one for each vector of the panel; only the gaussian reads them.
template <typename T>
void bend(const CurveOptions& options, T* tile, std::size_t count, const T* row_norms,
          const T* panel_norms) noexcept;

// out[c][r] = tile[r * kPanelWidth + c] for the first `vectors` columns of a tile.
void transpose(const float* tile, std::size_t count, std::size_t vectors,
               float* const* out) noexcept;

// sums[r] += sum_c factors[c] tile[r * kPanelWidth + c]; there are kPanelWidth factors.
void add_tile(const double* tile, std::size_t count, const double* factors, double* sums) noexcept;

// sums[i] += factors[0] rows[0][i] + factors[1] rows[1][i] + …, added one after the other.
void add_rows(std::span<double> sums, std::span<const float* const> rows,
              const double* factors) noexcept;

}  // namespace pegasos::simd
