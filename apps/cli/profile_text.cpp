#include "profile_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity_text.h"
#include "output_file.h"
#include "spelling.h"
#include "terminal.h"

namespace pegasos::cli {
namespace {

std::string use_of(const ColumnProfile& column) {
  switch (column.use) {
    case ColumnProfile::Use::feature:
      return name_of(column.kind);
    case ColumnProfile::Use::label:
      return "label";
    case ColumnProfile::Use::weight:
      return "weight";
    case ColumnProfile::Use::id:
      return "id";
    case ColumnProfile::Use::left_out:
      return column.kind == ColumnKind::identifier || column.kind == ColumnKind::constant
                 ? name_of(column.kind)
                 : "ignored";
  }
  return "";
}

std::string missing_of(const ColumnProfile& column) {
  return column.missing == 0 ? "" : with_separators(column.missing) + " missing";
}

// With the way to the other reading of dates.
std::string remark_on(const ColumnProfile& column) {
  if (!column.also_fits) return column.remark;
  const bool days_first = column.also_fits == DateOrder::day_first;
  return column.remark + ": " + spelled(Setting{"date_order", days_first ? "dmy" : "mdy"});
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = cells(text);
  return text + std::string(used < width ? width - used : 0, ' ');
}

std::string shown_name(const ColumnProfile& column) {
  constexpr std::size_t kLongest = 28;
  const std::string name = printable(column.name);
  return cells(name) <= kLongest ? name : name.substr(0, kLongest - 1) + "…";
}

}  // namespace

std::string profile_for_people(const std::vector<ColumnProfile>& columns, std::size_t most) {
  std::size_t name_width = 6;
  std::size_t missing_width = 0;
  const std::size_t shown = std::min(columns.size(), most);
  for (std::size_t j = 0; j < shown; ++j) {
    name_width = std::max(name_width, cells(shown_name(columns[j])));
    missing_width = std::max(missing_width, missing_of(columns[j]).size());
  }
  std::string text;
  for (std::size_t j = 0; j < shown; ++j) {
    const ColumnProfile& column = columns[j];
    std::string line =
        fmt::format("  {}  {:<10}  ", padded(shown_name(column), name_width), use_of(column));
    if (missing_width > 0) line += fmt::format("{:<{}}  ", missing_of(column), missing_width);
    line += column.values;
    if (!column.remark.empty()) line += (column.values.empty() ? "" : "; ") + remark_on(column);
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  if (shown < columns.size()) text += fmt::format("  and {} more\n", columns.size() - shown);
  return text;
}

std::string title_of_profile(const std::vector<ColumnProfile>& columns, std::size_t rows) {
  std::uint64_t examined = 0;
  for (const auto& column : columns) examined = std::max<std::uint64_t>(examined, column.rows);
  if (examined == 0 || examined >= rows) return "Columns";
  return fmt::format("Columns, by the first {} rows", with_separators(examined));
}

Json profile_json(const std::vector<ColumnProfile>& columns) {
  Json list = Json::array();
  for (const auto& column : columns) {
    list.push_back({{"name", column.name},
                    {"kind", name_of(column.kind)},
                    {"use", column.use == ColumnProfile::Use::left_out  ? "ignored"
                            : column.use == ColumnProfile::Use::feature ? "feature"
                                                                        : use_of(column)},
                    {"rows_examined", column.rows},
                    {"missing", column.missing},
                    {"distinct", column.distinct},
                    {"values", column.values},
                    {"remark", column.remark},
                    {"features", column.features}});
  }
  return list;
}

std::vector<std::string> sentences_of(const std::vector<ColumnProfile>& columns) {
  std::vector<std::string> sentences;
  for (const auto& column : columns) {
    const std::string name = "column '" + printable(column.name) + "'";
    if (column.use == ColumnProfile::Use::left_out && column.remark != "ignored" &&
        !column.remark.empty()) {
      sentences.push_back(fmt::format("{}: {} (use --column {} to keep it)", name, column.remark,
                                      file_word(column.name + "=KIND")));
    } else if (column.use == ColumnProfile::Use::feature) {
      std::vector<std::string> parts;
      if (column.kind == ColumnKind::text || column.kind == ColumnKind::date) {
        parts.push_back(
            fmt::format("{}, {}", name_of(column.kind), counted(column.features, "feature")));
      }
      if (column.missing > 0) parts.push_back(counted(column.missing, "missing cell"));
      if (!column.remark.empty()) parts.push_back(remark_on(column));
      if (parts.empty()) continue;
      std::string sentence = name + ": ";
      for (std::size_t i = 0; i < parts.size(); ++i) sentence += (i > 0 ? "; " : "") + parts[i];
      sentences.push_back(sentence);
    }
  }
  return sentences;
}

}  // namespace pegasos::cli
