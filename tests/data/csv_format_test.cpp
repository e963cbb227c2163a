// The rules of the CSV reader, one by one, with what each must give.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/line_blocks.h"
#include "pegasos/error.h"
#include "pegasos/read.h"
#include "support/temporary_folder.h"

namespace pegasos::testing {
namespace {

using Names = std::vector<std::string>;
using NamedRow = std::map<std::string, float>;

ReadOptions csv(ReadOptions options = {}) {
  options.format = DataFormat::csv;
  if (options.threads == 0) options.threads = 1;
  return options;
}

ReadResult read(const std::string& file, ReadOptions options = {}) {
  return read_dataset_from_memory(file, "memory", csv(std::move(options)));
}

Names feature_names(const Dataset& data) {
  Names names;
  for (std::uint32_t id = 0; id < data.features(); ++id) {
    names.push_back(data.schema().feature_name(id));
  }
  return names;
}

// A row by feature names, without zeros.
NamedRow named_row(const Dataset& data, std::size_t i) {
  NamedRow result;
  const RowView row = data.row(i);
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    const auto id = row.dense ? static_cast<std::uint32_t>(k) : row.ids[k];
    if (row.values[k] != 0.0F) result[data.schema().feature_name(id)] = row.values[k];
  }
  return result;
}

std::vector<double> labels(const Dataset& data) {
  return {data.labels().begin(), data.labels().end()};
}

// "2:3: message | hint" for each complaint.
Names complaints(const std::string& file, ReadOptions options = {}) {
  Names result;
  try {
    read(file, std::move(options));
  } catch (const ParseError& error) {
    for (const auto& d : error.diagnostics()) {
      result.push_back(fmt::format("{}:{}: {}", d.line, d.column, d.message));
      if (!d.hint.empty()) result.back().append(" | ").append(d.hint);
    }
  }
  return result;
}

// "field: message" of the InvalidOption, or "".
std::string option_complaint(const std::string& file, ReadOptions options) {
  try {
    read(file, std::move(options));
  } catch (const InvalidOption& error) {
    return error.what();
  }
  return "";
}

// ---- columns

TEST(CsvFormat, NamesFeaturesByHeader) {
  const auto result = read("age,income,label\n30,1.5,1\n40,-2,0\n");
  EXPECT_EQ(result.notes.format, DataFormat::csv);
  EXPECT_EQ(feature_names(result.data), (Names{"age", "income"}));
  EXPECT_EQ(named_row(result.data, 1), (NamedRow{{"age", 40}, {"income", -2}}));
  EXPECT_EQ(labels(result.data), (std::vector<double>{1, 0}));
  EXPECT_EQ(result.data.schema().source, DataFormat::csv);
  EXPECT_TRUE(result.data.schema().csv->has_header);
}

TEST(CsvFormat, NumbersColumnsWithoutHeader) {
  const auto result = read("30,1.5,1\n40,-2,0\n");
  EXPECT_EQ(feature_names(result.data), (Names{"column 1", "column 2"}));
  EXPECT_EQ(result.data.rows(), 2U);
  EXPECT_FALSE(result.data.schema().csv->has_header);
}

TEST(CsvFormat, FindsTheDelimiter) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    const std::string file = fmt::format("a{0}b{0}y\n1{0}2{0}0\n3{0}4{0}1\n", delimiter);
    ReadOptions detected;
    detected.threads = 1;
    const auto result = read_dataset_from_memory(file, "memory", detected);
    EXPECT_EQ(result.notes.format, DataFormat::csv) << delimiter;
    EXPECT_EQ(result.data.schema().csv->delimiter, delimiter);
    EXPECT_EQ(feature_names(result.data), (Names{"a", "b"}));
  }
  // Consistency beats frequency: commas come and go, the semicolon stays.
  const auto mixed = read("a;b\n\"x;y\";1\n\"1,2,3\";2\n");
  EXPECT_EQ(mixed.data.schema().csv->delimiter, ';');
}

TEST(CsvFormat, TakesRunsOfSpacesForOneDelimiter) {
  ReadOptions options;
  options.delimiter = ' ';
  const auto result = read("  1   2 0\n3 4\t1  \n", options);
  EXPECT_EQ(named_row(result.data, 0), (NamedRow{{"column 1", 1}, {"column 2", 2}}));
  EXPECT_EQ(named_row(result.data, 1), (NamedRow{{"column 1", 3}, {"column 2", 4}}));
}

