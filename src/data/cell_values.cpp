#include "data/cell_values.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "data/csv_grammar.h"

namespace pegasos {
namespace {

constexpr std::array<std::string_view, 8> kCurrencies = {"$", "€", "£", "¥", "₹", "₽", "₩", "¢"};
constexpr std::string_view kNoBreakSpace = "\xc2\xa0";
constexpr std::string_view kNarrowSpace = "\xe2\x80\xaf";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

void skip_blanks(std::string_view& text) {
  for (;;) {
    if (text.starts_with(' ') || text.starts_with('\t')) {
      text.remove_prefix(1);
    } else if (text.starts_with(kNoBreakSpace)) {
      text.remove_prefix(kNoBreakSpace.size());
    } else if (text.starts_with(kNarrowSpace)) {
      text.remove_prefix(kNarrowSpace.size());
    } else {
      return;
    }
  }
}

bool skip_currency(std::string_view& text) {
  for (const auto sign : kCurrencies) {
    if (!text.starts_with(sign)) continue;
    text.remove_prefix(sign.size());
    skip_blanks(text);
    return true;
  }
  return false;
}

// A separator between groups of three digits, or 0 bytes.
std::size_t group_mark(std::string_view text, char decimal) {
  if (text.empty()) return 0;
  const char other = decimal == '.' ? ',' : '.';
  if (text[0] == other || text[0] == ' ' || text[0] == '\'') return 1;
  if (text.starts_with(kNoBreakSpace)) return kNoBreakSpace.size();
  if (text.starts_with(kNarrowSpace)) return kNarrowSpace.size();
  return 0;
}

// A number without its decorations, in plain form, as it is taken from a cell.
class PlainNumber {
 public:
  bool put(char c) {
    if (size_ == text_.size()) return false;
    text_[size_++] = c;
    return true;
  }
  std::size_t take_digits(std::string_view& text) {
    std::size_t count = 0;
    while (count < text.size() && is_digit(text[count]) && put(text[count])) ++count;
    text.remove_prefix(count);
    return count;
  }
  bool value(double& out) const {
    return read_number({text_.data(), size_}, out) == NumberProblem::none;
  }

