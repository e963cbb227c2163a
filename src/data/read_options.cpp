// The table of ReadOptions.
#include <string_view>

#include "base/option_builder.h"
#include "data/column_options.h"
#include "pegasos/read.h"

namespace pegasos {
namespace {

using Entry = OptionEntry<ReadOptions>;
using Table = OptionTable<ReadOptions>;

OptionInfo reading(std::string name, std::string meaning, std::string values = "") {
  return {.name = std::move(name),
          .group = "Reading",
          .meaning = std::move(meaning),
          .values = std::move(values)};
}

Entry format_entry() {
  Entry entry;
  entry.info =
      reading("format", "File format; detected from the content by default, as is the compression",
              "svmlight|csv|tsv|jsonl|binary");
  entry.info.kind = OptionKind::word;
  entry.set = [info = entry.info](ReadOptions& options, const std::string& text) {
    static const option::Words<DataFormat> words = {{"svmlight", DataFormat::svmlight},
                                                    {"csv", DataFormat::csv},
                                                    {"tsv", DataFormat::csv},
                                                    {"jsonl", DataFormat::json_lines},
                                                    {"binary", DataFormat::binary}};
    options.format = option::value_of_word(info, words, text);
    if (text == "tsv" && !options.delimiter) options.delimiter = '\t';
  };
  entry.texts = [](const ReadOptions& options) -> std::vector<std::string> {
    if (!options.format) return {};
    return {name_of(*options.format)};
  };
  return entry;
}

Entry index_base_entry() {
  Entry entry = option::word(
      reading("index_base",
              "svmlight: index of the first feature; by default 0 if index 0 occurs, otherwise 1"),
      &ReadOptions::index_base, option::Words<std::uint32_t>{{"0", 0U}, {"1", 1U}});
  entry.check = [](const ReadOptions& options) {
    if (options.index_base && *options.index_base > 1) {
      throw InvalidOption("index_base", "must be 0 or 1");
    }
  };
  return entry;
}

void check_delimiter(const ReadOptions& options) {
  if (!options.delimiter) return;
  const char between = *options.delimiter;
  if (between == '"' || between == '\n' || between == '\r' || between == '\0') {
    throw InvalidOption("delimiter", "must not be a quote, a line break or NUL");
  }
  if (std::string_view("0123456789+-.eE").find(between) != std::string_view::npos) {
    throw InvalidOption("delimiter", "must not be a character that occurs in numbers");
  }
}

Entry delimiter_entry() {
  Entry entry;
  entry.info = reading("delimiter", "CSV: the delimiter; detected by default",
                       "comma|semicolon|tab|space|pipe|CHAR");
  entry.info.kind = OptionKind::text;
  static const option::Words<char> words = {
      {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"space", ' '}, {"pipe", '|'}};
  entry.set = [info = entry.info](ReadOptions& options, const std::string& text) {
    options.delimiter = text.size() == 1 ? text[0]
                        : text == "\\t"  ? '\t'
                                         : option::value_of_word(info, words, text);
  };
  entry.texts = [](const ReadOptions& options) -> std::vector<std::string> {
    if (!options.delimiter) return {};
    for (const auto& [word, character] : words) {
      if (character == *options.delimiter) return {word};
    }
    return {std::string(1, *options.delimiter)};
  };
  entry.check = check_delimiter;
  return entry;
}

void append_csv(Table& table) {
  table.push_back(delimiter_entry());
  table.push_back(option::word(
      reading("header", "CSV: whether the first line is a header; detected by default"),
      &ReadOptions::header, option::Words<bool>{{"yes", true}, {"no", false}}));
  table.push_back(
      option::text(reading("label_column",
                           "CSV: the label column, by name or by number from 1; by default one "
                           "called label, target, class or y, otherwise the last",
                           "COLUMN"),
                   &ReadOptions::label_column));
  table.push_back(
      option::text(reading("weight_column", "CSV: the column with row weights", "COLUMN"),
                   &ReadOptions::weight_column));
  table.push_back(option::texts(
      reading("ignored_columns", "CSV: columns to ignore; may be repeated", "COLUMN,..."),
      &ReadOptions::ignored_columns));
  table.push_back(option::texts(reading("words_columns",
                                        "CSV: numeric columns to treat as categories, with one "
                                        "feature per value; may be repeated",
                                        "COLUMN,..."),
                                &ReadOptions::words_columns));
}

// What concerns predictions rather than the data.
void append_predictions(Table& table) {
  table.push_back(option::text(
      reading("id_column", "Column that identifies the rows; it is copied to the predictions",
              "COLUMN"),
      &ReadOptions::id_column));
  table.push_back(option::word(
      reading(
          "bad_rows",
          "What to do with a row of a table that cannot be read: stop with an error, skip it, or "
          "write an empty prediction"),
      &ReadOptions::bad_rows,
      option::Words<BadRows>{
          {"stop", BadRows::refuse}, {"skip", BadRows::skip}, {"blank", BadRows::keep_empty}}));
}

Table make_table() {
  Table table = {format_entry(), index_base_entry()};
  append_csv(table);
  OptionInfo decompressed = reading(
      "max_decompressed",
      "Maximum size of a file after decompression; by default 1G or 200 times the compressed size");
  decompressed.kind = OptionKind::bytes;
  table.push_back(
      option::number(std::move(decompressed), &ReadOptions::max_decompressed, option::at_least(0)));
  OptionInfo line = reading("max_line", "Maximum length of a line");
  line.kind = OptionKind::bytes;
  line.default_text = "64M";
  table.push_back(
      option::number(std::move(line), &ReadOptions::max_line, option::at_least(1 << 18)));
  table.push_back(
      option::number(reading("max_errors", "Maximum number of errors in the data to show"),
                     &ReadOptions::max_errors, option::at_least(1)));
  Entry threads = option::number(
      reading("threads", "Number of threads; 0 for all cores available to the process"),
      &ReadOptions::threads, option::from_to(0, 1024));
  threads.matters = [](const ReadOptions&) { return false; };
  table.push_back(std::move(threads));
  append_column_options(table);
  append_predictions(table);
  return option::with_defaults(std::move(table));
}

}  // namespace

std::string name_of(DataFormat format) {
  switch (format) {
    case DataFormat::svmlight:
      return "svmlight";
    case DataFormat::csv:
      return "csv";
    case DataFormat::json_lines:
      return "jsonl";
    case DataFormat::binary:
      break;
  }
  return "binary";
}

const OptionTable<ReadOptions>& read_option_table() {
  static const Table table = make_table();
  return table;
}

void ReadOptions::validate() const {
  check_ranges(read_option_table(), *this);
  if (decimal && *decimal != '.' && *decimal != ',') {
    throw InvalidOption("decimal", "must be a point or a comma");
  }
  if (date_order == DateOrder::year_first) {
    throw InvalidOption("date_order", "must be day_first or month_first");
  }
}

namespace {

constexpr std::pair<TableScaling, std::string_view> kTableScalings[] = {
    {TableScaling::none, "none"},
    {TableScaling::standard, "standard"},
    {TableScaling::min_max, "minmax"},
    {TableScaling::max_abs, "maxabs"}};

}  // namespace

std::string name_of(TableScaling scaling) {
  for (const auto& [one, name] : kTableScalings) {
    if (one == scaling) return std::string(name);
  }
  return "";
}

std::optional<TableScaling> table_scaling_of_name(const std::string& name) {
  for (const auto& [one, known] : kTableScalings) {
    if (known == name) return one;
  }
  return std::nullopt;
}

}  // namespace pegasos
