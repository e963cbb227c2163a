#include "data/column_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "data/cell_values.h"
#include "data/distinct_texts.h"
#include "data/row_block.h"

namespace pegasos {
namespace {

constexpr std::size_t kFewRows = 20;    // below, nothing is concluded from cells that all differ
constexpr std::size_t kManyKinds = 50;  // words of so many kinds are no category if most differ

constexpr double kManyWords = 20;  // of a cell on average: it is no category

// The cells of one column that are not missing.
struct Cells {
  std::vector<std::string_view> texts;
  std::size_t rows = 0;
};

Cells cells_of(const CsvSample& sample, std::size_t first, std::size_t column) {
  Cells cells;
  for (std::size_t i = first; i < sample.records().size(); ++i) {
    const auto& record = sample.records()[i];
    if (column >= record.size()) continue;
    ++cells.rows;
    if (!sample.missing().contains(record[column].text)) cells.texts.push_back(record[column].text);
  }
  return cells;
}

std::size_t count_words(std::string_view text) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    count += !blank && !inside ? 1 : 0;
    inside = !blank;
  }
  return count;
}

bool ends_like_an_id(std::string_view name) {
  if (name.size() < 2) return false;
  const std::string_view end = name.substr(name.size() - 2);
  if (end == "ID" || end == "Id") return true;
  return end == "id" && (name.size() == 2 || name[name.size() - 3] == '_' ||
                         name[name.size() - 3] == '-' || name[name.size() - 3] == ' ');
}

bool is_called_an_id(std::string_view name) {
  if (ends_like_an_id(name)) return true;
  for (const std::string_view usual : {"index", "idx", "key", "uuid", "guid", "row", "rownum",
                                       "row_number", "unnamed: 0", "no", "nr", "number"}) {
    if (same_word(name, usual)) return true;
  }
  return false;
}

std::optional<double> value_of(std::string_view text, NumberStyle style) {
  double value = 0.0;
  const bool is_number = style == NumberStyle::plain
                             ? read_number(text, value) == NumberProblem::none
                             : read_decorated(text, style, value);
  return is_number ? std::optional(value) : std::nullopt;
}

bool all_numbers(const Cells& cells, NumberStyle style) {
  return std::all_of(cells.texts.begin(), cells.texts.end(),
                     [style](std::string_view text) { return value_of(text, style).has_value(); });
}

// The style all cells agree with.
std::optional<NumberStyle> decorated_style(const Cells& cells, std::optional<char> decimal) {
  if (decimal != ',' && all_numbers(cells, NumberStyle::decorated_point)) {
    return NumberStyle::decorated_point;
  }
  if (decimal != '.' && all_numbers(cells, NumberStyle::decorated_comma)) {
    return NumberStyle::decorated_comma;
  }
  return std::nullopt;
}

// The style of a column of numbers: 950 may stand beside 1,200.
NumberStyle number_style(const Cells& cells, std::optional<char> decimal) {
  if (all_numbers(cells, NumberStyle::plain)) return NumberStyle::plain;
  const auto otherwise = decimal == ',' ? NumberStyle::decorated_comma : NumberStyle::plain;
  return decorated_style(cells, decimal).value_or(otherwise);
}

std::size_t count_dates(const Cells& cells, DateOrder order) {
  DateTime date;
  return static_cast<std::size_t>(
      std::count_if(cells.texts.begin(), cells.texts.end(),
                    [&](std::string_view text) { return read_date(text, order, date); }));
}

// Of a column of anything else the first cell tells.
bool all_dates(const Cells& cells, DateOrder order) {
  DateTime date;
  return std::all_of(cells.texts.begin(), cells.texts.end(),
                     [&](std::string_view text) { return read_date(text, order, date); });
}

DateOrder other_than(DateOrder order) {
  return order == DateOrder::day_first ? DateOrder::month_first : DateOrder::day_first;
}

// Unless told otherwise, 1/2/2024 is January the second and 1.2.2024 February the first.
DateOrder likely_order(const Cells& cells, std::optional<DateOrder> told) {
  const bool slashes = !cells.texts.empty() && cells.texts[0].find('/') != std::string_view::npos;
  return told.value_or(slashes ? DateOrder::month_first : DateOrder::day_first);
}

// The likely one where both orders of day and month fit.
std::optional<DateOrder> date_order(const Cells& cells, std::optional<DateOrder> told) {
  if (cells.texts.empty()) return std::nullopt;
  const DateOrder likely = likely_order(cells, told);
  for (const DateOrder order : {DateOrder::year_first, likely, other_than(likely)}) {
    if (all_dates(cells, order)) return order;
  }
  return std::nullopt;
}