TEST(CsvFormat, RefusesDelimitersThatNumbersContain) {
  for (const char c : std::string("0-.e\"\n")) {
    ReadOptions options;
    options.delimiter = c;
    EXPECT_NE(option_complaint("1,2\n", options).find("delimiter"), std::string::npos) << c;
  }
}

TEST(CsvFormat, TellsHeadersFromData) {
  const auto has_header = [](const std::string& file) {
    return read(file).data.schema().csv->has_header;
  };
  EXPECT_TRUE(has_header("a,b,c\n1,2,3\n"));
  EXPECT_TRUE(has_header("id,2019,2020,label\n1,2,3,4\n"));
  EXPECT_TRUE(has_header("name,n\nx,1\n"));
  EXPECT_FALSE(has_header("1,2,x\n3,4,y\n"));
  EXPECT_FALSE(has_header("x,1\ny,2\n"));
  // Words only: names are not seen again below.
  EXPECT_TRUE(has_header("color,shape\nred,round\nblue,flat\n"));
  EXPECT_FALSE(has_header("red,round\nblue,flat\nred,flat\n"));
  EXPECT_FALSE(has_header("red,red\nblue,flat\n"));
  ReadOptions options;
  options.header = false;
  EXPECT_EQ(read("color,shape\nred,round\n", options).data.rows(), 2U);
  options.header = true;
  EXPECT_EQ(feature_names(read("1,2\n3,4\n", options).data), (Names{"1"}));
}

TEST(CsvFormat, DoesNotTakeARowWithAHoleMarkForAHeader) {
  const auto result = read("1,2,?,1\n1,2,3,0\n4,5,6,1\n");
  EXPECT_FALSE(result.data.schema().csv->has_header);
  EXPECT_EQ(result.notes.values_filled, 1U);
}

TEST(CsvFormat, ChoosesTheLabel) {
  const auto label_of = [](const std::string& header, ReadOptions options = {}) {
    const auto result = read(fmt::format("{}\n1,2,3\n4,5,6\n", header), std::move(options));
    for (const auto& column : result.data.schema().csv->columns) {
      if (column.role == CsvColumn::Role::label) return column.name;
    }
    return std::string();
  };
  EXPECT_EQ(label_of("a,b,c"), "c");
  EXPECT_EQ(label_of("a,Target,c"), "Target");
  EXPECT_EQ(label_of("CLASS,b,y"), "CLASS");
  EXPECT_EQ(label_of("y,label,target"), "label");
  ReadOptions options;
  options.label_column = "a";
  EXPECT_EQ(label_of("a,label,c", options), "a");
  options.label_column = "2";
  EXPECT_EQ(label_of("a,b,c", options), "b");
  ReadOptions without_last;
  without_last.ignored_columns = {"c"};
  EXPECT_EQ(label_of("a,b,c", without_last), "b");
}

TEST(CsvFormat, ExplainsColumnsThatAreNotThere) {
  const std::string file = "age,income,city,label\n1,2,x,3\n";
  ReadOptions options;
  options.label_column = "lable";
  EXPECT_EQ(option_complaint(file, options),
            "label_column: there is no column 'lable'. Did you mean 'label'?");
  options = {};
  options.weight_column = "5";
  EXPECT_EQ(option_complaint(file, options), "weight_column: there is no column 5; the file has 4");
  options = {};
  options.ignored_columns = {"Incme"};
  EXPECT_EQ(option_complaint(file, options),
            "ignored_columns: there is no column 'Incme'. Did you mean 'income'?");
  options = {};
  options.words_columns = {"zip"};
  EXPECT_EQ(
      option_complaint("1,2\n3,4\n", options),
      "words_columns: there is no column 'zip'; the file has no header, its columns are named "
      "by number, 1 to 2");
  options = {};
  options.label_column = "age";
  options.weight_column = "1";
  EXPECT_EQ(option_complaint(file, options), "weight_column: column 'age' is already the label");
  options = {};
  options.words_columns = {"label"};
  EXPECT_EQ(option_complaint(file, options), "words_columns: column 'label' is already the label");
}

TEST(CsvFormat, NumbersTheSameName) {
  EXPECT_EQ(feature_names(read("a,b, a,a,a.1,c\n1,2,3,4,5,6\n2,3,4,5,6,7\n").data),
            (Names{"a", "b", "a.1", "a.2", "a.1.1"}));
}

TEST(CsvFormat, LeavesColumnsWithoutNameUnnamed) {
  EXPECT_EQ(feature_names(read(",x,y\n0,1,2\n1,3,4\n").data), (Names{"column 1", "x"}));
}

