// The svmlight grammar rule by rule, and every hostile input of a svmlight file that we know.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "pegasos/error.h"
#include "pegasos/read.h"

namespace pegasos {
namespace {

ReadResult read(const std::string& text, ReadOptions options = {}) {
  options.format = DataFormat::svmlight;
  options.keep_sparse = true;
  return read_dataset_from_memory(text, "data.svm", options);
}

Diagnostic complaint(const std::string& text, ReadOptions options = {}) {
  try {
    read(text, options);
  } catch (const ParseError& error) {
    return error.diagnostics().front();
  }
  ADD_FAILURE() << "accepted: " << text.substr(0, 80);
  return {};
}

void expect_complaint(const std::string& text, std::uint64_t line, std::uint64_t column,
                      const std::string& message) {
  const Diagnostic found = complaint(text);
  EXPECT_EQ(found.line, line) << text;
  EXPECT_EQ(found.column, column) << text;
  EXPECT_EQ(found.message, message) << text;
}

TEST(Svmlight, ReadsRows) {
  const auto data = read("+1 1:0.5 3:2\n-1 2:1e-1\n").data;
  ASSERT_EQ(data.rows(), 2u);
  EXPECT_EQ(data.features(), 3u);
  EXPECT_EQ(data.label(0), 1.0);
  EXPECT_EQ(data.label(1), -1.0);
  EXPECT_EQ(data.row(0).ids[1], 2u);
  EXPECT_EQ(data.row(0).values[1], 2.0F);
  EXPECT_EQ(data.row(1).values[0], 0.1F);
}

TEST(Svmlight, FindsOutTheIndexBase) {
  EXPECT_EQ(read("1 1:1\n").data.schema().indices.base(), 1u);
  const auto zero = read("1 5:1\n-1 0:1\n").data;
  EXPECT_EQ(zero.schema().indices.base(), 0u);
  EXPECT_EQ(zero.features(), 6u);
  EXPECT_EQ(read("1 3:1\n", {.index_base = 0}).data.features(), 4u);
}

TEST(Svmlight, RefusesIndexZeroWhenToldTheBaseIsOne) {
  const Diagnostic found = complaint("1 4:1 0:2\n", {.index_base = 1});
  EXPECT_EQ(found.line, 1u);
  EXPECT_EQ(found.column, 7u);
}

TEST(Svmlight, SkipsCommentsAndBlankLines) {
  const auto data = read("# head\n\n  \t\n1 1:1 # tail 2:2\n#1 9:9\n-1 2:1#x\n").data;
  EXPECT_EQ(data.rows(), 2u);
  EXPECT_EQ(data.features(), 2u);
}

TEST(Svmlight, TakesAnyLineEnd) {
  EXPECT_EQ(read("1 1:1\r\n-1 2:1\r\n").data.rows(), 2u);
  EXPECT_EQ(read("1 1:1\n-1 2:1").data.rows(), 2u);
  EXPECT_EQ(read("1 1:1\r\n-1 2:1\r").data.rows(), 2u);
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "1 1:1\n")
                .data.rows(),
            1u);
}

TEST(Svmlight, SortsIndicesAndSaysSo) {
  const auto result = read("1 7:7 2:2 5:5\n-1 1:1\n");
  EXPECT_EQ(result.notes.rows_reordered, 1u);
  EXPECT_EQ(result.data.row(0).ids[0], 1u);
  EXPECT_EQ(result.data.row(0).values[0], 2.0F);
  EXPECT_EQ(result.data.row(0).values[2], 7.0F);
}

// The largest index may stand before the first that is out of order.
TEST(Svmlight, FindsTheLargestIndexOfAnUnsortedRow) {
  for (const char* text : {"1 5:1 9:9 2:2\n", "1 9:9 5:1 2:2\n", "1 2:2 9:9 5:1\n"}) {
    const auto data = read(text).data;
    EXPECT_EQ(data.features(), 9u) << text;
    EXPECT_EQ(data.row(0).values.back(), 9.0F) << text;
  }
  EXPECT_EQ(read("1 5:1 32222222:2 0:7\n").data.features(), 3u);
}

