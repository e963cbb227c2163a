// The CSV reader against a naive one: same rows to the bit, or the same places to complain about.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/read.h"
#include "support/reference_csv.h"

namespace pegasos::testing {
namespace {

std::map<std::uint32_t, float> non_zeros(const RowView& row) {
  std::map<std::uint32_t, float> result;
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    if (row.dense && row.values[k] == 0.0F) continue;
    result[row.dense ? static_cast<std::uint32_t>(k) : row.ids[k]] = row.values[k];
  }
  return result;
}

template <typename T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

std::string visible(const std::string& file) {
  std::string result;
  for (const char c : file) {
    if (c == '\n') {
      result += "\\n\n";
    } else if (c == '\r') {
      result += "\\r";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '\0') {
      result += "\\0";
    } else {
      result += c;
    }
  }
  return result;
}

std::string different_row(const Dataset& data, const ReferenceCsv& reference, std::size_t i) {
  const RowView row = data.row(i);
  for (std::size_t k = 1; k < row.ids.size(); ++k) {
    if (row.ids[k - 1] >= row.ids[k]) return "ids do not ascend";
  }
  const auto mine = non_zeros(row);
  if (mine.size() != reference.rows[i].size()) return "number of values";
  for (const auto& [id, value] : reference.rows[i]) {
    if (mine.count(id) == 0 || !same_bits(mine.at(id), value)) return fmt::format("value {}", id);
  }
  const bool both_unlabelled = std::isnan(data.label(i)) && std::isnan(reference.labels[i]);
  if (!both_unlabelled && !same_bits(data.label(i), reference.labels[i])) return "label";
  if (data.has_weights() && !same_bits(data.weight(i), reference.weights[i])) return "weight";
  return "";
}

// The one letter beyond ASCII was torn apart: such text is converted first, and places shift.
bool is_torn(std::string file) {
  for (auto at = file.find("é"); at != std::string::npos; at = file.find("é")) file.erase(at, 2);
  return std::any_of(file.begin(), file.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

// The reference does not know numbers such as "1 000", which a whole column may agree on.
bool has_decorated_numbers(const Schema& schema) {
  const auto& columns = schema.csv->columns;
  return std::any_of(columns.begin(), columns.end(),
                     [](const CsvColumn& column) { return column.style != NumberStyle::plain; });
}

// A number with a blank in it, or within quotes, which a whole column may agree on: a sign, digit,
// point or quote, blanks, and one of them again. A column of such cells has numbers, whatever else
// is wrong with the file.
bool may_have_decorated_numbers(const std::string& file, char delimiter) {
  constexpr std::string_view kBlanks = " \t";
  constexpr std::string_view kOfNumbers = "0123456789.-+\"";
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (kOfNumbers.find(file[i]) == kOfNumbers.npos || kBlanks.find(file[i + 1]) == kBlanks.npos) {
      continue;
    }
    const auto next = file.find_first_not_of(kBlanks, i + 1);
    if (next == std::string::npos || kOfNumbers.find(file[next]) == kOfNumbers.npos) continue;
    if (file[i] == '"' || file[next] == '"' || file[i + 1] != delimiter) return true;
  }
  return false;
}

// What is not as the reference says, "" if nothing.
std::string different_result(const ReadResult& read, const ReferenceCsv& reference) {
  const Dataset& data = read.data;
  if (has_decorated_numbers(data.schema())) return "";
  if (!reference.errors.empty()) {
    return fmt::format("accepted, but the reference complains about {}:{}",
                       reference.errors[0].first, reference.errors[0].second);
  }
  if (data.rows() != reference.rows.size()) return "number of rows";
  if (data.features() != reference.feature_names.size()) return "number of features";
  for (std::uint32_t id = 0; id < data.features(); ++id) {
    if (data.schema().feature_name(id) != reference.feature_names[id]) return "feature name";
  }
  if (data.has_weights() != !reference.weights.empty()) return "weights or none";
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const std::string what = different_row(data, reference, i);
    if (!what.empty()) return fmt::format("row {}: {}", i, what);
  }
  if (data.schema().label_words != reference.label_words) return "label words";
  if (read.notes.values_filled != reference.values_filled) return "values filled";
  if (read.notes.rows_unlabelled != reference.rows_unlabelled) return "rows unlabelled";
  const CsvLayout& layout = *data.schema().csv;
  if (layout.has_header != reference.has_header) return "header or none";
  if (layout.delimiter != reference.delimiter) return "delimiter";
  for (const auto& column : layout.columns) {
    if (column.role != CsvColumn::Role::number) continue;
    const double mean = reference.means.at(column.name);
    if (std::abs(column.mean - mean) > 1e-9 * (1.0 + std::abs(mean))) {
      return "mean of " + column.name;
    }
  }
  return "";
}

std::string difference(const std::string& file, ReadOptions options) {
  options.format = DataFormat::csv;
  options.threads = 1;
  options.na = std::vector<std::string>();
  options.quotes = true;
  if (!options.missing) options.missing = MissingValues::refuse;
  if (is_torn(file)) return "";
  const ReferenceCsv reference = read_reference_csv(file, options);
  options.column_kinds = reference.kinds;
  std::string what;
  try {
    what = different_result(read_dataset_from_memory(file, "memory", options), reference);
  } catch (const ParseError& error) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
    for (const auto& complaint : error.diagnostics()) {
      places.emplace_back(complaint.line, complaint.column);
    }
    if (places == reference.errors) return "";
    if (may_have_decorated_numbers(file, reference.delimiter)) return "";
    what = fmt::format("complaints {} where the reference has", error.what());
    for (const auto& [line, column] : reference.errors) what += fmt::format(" {}:{}", line, column);
  }
  return what.empty() ? "" : what + "\n" + visible(file);
}

