#include "column_options.h"

#include <fmt/format.h>

#include "options.h"
#include "output_file.h"
#include "base/quantity_text.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr const char* kGroup = "Tables and text";

const Choices<MissingValues>& missing_names() {
  static const Choices<MissingValues> names = {{"median", MissingValues::median},
                                               {"mean", MissingValues::mean},
                                               {"zero", MissingValues::zero},
                                               {"refuse", MissingValues::refuse}};
  return names;
}

std::string name_of(MissingValues missing) {
  for (const auto& [name, value] : missing_names()) {
    if (value == missing) return name;
  }
  return "";
}

// NAME=KIND; the name may hold an equals sign.
ColumnChoice column_choice(const std::string& text) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0) {
    throw UsageError(fmt::format("--column: '{}' is not NAME=KIND", printable(text)),
                     "for example --column zip=category");
  }
  static const std::vector<std::string> words = {"number", "category",   "text",
                                                 "date",   "identifier", "ignored"};
  const std::string kind = words[find_choice("--column", text.substr(at + 1), words)];
  return {text.substr(0, at), *column_kind_of_name(kind)};
}

// "3-5", "4" or "none".
void take_chars(const std::string& text, TextWishes& wishes) {
  const auto number = [&text](const std::string& part) {
    const auto value = parse_count(part);
    if (!value || *value == 0 || *value > TextRules::kMostChars) {
      throw UsageError(fmt::format("--text-chars: '{}' is not a range such as 3-5, from 1 to {}",
                                   printable(text), TextRules::kMostChars),
                       "or none");
    }
    return static_cast<std::uint32_t>(*value);
  };
  if (text == "none") {
    wishes.char_from = wishes.char_to = 0;
    return;
  }
  const std::size_t dash = text.find('-');
  wishes.char_from = number(text.substr(0, dash));
  wishes.char_to = dash == std::string::npos ? wishes.char_from : number(text.substr(dash + 1));
  if (*wishes.char_from > *wishes.char_to) {
    throw UsageError(fmt::format("--text-chars: '{}' ends before it begins", printable(text)));
  }
}

void add_missing_options(Command& command, ReadOptions& options) {
  add_choice<MissingValues>(
      command, "--missing", missing_names(),
      [&options](MissingValues missing) { options.missing = missing; },
      "CSV: what stands in for a missing number (median); unless zero, a feature of its own says "
      "where it is missing")
      ->group(kGroup);
  command
      .add_option(
          "--na",
          [&options](const std::string& text) {
            std::vector<std::string> words;
            for (std::size_t begin = 0; begin <= text.size();) {
              const std::size_t end = std::min(text.find(',', begin), text.size());
              if (end > begin) words.push_back(text.substr(begin, end - begin));
              begin = end + 1;
            }
            options.na = words;
          },
          "CSV: cells that mean a missing value, beside the empty one; by default NA, NaN, null, "
          "None, ?, - and the like")
      ->type_name("WORD,...")
      ->group(kGroup);
}

void add_text_options(Command& command, TextWishes& text) {
  add_count(
      command, "--text-words",
      [&text](std::uint64_t n) {
        if (n > TextRules::kMostWords)
          throw UsageError("--text-words: at most 8 words make a term");
        text.word_grams = static_cast<std::uint32_t>(n);
      },
      "Text: count runs of up to so many words, 0 for none (2)")
      ->group(kGroup);
  command
      .add_option(
          "--text-chars", [&text](const std::string& range) { take_chars(range, text); },
          "Text: count runs of so many characters; by default 3-5 where texts are short, up to "
          "300 bytes on average, else none")
      ->type_name("A-B|none")
      ->group(kGroup);
  add_count(
      command, "--text-min-rows",
      [&text](std::uint64_t n) {
        if (n < 1 || n > UINT32_MAX) throw UsageError("--text-min-rows: must be at least 1");
        text.least_rows = static_cast<std::uint32_t>(n);
      },
      "Text: leave out terms of fewer rows (2)")
      ->group(kGroup);
  add_count(
      command, "--hash-bits",
      [&text](std::uint64_t n) {
        if (n < 1 || n > TextRules::kMostHashBits) {
          throw UsageError("--hash-bits: must be from 1 to 26");
        }
        text.hash_bits = static_cast<std::uint32_t>(n);
      },
      "Text: hash terms to 2^N features instead of keeping a vocabulary")
      ->group(kGroup);
}

}  // namespace

void add_column_options(Command& command, ReadOptions& options) {
  add_missing_options(command, options);
  command
      .add_list(
          "--column",
          [&options](const std::vector<std::string>& choices) {
            for (const auto& choice : choices) {
              options.column_kinds.push_back(column_choice(choice));
            }
          },
          "CSV: what a column holds: number, category, text, date, identifier or ignored; by "
          "default found out; may be repeated")
      ->type_name("NAME=KIND")
      ->group(kGroup);
  add_choice<char>(
      command, "--decimal", {{"point", '.'}, {".", '.'}, {"comma", ','}, {",", ','}},
      [&options](char decimal) { options.decimal = decimal; },
      "CSV: the decimal sign; by default whichever all numbers of a column agree with")
      ->group(kGroup);
  add_choice<bool>(
      command, "--quote", {{"double", true}, {"none", false}},
      [&options](bool quotes) { options.quotes = quotes; },
      "CSV: whether \" quotes cells or is a plain character; by default it quotes, in "
      "tab-separated text only if all cells that begin with one end with one")
      ->group(kGroup);
  add_text_options(command, options.text);
}

std::string typed_column_options(const ReadOptions& options) {
  std::string line;
  const auto add = [&line](const char* flag, const std::string& value) {
    line += fmt::format(" {} {}", flag, shell_word(value));
  };
  if (options.missing) add("--missing", name_of(*options.missing));
  if (options.na) add("--na", joined(*options.na, ","));
  for (const auto& choice : options.column_kinds) {
    add("--column", choice.column + "=" + pegasos::name_of(choice.kind));
  }
  if (options.decimal) add("--decimal", *options.decimal == ',' ? "comma" : "point");
  if (options.quotes) add("--quote", *options.quotes ? "double" : "none");
  const TextWishes usual;
  const TextWishes& text = options.text;
  if (text.word_grams != usual.word_grams) add("--text-words", std::to_string(text.word_grams));
  if (text.char_from) {
    add("--text-chars",
        *text.char_from == 0 ? "none" : fmt::format("{}-{}", *text.char_from, *text.char_to));
  }
  if (text.least_rows != usual.least_rows) add("--text-min-rows", std::to_string(text.least_rows));
  if (text.hash_bits > 0) add("--hash-bits", std::to_string(text.hash_bits));
  return line;
}

std::string first_column_option(const ReadOptions& options) {
  const std::string typed = typed_column_options(options);
  return typed.empty() ? "" : typed.substr(1, typed.find(' ', 1) - 1);
}

}  // namespace pegasos::cli
