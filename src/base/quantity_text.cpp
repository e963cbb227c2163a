#include "base/quantity_text.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>

namespace pegasos {
namespace {

struct Suffix {
  std::string_view letters;  // upper and lower case of one unit
  double factor;
};

// Takes a unit off the end of the text and returns its factor; 1 without one.
template <std::size_t N>
double take_suffix(std::string_view& text, const Suffix (&suffixes)[N]) {
  for (const auto& [letters, factor] : suffixes) {
    if (text.empty() || letters.find(text.back()) == std::string_view::npos) continue;
    text.remove_suffix(1);
    return factor;
  }
  return 1.0;
}

std::optional<std::uint64_t> whole(std::string_view digits, double factor) {
  std::uint64_t exact = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, exact);
  if (failure == std::errc() && stop == end && factor == 1.0) return exact;
  const auto number = parse_real(digits);
  if (!number) return std::nullopt;
  const double scaled = *number * factor;
  // Doubles are whole numbers exactly up to 2^53; rounding beyond would change what was asked.
  if (!(scaled >= 0.0 && scaled <= 0x1.0p53) || scaled != std::floor(scaled)) return std::nullopt;
  return static_cast<std::uint64_t>(scaled);
}

std::string scaled(double number, double step, const char* const* units, std::size_t count) {
  std::size_t unit = 0;
  while (unit + 1 < count && number >= 999.5) {
    number /= step;
    ++unit;
  }
  const int decimals = unit == 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}{}", number, decimals, *units[unit] == '\0' ? "" : " ", units[unit]);
}

}  // namespace

std::optional<double> parse_real(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = fast_float::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  static constexpr Suffix kThousands[] = {{"kK", 1e3}, {"mM", 1e6}, {"gG", 1e9}};
  const double factor = take_suffix(text, kThousands);
  return whole(text, factor);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  static constexpr Suffix kPowers[] = {
      {"kK", 0x1.0p10}, {"mM", 0x1.0p20}, {"gG", 0x1.0p30}, {"tT", 0x1.0p40}};
  if (text.ends_with('B') || text.ends_with('b')) text.remove_suffix(1);
  if (text.ends_with('i')) text.remove_suffix(1);
  const double factor = take_suffix(text, kPowers);
  return whole(text, factor);
}

std::string with_separators(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string in_bytes(double bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  return scaled(bytes, 1000.0, kUnits, std::size(kUnits));
}

std::string in_short(double number) {
  static constexpr const char* kUnits[] = {"", "k", "M", "G", "T"};
  return scaled(number, 1000.0, kUnits, std::size(kUnits));
}

std::string in_percent(double share) {
  const double percent = share * 100.0;
  if (percent >= 9.995 || percent == 0.0) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.3g} %", percent);
}

std::string digits_above(double number, int digits) {
  std::string text = fmt::format("{:.{}g}", number, digits);
  const auto is_below = [&] {
    double said = number;
    std::from_chars(text.data(), text.data() + text.size(), said);
    return said < number;
  };
  // A digit more in the last place, where the nearest text is below.
  for (int k = 1; k < 20 && is_below(); ++k) {
    const double raised = number + k * 0.25 * std::pow(10.0, 1 - digits) * std::abs(number);
    text = fmt::format("{:.{}g}", raised, digits);
  }
  return text;
}

std::string digits_below(double number, int digits) {
  const std::string text = digits_above(-number, digits);
  return text.front() == '-' ? text.substr(1) : text == "0" ? text : "-" + text;
}

std::string percent_above(double share) {
  const double percent = share * 100.0 * (1.0 + 0x1p-50);
  if (percent < 9.995) return percent == 0.0 ? in_percent(0.0) : digits_above(percent, 3) + " %";
  return fmt::format("{:.1f} %", std::ceil(percent * 10.0) / 10.0);
}

std::string in_time(double seconds) {
  if (!(seconds < 359'999.0)) return "days";
  const auto whole_seconds = static_cast<std::uint64_t>(std::ceil(seconds));
  const auto minutes = whole_seconds / 60;
  if (minutes == 0) return fmt::format("{} s", whole_seconds);
  if (minutes < 60) return fmt::format("{} min {} s", minutes, whole_seconds % 60);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string counted(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", with_separators(n), what, n == 1 ? "" : "s");
}

}  // namespace pegasos
