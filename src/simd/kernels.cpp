// The vector kernels, compiled once per instruction set by Highway.
//
// Which set runs is chosen by target.cpp. Highway's own choosing lives in a shared library that
// calibrates a timer whenever it is loaded, 3.5 ms of every start of the program; its headers are
// all that is used here.
//
// Each loop takes whole vectors and leaves a scalar tail. Integer results are the same on every
// target; so are the floating point ones here, because minimum, maximum and comparison do not
// round. The kernels of dense matrices and of the hinge loss, which do, are in files of their own.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "simd/arrays.h"
#include "simd/bytes.h"
#include "simd/hinge-inl.h"
#include "simd/hinge.h"
#include "simd/kernel_table.h"
#include "simd/pairs-inl.h"
#include "simd/pairs.h"
#include "simd/tiles-inl.h"
#include "simd/tiles.h"

HWY_BEFORE_NAMESPACE();
namespace pegasos::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

std::size_t CountByte(const std::uint8_t* text, std::size_t size, std::uint8_t byte) {
  const hn::ScalableTag<std::uint8_t> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto wanted = hn::Set(tag, byte);
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    count += hn::CountTrue(tag, hn::Eq(hn::LoadU(tag, text + i), wanted));
  }
  for (; i < size; ++i) count += text[i] == byte ? 1 : 0;
  return count;
}

bool AllFinite(const float* values, std::size_t size) {
  const hn::ScalableTag<float> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t i = 0;
  // x - x is zero for finite x and NaN otherwise; NaN stays NaN in the sum.
  auto sum = hn::Zero(tag);
  for (; i + lanes <= size; i += lanes) {
    const auto x = hn::LoadU(tag, values + i);
    sum = hn::Add(sum, hn::Sub(x, x));
  }
  float total = hn::GetLane(hn::SumOfLanes(tag, sum));
  for (; i < size; ++i) total += values[i] - values[i];
  return total == 0.0F;
}

Range RangeOf(const float* values, std::size_t size) {
  const hn::ScalableTag<float> tag;
  const std::size_t lanes = hn::Lanes(tag);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  auto low = hn::Set(tag, kInfinity);
  auto high = hn::Set(tag, -kInfinity);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto x = hn::LoadU(tag, values + i);
    low = hn::Min(low, x);
    high = hn::Max(high, x);
  }
  Range range = {hn::GetLane(hn::MinOfLanes(tag, low)), hn::GetLane(hn::MaxOfLanes(tag, high))};
  for (; i < size; ++i) {
    range.smallest = std::min(range.smallest, values[i]);
    range.largest = std::max(range.largest, values[i]);
  }
  return range;
}

std::size_t CountDescents(const std::uint32_t* values, std::size_t size) {
  const hn::ScalableTag<std::uint32_t> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t ascents = 0;
  std::size_t i = 1;
  for (; i + lanes <= size; i += lanes) {
    const auto left = hn::LoadU(tag, values + i - 1);
    const auto right = hn::LoadU(tag, values + i);
    ascents += hn::CountTrue(tag, hn::Lt(left, right));
  }
  for (; i < size; ++i) ascents += values[i - 1] < values[i] ? 1 : 0;
  return size == 0 ? 0 : size - 1 - ascents;
}

std::size_t CountNonZeros(const float* values, std::size_t size) {
  const hn::ScalableTag<float> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t zeros = 0;
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    zeros += hn::CountTrue(tag, hn::Eq(hn::LoadU(tag, values + i), hn::Zero(tag)));
  }
  for (; i < size; ++i) zeros += values[i] == 0.0F ? 1 : 0;
  return size - zeros;
}

void Subtract(std::uint32_t* values, std::size_t size, std::uint32_t amount) {
  const hn::ScalableTag<std::uint32_t> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto step = hn::Set(tag, amount);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(hn::Sub(hn::LoadU(tag, values + i), step), tag, values + i);
  }
  for (; i < size; ++i) values[i] -= amount;
}

const KernelTable kTable = {
    CountByte,         AllFinite,          RangeOf,          CountDescents, CountNonZeros,
    Subtract,          AddProduct,         FactorTile,       SolveTile,     HingeSweepRows,
    HingeSlopesOfRows, HingeSlopeOfMovers, StrongestPullsOf, BestPartner,   AddTwo};

}  // namespace HWY_NAMESPACE
}  // namespace pegasos::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pegasos::simd {

const KernelTable& kernels_of([[maybe_unused]] Target target) noexcept {
#if HWY_TARGETS & HWY_AVX3
  if (target == Target::avx512) return N_AVX3::kTable;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (target == Target::avx2) return N_AVX2::kTable;
#endif
#if HWY_TARGETS & HWY_SSE4
  if (target == Target::sse4) return N_SSE4::kTable;
#endif
#if HWY_TARGETS & HWY_SSSE3
  if (target == Target::ssse3) return N_SSSE3::kTable;
#endif
  return HWY_NAMESPACE::kTable;  // what every processor of this kind has
}

std::size_t count_byte(std::string_view text, char byte) noexcept {
  return kernels().count_byte(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                              static_cast<std::uint8_t>(byte));
}

bool all_finite(std::span<const float> values) noexcept {
  return kernels().all_finite(values.data(), values.size());
}

Range range_of(std::span<const float> values) noexcept {
  return kernels().range_of(values.data(), values.size());
}

std::size_t count_descents(std::span<const std::uint32_t> values) noexcept {
  return kernels().count_descents(values.data(), values.size());
}

std::size_t count_non_zeros(std::span<const float> values) noexcept {
  return kernels().count_non_zeros(values.data(), values.size());
}

void subtract(std::span<std::uint32_t> values, std::uint32_t amount) noexcept {
  kernels().subtract(values.data(), values.size(), amount);
}

void add_product(const double* A, const double* B, std::size_t depth, double factor,
                 const TileTarget& C) noexcept {
  kernels().add_product(A, B, depth, factor, C);
}

bool factor_tile(double* tile, double* inverses) noexcept {
  return kernels().factor_tile(tile, inverses);
}

void solve_tile(const double* L, const double* inverses, double* X) noexcept {
  kernels().solve_tile(L, inverses, X);
}

HingeSums hinge_sweep(const HingeRows& rows, double t, const double* dz,
                      const std::uint32_t* copies, double* z, double* a, double* response,
                      ChangedDuals& changed) noexcept {
  return kernels().hinge_sweep(rows, t, dz, copies, z, a, response, changed);
}

HingeSlopes hinge_slopes(const HingeRows& rows, const double* z, const double* dz, const double* a,
                         HingeMovers& movers) noexcept {
  return kernels().hinge_slopes(rows, z, dz, a, movers);
}

double hinge_slope_of_movers(const HingeMovers& movers, double t) noexcept {
  return kernels().hinge_slope_of_movers(movers, t);
}

StrongestPulls strongest_pulls(const PullRows& rows) noexcept {
  return kernels().strongest_pulls(rows);
}

std::size_t best_partner(const PullRows& rows, const PairSearch& search) noexcept {
  return kernels().best_partner(rows, search);
}

void add_two(const PullRows& rows, double by, const double* a, double other_by,
             const double* b) noexcept {
  kernels().add_two(rows, by, a, other_by, b);
}

}  // namespace pegasos::simd
#endif
