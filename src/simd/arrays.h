// Vector code over arrays of numbers.
#pragma once

#include <cstdint>
#include <span>

namespace pegasos::simd {

struct Range {
  float smallest;
  float largest;
};

// No infinity, no NaN.
bool all_finite(std::span<const float> values) noexcept;

// Smallest and largest of values that are all finite; {+inf, -inf} for none.
Range range_of(std::span<const float> values) noexcept;

// How many values are not below their right neighbour.
std::size_t count_descents(std::span<const std::uint32_t> values) noexcept;

// How many values are not zero.
std::size_t count_non_zeros(std::span<const float> values) noexcept;

// Subtracts one number from every value.
void subtract(std::span<std::uint32_t> values, std::uint32_t amount) noexcept;

}  // namespace pegasos::simd