TEST(CsvReference, AgreesOnHandWrittenFiles) {
  const std::string files[] = {
      "a,b,label\n1,2,0\n3,4,1\n",
      "1,2,0\n3,4,1",
      "a;b;y\r\n1;2;x\r\n3;;z\r\n",
      "a\tb\tclass\n 1 \t\"2\"\t 0 \n\n \n3\t4\t1\n",
      "city,n,label\nParis,1,yes\nRome,2,no\n\"New\nYork\",3,yes\n",
      "\"a \"\"b\"\"\",c\n1,2\n",
      "a,b\n1,2\n3\n4,5,6\n7,8\n",
      "a,b\n1,x\n2,3\ny,4\n5,z\nw,1\n",
      "a,b\n1,\"2\n3,4\n",
      "a,b\n1,2\"2\n3,\"4\"x\n\"5\" ,6\n",
      "a,b\nnan,1\ninf,1\n1e39,1\n1e38,1\n-0,1\n1e-50,0\n",
      "a,a\n1,2\n",
      "a,,label\n1,2,3\n",
      "x\n1\n2\n",
      "\n\n \n",
      "a,b,label\n",
      "1,2,yes\n3,4,5\n6,7,no\n",
      "a,b,label\n1,2,\n3,4,1\n,,0\n",
      std::string("a,b\n1,2\n3,\0\n4,5\n", 17),
      "a,b\n1,2\r3,4\n5,6\n",
      "a|b\n1|2\n",
      "\"a\n\n\",b\n1,2\nx,\"3\n\"\n",
      "1,2\n3,4\r",
  };
  for (const auto& file : files) {
    for (const auto missing : {MissingValues::refuse, MissingValues::zero, MissingValues::mean}) {
      ReadOptions options;
      options.missing = missing;
      EXPECT_EQ(difference(file, options), "");
    }
    for (const bool header : {false, true}) {
      ReadOptions options;
      options.header = header;
      EXPECT_EQ(difference(file, options), "");
    }
  }
}

TEST(CsvReference, AgreesOnCellsSeparatedBySpaces) {
  const std::string files[] = {
      "1 2 3\n4 5 6\n",
      "  1   2 \t3  \n4 5 6\n \n7 8 9",
      "a b label\n1 \"x y\" 0 \n2 z 1\n",
      "1 2 3\n4 5 \n6 7 8 9\n1 2 3 \n",
      "1 2 3\n4 \"5\"x 6\n7 8\"8 9\n\"\" 1 1\n",
  };
  for (const auto& file : files) {
    ReadOptions options;
    options.delimiter = ' ';
    EXPECT_EQ(difference(file, options), "");
    options.missing = MissingValues::mean;
    EXPECT_EQ(difference(file, options), "");
  }
}

rc::Gen<std::string> some_number() {
  return rc::gen::weightedOneOf<std::string>(
      {{6, rc::gen::map(rc::gen::pair(rc::gen::inRange(-2000000, 2000000), rc::gen::inRange(0, 8)),
                        [](const std::pair<int, int>& parts) -> std::string {
                          const std::string digits = std::to_string(parts.first);
                          const auto point = static_cast<std::size_t>(parts.second);
                          if (point == 0 || point > digits.size()) return digits;
                          return fmt::format("{}.{}", digits.substr(0, point),
                                             digits.substr(point));
                        })},
       {3, rc::gen::element<std::string>("0", "1", "2", "-1", "+1")},
       {1, rc::gen::element<std::string>("1e5", "-2.5E-3", "12345678", "0.1234567890123456789",
                                         "1e-46", "3.4028235e38", "16777217", ".5", "5.", "-0")}});
}

