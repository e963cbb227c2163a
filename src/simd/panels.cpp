// The vector code of kernel matrices, compiled once per instruction set; see kernels.cpp for how a
// set is chosen.
//
// A sparse row costs, per feature, one broadcast and a fused multiply-add for each vector of panel
// columns: eight with AVX2, enough to hide the latency of the additions. Dense rows go through
// three or four at a time, so that a panel value is loaded once for all of them.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/panels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h:
#include <hwy/contrib/math/math-inl.h>

#include <algorithm>
#include <array>

#include "simd/kernel_table.h"
#include "simd/panel_table.h"
#include "simd/panels.h"

HWY_BEFORE_NAMESPACE();
namespace pegasos::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Tag = hn::CappedTag<T, kPanelWidth>;
template <typename T>
inline constexpr std::size_t kVectors = kPanelWidth / hn::MaxLanes(Tag<T>());

// Panel values are floats; sums in double promote them, which is cheaper than twice the memory.
template <typename D>
HWY_INLINE hn::Vec<D> LoadPanel(D tag, const float* values) {
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
    return hn::LoadU(tag, values);
  } else {
    return hn::PromoteTo(tag, hn::LoadU(hn::Rebind<float, D>(), values));
  }
}

// The three products, one feature of a row against the same feature of the panel.
struct DotProduct {
  template <typename V>
  static HWY_INLINE V Add(V sum, V x, V p) {
    return hn::MulAdd(x, p, sum);
  }
};
struct L1Product {
  template <typename V>
  static HWY_INLINE V Add(V sum, V x, V p) {
    return hn::Add(sum, hn::Sub(hn::Abs(hn::Sub(x, p)), hn::Abs(p)));
  }
};
struct ChiSquaredProduct {
  // x > 0 and p ≥ 0, so there is no division by zero.
  template <typename V>
  static HWY_INLINE V Add(V sum, V x, V p) {
    const V difference = hn::Sub(x, p);
    const V quotient = hn::Div(hn::Mul(difference, difference), hn::Add(x, p));
    return hn::Add(sum, hn::Sub(quotient, p));
  }
};

// Adds the features of a row from `j` on that are below `limit` to its sums; returns where it
// ended.
template <typename Op, typename T>
HWY_INLINE std::uint64_t AddSparseFeatures(const SparseArrays& rows, std::uint64_t j,
                                           std::uint64_t end, std::size_t limit,
                                           const float* HWY_RESTRICT panel, T* HWY_RESTRICT out) {
  const Tag<T> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  hn::Vec<Tag<T>> sums[kVectors<T>];
  for (std::size_t v = 0; v < kVectors<T>; ++v) sums[v] = hn::LoadU(tag, out + v * kLanes);
  for (; j < end && rows.ids[j] < limit; ++j) {
    const auto x = hn::Set(tag, static_cast<T>(rows.values[j]));
    const float* p = panel + std::size_t{rows.ids[j]} * kPanelWidth;
    for (std::size_t v = 0; v < kVectors<T>; ++v) {
      sums[v] = Op::template Add<hn::Vec<Tag<T>>>(sums[v], x, LoadPanel(tag, p + v * kLanes));
    }
  }
  for (std::size_t v = 0; v < kVectors<T>; ++v) hn::StoreU(sums[v], tag, out + v * kLanes);
  return j;
}

template <typename Op, typename T>
void SparseProducts(const SparseArrays& rows, std::size_t first, std::size_t count,
                    const float* panel, const T* base, T* out) {
  std::array<std::uint64_t, kMostTileRows> cursors;
  std::size_t left = 0;  // features not yet seen, of all rows
  for (std::size_t r = 0; r < count; ++r) {
    cursors[r] = rows.offsets[first + r];
    std::copy(base, base + kPanelWidth, out + r * kPanelWidth);
    left += static_cast<std::size_t>(rows.offsets[first + r + 1] - cursors[r]);
  }
  for (std::size_t limit = rows.slice; left > 0; limit += rows.slice) {
    for (std::size_t r = 0; r < count; ++r) {
      const std::uint64_t end = rows.offsets[first + r + 1];
      if (cursors[r] == end || rows.ids[cursors[r]] >= limit) continue;
      T* sums = out + r * kPanelWidth;
      const std::uint64_t stop = AddSparseFeatures<Op>(rows, cursors[r], end, limit, panel, sums);
      left -= static_cast<std::size_t>(stop - cursors[r]);
      cursors[r] = stop;
    }
  }
}