// ---- words

TEST(CsvFormat, MakesWordsFeatures) {
  const auto result =
      read("n,city,m,label\n1,Rome,5,yes\n0,Paris,6,no\n2,Nancy,7,yes\n3, Rome ,8,no\n");
  EXPECT_EQ(feature_names(result.data), (Names{"n", "city=Nancy", "city=Paris", "city=Rome", "m"}));
  EXPECT_EQ(named_row(result.data, 0), (NamedRow{{"n", 1}, {"city=Rome", 1}, {"m", 5}}));
  EXPECT_EQ(named_row(result.data, 1), (NamedRow{{"city=Paris", 1}, {"m", 6}}));
  EXPECT_EQ(named_row(result.data, 3), (NamedRow{{"n", 3}, {"city=Rome", 1}, {"m", 8}}));
  EXPECT_EQ(result.data.schema().label_words, (Names{"no", "yes"}));
  EXPECT_EQ(labels(result.data), (std::vector<double>{1, 0, 1, 0}));
  const auto& columns = result.data.schema().csv->columns;
  EXPECT_EQ(columns[1].words, (Names{"Nancy", "Paris", "Rome"}));
  EXPECT_EQ(columns[1].first_feature, 1U);
  EXPECT_EQ(columns[2].first_feature, 4U);
}

TEST(CsvFormat, KeepsWordsOfDifferentColumnsApart) {
  const auto result = read("a,b,label\nx,x,1\ny,x,2\n");
  EXPECT_EQ(feature_names(result.data), (Names{"a=x", "a=y", "b=x"}));
  EXPECT_EQ(named_row(result.data, 1), (NamedRow{{"a=y", 1}, {"b=x", 1}}));
}

TEST(CsvFormat, TakesNumbersForWordsWhenAsked) {
  ReadOptions options;
  options.words_columns = {"zip"};
  EXPECT_EQ(feature_names(read("zip,n,label\n10,1,0\n9,2,1\n10,3,1\n", options).data),
            (Names{"zip=10", "zip=9", "n"}));
}

TEST(CsvFormat, ColumnIsWordsWhenMoreThanHalfAreNot) {
  EXPECT_EQ(feature_names(read("a,l\n1,1\nx,1\ny,0\n").data), (Names{"a=1", "a=x", "a=y"}));
  EXPECT_EQ(complaints("a,l\n1,1\nx,1\n"),
            (Names{"3:1: value 'x' is not a number; column 'a' holds numbers | treat the word as a "
                   "missing value (na=x), treat the column as a category "
                   "(column_kinds=a=category), or ignore it (ignored_columns=a)"}));
}

TEST(CsvFormat, UnderstandsQuotes) {
  const auto result = read(
      "\"the \"\"city\"\"\",n,label\n\"New\nYork\",\"1.5\",0\n \"a,b\" ,2,1\n\"say "
      "\"\"hi\"\"\",3,1\n");
  EXPECT_EQ(feature_names(result.data),
            (Names{"the \"city\"=New\nYork", "the \"city\"=a,b", "the \"city\"=say \"hi\"", "n"}));
  EXPECT_EQ(named_row(result.data, 0), (NamedRow{{"the \"city\"=New\nYork", 1}, {"n", 1.5F}}));
}

// ---- values

TEST(CsvFormat, StoresNoZeros) {
  ReadOptions options;
  options.keep_sparse = true;
  const auto result = read("0,1,-0,0.0,7\n", options);
  EXPECT_EQ(result.data.non_zeros(), 1U);
  EXPECT_EQ(result.data.features(), 4U);
}

TEST(CsvFormat, RefusesWhatIsNotFiniteOrTooLarge) {
  EXPECT_EQ(complaints("a,b,label\n1,2,0\ninf,2,0\n1,-Inf,0\n1e39,1,0\n1,1,Infinity\n1,1,1e999\n"),
            (Names{"3:1: value 'inf' is not finite; 2 cells in column 'a' cannot be used | treat "
                   "it as a missing value with na=inf, or replace it by a number",
                   "4:3: value '-Inf' is not finite | treat it as a missing value with na=-Inf, or "
                   "replace it by a number",
                   "6:5: label 'Infinity' is not finite | remove the row, or leave the label empty "
                   "to predict it",
                   "7:5: label '1e999' is too large for a 64-bit number"}));
  EXPECT_EQ(complaints("a,label\n1,0\n1e39,1\n"),
            (Names{"3:1: value '1e39' is too large for a 32-bit float | scale the column down"}));
}