TEST(Svmlight, ReadsAndIgnoresQueryIds) {
  const auto result = read("3 qid:1 1:1\n2 qid:1 2:1\n");
  EXPECT_EQ(result.notes.rows_with_qid, 2u);
  EXPECT_EQ(result.data.non_zeros(), 2u);
}

TEST(Svmlight, DropsExplicitZerosButCountsTheirColumns) {
  const auto data = read("1 1:0 2:5 9:0\n").data;
  EXPECT_EQ(data.non_zeros(), 1u);
  EXPECT_EQ(data.features(), 9u);
}

TEST(Svmlight, KnowsRowsWithoutLabels) {
  const auto result = read("1:0.5 2:1\n+1 1:1\n");
  EXPECT_EQ(result.notes.rows_unlabelled, 1u);
  EXPECT_TRUE(std::isnan(result.data.label(0)));
}

TEST(Svmlight, NumbersWordLabelsInSortedOrder) {
  const auto data = read("spam 1:1\nham 1:2\nspam 2:1\n").data;
  EXPECT_EQ(data.schema().label_words, (std::vector<std::string>{"ham", "spam"}));
  EXPECT_EQ(data.label(0), 1.0);
  EXPECT_EQ(data.label(1), 0.0);
}

TEST(Svmlight, RefusesLabelsOfMixedKinds) {
  expect_complaint("1 1:1\n-1 1:1\nham 1:2\n", 3, 1,
                   "label 'ham': the labels mix numbers and words");
}

TEST(Svmlight, RefusesBadTokensWithTheirPlace) {
  expect_complaint("1 1:1\n-1 1:1 7:abc 9:1\n", 2, 10, "value 'abc' is not a number");
  expect_complaint("1 2 3\n", 1, 3, "expected index:value, found '2'");
  expect_complaint("1 1:1 2:\n", 1, 9, "feature 2 has no value");
  expect_complaint("1 1: 5\n", 1, 5, "feature 1 has no value");
  expect_complaint("1 x:1\n", 1, 3, "index 'x' is not a whole number");
  expect_complaint("1 -1:1\n", 1, 3, "index '-1' is not a whole number");
  expect_complaint("1 :1\n", 1, 3, "index '' is not a whole number");
  expect_complaint("1 1:nan\n", 1, 5, "value 'nan' is not finite");
  expect_complaint("1 1:-Inf\n", 1, 5, "value '-Inf' is not finite");
  expect_complaint("1 1:1e400\n", 1, 5, "value '1e400' is too large for a 32-bit float");
  expect_complaint("1 1:1 2:1 1:3\n", 1, 11, "index 1 appears twice in this row");
  expect_complaint("1 3:0 3:0\n", 1, 7, "index 3 appears twice in this row");
  expect_complaint("nan 1:1\n", 1, 1, "label 'nan' is not finite");
  expect_complaint("1,,3 1:1\n", 1, 1, "label '1,,3' is not a list of labels");
  expect_complaint("1 1:1\r2:2\n", 1, 5, "value '1\\x0d2:2' is not a number");
  expect_complaint(std::string("1 1:1\0 2:1\n", 11), 1, 6, "the line contains a NUL byte");
  expect_complaint("1 qid:x 1:1\n", 1, 3, "'qid:x' is not a query id");
}

TEST(Svmlight, RefusesIndicesBeyond32Bits) {
  EXPECT_EQ(read("1 4294967295:1\n").data.features(), 1u);
  for (const char* index : {"4294967296", "4294967297", "9223372036854775808",
                            "18446744073709551617", "99999999999999999999999999"}) {
    expect_complaint("1 " + std::string(index) + ":1\n", 1, 3,
                     "index " + std::string(index) + " is larger than the maximum, 4294967295");
  }
}