 private:
  // read_number looks at eight bytes at once.
  std::array<char, 128> text_{};
  std::size_t size_ = 0;
};

bool take_grouped(std::string_view& text, char decimal, PlainNumber& number) {
  const std::size_t first = number.take_digits(text);
  std::string_view mark;
  while (const std::size_t length = group_mark(text, decimal)) {
    const std::string_view rest = text.substr(length);
    if (rest.empty() || !is_digit(rest[0])) break;
    if (first == 0 || first > 3 || (!mark.empty() && mark != text.substr(0, length))) return false;
    mark = text.substr(0, length);
    text = rest;
    if (number.take_digits(text) != 3) return false;
  }
  return true;
}

}  // namespace

bool read_decorated(std::string_view text, NumberStyle style, double& out) {
  const char decimal = style == NumberStyle::decorated_comma ? ',' : '.';
  PlainNumber number;
  skip_blanks(text);
  bool currency = skip_currency(text);
  if (text.starts_with('-') || text.starts_with('+')) {
    if (text[0] == '-') number.put('-');
    text.remove_prefix(1);
    skip_blanks(text);
  }
  currency = currency || skip_currency(text);
  if (text.empty() || (!is_digit(text[0]) && text[0] != decimal)) return false;
  if (!take_grouped(text, decimal, number)) return false;
  if (text.starts_with(decimal)) {
    number.put('.');
    text.remove_prefix(1);
    number.take_digits(text);
  }
  if (!text.empty() && (text[0] | 0x20) == 'e' && text.size() > 1 &&
      (is_digit(text[1]) || text[1] == '-' || text[1] == '+')) {
    number.put('e');
    text.remove_prefix(1);
    if (!is_digit(text[0])) {
      number.put(text[0]);
      text.remove_prefix(1);
    }
    if (number.take_digits(text) == 0) return false;
  }
  skip_blanks(text);
  if (text.starts_with('%')) {
    text.remove_prefix(1);
    skip_blanks(text);
  }
  if (!currency) skip_currency(text);
  return text.empty() && number.value(out) && std::isfinite(out);
}

namespace {

// A whole number of `from` to `to` digits at the beginning of the text.
bool take_number(std::string_view& text, std::size_t from, std::size_t to, std::int32_t& out) {
  std::size_t count = 0;
  out = 0;
  while (count < text.size() && count <= to && is_digit(text[count])) {
    out = out * 10 + (text[count++] - '0');
  }
  if (count < from || count > to) return false;
  text.remove_prefix(count);
  return true;
}

bool take_char(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Days since 1970-01-01 in the Gregorian calendar (H. Hinnant, "chrono-compatible date
// algorithms").
std::int64_t days_from_civil(std::int32_t year, std::int32_t month, std::int32_t day) {
  const std::int64_t y = year - (month <= 2 ? 1 : 0);
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

std::int32_t days_in_month(std::int32_t year, std::int32_t month) {
  constexpr std::array<std::int32_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

// An English name, or its first three letters: "March", "mar".
bool take_month(std::string_view& text, std::int32_t& month) {
  constexpr std::array<std::string_view, 12> kMonths = {
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
  std::size_t letters = 0;
  while (letters < text.size() && (text[letters] | 0x20) >= 'a' && (text[letters] | 0x20) <= 'z') {
    ++letters;
  }
  if (letters < 3) return false;
  for (std::size_t k = 0; k < kMonths.size(); ++k) {
    const std::string_view name = kMonths[k];
    if (letters != 3 && letters != name.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < letters; ++i) same = same && (text[i] | 0x20) == name[i];
    if (!same) continue;
    month = static_cast<std::int32_t>(k + 1);
    text.remove_prefix(letters);
    return true;
  }
  return false;
}

// 31-Jan-2024, 31 January 2024, January 31, 2024: the order is plain.
bool take_named_day(std::string_view& text, std::int32_t& year, std::int32_t& month,
                    std::int32_t& day) {
  const auto take_mark = [&text](std::string_view marks) {
    const bool any = !text.empty() && marks.find(text[0]) != std::string_view::npos;
    while (!text.empty() && marks.find(text[0]) != std::string_view::npos) text.remove_prefix(1);
    return any;
  };
  const bool month_first = take_month(text, month);
  if (month_first && !take_mark(" .")) return false;
  if (!take_number(text, 1, 2, day) || !take_mark(month_first ? " ," : " -./,")) return false;
  if (!month_first && (!take_month(text, month) || !take_mark(" -./,"))) return false;
  return take_number(text, 4, 4, year) && day >= 1 && day <= days_in_month(year, month);
}

bool take_day(std::string_view& text, DateOrder order, std::int32_t& year, std::int32_t& month,
              std::int32_t& day) {
  std::int32_t parts[3];
  const bool year_first = order == DateOrder::year_first;
  if (!take_number(text, year_first ? 4 : 1, year_first ? 4 : 2, parts[0])) return false;
  if (text.empty()) return false;
  const char mark = text[0];
  if (mark != '-' && mark != '/' && mark != '.') return false;
  text.remove_prefix(1);
  if (!take_number(text, 1, 2, parts[1]) || !take_char(text, mark)) return false;
  // With slashes, years may have two digits: 69 is 1969 and 68 is 2068, as in POSIX.
  const std::size_t digits = mark == '/' ? 2 : 4;
  const std::size_t before = text.size();
  if (!take_number(text, year_first ? 1 : digits, year_first ? 2 : 4, parts[2])) return false;
  const std::size_t taken = before - text.size();
  if (!year_first && taken == 3) return false;
  if (!year_first && taken == 2) parts[2] += parts[2] < 69 ? 2000 : 1900;
  year = year_first ? parts[0] : parts[2];
  month = order == DateOrder::month_first ? parts[0] : parts[1];
  day = year_first ? parts[2] : order == DateOrder::day_first ? parts[0] : parts[1];
  return month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}

// Seconds of the day as written, less the offset from UTC.
bool take_time(std::string_view& text, double& seconds, std::uint32_t& hour) {
  std::int32_t hours = 0;
  std::int32_t minutes = 0;
  std::int32_t second = 0;
  double fraction = 0.0;
  if (!take_number(text, 1, 2, hours) || !take_char(text, ':')) return false;
  if (!take_number(text, 2, 2, minutes)) return false;
  if (take_char(text, ':') && !take_number(text, 2, 2, second)) return false;
  if (take_char(text, '.') || take_char(text, ',')) {
    for (double unit = 0.1; !text.empty() && is_digit(text[0]); unit /= 10) {
      fraction += unit * (text[0] - '0');
      text.remove_prefix(1);
    }
  }
  skip_blanks(text);
  if (text.size() >= 2 && (text[1] | 0x20) == 'm' &&
      ((text[0] | 0x20) == 'a' || (text[0] | 0x20) == 'p')) {
    if (hours < 1 || hours > 12) return false;
    hours = hours % 12 + ((text[0] | 0x20) == 'p' ? 12 : 0);
    text.remove_prefix(2);
    skip_blanks(text);
  }
  if (hours > 23 || minutes > 59 || second > 60) return false;
  hour = static_cast<std::uint32_t>(hours);
  seconds = hours * 3600.0 + minutes * 60.0 + second + fraction;
  if (take_char(text, 'Z') || text.empty()) return true;
  const double sign = text[0] == '-' ? 1.0 : -1.0;
  if (!take_char(text, '+') && !take_char(text, '-')) return false;
  if (!take_number(text, 2, 2, hours)) return false;
  take_char(text, ':');
  if (!text.empty() && !take_number(text, 2, 2, minutes)) return false;
  seconds += sign * (hours * 3600.0 + minutes * 60.0);
  return true;
}

}  // namespace

bool read_date(std::string_view text, DateOrder order, DateTime& out) {
  std::int32_t year = 0;
  std::int32_t month = 0;
  std::int32_t day = 0;
  if (text.size() < 6) return false;
  const std::string_view whole = text;
  if (!take_day(text, order, year, month, day)) {
    text = whole;
    if (!take_named_day(text, year, month, day)) return false;
  }
  const std::int64_t days = days_from_civil(year, month, day);
  double seconds = 0.0;
  out = {};
  if (!text.empty()) {
    if (text[0] != 'T' && text[0] != ' ') return false;
    text.remove_prefix(1);
    skip_blanks(text);
    out.has_time = !text.empty();
    if (out.has_time && !take_time(text, seconds, out.hour)) return false;
    if (!text.empty()) return false;
  }
  out.seconds = static_cast<double>(days) * 86400.0 + seconds;
  out.year = year;
  out.month = static_cast<std::uint32_t>(month);
  out.weekday = static_cast<std::uint32_t>(((days + 3) % 7 + 7) % 7);  // 1970-01-01 was a Thursday
  return true;
}

}  // namespace pegasos