TEST(CsvFormat, RefusesHolesWhenTold) {
  const std::string file = "n,city,label\n1,Rome,0\n,Rome,1\n4,\"\",1\n4,Oslo,\n";
  ReadOptions options;
  options.missing = MissingValues::refuse;
  EXPECT_EQ(
      complaints(file, options),
      (Names{
          "3:1: column 'n' is missing here | fill missing cells, for example with missing=median",
          "4:3: column 'city' is missing here | treat missing cells as a category of "
          "their own with missing=median"}));
}

TEST(CsvFormat, FillsHoles) {
  const std::string file =
      "n,city,label\n1,Rome,0\n,Rome,1\n4,\"\",1\n4,Oslo,\n10,Rome,0\n9,Oslo,1\n";
  ReadOptions options;
  options.missing = MissingValues::zero;
  const auto zero = read(file, options);
  EXPECT_EQ(named_row(zero.data, 1), (NamedRow{{"city=Rome", 1}}));
  EXPECT_EQ(named_row(zero.data, 2), (NamedRow{{"n", 4}}));
  EXPECT_EQ(zero.notes.values_filled, 2U);
  EXPECT_EQ(zero.notes.rows_unlabelled, 1U);
  EXPECT_EQ(zero.notes.first_unlabelled->line, 5U);
  EXPECT_TRUE(std::isnan(zero.data.label(3)));
  options.missing = MissingValues::mean;
  const auto mean = read(file, options);
  EXPECT_EQ(named_row(mean.data, 1), (NamedRow{{"n", 5.6F}, {"city=Rome", 1}}));
  EXPECT_EQ(named_row(mean.data, 2), (NamedRow{{"n", 4}, {"city (missing)", 1}}));
  EXPECT_NEAR(mean.data.schema().csv->columns[0].mean, 5.6, 1e-12);
  EXPECT_EQ(mean.data.schema().csv->missing, MissingValues::mean);
  const auto median = read(file);  // of 1, 4, 4, 9, 10
  EXPECT_EQ(named_row(median.data, 1), (NamedRow{{"n", 4}, {"city=Rome", 1}}));
  EXPECT_EQ(median.data.schema().csv->columns[0].median, 4.0);
  EXPECT_EQ(median.data.schema().csv->missing, MissingValues::median);
}

TEST(CsvFormat, DropsMeansOfZero) {
  ReadOptions options;
  options.missing = MissingValues::mean;
  options.keep_sparse = true;
  const auto result = read("a,b,label\n1,5,0\n-1,,0\n,,1\n", options);
  EXPECT_EQ(result.data.non_zeros(), 5U);
  EXPECT_EQ(named_row(result.data, 0), (NamedRow{{"a", 1}, {"b", 5}}));
  EXPECT_EQ(named_row(result.data, 1), (NamedRow{{"a", -1}, {"b", 5}}));
  EXPECT_EQ(named_row(result.data, 2), (NamedRow{{"b", 5}}));
}

TEST(CsvFormat, ReadsWeights) {
  ReadOptions options;
  options.weight_column = "w";
  const auto result = read("a,w,label\n1,0.1,0\n2,0,1\n", options);
  EXPECT_EQ(feature_names(result.data), (Names{"a"}));
  EXPECT_EQ(result.data.weight(0), 0.1);
  EXPECT_EQ(result.data.weight(1), 0.0);
  EXPECT_EQ(complaints("a,w,label\n1,-1,0\n2,x,1\n3,,1\n4,inf,1\n5,1,1\n", options),
            (Names{"2:3: weight '-1' is not a finite number of 0 or more",
                   "3:3: weight 'x' is not a finite number of 0 or more",
                   "4:3: the weight is missing | use 0 for a row that should not count",
                   "5:3: weight 'inf' is not a finite number of 0 or more"}));
}

TEST(CsvFormat, IgnoresColumns) {
  ReadOptions options;
  options.ignored_columns = {"2", "note"};
  const auto result = read("a,b,note,label\n1,,\"x\ny\",0\n2,nan,,1\n", options);
  EXPECT_EQ(feature_names(result.data), (Names{"a"}));
  EXPECT_EQ(result.data.schema().csv->columns[1].role, CsvColumn::Role::ignored);
}

TEST(CsvFormat, RefusesMixedLabels) {
  EXPECT_EQ(complaints("1,yes\n2,no\n3,1000000\n4,yes\n"),
            (Names{"3:3: label '1000000': the labels mix numbers and words"}));
}

