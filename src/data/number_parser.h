// Parses decimal text to correctly rounded numbers at close to memory speed.
//
// The fast path takes eight characters at a time as one 64-bit word. It covers what data files
// contain: an optional sign, up to 7 digits before the point and 15 after, a short exponent. The
// number is mantissa / 10^k. Where both are exact as floats, one float division rounds correctly
// (Clinger 1990). Else both are exact as doubles, and the step from double to float is correct too
// unless the double lies exactly between two floats. That case, and everything unusual, goes to
// fast_float.
//
// Grammar: [+-] digits [. digits] [(e|E) [+-] digits], with digits on at least one side of the
// point. No hexadecimal, no inf, no nan, no locale. Text must be followed by kBlockPadding readable
// bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace pegasos {

static_assert(std::endian::native == std::endian::little, "the digit tricks read words backwards");

enum class NumberProblem { none, not_a_number, not_finite, too_large };

namespace digits {

inline std::uint64_t load(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Digits at the front of the eight characters, 0 to 8. A byte c is a digit if c ^ '0' is below 10;
// adding 0x76 carries exactly the others into their top bit. Carries only spoil bytes behind the
// first non-digit, which is the one that is looked for.
inline unsigned count(std::uint64_t word) {
  const std::uint64_t d = word ^ 0x3030303030303030;
  const std::uint64_t not_digit = ((d + 0x7676767676767676) | d) & 0x8080808080808080;
  return not_digit == 0 ? 8 : static_cast<unsigned>(std::countr_zero(not_digit)) / 8;
}

// The value of the first n digits, 1 ≤ n ≤ 8: shifted to the top so that zeros stand before them,
// then pairs, fours and eights are added in three multiplications.
inline std::uint64_t value(std::uint64_t word, unsigned n) {
  std::uint64_t d = (word ^ 0x3030303030303030) << (64 - 8 * n);
  d = d * 10 + (d >> 8);
  d = (((d & 0x000000ff000000ff) * 0x000f424000000064) +
       (((d >> 16) & 0x000000ff000000ff) * 0x0000271000000001)) >>
      32;
  return d & 0xffffffff;
}

inline constexpr double kPowerOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr float kFloatPowerOfTen[] = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F,
                                             1e6F, 1e7F, 1e8F, 1e9F, 1e10F};
inline constexpr std::uint64_t kWholePowerOfTen[] = {1,
                                                     10,
                                                     100,
                                                     1000,
                                                     10000,
                                                     100000,
                                                     1000000,
                                                     10000000,
                                                     100000000,
                                                     1000000000,
                                                     10000000000,
                                                     100000000000,
                                                     1000000000000,
                                                     10000000000000,
                                                     100000000000000,
                                                     1000000000000000};

// Rounds to float; false if the double is halfway between floats, or the float would be subnormal
// or infinite.
inline bool round_to_float(double number, float& out) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  constexpr std::uint64_t kBelowFloat = (std::uint64_t{1} << 29) - 1;
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 28;
  const std::uint64_t exponent = bits >> 52;  // number is not negative
  out = static_cast<float>(number);
  // Exponents of normal floats, less the topmost, where rounding up may overflow.
  if (exponent - 898 < 252) return (bits & kBelowFloat) != kHalf;
  return number == 0.0;
}

}  // namespace digits

namespace digits {

// The digits after the point at p. Returns their end, or null if there are too many, or none at all
// on either side of the point.
inline const char* parse_fraction(const char* p, unsigned whole, std::uint64_t& mantissa,
                                  int& scale) {
  const std::uint64_t word = load(p);
  const unsigned n = count(word);
  if (n == 0) return whole > 0 ? p : nullptr;
  mantissa = mantissa * kWholePowerOfTen[n] + value(word, n);
  scale = static_cast<int>(n);
  p += n;
  if (n < 8) return p;
  const std::uint64_t next = load(p);
  const unsigned more = count(next);
  if (more == 0) return p;
  if (more == 8 || whole + more > 10) return nullptr;  // 18 digits fit 64 bits
  mantissa = mantissa * kWholePowerOfTen[more] + value(next, more);
  scale += static_cast<int>(more);
  return mantissa <= (std::uint64_t{1} << 53) ? p + more : nullptr;
}

// An exponent of one or two digits behind the letter at p.
inline const char* parse_exponent(const char* p, int& scale) {
  ++p;
  const bool down = *p == '-';
  p += down || *p == '+' ? 1 : 0;
  const std::uint64_t word = load(p);
  const unsigned n = count(word);
  if (n == 0 || n > 2) return nullptr;
  const int exponent = static_cast<int>(value(word, n));
  scale += down ? exponent : -exponent;
  return p + n;
}

}  // namespace digits

// Reads a float at p. Returns the end of the number, or null if the slow path must decide.
inline const char* parse_float_fast(const char* p, float& out) {
  const bool negative = *p == '-';
  p += negative || *p == '+' ? 1 : 0;
  unsigned whole = 1;
  std::uint64_t mantissa = static_cast<unsigned char>(*p) - std::uint64_t{'0'};
  if (mantissa > 9 || p[1] != '.') {  // not the usual d.ddd
    const std::uint64_t word = digits::load(p);
    whole = digits::count(word);
    if (whole == 8) return nullptr;
    mantissa = whole > 0 ? digits::value(word, whole) : 0;
  }
  p += whole;
  int scale = 0;  // the number is mantissa / 10^scale
  if (*p == '.') {
    p = digits::parse_fraction(p + 1, whole, mantissa, scale);
    if (p == nullptr) return nullptr;
  } else if (whole == 0) {
    return nullptr;
  }
  if ((*p | 0x20) == 'e') [[unlikely]] {
    p = digits::parse_exponent(p, scale);
    if (p == nullptr) return nullptr;
  }
  if (mantissa < (1u << 24) && static_cast<unsigned>(scale) <= 10) {
    // Both are exact even as floats: one float division rounds correctly.
    out = static_cast<float>(static_cast<std::int32_t>(mantissa)) / digits::kFloatPowerOfTen[scale];
  } else {
    if (scale < -22 || scale > 22) return nullptr;
    const auto number = static_cast<double>(static_cast<std::int64_t>(mantissa));
    const double scaled =
        scale >= 0 ? number / digits::kPowerOfTen[scale] : number * digits::kPowerOfTen[-scale];
    if (!digits::round_to_float(scaled, out)) return nullptr;
  }
  if (negative) out = -out;
  return p;
}

// The general case. `end` is where the text ends. Returns the end of the number, or null with the
// reason in `problem`. Numbers too small for the type become zero or subnormal, as they round.
const char* parse_number(const char* p, const char* end, float& out, NumberProblem& problem);
const char* parse_number(const char* p, const char* end, double& out, NumberProblem& problem);

}  // namespace pegasos