// Of a column that shall be dates, of which some may be wrong.
DateOrder best_date_order(const Cells& cells, std::optional<DateOrder> told) {
  if (const auto order = date_order(cells, told)) return *order;
  const DateOrder likely = likely_order(cells, told);
  DateOrder best = likely;
  for (const DateOrder order : {DateOrder::year_first, other_than(likely)}) {
    const bool allowed = !told || order == DateOrder::year_first;
    if (allowed && count_dates(cells, order) > count_dates(cells, best)) best = order;
  }
  return best;
}

class NumberProfile {
 public:
  NumberProfile(const Cells& cells, NumberStyle style) {
    for (const std::string_view text : cells.texts) {
      if (const auto value = value_of(text, style)) values_.push_back(*value);
    }
    in_order_ = values_;
    std::sort(values_.begin(), values_.end());
    distinct_ = count_distinct(values_);
  }

  bool empty() const { return values_.empty(); }
  std::size_t distinct() const { return distinct_; }
  bool all_differ() const { return distinct_ == values_.size(); }

  bool are_whole() const {
    return std::all_of(values_.begin(), values_.end(),
                       [](double value) { return std::floor(value) == value; });
  }
  // 0, 1, 2, … or 1, 2, 3, … in the order of the file.
  bool are_row_numbers() const {
    for (std::size_t i = 1; i < in_order_.size(); ++i) {
      if (in_order_[i] != in_order_[i - 1] + 1.0) return false;
    }
    return !in_order_.empty() && (in_order_[0] == 0.0 || in_order_[0] == 1.0);
  }

  void describe(ColumnFindings& findings) const {
    if (values_.empty()) return;
    const double low = values_.front();
    const double high = values_.back();
    findings.profile.distinct = distinct_;
    findings.profile.values = fmt::format("{:.6g} to {:.6g}", low, high);
    double sum = 0.0;
    for (const double value : values_) sum += value;
    findings.centre = sum / static_cast<double>(values_.size());
    if (!std::isfinite(findings.centre)) findings.centre = 0.0;
    findings.median = values_[values_.size() / 2];
    const auto zeros = static_cast<std::size_t>(std::count(values_.begin(), values_.end(), 0.0));
    findings.mostly_zeros = 10 * zeros >= 9 * values_.size();
    constexpr double kLost = 4096.0;  // half of the 24 bits of a float
    findings.is_exact = std::max(-low, high) > kLost * (high - low) && high > low;
    if (distinct_as_floats(0.0) < distinct_) findings.is_exact = true;
  }

  // After `origin` is subtracted.
  std::size_t distinct_as_floats(double origin) const {
    std::vector<float> floats;
    floats.reserve(values_.size());
    for (const double value : values_) floats.push_back(static_cast<float>(value - origin));
    return count_distinct(floats);
  }

 private:
  template <typename T>
  static std::size_t count_distinct(const std::vector<T>& sorted) {
    std::size_t count = sorted.empty() ? 0 : 1;
    for (std::size_t i = 1; i < sorted.size(); ++i) count += sorted[i] != sorted[i - 1] ? 1 : 0;
    return count;
  }

  std::vector<double> values_;  // ascending
  std::vector<double> in_order_;
  std::size_t distinct_ = 0;
};

// Digits of one length, and some begin with a zero: 020, 060, 190.
bool are_codes(const Cells& cells) {
  bool leading_zero = false;
  for (const std::string_view text : cells.texts) {
    if (text.size() != cells.texts[0].size() || text.size() < 2) return false;
    if (text.find_first_not_of("0123456789") != std::string_view::npos) return false;
    leading_zero = leading_zero || text[0] == '0';
  }
  return leading_zero;
}

void leave_out(ColumnFindings& findings, ColumnKind kind, std::string why) {
  findings.profile.kind = kind;
  findings.profile.use = ColumnProfile::Use::left_out;
  findings.profile.remark = std::move(why);
}

constexpr std::size_t kCellsCounted = 1000;