TEST(CsvFormat, TakesAnyTextForALabelWord) {
  EXPECT_EQ(read("1,>50K\n2,<=50K\n3,\"two words\"\n").data.schema().label_words,
            (Names{"<=50K", ">50K", "two words"}));
}

// ---- places

TEST(CsvFormat, ComplainsAboutQuotesWhereTheyStand) {
  EXPECT_EQ(complaints("a,b\n1,2\n3,4\"5\n"),
            (Names{"3:4: quote inside an unquoted cell | quote the whole cell and double the quote "
                   "inside it, or read quotes as plain characters with quotes=none"}));
  EXPECT_EQ(complaints("a,b\n1,2\n\"3\"4,5\n"),
            (Names{"3:4: text after the closing quote of a cell | a quote inside a quoted cell "
                   "must be doubled"}));
  EXPECT_EQ(complaints("a,b\n1,2\n3,\"4\n5,6\n"),
            (Names{"3:3: this quote is never closed | close it, remove it, or read quotes as plain "
                   "characters with quotes=none"}));
}

TEST(CsvFormat, CountsPhysicalLines) {
  EXPECT_EQ(
      complaints("\n\"a\n\n\",b\n1,\"2\"\n3,4,5\n"),
      (Names{
          "6:5: expected 2 cells, found 3 | a cell that contains the delimiter must be quoted"}));
  ReadOptions options;
  options.label_column = "2";
  EXPECT_EQ(
      complaints("t,y,n\n\"two\nlines\",1,x\nw,2,5\n\"a\n\nb\",3,6\nv,4,z\nu,5,1\n", options),
      (Names{"3:10: value 'x' is not a number; column 'n' holds numbers; 2 cells in column 'n' "
             "cannot be used | treat the word as a missing value (na=x), treat the column as a "
             "category (column_kinds=n=category), or ignore it (ignored_columns=n)"}));
}

TEST(CsvFormat, CountsCells) {
  EXPECT_EQ(
      complaints("a,b,c\n1,2\n1,2,3,4\n1,2,3\n"),
      (Names{
          "2:4: expected 3 cells, found 2",
          "3:7: expected 3 cells, found 4 | a cell that contains the delimiter must be quoted"}));
  // A wrong number of cells explains the word in the wrong place, not the other way round.
  EXPECT_EQ(complaints("a,b,c\n1,2,3\n1,x,2,3\n1,2,3\n").at(0).substr(0, 30),
            "3:7: expected 3 cells, found 4");
}

TEST(CsvFormat, RefusesNulBytesAndLoneCarriageReturns) {
  EXPECT_EQ(complaints(std::string("a,b\n1,2\n3,\0\n", 12)),
            (Names{"3:3: the line contains a NUL byte | this does not look like text"}));
  EXPECT_EQ(
      complaints("a,b\n1,2\r3,4\n"),
      (Names{
          "2:4: carriage return inside a line | convert the line endings: tr '\\r' '\\n' < file"}));
}

TEST(CsvFormat, CollectsComplaints) {
  std::string file = "a,b\n1,2\n3,4\n5,6\n7,8\n";
  for (int i = 0; i < 4; ++i) file += "1,2,3\n";
  ReadOptions options;
  options.max_errors = 3;
  EXPECT_EQ(complaints(file).size(), 4U);
  EXPECT_EQ(complaints(file, options).size(), 3U);
}

TEST(CsvFormat, CountsBadCellsByColumn) {
  std::string file = "a,b,c\n";
  for (int i = 0; i < 30000; ++i) file += fmt::format("{},{},1\n", i % 7, i);
  for (int i = 0; i < 1000; ++i) file += fmt::format("x,{},1\n", i % 3 == 0 ? "y" : "5");
  for (const int threads : {1, 3}) {
    ReadOptions options;
    options.threads = threads;
    const Names seen = complaints(file, options);
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].substr(0, seen[0].find(" |")),
              "30002:1: value 'x' is not a number; column 'a' holds numbers; 1000 cells in column "
              "'a' cannot be used");
    EXPECT_EQ(seen[1].substr(0, seen[1].find(" |")),
              "30002:3: value 'y' is not a number; column 'b' holds numbers; 334 cells in column "
              "'b' cannot be used");
  }
}

TEST(CsvFormat, RefusesFilesWithoutRows) {
  EXPECT_EQ(complaints("a,b,c\n"), (Names{"0:0: the file has no rows of data"}));
  EXPECT_EQ(complaints("\n \n\r\n"), (Names{"0:0: the file has no rows of data"}));
}