// kRows dense rows against a part of the panel as wide as the registers allow.
template <std::size_t kRows, std::size_t kWidth, typename T>
HWY_INLINE void DenseDots(const float* x, std::size_t columns, const float* HWY_RESTRICT panel,
                          T* HWY_RESTRICT out) {
  const Tag<T> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t kVectorsHere = kWidth / kLanes;
  hn::Vec<Tag<T>> sums[kRows][kVectorsHere];
  for (auto& row : sums) {
    for (auto& sum : row) sum = hn::Zero(tag);
  }
  for (std::size_t k = 0; k < columns; ++k) {
    hn::Vec<Tag<T>> p[kVectorsHere];
    for (std::size_t v = 0; v < kVectorsHere; ++v) {
      p[v] = LoadPanel(tag, panel + k * kPanelWidth + v * kLanes);
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto value = hn::Set(tag, static_cast<T>(x[r * columns + k]));
      for (std::size_t v = 0; v < kVectorsHere; ++v) {
        sums[r][v] = hn::MulAdd(value, p[v], sums[r][v]);
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectorsHere; ++v) {
      hn::StoreU(sums[r][v], tag, out + r * kPanelWidth + v * kLanes);
    }
  }
}

// Dense rows of the two distances: features that are zero are passed over as in a sparse row.
template <typename Op, typename T>
void DenseDistances(const DenseArrays& rows, std::size_t first, std::size_t count,
                    const float* panel, const T* base, T* out) {
  const Tag<T> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  for (std::size_t r = 0; r < count; ++r) {
    const float* x = rows.values + (first + r) * rows.columns;
    hn::Vec<Tag<T>> sums[kVectors<T>];
    for (std::size_t v = 0; v < kVectors<T>; ++v) sums[v] = hn::LoadU(tag, base + v * kLanes);
    for (std::size_t k = 0; k < rows.columns; ++k) {
      if (x[k] == 0.0F) continue;
      const auto value = hn::Set(tag, static_cast<T>(x[k]));
      for (std::size_t v = 0; v < kVectors<T>; ++v) {
        const auto p = LoadPanel(tag, panel + k * kPanelWidth + v * kLanes);
        sums[v] = Op::template Add<hn::Vec<Tag<T>>>(sums[v], value, p);
      }
    }
    for (std::size_t v = 0; v < kVectors<T>; ++v) {
      hn::StoreU(sums[v], tag, out + r * kPanelWidth + v * kLanes);
    }
  }
}

template <typename T>
void Sparse(Product product, const SparseArrays& rows, std::size_t first, std::size_t count,
            const float* panel, const T* base, T* out) {
  switch (product) {
    case Product::dot:
      return SparseProducts<DotProduct>(rows, first, count, panel, base, out);
    case Product::l1:
      return SparseProducts<L1Product>(rows, first, count, panel, base, out);
    case Product::chi_squared:
      return SparseProducts<ChiSquaredProduct>(rows, first, count, panel, base, out);
  }
}

template <typename T>
void Dense(Product product, const DenseArrays& rows, std::size_t first, std::size_t count,
           const float* panel, const T* base, T* out) {
  if (product == Product::l1) {
    return DenseDistances<L1Product>(rows, first, count, panel, base, out);
  }
  if (product == Product::chi_squared) {
    return DenseDistances<ChiSquaredProduct>(rows, first, count, panel, base, out);
  }
  // Four vectors of sums for each row: 12 are what 16 registers hold beside the panel's values, 16
  // hide all latency where there are 32 registers, and leave no row of a whole tile over.
  constexpr std::size_t kAtOnce = HWY_TARGET == HWY_AVX3 ? 4 : 3;
  constexpr std::size_t kWidth = 4 * hn::MaxLanes(Tag<T>());
  for (std::size_t c = 0; c < kPanelWidth; c += kWidth) {
    const float* x = rows.values + first * rows.columns;
    std::size_t r = 0;
    for (; r + kAtOnce <= count; r += kAtOnce) {
      DenseDots<kAtOnce, kWidth>(x + r * rows.columns, rows.columns, panel + c,
                                 out + r * kPanelWidth + c);
    }
    for (; r < count; ++r) {
      DenseDots<1, kWidth>(x + r * rows.columns, rows.columns, panel + c,
                           out + r * kPanelWidth + c);
    }
  }
}

// Replaces every value v of a tile by f(v, n of its row, n' of its column).
template <typename T, typename F>
HWY_INLINE void ForTile(T* HWY_RESTRICT tile, std::size_t count, const T* row_norms,
                        const T* panel_norms, F&& f) {
  const Tag<T> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  for (std::size_t r = 0; r < count; ++r) {
    const auto n = row_norms == nullptr ? hn::Zero(tag) : hn::Set(tag, row_norms[r]);
    T* row = tile + r * kPanelWidth;
    for (std::size_t c = 0; c < kPanelWidth; c += kLanes) {
      const auto m = panel_norms == nullptr ? hn::Zero(tag) : hn::LoadU(tag, panel_norms + c);
      hn::StoreU(f(tag, hn::LoadU(tag, row + c), hn::Add(n, m)), tag, row + c);
    }
  }
}

template <typename D, typename V>
HWY_INLINE V Power(D tag, V x, unsigned degree) {
  V result = hn::Set(tag, 1);
  for (unsigned rest = degree; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) result = hn::Mul(result, x);
    if (rest > 1) x = hn::Mul(x, x);
  }
  return result;
}

