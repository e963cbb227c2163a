// Numbers as people write and read them: 200k, 1e6, 4G; 1,234,567, 12.3 MB, 2 min 5 s. Independent
// of the locale, both ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pegasos {

// A whole number: digits, optionally a fraction or exponent (1.5e6), then k, M or G for
// 10^3, 10^6, 10^9. Plain digits are exact up to 2^64 - 1. Nothing if it is not a whole number.
std::optional<std::uint64_t> parse_count(std::string_view text);

// Bytes: the same, with K, M, G, T for powers of 1024 and an optional B or iB behind.
std::optional<std::uint64_t> parse_size(std::string_view text);

// A finite number.
std::optional<double> parse_real(std::string_view text);

std::string with_separators(std::uint64_t number);  // 1,234,567
std::string in_bytes(double bytes);                 // 12.3 MB (powers of 1000)
std::string in_short(double number);                // 1.23 M
std::string in_percent(double share);               // 48.2 %, 0.157 %
// So many digits, rounded so that what is said is true as an upper or lower bound.
std::string digits_above(double number, int digits);
std::string digits_below(double number, int digits);
std::string percent_above(double share);                      // as in_percent, rounded up
std::string in_time(double seconds);                          // 5 s, 2 min 5 s, 1 h 2 min
std::string counted(std::uint64_t n, std::string_view what);  // "1 row", "2 rows"

}  // namespace pegasos