// ---- many blocks

// Words, holes, and quoted line feeds all over; some 700 KB.
std::string long_file() {
  std::string file = "n,city,note,m,label\r\n";
  unsigned state = 7;
  const auto random = [&state](unsigned below) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8) % below;
  };
  for (int i = 0; i < 25000; ++i) {
    if (random(20) > 0) file += fmt::format("{}.{}", random(100), random(1000));
    file += fmt::format(",city{}", random(300));
    file += random(5) == 0 ? fmt::format(",\"line\nfeed {}\"", random(9))
                           : fmt::format(",note{}", random(40));
    file += random(30) == 0 ? "," : fmt::format(",{}", random(3));
    file += fmt::format(",{}\r\n", random(2) == 0 ? "yes" : "no");
  }
  return file;
}

TEST(CsvFormat, DoesNotDependOnThreads) {
  const std::string file = long_file();
  ASSERT_GT(file.size(), 2 * LineBlocks::kBlockBytes);
  ReadOptions options;
  options.missing = MissingValues::mean;
  options.threads = 1;
  const auto one = read(file, options);
  EXPECT_EQ(one.data.rows(), 25000U);
  EXPECT_GT(one.notes.values_filled, 1000U);
  for (const int threads : {2, 4, 8}) {
    options.threads = threads;
    const auto many = read(file, options);
    EXPECT_EQ(many.data.schema(), one.data.schema());
    ASSERT_EQ(many.data.rows(), one.data.rows());
    ASSERT_EQ(many.data.non_zeros(), one.data.non_zeros());
    for (std::size_t i = 0; i < one.data.rows(); ++i) {
      const auto a = one.data.row(i);
      const auto b = many.data.row(i);
      ASSERT_TRUE(std::equal(a.ids.begin(), a.ids.end(), b.ids.begin(), b.ids.end()));
      ASSERT_TRUE(std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end()));
      ASSERT_EQ(one.data.label(i), many.data.label(i));
    }
  }
}

TEST(CsvFormat, CountsLinesAcrossBlocks) {
  std::string file = long_file();
  const auto lines = std::count(file.begin(), file.end(), '\n');
  file += "1,Rome,x,y,yes\r\n";
  ReadOptions options;
  options.missing = MissingValues::zero;
  for (const int threads : {1, 4}) {
    options.threads = threads;
    EXPECT_EQ(complaints(file, options).at(0).substr(0, 40),
              fmt::format("{}:10: value 'y' is not a number; column", lines + 1).substr(0, 40));
  }
}

TEST(CsvFormat, SamplesBeyondOneMiBForLongRecords) {
  constexpr int kColumns = 100000;
  std::string header;
  std::string row;
  std::string other;
  for (int j = 0; j < kColumns; ++j) {
    header += fmt::format("{}feature{}", j == 0 ? "" : ",", j);
    row += j == 0 ? "1" : ",1";
    other += j == 0 ? "2" : ",2";
  }
  ASSERT_GT(header.size(), std::size_t{1} << 20);
  const auto result = read(fmt::format("{}\n{}\n{}\n", header, row, other));
  EXPECT_EQ(result.data.features(), kColumns - 1U);
  EXPECT_EQ(result.data.rows(), 2U);
  EXPECT_EQ(result.data.schema().feature_name(kColumns - 2), "feature99998");
}

TEST(CsvFormat, PointsAtTheQuoteThatSwallowsTheFile) {
  std::string file = "a,b\n1,2\n3,\"4\n";
  file.append(LineBlocks::kLongestRecord + 1000, 'x');
  EXPECT_EQ(complaints(file), (Names{"3:3: this quote is never closed | close it, remove it, or "
                                     "read quotes as plain characters with quotes=none"}));
  std::string line = "a,b\n1,2\n";
  line.append(LineBlocks::kLongestRecord + 1000, '1');
  EXPECT_EQ(complaints(line), (Names{"3:0: the record is longer than 64 MiB | this does not look "
                                     "like text with one row per line; if it is, raise the limit: "
                                     "max_line=1G"}));
}

// ---- with the schema of a model

class CsvWithSchema : public ::testing::Test {
 protected:
  ReadOptions options_for(const std::string& training, ReadOptions training_options = {}) {
    ReadOptions options;
    options.schema = read(training, std::move(training_options)).data.shared_schema();
    return options;
  }
  const std::string training_ = "n,city,m,label\n1,Rome,5,yes\n2,Paris,7,no\n";
};

