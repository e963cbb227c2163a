// The entries of ReadOptions about the columns of tables and about text.
#include "data/column_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/option_builder.h"

namespace pegasos {
namespace {

using Entry = OptionEntry<ReadOptions>;

OptionInfo of_table(std::string name, std::string meaning, std::string values = "") {
  return {.name = std::move(name),
          .group = kTableGroup,
          .meaning = std::move(meaning),
          .values = std::move(values)};
}

Entry na_entry() {
  Entry entry;
  entry.info = of_table("na",
                        "CSV: further words that mean a missing value, besides the empty cell, NA, "
                        "NaN, null, None, ?, - and similar; with = before the list no others do",
                        "[=]WORD,...");
  entry.info.kind = OptionKind::text;
  entry.set = [](ReadOptions& options, const std::string& text) {
    const bool alone = text.starts_with('=');
    options.na.reset();
    options.also_na.clear();
    std::vector<std::string>& words = alone ? options.na.emplace() : options.also_na;
    for (std::size_t begin = alone ? 1 : 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      if (end > begin) words.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  };
  entry.texts = [](const ReadOptions& options) -> std::vector<std::string> {
    if (!options.na && options.also_na.empty()) return {};
    std::vector<std::string> words = options.na.value_or(std::vector<std::string>());
    words.insert(words.end(), options.also_na.begin(), options.also_na.end());
    return {fmt::format("{}{}", options.na ? "=" : "", fmt::join(words, ","))};
  };
  return entry;
}

// NAME=KIND; the name may hold an equals sign.
Entry column_entry() {
  Entry entry;
  entry.info = of_table("column_kinds",
                        "CSV: type of a column: number, category, text, date, identifier or "
                        "ignored; detected by default; may be repeated",
                        "NAME=KIND");
  entry.info.kind = OptionKind::text;
  entry.info.repeatable = true;
  entry.set = [info = entry.info](ReadOptions& options, const std::string& text) {
    const std::size_t at = text.rfind('=');
    if (at == std::string::npos || at == 0) {
      throw InvalidOption("column_kinds", fmt::format("'{}' is not of the form NAME=KIND", text),
                          {"for example {}", {{"column_kinds", "zip=category"}}});
    }
    static const auto words =
        option::named({ColumnKind::number, ColumnKind::category, ColumnKind::text, ColumnKind::date,
                       ColumnKind::identifier, ColumnKind::ignored});
    options.column_kinds.push_back(
        {text.substr(0, at), option::value_of_word(info, words, text.substr(at + 1))});
  };
  entry.texts = [](const ReadOptions& options) {
    std::vector<std::string> texts;
    texts.reserve(options.column_kinds.size());
    for (const ColumnChoice& one : options.column_kinds) {
      texts.push_back(one.column + "=" + name_of(one.kind));
    }
    return texts;
  };
  return entry;
}

// "3-5", "4" or "none".
void take_chars(const std::string& text, TextOptions& flags) {
  const auto number = [&text](const std::string& part) {
    const auto value = parse_count(part);
    if (!value || *value == 0 || *value > TextRules::kMostChars) {
      throw InvalidOption("text_chars",
                          fmt::format("'{}' is neither none nor a range such as 3-5, from 1 to {}",
                                      text, TextRules::kMostChars));
    }
    return static_cast<std::uint32_t>(*value);
  };
  if (text == "none") {
    flags.char_from = flags.char_to = 0;
    return;
  }
  const std::size_t dash = text.find('-');
  const std::uint32_t from = number(text.substr(0, dash));
  const std::uint32_t to = dash == std::string::npos ? from : number(text.substr(dash + 1));
  if (from > to) {
    throw InvalidOption("text_chars", fmt::format("the range '{}' is reversed", text));
  }
  flags.char_from = from;
  flags.char_to = to;
}

Entry text_chars_entry() {
  Entry entry;
  entry.info = of_table("text_chars",
                        "Text: use character n-grams of these lengths; by default 3-5 for short "
                        "texts (up to 300 bytes on average), otherwise none",
                        "A-B|none");
  entry.info.kind = OptionKind::text;
  entry.set = [](ReadOptions& options, const std::string& text) { take_chars(text, options.text); };
  entry.texts = [](const ReadOptions& options) -> std::vector<std::string> {
    const TextOptions& text = options.text;
    if (!text.char_from || !text.char_to) return {};
    if (*text.char_from == 0) return {"none"};
    return {fmt::format("{}-{}", *text.char_from, *text.char_to)};
  };
  entry.check = [](const ReadOptions& options) {
    if (options.text.char_from.has_value() != options.text.char_to.has_value()) {
      throw InvalidOption("text_chars", "one end of the range is missing");
    }
  };
  return entry;
}

void append_text(OptionTable<ReadOptions>& table) {
  const auto part = [](ReadOptions& options) -> TextOptions& { return options.text; };
  const auto find = [](const ReadOptions& options) { return &options.text; };
  option::append(table,
                 OptionTable<TextOptions>{option::number(
                     of_table("text_words", "Text: use word n-grams of up to N words, 0 for none"),
                     &TextOptions::word_grams, option::from_to(0, TextRules::kMostWords))},
                 part, find);
  table.push_back(text_chars_entry());
  option::append(
      table,
      OptionTable<TextOptions>{
          option::number(
              of_table("text_min_rows", "Text: drop terms that occur in fewer rows than this"),
              &TextOptions::least_rows, option::at_least(1)),
          option::number(of_table("hash_bits",
                                  "Text: hash terms into 2^N features, N up to 26, instead of "
                                  "storing a vocabulary; 0 for a vocabulary"),
                         &TextOptions::hash_bits, option::from_to(0, TextRules::kMostHashBits))},
      part, find);
}

}  // namespace

void append_column_options(OptionTable<ReadOptions>& table) {
  OptionInfo missing = of_table("missing",
                                "CSV: how to fill missing numbers; unless zero, an indicator "
                                "feature marks the rows where a value is missing");
  missing.default_text = "median";
  table.push_back(option::word(std::move(missing), &ReadOptions::missing,
                               option::Words<MissingValues>{{"median", MissingValues::median},
                                                            {"mean", MissingValues::mean},
                                                            {"zero", MissingValues::zero},
                                                            {"refuse", MissingValues::refuse}}));
  table.push_back(na_entry());
  table.push_back(column_entry());
  table.push_back(option::word(
      of_table("decimal", "CSV: the decimal separator; detected for each column by default"),
      &ReadOptions::decimal,
      option::Words<char>{{"point", '.'}, {"comma", ','}, {".", '.'}, {",", ','}}));
  table.push_back(option::word(
      of_table(
          "date_order",
          "CSV: whether 03/04/2024 is the third of April (dmy) or March the fourth (mdy); by "
          "default whichever all dates of the column fit, and if both do, mdy with slashes and "
          "dmy otherwise"),
      &ReadOptions::date_order,
      option::Words<DateOrder>{{"dmy", DateOrder::day_first}, {"mdy", DateOrder::month_first}}));
  table.push_back(option::word(
      of_table(
          "quotes",
          "CSV: whether \" quotes cells or is an ordinary character; by default it quotes, but in "
          "tab-separated text only if every cell that begins with one also ends with one"),
      &ReadOptions::quotes, option::Words<bool>{{"double", true}, {"none", false}}));
  append_text(table);
}

}  // namespace pegasos