void profile_words(ColumnFindings& findings, const Cells& cells) {
  DistinctTexts kinds(cells.texts.size());
  std::vector<std::string> first;
  std::size_t words = 0;
  std::size_t bytes = 0;
  // Words are counted in a part of many cells, from all over the sample: long texts take time.
  const std::size_t stride = 1 + cells.texts.size() / kCellsCounted;
  for (std::size_t k = 0; k < cells.texts.size(); k += stride) {
    words += stride * count_words(cells.texts[k]);
  }
  for (const std::string_view text : cells.texts) {
    bytes += text.size();
    if (kinds.insert(text) && first.size() < 3) first.push_back(printable(text, 24));
  }
  ColumnProfile& profile = findings.profile;
  profile.kind = ColumnKind::category;
  profile.distinct = kinds.size();
  profile.values = fmt::format("{}", fmt::join(first, ", "));
  const double cells_count = static_cast<double>(std::max<std::size_t>(1, cells.texts.size()));
  const double words_per_cell = static_cast<double>(words) / cells_count;
  const double share = static_cast<double>(kinds.size()) / cells_count;
  findings.mean_text_bytes = static_cast<double>(bytes) / cells_count;
  // Few rows leave no doubt about long texts.
  if (words_per_cell >= kManyWords && kinds.size() > 1 && share > 0.5) {
    profile.kind = ColumnKind::text;
    return;
  }
  if (cells.texts.size() < kFewRows) return;
  if ((words_per_cell >= 4.0 && share > 0.3) ||
      (words_per_cell >= 2.5 && share > 0.5 && kinds.size() > kManyKinds)) {
    profile.kind = ColumnKind::text;
  } else if (share > 0.5 && kinds.size() > kManyKinds) {
    leave_out(
        findings, ColumnKind::identifier,
        fmt::format("{} of {} values are distinct: ignored", kinds.size(), cells.texts.size()));
  }
}

void profile_dates(ColumnFindings& findings, const Cells& cells, DateOrder order,
                   std::optional<DateOrder> told) {
  std::string_view earliest;
  std::string_view latest;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double sum = 0.0;
  std::size_t dates = 0;
  for (const std::string_view text : cells.texts) {
    DateTime date;
    if (!read_date(text, order, date)) continue;
    findings.has_time = findings.has_time || date.has_time;
    if (date.seconds < low) earliest = text;
    if (date.seconds > high) latest = text;
    low = std::min(low, date.seconds);
    high = std::max(high, date.seconds);
    sum += date.days();
    ++dates;
  }
  findings.profile.kind = ColumnKind::date;
  findings.profile.values = fmt::format("{} to {}", printable(earliest), printable(latest));
  findings.date_order = order;
  findings.centre = dates > 0 ? sum / static_cast<double>(dates) : 0.0;
  if (order == DateOrder::year_first) return;
  const auto in_words = [](DateOrder of) {
    return of == DateOrder::day_first ? "day before month" : "month before day";
  };
  const DateOrder other = other_than(order);
  findings.profile.remark = in_words(order);
  if (told || !all_dates(cells, other)) return;
  findings.profile.also_fits = other;
  findings.profile.remark += fmt::format("; {} fits as well", in_words(other));
}

void profile_numbers(ColumnFindings& findings, const Cells& cells, NumberStyle style,
                     std::size_t column, bool whole_file) {
  ColumnProfile& profile = findings.profile;
  profile.kind = ColumnKind::number;
  findings.style = style;
  const NumberProfile numbers(cells, style);
  numbers.describe(findings);
  if (style != NumberStyle::plain) {
    const auto is_plain = [](std::string_view text) {
      return value_of(text, NumberStyle::plain).has_value();
    };
    const auto odd = std::find_if_not(cells.texts.begin(), cells.texts.end(), is_plain);
    findings.some_are_plain = std::any_of(cells.texts.begin(), cells.texts.end(), is_plain);
    profile.remark = fmt::format("numbers such as '{}'", printable(*odd, 24));
  }
  const bool complete = profile.missing == 0;
  if (complete && whole_file && numbers.distinct() == 1 && cells.rows >= kFewRows) {
    leave_out(findings, ColumnKind::constant, "constant: ignored");
    return;
  }
  if (!complete || cells.texts.size() < kFewRows || !numbers.all_differ()) return;
  if (!numbers.are_whole()) return;
  const bool called_id = is_called_an_id(profile.name);
  if (numbers.are_row_numbers() && (column == 0 || called_id)) {
    leave_out(findings, ColumnKind::identifier, "row numbers: ignored");
  } else if (called_id) {
    leave_out(findings, ColumnKind::identifier, "all values are distinct: ignored");
  }
}