TEST_F(CsvWithSchema, MatchesColumnsByName) {
  const auto options = options_for(training_);
  const auto result = read("m,extra,city,n\n50,x,Rome,10\n70,\"y\nz\",Oslo,20\n", options);
  EXPECT_EQ(result.data.schema(), *options.schema);
  EXPECT_EQ(result.data.features(), 4U);
  EXPECT_EQ(named_row(result.data, 0), (NamedRow{{"n", 10}, {"city=Rome", 1}, {"m", 50}}));
  EXPECT_EQ(named_row(result.data, 1), (NamedRow{{"n", 20}, {"m", 70}}));
  EXPECT_EQ(result.notes.unknown_words, 1U);
  EXPECT_EQ(result.notes.rows_unlabelled, 2U);
  EXPECT_TRUE(std::isnan(result.data.label(0)));
}

TEST_F(CsvWithSchema, KeepsIdsAscendingInPermutedFiles) {
  auto options = options_for(training_);
  options.keep_sparse = true;
  const auto data = read("m,label,city,n\n50,yes,Rome,10\n", options).data;
  const auto row = data.row(0);
  EXPECT_EQ(std::vector<FeatureId>(row.ids.begin(), row.ids.end()),
            (std::vector<FeatureId>{0, 2, 3}));
  EXPECT_EQ(std::vector<float>(row.values.begin(), row.values.end()),
            (std::vector<float>{10, 1, 50}));
  EXPECT_EQ(data.label(0), 1.0);
}

TEST_F(CsvWithSchema, MatchesByPositionWithoutHeader) {
  const auto options = options_for(training_);
  const auto with_label = read("3,Rome,9,no\n", options).data;
  EXPECT_EQ(named_row(with_label, 0), (NamedRow{{"n", 3}, {"city=Rome", 1}, {"m", 9}}));
  EXPECT_EQ(with_label.label(0), 0.0);
  const auto without = read("3,Rome,9\n", options).data;
  EXPECT_EQ(named_row(without, 0), (NamedRow{{"n", 3}, {"city=Rome", 1}, {"m", 9}}));
  EXPECT_TRUE(std::isnan(without.label(0)));
  EXPECT_EQ(
      complaints("3,Rome\n", options),
      (Names{"1:0: expected 4 cells as in the training data, or 3 without the label, found 2"}));
  EXPECT_EQ(complaints("x,Rome,1\n", options),
            (Names{"1:1: value 'x' is not a number; column 'n' holds numbers | the model was "
                   "trained on numbers in this column; correct the cell, or treat it as a missing "
                   "value (na=x)"}));
}

TEST_F(CsvWithSchema, MatchesByPositionWhenTheModelHasNoNames) {
  ReadOptions training;
  training.label_column = "1";
  const auto options = options_for("0,1,2\n1,3,4\n", training);
  const auto data = read("a,b\n5,6\n", options).data;
  EXPECT_EQ(data.rows(), 1U);
  EXPECT_EQ(named_row(data, 0), (NamedRow{{"column 2", 5}, {"column 3", 6}}));
}

TEST_F(CsvWithSchema, NamesMissingColumns) {
  EXPECT_EQ(
      complaints("cty,m,label\nRome,1,yes\n", options_for(training_)),
      (Names{"1:0: a column 'n' is expected, but it is not in the header.",
             "1:0: a column 'city' is expected, but it is not in the header. Did you mean "
             "'cty'? | name the columns as in the training data; one whose values are not known "
             "may be empty"}));
  EXPECT_EQ(complaints("a,b\nRome,1\n", options_for(training_)),
            (Names{"1:0: the header has none of the 3 columns that the model uses | it was trained "
                   "on another table, with the columns n, city, m; is this the right file?"}));
  EXPECT_EQ(read("city,m,n,label\n,1,,yes\n", options_for(training_)).data.rows(), 1U);
}

TEST_F(CsvWithSchema, FillsHolesWithTheMeansOfTheModel) {
  ReadOptions training;
  training.missing = MissingValues::mean;
  const auto data = read("n,city,m\n,Rome,\n", options_for(training_, training)).data;
  EXPECT_EQ(named_row(data, 0), (NamedRow{{"n", 1.5F}, {"city=Rome", 1}, {"m", 6}}));
  ReadOptions zero = options_for(training_, training);
  zero.missing = MissingValues::zero;
  EXPECT_EQ(named_row(read("n,city,m\n,Rome,\n", zero).data, 0), (NamedRow{{"city=Rome", 1}}));
  training.missing = MissingValues::refuse;
  EXPECT_EQ(complaints("n,city,m\n,Rome,1\n", options_for(training_, training)).size(), 1U);
}