template <typename T>
void Bend(const CurveOptions& options, T* tile, std::size_t count, const T* row_norms,
          const T* panel_norms) {
  const auto gamma = static_cast<T>(options.gamma);
  const auto coef0 = static_cast<T>(options.coef0);
  const unsigned degree = options.degree;
  constexpr const T* kNone = nullptr;
  switch (options.curve) {
    case Curve::identity:
      return;
    case Curve::polynomial:
      return ForTile(tile, count, kNone, kNone, [=](auto tag, auto v, auto) HWY_ATTR {
        return Power(tag, hn::MulAdd(hn::Set(tag, gamma), v, hn::Set(tag, coef0)), degree);
      });
    case Curve::gaussian:
      return ForTile(tile, count, row_norms, panel_norms, [=](auto tag, auto v, auto n) HWY_ATTR {
        const auto squared = hn::Max(hn::Zero(tag), hn::NegMulAdd(hn::Set(tag, T{2}), v, n));
        return hn::Exp(tag, hn::Mul(hn::Set(tag, -gamma), squared));
      });
    case Curve::decay:
      return ForTile(tile, count, kNone, kNone, [=](auto tag, auto v, auto) HWY_ATTR {
        return hn::Exp(tag, hn::Mul(hn::Set(tag, -gamma), hn::Max(hn::Zero(tag), v)));
      });
    case Curve::tanh:
      return ForTile(tile, count, kNone, kNone, [=](auto tag, auto v, auto) HWY_ATTR {
        return hn::Tanh(tag, hn::MulAdd(hn::Set(tag, gamma), v, hn::Set(tag, coef0)));
      });
  }
}

// Four by four values through registers: a value at a time costs as much as its exponential.
// Transposes the part of the tile that is whole blocks of four; the target without vectors has
// none.
struct Corner {
  std::size_t rows;
  std::size_t vectors;
};
#if HWY_TARGET == HWY_SCALAR
Corner TransposeBlocks(const float*, std::size_t, std::size_t, float* const*) {
  return {0, 0};
}
#else
Corner TransposeBlocks(const float* tile, std::size_t count, std::size_t vectors,
                       float* const* out) {
  const hn::FixedTag<float, 4> tag;
  const hn::FixedTag<double, 2> pairs;
  const std::size_t whole_rows = count - count % 4;
  const std::size_t whole_vectors = vectors - vectors % 4;
  for (std::size_t c = 0; c < whole_vectors; c += 4) {
    for (std::size_t r = 0; r < whole_rows; r += 4) {
      const float* from = tile + r * kPanelWidth + c;
      const auto r0 = hn::LoadU(tag, from);
      const auto r1 = hn::LoadU(tag, from + kPanelWidth);
      const auto r2 = hn::LoadU(tag, from + 2 * kPanelWidth);
      const auto r3 = hn::LoadU(tag, from + 3 * kPanelWidth);
      const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(tag, r0, r1));
      const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(tag, r2, r3));
      const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(tag, r0, r1));
      const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(tag, r2, r3));
      hn::StoreU(hn::BitCast(tag, hn::InterleaveLower(pairs, low01, low23)), tag, out[c] + r);
      hn::StoreU(hn::BitCast(tag, hn::InterleaveUpper(pairs, low01, low23)), tag, out[c + 1] + r);
      hn::StoreU(hn::BitCast(tag, hn::InterleaveLower(pairs, high01, high23)), tag, out[c + 2] + r);
      hn::StoreU(hn::BitCast(tag, hn::InterleaveUpper(pairs, high01, high23)), tag, out[c + 3] + r);
    }
  }
  return {whole_rows, whole_vectors};
}
#endif

void Transpose(const float* tile, std::size_t count, std::size_t vectors, float* const* out) {
  const Corner done = TransposeBlocks(tile, count, vectors, out);
  for (std::size_t c = 0; c < vectors; ++c) {
    for (std::size_t r = c < done.vectors ? done.rows : 0; r < count; ++r) {
      out[c][r] = tile[r * kPanelWidth + c];
    }
  }
}

void AddTile(const double* tile, std::size_t count, const double* factors, double* sums) {
  const Tag<double> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<double>());
  for (std::size_t r = 0; r < count; ++r) {
    auto sum = hn::Zero(tag);
    for (std::size_t c = 0; c < kPanelWidth; c += kLanes) {
      const auto values = hn::LoadU(tag, tile + r * kPanelWidth + c);
      sum = hn::MulAdd(values, hn::LoadU(tag, factors + c), sum);
    }
    sums[r] += hn::GetLane(hn::SumOfLanes(tag, sum));
  }
}