TEST(Svmlight, MemoryFollowsTheDataNotTheIndex) {
  const auto data = read("1 1:1 4000000000:2\n-1 2147483648:3\n").data;
  EXPECT_EQ(data.features(), 3u);
  EXPECT_FALSE(data.schema().indices.is_contiguous());
  EXPECT_EQ(data.schema().feature_name(2), "4000000000");
  EXPECT_EQ(data.row(1).ids[0], 1u);
  EXPECT_LT(data.memory_bytes(), 200u);
}

TEST(Svmlight, ReportsTheFirstSeveralErrorsAtOnce) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "1 1:1\n1 1:x\n";
  try {
    read(text, {.max_errors = 5});
    FAIL();
  } catch (const ParseError& error) {
    ASSERT_EQ(error.diagnostics().size(), 5u);
    EXPECT_EQ(error.diagnostics()[4].line, 10u);
    EXPECT_STREQ(error.what(), "data.svm:2:5: value 'x' is not a number");
  }
}

TEST(Svmlight, ShowsTheLineWithTheCaretUnderTheColumn) {
  const Diagnostic found = complaint("+1 1:0.5\t7:abc 9:1\n");
  EXPECT_EQ(found.excerpt, "+1 1:0.5 7:abc 9:1");
  EXPECT_EQ(found.excerpt.substr(found.caret, 3), "abc");
  const std::string far = "1" + std::string(3000, ' ') + "7:abc" + std::string(3000, ' ') + "8:1\n";
  const Diagnostic window = complaint(far);
  EXPECT_EQ(window.column, 3004u);
  EXPECT_LT(window.excerpt.size(), 100u);
  EXPECT_EQ(window.excerpt.substr(window.caret, 3), "abc");
}

TEST(Svmlight, RefusesFilesWithoutRows) {
  EXPECT_EQ(complaint("").message, "the file is empty");
  EXPECT_EQ(complaint("# only\n\n# comments\n").message, "the file has no rows of data");
  EXPECT_EQ(complaint("\n\n\n").message, "the file has no rows of data");
}

TEST(Svmlight, ReadsALineOfTenMegabytes) {
  std::string text = "1";
  for (int i = 1; text.size() < 10'000'000; ++i) text += " " + std::to_string(i) + ":0.5";
  const auto data = read(text + "\n-1 1:1\n").data;
  EXPECT_EQ(data.rows(), 2u);
  EXPECT_GT(data.non_zeros(), 800'000u);
}

TEST(Svmlight, RefusesALineWithoutEnd) {
  const std::string text(80'000'000, ' ');
  EXPECT_EQ(complaint("1 1:1\n" + text).message, "the line is longer than 64 MiB");
  EXPECT_EQ(complaint("1 1:1\n" + text).line, 2u);
  const std::string longer = "1 1:1\n-1 2:1" + text + "\n";
  EXPECT_EQ(read_dataset_from_memory(longer, "memory", {.max_line = 100'000'000}).data.rows(), 2u);
  const std::string shorter = "1 1:1\n-1 2:1" + std::string(300'000, ' ') + "\n";
  EXPECT_THROW(read_dataset_from_memory(shorter, "memory", {.max_line = 1 << 18}), ParseError);
}

TEST(Svmlight, AppliesTheSchemaOfAModel) {
  const auto schema = read("a 1:1 5:1\nb 3:1\n").data.shared_schema();
  ReadOptions options;
  options.schema = schema;
  const auto result = read("b 3:7 8:1\nc 5:2\n", options);
  EXPECT_EQ(result.data.features(), 5u);
  EXPECT_EQ(result.notes.unknown_features, 1u);
  EXPECT_EQ(result.data.row(0).ids[0], 2u);
  EXPECT_EQ(result.data.label(0), 1.0);
  EXPECT_EQ(result.data.label(1), 2.0);  // a word the model does not have comes after those it has
}

}  // namespace
}  // namespace pegasos