TEST_F(CsvWithSchema, TakesTheLabelFromAnotherColumn) {
  auto options = options_for(training_);
  options.label_column = "answer";
  const auto data = read("answer,n,city,m\nno,1,Rome,2\n", options).data;
  EXPECT_EQ(data.label(0), 0.0);
  options.label_column = std::string("n");
  EXPECT_EQ(option_complaint("answer,n,city,m\nno,1,Rome,2\n", options),
            "label_column: column 'n' is a feature of the model");
}

TEST_F(CsvWithSchema, NeedsColumnsToMatch) {
  ReadOptions options;
  options.schema = std::make_shared<const Schema>();
  EXPECT_NE(option_complaint("a,b\n1,2\n", options).find("format"), std::string::npos);
}

// ---- streams

// The ids a stream gives, as RowStream documents them, from the final ones: numbers by column,
// words behind all columns in the order of their first appearance.
class ProvisionalIds {
 public:
  explicit ProvisionalIds(const CsvLayout& layout) : layout_(layout) {}

  FeatureId of(FeatureId final_id) {
    for (std::size_t j = 0; j < layout_.columns.size(); ++j) {
      const CsvColumn& column = layout_.columns[j];
      if (column.role == CsvColumn::Role::number && column.first_feature == final_id) {
        return static_cast<FeatureId>(j);
      }
    }
    const auto next = static_cast<FeatureId>(layout_.columns.size() + words_.size());
    return words_.try_emplace(final_id, next).first->second;
  }

 private:
  const CsvLayout& layout_;
  std::map<FeatureId, FeatureId> words_;
};

TEST(CsvStream, GivesTheRowsOfTheWholeFile) {
  const TemporaryFolder folder;
  const std::string file = long_file();
  ReadOptions options = csv();
  options.missing = MissingValues::zero;
  const auto whole = read(file, options);
  ProvisionalIds ids(*whole.data.schema().csv);
  RowStream stream(folder.file("long.csv", file), options);
  std::size_t rows = 0;
  while (const auto block = stream.next()) {
    EXPECT_EQ(stream.first_row(), rows);
    for (std::size_t i = 0; i < block->rows(); ++i, ++rows) {
      std::map<FeatureId, float> expected;
      const auto final_row = whole.data.row(rows);
      for (std::size_t k = 0; k < final_row.ids.size(); ++k) {
        expected[ids.of(final_row.ids[k])] = final_row.values[k];
      }
      const auto row = block->row(i);
      ASSERT_EQ(row.ids.size(), expected.size());
      std::size_t k = 0;
      for (const auto& [id, value] : expected) {  // ascending
        ASSERT_EQ(row.ids[k], id) << "row " << rows;
        ASSERT_EQ(row.values[k++], value) << "row " << rows;
      }
    }
  }
  EXPECT_EQ(rows, whole.data.rows());
  EXPECT_EQ(stream.notes().values_filled, whole.notes.values_filled);
}

TEST(CsvStream, GivesTheIdsOfASchema) {
  const TemporaryFolder folder;
  const std::string file = long_file();
  ReadOptions options = csv();
  options.missing = MissingValues::mean;
  const auto whole = read(file, options).data;
  options.schema = whole.shared_schema();
  RowStream stream(folder.file("long.csv", file), options);
  std::size_t rows = 0;
  while (const auto block = stream.next()) {
    for (std::size_t i = 0; i < block->rows(); ++i, ++rows) {
      const auto a = block->row(i);
      const auto b = whole.row(rows);
      ASSERT_TRUE(std::equal(a.ids.begin(), a.ids.end(), b.ids.begin(), b.ids.end())) << rows;
      ASSERT_TRUE(std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end()));
      ASSERT_EQ(block->label(i), whole.label(rows));
    }
  }
  EXPECT_EQ(rows, whole.rows());
}

TEST(CsvStream, CannotKnowMeans) {
  const TemporaryFolder folder;
  ReadOptions options = csv();
  options.missing = MissingValues::mean;
  const std::string path = folder.file("a.csv", "a,b\n1,2\n");
  try {
    RowStream stream(path, options);
    FAIL() << "was accepted";
  } catch (const InvalidOption& error) {
    EXPECT_EQ(error.field(), "missing");
  }
}

}  // namespace
}  // namespace pegasos::testing