// Four rows in one sweep over the sums, which would otherwise be loaded and stored for each.
void AddRows(double* HWY_RESTRICT sums, std::size_t size, const float* const* rows,
             const double* factors, std::size_t count) {
  const hn::ScalableTag<double> tag;
  const hn::Rebind<float, decltype(tag)> half;
  const std::size_t lanes = hn::Lanes(tag);
  const auto term = [&](const float* row, std::size_t i, double factor, auto sum) HWY_ATTR {
    return hn::MulAdd(hn::PromoteTo(tag, hn::LoadU(half, row + i)), hn::Set(tag, factor), sum);
  };
  const std::size_t whole = size - size % lanes;
  std::size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    for (std::size_t i = 0; i < whole; i += lanes) {
      auto sum = hn::LoadU(tag, sums + i);
      for (std::size_t k = 0; k < 4; ++k) sum = term(rows[r + k], i, factors[r + k], sum);
      hn::StoreU(sum, tag, sums + i);
    }
  }
  for (; r < count; ++r) {
    for (std::size_t i = 0; i < whole; i += lanes) {
      hn::StoreU(term(rows[r], i, factors[r], hn::LoadU(tag, sums + i)), tag, sums + i);
    }
  }
  const hn::CappedTag<double, 1> one;
  const hn::Rebind<float, decltype(one)> one_half;
  for (std::size_t i = whole; i < size; ++i) {
    auto sum = hn::LoadU(one, sums + i);
    for (r = 0; r < count; ++r) {
      const auto value = hn::PromoteTo(one, hn::LoadU(one_half, rows[r] + i));
      sum = hn::MulAdd(value, hn::Set(one, factors[r]), sum);
    }
    hn::StoreU(sum, one, sums + i);
  }
}

const PanelTable kPanelTable = {Sparse<float>, Sparse<double>, Dense<float>,
                                Dense<double>, Bend<float>,    Bend<double>,
                                Transpose,     AddTile,        AddRows};

}  // namespace HWY_NAMESPACE
}  // namespace pegasos::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pegasos::simd {
namespace {

const PanelTable& panels() noexcept {
  [[maybe_unused]] const Target target = target_in_use();
#if HWY_TARGETS & HWY_AVX3
  if (target == Target::avx512) return N_AVX3::kPanelTable;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (target == Target::avx2) return N_AVX2::kPanelTable;
#endif
#if HWY_TARGETS & HWY_SSE4
  if (target == Target::sse4) return N_SSE4::kPanelTable;
#endif
#if HWY_TARGETS & HWY_SSSE3
  if (target == Target::ssse3) return N_SSSE3::kPanelTable;
#endif
  return HWY_NAMESPACE::kPanelTable;
}

}  // namespace

template <>
void panel_products(Product product, const SparseArrays& rows, std::size_t first, std::size_t count,
                    const float* panel, const float* base, float* out) noexcept {
  panels().sparse_float(product, rows, first, count, panel, base, out);
}

template <>
void panel_products(Product product, const SparseArrays& rows, std::size_t first, std::size_t count,
                    const float* panel, const double* base, double* out) noexcept {
  panels().sparse_double(product, rows, first, count, panel, base, out);
}

template <>
void panel_products(Product product, const DenseArrays& rows, std::size_t first, std::size_t count,
                    const float* panel, const float* base, float* out) noexcept {
  panels().dense_float(product, rows, first, count, panel, base, out);
}

template <>
void panel_products(Product product, const DenseArrays& rows, std::size_t first, std::size_t count,
                    const float* panel, const double* base, double* out) noexcept {
  panels().dense_double(product, rows, first, count, panel, base, out);
}

template <>
void bend(const CurveOptions& options, float* tile, std::size_t count, const float* row_norms,
          const float* panel_norms) noexcept {
  panels().bend_float(options, tile, count, row_norms, panel_norms);
}

template <>
void bend(const CurveOptions& options, double* tile, std::size_t count, const double* row_norms,
          const double* panel_norms) noexcept {
  panels().bend_double(options, tile, count, row_norms, panel_norms);
}

void transpose(const float* tile, std::size_t count, std::size_t vectors,
               float* const* out) noexcept {
  panels().transpose(tile, count, vectors, out);
}

void add_tile(const double* tile, std::size_t count, const double* factors, double* sums) noexcept {
  panels().add_tile(tile, count, factors, sums);
}

void add_rows(std::span<double> sums, std::span<const float* const> rows,
              const double* factors) noexcept {
  panels().add_rows(sums.data(), sums.size(), rows.data(), factors, rows.size());
}

}  // namespace pegasos::simd
#endif
