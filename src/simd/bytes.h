// Vector code over bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace pegasos::simd {

// How often `byte` occurs in text.
std::size_t count_byte(std::string_view text, char byte) noexcept;

}  // namespace pegasos::simd