rc::Gen<std::string> some_word() {
  return rc::gen::element<std::string>("red", "green", "blue", "Nancy", "info", "\"a,b\"",
                                       "\"two\nlines\"", "\"say \"\"hi\"\"\"", "x y", "é", "1a");
}

std::string some_file(char delimiter, std::size_t columns, std::size_t rows) {
  std::vector<bool> words;
  for (std::size_t j = 0; j < columns; ++j) words.push_back(*rc::gen::inRange(0, 3) == 0);
  const bool header = *rc::gen::arbitrary<bool>();
  const bool holes = *rc::gen::arbitrary<bool>();
  const std::string end = *rc::gen::element<std::string>("\n", "\r\n");
  std::string file;
  for (std::size_t i = 0; i < rows + (header ? 1 : 0); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (j > 0) file += delimiter;
      std::string cell = header && i == 0 ? fmt::format("c{}", j)
                         : words[j]       ? *some_word()
                                          : *some_number();
      if (holes && *rc::gen::inRange(0, 10) == 0) cell.clear();
      if (*rc::gen::inRange(0, 20) == 0 && cell.find('"') == std::string::npos) {
        cell = fmt::format("\"{}\"", cell);
      }
      if (*rc::gen::inRange(0, 20) == 0) {
        cell = delimiter == '\t' ? fmt::format(" {} ", cell) : fmt::format(" {}\t ", cell);
      }
      file += cell;
    }
    file += end;
    if (*rc::gen::inRange(0, 20) == 0) file += end;
  }
  if (!file.empty() && *rc::gen::arbitrary<bool>()) file.resize(file.size() - end.size());
  return file;
}

ReadOptions some_options(std::size_t columns) {
  ReadOptions options;
  options.missing =
      *rc::gen::element(MissingValues::refuse, MissingValues::zero, MissingValues::mean);
  if (*rc::gen::inRange(0, 4) == 0) options.header = *rc::gen::arbitrary<bool>();
  // With numbers for a header, a column's number may be the name of another one.
  if (columns < 4 || options.header) return options;
  const auto number = [&] {
    return std::to_string(*rc::gen::inRange<std::size_t>(1, columns + 1));
  };
  if (*rc::gen::inRange(0, 3) == 0) options.label_column = number();
  const auto is_free = [&](const std::string& name) {
    return name != options.label_column && name != options.weight_column;
  };
  if (*rc::gen::inRange(0, 3) == 0) {
    options.weight_column = number();
    if (options.weight_column == options.label_column) options.weight_column.clear();
  }
  if (*rc::gen::inRange(0, 3) == 0) {
    const auto name = number();
    if (is_free(name)) options.ignored_columns.push_back(name);
  }
  // The default label must not be among them, so one has to be chosen.
  if (*rc::gen::inRange(0, 3) == 0 && !options.label_column.empty()) {
    const auto name = number();
    if (is_free(name) && options.ignored_columns.empty()) options.words_columns.push_back(name);
  }
  return options;
}

RC_GTEST_PROP(CsvReference, AgreesOnRandomFiles, ()) {
  const char delimiter = *rc::gen::element(',', ';', '\t', '|');
  const auto columns = *rc::gen::inRange<std::size_t>(1, 7);
  const auto rows = *rc::gen::inRange<std::size_t>(0, 12);
  const std::string file = some_file(delimiter, columns, rows);
  ReadOptions options = some_options(columns);
  if (*rc::gen::arbitrary<bool>() || !options.label_column.empty() ||
      !options.weight_column.empty() || !options.ignored_columns.empty()) {
    options.delimiter = delimiter;  // so that the numbered columns exist
  }
  RC_PRE(!file.empty());
  try {
    RC_ASSERT(difference(file, options) == "");
  } catch (const InvalidOption&) {
    RC_DISCARD("two options met in one column");
  }
}

RC_GTEST_PROP(CsvReference, AgreesOnDamagedFiles, ()) {
  std::string file =
      some_file(',', *rc::gen::inRange<std::size_t>(1, 6), *rc::gen::inRange<std::size_t>(1, 12));
  const auto changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes && !file.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, file.size());
    const char c =
        *rc::gen::element('"', '"', ',', ';', '\n', '\r', '\0', ' ', '\t', 'a', '1', '.', '-', 'e');
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        file[at] = c;
        break;
      case 1:
        file.insert(at, 1, c);
        break;
      default:
        file.erase(at, 1);
        break;
    }
  }
  RC_PRE(!file.empty());
  ReadOptions options = some_options(1);
  options.max_errors = *rc::gen::inRange<std::size_t>(1, 10);
  if (*rc::gen::inRange(0, 4) == 0) options.delimiter = *rc::gen::element(',', ' ', '\t');
  RC_ASSERT(difference(file, options) == "");
}

}  // namespace
}  // namespace pegasos::testing