void remark_on_precision(ColumnFindings& findings, const Cells& cells, const ReadOptions& options) {
  if (!findings.is_exact || findings.profile.use != ColumnProfile::Use::feature) return;
  const NumberProfile numbers(cells, findings.style);
  const bool shifted = options.table_scaling != TableScaling::none;
  const std::size_t apart = numbers.distinct_as_floats(shifted ? findings.centre : 0.0);
  if (apart >= numbers.distinct()) return;
  findings.profile.remark = fmt::format("{}only {} of {} values are distinct as 32-bit floats",
                                        shifted ? "" : "unscaled, ", apart, numbers.distinct());
}

ColumnFindings profile_column(const CsvSample& sample, const Cells& cells, bool holds_words,
                              std::size_t column, const std::string& name,
                              const ReadOptions& options) {
  ColumnFindings findings;
  findings.profile.name = name;
  findings.profile.rows = cells.rows;
  findings.profile.missing = cells.rows - cells.texts.size();
  const bool whole = sample.is_whole_file();
  if (cells.texts.empty()) {
    if (whole && cells.rows >= kFewRows) {
      leave_out(findings, ColumnKind::constant, "always missing: ignored");
    }
    return findings;
  }
  if (!holds_words) {
    if (are_codes(cells)) {
      profile_words(findings, cells);
      findings.profile.remark += findings.profile.remark.empty() ? "codes with leading zeros" : "";
    } else {
      profile_numbers(findings, cells, number_style(cells, options.decimal), column, whole);
      remark_on_precision(findings, cells, options);
    }
    return findings;
  }
  if (const auto style = decorated_style(cells, options.decimal)) {
    profile_numbers(findings, cells, *style, column, whole);
    remark_on_precision(findings, cells, options);
  } else if (const auto order = date_order(cells, options.date_order)) {
    profile_dates(findings, cells, *order, options.date_order);
  } else {
    profile_words(findings, cells);
  }
  if (whole && findings.profile.missing == 0 && findings.profile.distinct == 1 &&
      cells.rows >= kFewRows) {
    leave_out(findings, ColumnKind::constant, "constant: ignored");
  }
  return findings;
}

}  // namespace

std::string name_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::number:
      return "number";
    case ColumnKind::category:
      return "category";
    case ColumnKind::text:
      return "text";
    case ColumnKind::date:
      return "date";
    case ColumnKind::identifier:
      return "identifier";
    case ColumnKind::constant:
      return "constant";
    case ColumnKind::ignored:
      return "ignored";
  }
  return "unknown";
}

std::optional<ColumnKind> column_kind_of_name(const std::string& name) {
  for (const ColumnKind kind : {ColumnKind::number, ColumnKind::category, ColumnKind::text,
                                ColumnKind::date, ColumnKind::identifier, ColumnKind::ignored}) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

std::vector<ColumnFindings> profile_sample(const CsvSample& sample, std::size_t first,
                                           const std::vector<std::string>& names,
                                           const ReadOptions& options) {
  const auto holds_words = sample.words_columns(first);
  std::vector<ColumnFindings> all;
  for (std::size_t j = 0; j < names.size(); ++j) {
    all.push_back(
        profile_column(sample, cells_of(sample, first, j), holds_words[j], j, names[j], options));
  }
  return all;
}

void take_for(ColumnFindings& findings, ColumnKind kind, const CsvSample& sample, std::size_t first,
              std::size_t column, const ReadOptions& options) {
  const Cells cells = cells_of(sample, first, column);
  findings.profile.use = ColumnProfile::Use::feature;
  findings.profile.remark.clear();
  findings.profile.also_fits.reset();
  switch (kind) {
    case ColumnKind::number:
      profile_numbers(findings, cells, number_style(cells, options.decimal), column, false);
      remark_on_precision(findings, cells, options);
      break;
    case ColumnKind::date:
      profile_dates(findings, cells, best_date_order(cells, options.date_order),
                    options.date_order);
      break;
    case ColumnKind::category:
    case ColumnKind::text:
      profile_words(findings, cells);
      break;
    case ColumnKind::identifier:
    case ColumnKind::constant:
    case ColumnKind::ignored:
      leave_out(findings, kind, "");
      break;
  }
  const bool used =
      kind != ColumnKind::identifier && kind != ColumnKind::constant && kind != ColumnKind::ignored;
  findings.profile.kind = kind;
  findings.profile.use = used ? ColumnProfile::Use::feature : ColumnProfile::Use::left_out;
  findings.profile.remark = used ? findings.profile.remark : "ignored";
  if (used && findings.profile.remark.ends_with("ignored")) findings.profile.remark.clear();
}

}  // namespace pegasos
