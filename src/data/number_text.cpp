#include "data/number_text.h"

#include <fmt/compile.h>

#include <charconv>
#include <cmath>

#include "data/number_parser.h"

namespace pegasos {
namespace {

// Counts and labels are mostly small whole numbers, and most of those have one digit.
template <typename Real>
char* write_real(char* out, Real number) {
  constexpr Real kSmall = 1e6;
  if (std::abs(number) < kSmall) {
    const int whole = static_cast<int>(number);
    if (static_cast<Real>(whole) == number) {
      if (std::signbit(number)) *out++ = '-';
      return write_number(out, static_cast<std::uint32_t>(std::abs(whole)));
    }
  }
  return fmt::format_to(out, FMT_COMPILE("{}"), number);
}

}  // namespace

char* write_number(char* out, std::uint32_t number) {
  if (number < 10) {
    *out = static_cast<char>('0' + number);
    return out + 1;
  }
  return std::to_chars(out, out + kLongestNumber, number).ptr;
}

char* write_number(char* out, float number) {
  return write_real(out, number);
}

char* write_number(char* out, double number) {
  return write_real(out, number);
}

double round_to_six_digits(double number) {
  const double size = std::abs(number);
  constexpr double kSmallest = 1e-16;
  constexpr double kLargest = 1e22;
  if (!(size >= kSmallest) || size >= kLargest) return size < kSmallest ? 0.0 : number;
  // size · 10^shift has six digits before the point. The estimate of the decimal exponent is at
  // most one too low: 1233/4096 is just below log10(2).
  const auto shifted = [size](int shift) {
    return shift >= 0 ? size * digits::kPowerOfTen[shift] : size / digits::kPowerOfTen[-shift];
  };
  int shift = 5 - ((std::ilogb(size) * 1233) >> 12);
  if (shifted(shift) >= 1e6) --shift;
  const double rounded = std::nearbyint(shifted(shift));
  // Both factors are exact, so this is the double nearest to the decimal number.
  const double result =
      shift >= 0 ? rounded / digits::kPowerOfTen[shift] : rounded * digits::kPowerOfTen[-shift];
  return std::copysign(result, number);
}

}  // namespace pegasos
