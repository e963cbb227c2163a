#include <gtest/gtest.h>

#include "pegasos/error.h"
#include "pegasos/read.h"

namespace pegasos {
namespace {

void set(ReadOptions& options, const char* name, const char* value) {
  find_option(read_option_table(), name)->set(options, value);
}

TEST(ReadOptions, AreSetFromTextAndWrittenAsText) {
  ReadOptions options;
  set(options, "format", "tsv");
  set(options, "header", "no");
  set(options, "label_column", "price");
  set(options, "ignored_columns", "a");
  set(options, "ignored_columns", "b");
  set(options, "max_decompressed", "2k");
  EXPECT_EQ(options.format, DataFormat::csv);
  EXPECT_EQ(options.delimiter, '\t');
  EXPECT_EQ(options.max_decompressed, 2048U);
  EXPECT_EQ(changed_settings(read_option_table(), options),
            (std::vector<Setting>{{"format", "csv"},
                                  {"delimiter", "tab"},
                                  {"header", "no"},
                                  {"label_column", "price"},
                                  {"ignored_columns", "a"},
                                  {"ignored_columns", "b"},
                                  {"max_decompressed", "2048"}}));
  EXPECT_TRUE(changed_settings(read_option_table(), ReadOptions{}).empty());
}

TEST(ReadOptions, ColumnsAndTextAreInTheTable) {
  ReadOptions options;
  set(options, "missing", "zero");
  set(options, "na", "foo,-1");
  set(options, "column_kinds", "a=b=category");
  set(options, "column_kinds", "day=date");
  set(options, "decimal", ",");
  set(options, "date_order", "dmy");
  set(options, "quotes", "none");
  set(options, "text_words", "1");
  set(options, "text_chars", "2-4");
  set(options, "text_min_rows", "3");
  set(options, "hash_bits", "18");
  set(options, "id_column", "key");
  set(options, "bad_rows", "skip");
  EXPECT_EQ(options.also_na, (std::vector<std::string>{"foo", "-1"}));
  EXPECT_FALSE(options.na.has_value());
  ReadOptions alone;
  set(alone, "na", "=x");
  EXPECT_EQ(alone.na, std::vector<std::string>{"x"});
  EXPECT_EQ(changed_settings(read_option_table(), alone), (std::vector<Setting>{{"na", "=x"}}));
  EXPECT_EQ(options.column_kinds.front().column, "a=b");
  EXPECT_EQ(options.text.char_to, 4U);
  const std::vector<Setting> expected = {
      {"missing", "zero"},          {"na", "foo,-1"},     {"column_kinds", "a=b=category"},
      {"column_kinds", "day=date"}, {"decimal", "comma"}, {"date_order", "dmy"},
      {"quotes", "none"},           {"text_words", "1"},  {"text_chars", "2-4"},
      {"text_min_rows", "3"},       {"hash_bits", "18"},  {"id_column", "key"},
      {"bad_rows", "skip"}};
  EXPECT_EQ(changed_settings(read_option_table(), options), expected);
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"column_kinds", "a"},
                                                        {"column_kinds", "a=thing"},
                                                        {"text_chars", "5-3"},
                                                        {"text_chars", "0-3"},
                                                        {"quotes", "single"}}) {
    EXPECT_THROW(set(options, name, value), InvalidOption) << name << " " << value;
  }
}

TEST(ReadOptions, RefuseWhatMakesNoSense) {
  const auto refused = [](ReadOptions options) {
    try {
      options.validate();
    } catch (const InvalidOption& error) {
      return error.field();
    }
    return std::string();
  };
  EXPECT_EQ(refused({.index_base = 2}), "index_base");
  EXPECT_EQ(refused({.delimiter = '5'}), "delimiter");
  EXPECT_EQ(refused({.delimiter = '"'}), "delimiter");
  EXPECT_EQ(refused({.max_errors = 0}), "max_errors");
  EXPECT_EQ(refused({.threads = -1}), "threads");
  EXPECT_EQ(refused({}), "");
  ReadOptions options;
  EXPECT_THROW(set(options, "format", "xml"), InvalidOption);
  EXPECT_THROW(set(options, "delimiter", "dot"), InvalidOption);
}

TEST(Hint, SpellsItsSettingsInTheirPlaces) {
  const Hint hint("say {} or {}, not {}", {{"missing", "zero"}, {"missing", "mean"}});
  EXPECT_EQ(hint.in_words(), "say missing=zero or missing=mean, not {}");
  EXPECT_EQ(hint.in_words([](const Setting& one) { return "-" + one.value; }),
            "say -zero or -mean, not {}");
  EXPECT_TRUE(Hint().empty());
}

}  // namespace
}  // namespace pegasos
