// The vector kernels, compiled once per instruction set and chosen at run time by Highway.
//
// Each loop takes whole vectors and leaves a scalar tail. Integer results are the same on every
// target; so are the floating point ones here, because minimum, maximum and comparison do not
// round.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "simd/arrays.h"
#include "simd/bytes.h"

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

bool StrictlyAscending(const std::uint32_t* values, std::size_t size) {
  const hn::ScalableTag<std::uint32_t> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t i = 1;
  for (; i + lanes <= size; i += lanes) {
    const auto left = hn::LoadU(tag, values + i - 1);
    const auto right = hn::LoadU(tag, values + i);
    if (!hn::AllTrue(tag, hn::Lt(left, right))) return false;
  }
  for (; i < size; ++i) {
    if (values[i - 1] >= values[i]) return false;
  }
  return true;
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

}  // namespace HWY_NAMESPACE
}  // namespace pegasos::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pegasos::simd {

HWY_EXPORT(CountByte);
HWY_EXPORT(AllFinite);
HWY_EXPORT(RangeOf);
HWY_EXPORT(StrictlyAscending);
HWY_EXPORT(CountNonZeros);
HWY_EXPORT(Subtract);

std::size_t count_byte(std::string_view text, char byte) noexcept {
  return HWY_DYNAMIC_DISPATCH(CountByte)(reinterpret_cast<const std::uint8_t*>(text.data()),
                                         text.size(), static_cast<std::uint8_t>(byte));
}

bool all_finite(std::span<const float> values) noexcept {
  return HWY_DYNAMIC_DISPATCH(AllFinite)(values.data(), values.size());
}

Range range_of(std::span<const float> values) noexcept {
  return HWY_DYNAMIC_DISPATCH(RangeOf)(values.data(), values.size());
}

bool strictly_ascending(std::span<const std::uint32_t> values) noexcept {
  return HWY_DYNAMIC_DISPATCH(StrictlyAscending)(values.data(), values.size());
}

std::size_t count_non_zeros(std::span<const float> values) noexcept {
  return HWY_DYNAMIC_DISPATCH(CountNonZeros)(values.data(), values.size());
}

void subtract(std::span<std::uint32_t> values, std::uint32_t amount) noexcept {
  HWY_DYNAMIC_DISPATCH(Subtract)(values.data(), values.size(), amount);
}

}  // namespace pegasos::simd
#endif
