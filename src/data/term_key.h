// The 64 bits a term or a piece of text is looked up by, made without building its text:
//
//   10 …   up to seven bytes: the bytes themselves, how many, and whether the term is marked
//   01 …   a term of several words: the number of the term without its last word, and that word's
//   11 …   a longer one: a hash, and the texts are compared
//
// Keys of the first two kinds are equal only for equal terms, and none is 0.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace pegasos::term_key {

constexpr std::size_t kShort = 7;
constexpr std::uint64_t kIsShort = std::uint64_t{2} << 62;
constexpr std::uint64_t kIsPair = std::uint64_t{1} << 62;
constexpr std::uint64_t kIsHash = std::uint64_t{3} << 62;

inline bool is_hash(std::uint64_t key) {
  return key >= kIsHash;
}

// Of a text of more than kShort bytes.
std::uint64_t of_long(std::string_view text, bool is_marked);

// Eight bytes, the first of them the lowest.
inline std::uint64_t first_bytes(const char* text) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, sizeof bytes);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  return bytes;
}

// Of the first `size` of these bytes, at most kShort.
inline std::uint64_t of_short(std::uint64_t bytes, std::size_t size, bool is_marked) {
  constexpr std::array<std::uint64_t, kShort + 1> kBytes = [] {
    std::array<std::uint64_t, kShort + 1> masks = {};
    for (std::size_t n = 1; n <= kShort; ++n) masks[n] = masks[n - 1] << 8 | 0xffU;
    return masks;
  }();
  const std::uint64_t mark = is_marked ? 8 : 0;
  return kIsShort | (mark | size) << 56 | (bytes & kBytes[size]);
}

// There must be eight bytes to read.
inline std::uint64_t of(std::string_view text, bool is_marked) {
  if (text.size() > kShort) return of_long(text, is_marked);
  return of_short(first_bytes(text.data()), text.size(), is_marked);
}

inline std::uint64_t of_pair(std::uint32_t term, std::uint32_t word) {
  return kIsPair | std::uint64_t{term} << 32 | word;
}

// Its upper bits choose a slot.
inline std::uint64_t scattered(std::uint64_t key) {
  return (key ^ key >> 32) * 0x9e3779b97f4a7c15U;
}

}  // namespace pegasos::term_key
