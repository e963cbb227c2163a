// Tables as people have them: profiles of columns, missing values, dates, scales, JSON Lines,
// encodings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "data/cell_values.h"
#include "data/schema_json.h"
#include "pegasos/error.h"
#include "pegasos/profile.h"
#include "pegasos/read.h"
#include "pegasos/write.h"
#include "support/temporary_folder.h"

namespace pegasos::testing {
namespace {

using NamedRow = std::map<std::string, float>;

ReadResult read(const std::string& file, ReadOptions options = {}) {
  if (options.threads == 0) options.threads = 1;
  return read_dataset_from_memory(file, "memory", options);
}

NamedRow named_row(const Dataset& data, std::size_t i) {
  NamedRow result;
  const RowView row = data.row(i);
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    const auto id = row.dense ? static_cast<std::uint32_t>(k) : row.ids[k];
    if (row.values[k] != 0.0F) result[data.schema().feature_name(id)] = row.values[k];
  }
  return result;
}

std::map<std::string, ColumnProfile> by_name(const ReadNotes& notes) {
  std::map<std::string, ColumnProfile> result;
  for (const auto& column : notes.columns) result[column.name] = column;
  return result;
}

// 40 rows of a customer table.
std::string customers() {
  std::string file = "CustomerId,name,age,city,price,joined,zip,same,note,label\n";
  for (int i = 0; i < 40; ++i) {
    file += fmt::format("{},{},{},{},\"${},{:03}.50\",2024-{:02}-{:02} {:02}:30,{:05},x,",
                        7000 + 3 * i, fmt::format("n{}m{}", i, i * i),
                        i % 9 == 0 ? "NA" : fmt::format("{}", 20 + i), i % 3 == 0 ? "Rome" : "Oslo",
                        1 + i % 4, i * 7 % 1000, 1 + i % 12, 1 + i % 28, i % 24, 100 + i % 5);
    file += fmt::format("\"good thing number {} of many, bought {} times\",{}\n", i, i * 3 % 11,
                        i % 2 == 0 ? "yes" : "no");
  }
  return file;
}

TEST(Table, ProfilesColumns) {
  const auto result = read(customers());
  const auto columns = by_name(result.notes);
  EXPECT_EQ(columns.at("CustomerId").kind, ColumnKind::identifier);
  EXPECT_EQ(columns.at("CustomerId").use, ColumnProfile::Use::left_out);
  EXPECT_EQ(columns.at("age").kind, ColumnKind::number);
  EXPECT_EQ(columns.at("age").missing, 5U);
  EXPECT_EQ(columns.at("age").features, 2U);
  EXPECT_EQ(columns.at("city").kind, ColumnKind::category);
  EXPECT_EQ(columns.at("price").kind, ColumnKind::number);
  EXPECT_EQ(columns.at("price").remark, "numbers such as '$1,000.50'");
  EXPECT_EQ(columns.at("joined").kind, ColumnKind::date);
  EXPECT_EQ(columns.at("zip").kind, ColumnKind::category);  // 00100 is no number
  EXPECT_EQ(columns.at("same").kind, ColumnKind::constant);
  EXPECT_EQ(columns.at("note").kind, ColumnKind::text);
  EXPECT_EQ(columns.at("label").use, ColumnProfile::Use::label);
  const NamedRow row = named_row(result.data, 1);
  EXPECT_EQ(row.at("price"), 2007.5F);
  EXPECT_EQ(row.at("zip=00101"), 1.0F);
  EXPECT_EQ(row.at("joined.month=2"), 1.0F);
  EXPECT_EQ(row.at("joined.weekday=Fri"), 1.0F);  // 2024-02-02
  EXPECT_EQ(row.at("joined.hour=1"), 1.0F);
  EXPECT_EQ(row.at("joined.year"), 24.0F);
  EXPECT_EQ(row.count("age (missing)"), 0U);
  EXPECT_EQ(named_row(result.data, 9).at("age (missing)"), 1.0F);
}

TEST(Table, TakesColumnsForWhatItIsTold) {
  ReadOptions options;
  options.column_kinds = {{"CustomerId", ColumnKind::number},
                          {"note", ColumnKind::ignored},
                          {"age", ColumnKind::category},
                          {"zip", ColumnKind::number}};
  const auto result = read(customers(), options);
  const NamedRow row = named_row(result.data, 1);
  EXPECT_EQ(row.at("CustomerId"), 7003.0F);
  EXPECT_EQ(row.at("age=21"), 1.0F);
  EXPECT_EQ(row.at("zip"), 101.0F);
  EXPECT_EQ(by_name(result.notes).at("note").features, 0U);
  EXPECT_EQ(named_row(result.data, 0).at("age (missing)"), 1.0F);
}

TEST(Table, ReadsTheSameWithItsSchema) {
  for (const TableScaling scaling :
       {TableScaling::none, TableScaling::standard, TableScaling::min_max, TableScaling::max_abs}) {
    ReadOptions options;
    options.table_scaling = scaling;
    const auto trained = read(customers(), options);
    ReadOptions with;
    // Through the form it has in files.
    with.schema =
        std::make_shared<const Schema>(schema_from_json(schema_to_json(trained.data.schema()), {}));
    EXPECT_EQ(*with.schema, trained.data.schema());
    const auto again = read(customers(), with);
    ASSERT_EQ(again.data.rows(), trained.data.rows());
    for (std::size_t i = 0; i < again.data.rows(); ++i) {
      EXPECT_EQ(named_row(again.data, i), named_row(trained.data, i)) << i;
    }
  }
}

TEST(Table, StandardisesNumbers) {
  ReadOptions options;
  options.table_scaling = TableScaling::standard;
  const auto data = read("a,b,z,y\n1,5,0,0\n2,5,0,1\n3,5,0,0\n6,5,0,1\n", options).data;
  // a: mean 3, deviation sqrt(3.5); b is constant, and becomes zero; z is zero.
  EXPECT_EQ(data.features(), 3U);
  EXPECT_EQ(named_row(data, 0).size(), 1U);
  const double expected[] = {-2, -1, 0, 3};
  for (std::size_t i = 0; i < 4; ++i) {
    const NamedRow row = named_row(data, i);
    EXPECT_NEAR(row.contains("a") ? row.at("a") : 0.0F, expected[i] / std::sqrt(3.5), 1e-6);
  }
}

TEST(Table, KeepsTimestampsApart) {
  std::string file = "time,y\n";
  for (int i = 0; i < 100; ++i) file += fmt::format("{},{}\n", 1700000000 + 13 * i, i % 2);
  ReadOptions options;
  options.table_scaling = TableScaling::standard;
  options.keep_sparse = true;
  const auto scaled = read(file, options);
  std::set<float> distinct;
  for (std::size_t i = 0; i < 100; ++i) distinct.insert(scaled.data.row(i).values[0]);
  EXPECT_EQ(distinct.size(), 100U);
  EXPECT_NEAR(scaled.data.row(99).values[0], 1.7146, 1e-3);  // 49.5 / sqrt((100² - 1) / 12)
  const auto raw = read(file);
  EXPECT_NE(raw.notes.columns[0].remark.find("of 100 values are distinct"), std::string::npos);
}

TEST(Table, LeavesOutRowNumbersButNotTheOnlyColumn) {
  std::string file = "i,x,y\n";
  std::string alone = "i,y\n";
  for (int i = 1; i <= 30; ++i) {
    file += fmt::format("{},{},{}\n", i, i * i % 7, i % 2);
    alone += fmt::format("{},{}\n", i, i % 2);
  }
  EXPECT_EQ(read(file).data.features(), 1U);
  EXPECT_EQ(read(alone).data.features(), 1U);
  EXPECT_EQ(read(alone).notes.columns[0].remark, "kept: it is the only column");
}

TEST(Table, PlainNumbersMayStandBesideOthers) {
  const auto data = read("a;b;y\n950;5%;1\n1,200;7;0\n45;$8;1\n12.5;1e1;0\n").data;
  EXPECT_EQ(named_row(data, 0), (NamedRow{{"a", 950.0F}, {"b", 5.0F}}));
  EXPECT_EQ(named_row(data, 1), (NamedRow{{"a", 1200.0F}, {"b", 7.0F}}));
  // Prices are labels like others, also with the schema of a model.
  ReadOptions options;
  options.label_column = "price";
  const auto priced = read("x;price\n1;950\n2;$1,200\n3;45\n", options).data;
  EXPECT_EQ(std::vector(priced.labels().begin(), priced.labels().end()),
            (std::vector<double>{950, 1200, 45}));
  const auto schema =
      std::make_shared<const Schema>(schema_from_json(schema_to_json(priced.schema()), {}));
  EXPECT_EQ(read("x;price\n1;$2,000\n", {.schema = schema}).data.label(0), 2000.0);
  // A few names stay names.
  const auto named = read("x;price\n1;5%\n2;10%\n3;5%\n", options).data;
  EXPECT_EQ(named.schema().label_text(named.label(0)), "5%");
}

TEST(Table, UnderstandsDecimalCommas) {
  const auto data = read("a;b;y\n0,5;1.200,75;1\n1,25;3.000,00;0\n").data;
  EXPECT_EQ(named_row(data, 0), (NamedRow{{"a", 0.5F}, {"b", 1200.75F}}));
  EXPECT_EQ(named_row(data, 1), (NamedRow{{"a", 1.25F}, {"b", 3000.0F}}));
  // 1,200 alone reads as thousands, unless told.
  EXPECT_EQ(named_row(read("a;y\n1,200;1\n2,500;0\n").data, 0), (NamedRow{{"a", 1200.0F}}));
  ReadOptions options;
  options.decimal = ',';
  EXPECT_EQ(named_row(read("a;y\n1,200;1\n2,500;0\n", options).data, 0), (NamedRow{{"a", 1.2F}}));
}

TEST(Table, ReadsDecoratedNumbers) {
  const auto value = [](const char* text, NumberStyle style) {
    double number = NAN;
    return read_decorated(text, style, number) ? number : NAN;
  };
  constexpr auto kPoint = NumberStyle::decorated_point;
  constexpr auto kComma = NumberStyle::decorated_comma;
  EXPECT_EQ(value("$1,200", kPoint), 1200);
  EXPECT_EQ(value("-$1,234,567.5", kPoint), -1234567.5);
  EXPECT_EQ(value("$-3", kPoint), -3);
  EXPECT_EQ(value("10 %", kPoint), 10);
  EXPECT_EQ(value("1 200,5 €", kComma), 1200.5);
  EXPECT_EQ(value("1e5 ", kPoint), 1e5);
  EXPECT_EQ(value("1'000", kPoint), 1000);
  for (const char* bad : {"", "$", "%", "1,20", "1,2000", "12,34,567", "1,200 300", "abc", "1 2",
                          "--1", "1e", "€1€", "1%%"}) {
    EXPECT_TRUE(std::isnan(value(bad, kPoint))) << bad;
  }
  EXPECT_TRUE(std::isnan(value(std::string(1000, '1').c_str(), kPoint)));
}

TEST(Table, ReadsDates) {
  const auto seconds = [](const char* text, DateOrder order = DateOrder::year_first) {
    DateTime date;
    return read_date(text, order, date) ? date.seconds : NAN;
  };
  EXPECT_EQ(seconds("1970-01-01"), 0);
  EXPECT_EQ(seconds("2000-02-29"), 951782400);  // date -u -d 2000-02-29 +%s
  EXPECT_EQ(seconds("2024-01-31T13:05:09Z"), 1706706309);
  EXPECT_EQ(seconds("2024-01-31 13:05:09+02:00"), 1706706309 - 7200);
  EXPECT_EQ(seconds("1/31/2024 1:05 PM", DateOrder::month_first), 1706706300);
  EXPECT_EQ(seconds("31.01.2024", DateOrder::day_first), 1706659200);
  EXPECT_EQ(seconds("1969-12-31 23:59:59"), -1);
  for (const char* named : {"31-Jan-2024", "31 January 2024", "Jan 31, 2024", "january 31 2024",
                            "31.jan.2024", "JAN. 31, 2024 00:00"}) {
    EXPECT_EQ(seconds(named), 1706659200) << named;
  }
  EXPECT_EQ(seconds("31/1/24", DateOrder::day_first), 1706659200);
  EXPECT_EQ(seconds("12/31/69 23:59:59", DateOrder::month_first), -1);
  for (const char* bad :
       {"2023-02-29", "2024-13-01", "2024-00-10", "2024-1", "2024-01-31x", "20240131",
        "2024-01-31 25:00", "2024-01/31", "hello world", "31-Janu-2024", "30-Feb-2024", "Jan 2024",
        "may", "31-Jan-24", "1.2.24", "1/2/024"}) {
    EXPECT_TRUE(std::isnan(seconds(bad))) << bad;
  }
}

TEST(Table, TellsTheOrderOfDays) {
  const auto remark = [](const std::string& file) { return read(file).notes.columns[0].remark; };
  EXPECT_EQ(remark("d,y\n01/02/2024,1\n13/02/2024,0\n"), "day before month");
  EXPECT_EQ(remark("d,y\n01/02/2024,1\n02/13/2024,0\n"), "month before day");
  EXPECT_EQ(remark("d,y\n01/02/2024,1\n03/02/2024,0\n"),
            "month before day; day before month fits as well");
  EXPECT_EQ(remark("d,y\n01.02.2024,1\n03.02.2024,0\n"),
            "day before month; month before day fits as well");
}

TEST(Table, KnowsDatesWithNamedMonthsAndShortYears) {
  for (const char* form : {"{0:02}-Mar-2024", "Mar {0}, 2024", "3/{0}/24"}) {
    std::string file = "d;y\n";
    for (int i = 0; i < 30; ++i) {
      file += fmt::format(fmt::runtime(form), i + 1) + fmt::format(";{}\n", i % 2);
    }
    const auto result = read(file);
    EXPECT_EQ(result.notes.columns[0].kind, ColumnKind::date) << form;
    EXPECT_EQ(result.notes.columns[0].also_fits, std::nullopt) << form;
    EXPECT_EQ(named_row(result.data, 9).at("d.month=3"), 1.0F) << form;
    EXPECT_EQ(named_row(result.data, 9).at("d.age"), 20.0F) << form;
  }
}

// A sample of 1 MiB may hold only a few of them.
TEST(Table, LongTextsAreTextHoweverFewTheyAre) {
  std::string file = "t,y\n";
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 40; ++k) file += fmt::format("word{} ", (i + 1) * k % 50);
    file += fmt::format(",{}\n", i % 2);
  }
  EXPECT_EQ(read(file).notes.columns[0].kind, ColumnKind::text);
  EXPECT_EQ(read("t,y\na few words,1\na few more,0\n").notes.columns[0].kind, ColumnKind::category);
}

// 0,5 and 1,5 may be names; with the option they are numbers.
TEST(Table, ReadsFewLabelsWithACommaAsNumbersWhenTold) {
  const std::string file = "x;y\n1;0,5\n2;1,5\n3;2,5\n";
  EXPECT_FALSE(read(file).data.schema().label_words.empty());
  ReadOptions options;
  options.decimal = ',';
  EXPECT_TRUE(read(file, options).data.schema().label_words.empty());
  EXPECT_EQ(read(file, options).data.label(1), 1.5);
}

TEST(Table, SaysThatRowsEndWithADelimiter) {
  const auto complaint = [](const std::string& file) {
    try {
      read(file);
    } catch (const ParseError& error) {
      return error.diagnostics().front().hint;
    }
    return std::string();
  };
  EXPECT_EQ(complaint("a,y\n1,0,\r\n2,1,\r\n"),
            "the row ends with a delimiter: remove it, or add one to the header too");
  EXPECT_EQ(complaint("a,y\n1,0,3\n2,1,\n"), "a cell that contains the delimiter must be quoted");
  EXPECT_EQ(read("a,y,\n1,0,\n2,1,\n").data.rows(), 2U);
}

// Where the cells leave it open; what they say is not overruled, as some columns may differ.
TEST(Table, TakesTheOrderOfDaysItIsTold) {
  const std::string open = "d,y\n03/04/2024,1\n05/04/2024,0\n";
  ReadOptions options;
  options.date_order = DateOrder::day_first;
  const auto told = read(open, options);
  EXPECT_EQ(told.notes.columns[0].remark, "day before month");
  EXPECT_EQ(told.notes.columns[0].also_fits, std::nullopt);
  EXPECT_EQ(named_row(told.data, 0).at("d.month=4"), 1.0F);
  EXPECT_EQ(read(open).notes.columns[0].also_fits, DateOrder::day_first);
  EXPECT_EQ(named_row(read(open).data, 0).at("d.month=3"), 1.0F);
  const std::string plain = "d,y\n03/14/2024,1\n05/04/2024,0\n";
  EXPECT_EQ(named_row(read(plain, options).data, 0).at("d.month=3"), 1.0F);
  // A column that shall be dates: the wrong ones are found.
  options.column_kinds = {{"d", ColumnKind::date}};
  EXPECT_THROW(read("d,y\n03/14/2024,1\n03/15/2024,1\n14/03/2024,0\n", options), ParseError);
  options.date_order = DateOrder::year_first;
  EXPECT_THROW(read(open, options), InvalidOption);
}

// A later file is read as the training file was, and a date that tells otherwise is an error.
TEST(Table, TheOrderOfDaysIsThatOfTheModel) {
  ReadOptions options;
  options.date_order = DateOrder::day_first;
  ReadOptions with;
  with.schema = std::make_shared<const Schema>(schema_from_json(
      schema_to_json(read("d,y\n03/04/2024,1\n05/06/2024,0\n", options).data.schema()), {}));
  EXPECT_EQ(named_row(read("d\n01/02/2024\n", with).data, 0).at("d.month=2"), 1.0F);
  const auto complaint = [](const std::string& file, const ReadOptions& how) {
    try {
      read(file, how);
    } catch (const ParseError& error) {
      return error.diagnostics().front();
    }
    return Diagnostic{};
  };
  const Diagnostic foreign = complaint("d\n01/02/2024\n01/31/2024\n", with);
  EXPECT_EQ(foreign.line, 3U);
  EXPECT_EQ(foreign.message,
            "value '01/31/2024' is not a date with the day before the month, as column 'd' was "
            "read");
  EXPECT_EQ(foreign.hint, "correct the cell, or train a model with date_order=mdy");
  // One beyond the rows the profile has seen.
  std::string file = "d,y\n";
  for (int i = 0; i < 6000; ++i) file += fmt::format("{:02}/01/2024,{}\n", 1 + i % 12, i % 2);
  file += "13/01/2024,1\n";
  const Diagnostic late = complaint(file, {});
  EXPECT_EQ(late.line, 6002U);
  EXPECT_EQ(late.hint, "read the dates the other way round: date_order=dmy");
  options.date_order = DateOrder::day_first;
  EXPECT_EQ(read(file, options).data.rows(), 6001U);
}

TEST(Table, AgesCountFromTheLatestDate) {
  const auto data = read("d,y\n2024-03-01,1\n2024-02-28,0\n2023-03-01,1\n").data;
  EXPECT_EQ(named_row(data, 0).count("d.age"), 0U);
  EXPECT_EQ(named_row(data, 1).at("d.age"), 2.0F);
  EXPECT_EQ(named_row(data, 2).at("d.age"), 366.0F);
}

TEST(Table, KnowsMarksOfMissingValues) {
  std::string file = "n,c,y\n";
  const char* const marks[] = {"NA", "NaN", "nan", "null", "None", "?", "", "N/A", "-"};
  for (const char* mark : marks) file += fmt::format("{0},{0},1\n", mark);
  for (int i = 0; i < 20; ++i) file += fmt::format("{},{},0\n", i, i % 2 == 0 ? "red" : "blue");
  const auto result = read(file);
  EXPECT_EQ(by_name(result.notes).at("n").missing, 9U);
  EXPECT_EQ(by_name(result.notes).at("c").missing, 9U);
  EXPECT_EQ(named_row(result.data, 3),
            (NamedRow{{"n", 9.5F}, {"n (missing)", 1}, {"c (missing)", 1}}));
  ReadOptions options;
  options.na = std::vector<std::string>{"red"};
  options.column_kinds = {{"n", ColumnKind::ignored}};
  EXPECT_EQ(named_row(read(file, options).data, 9), (NamedRow{{"c (missing)", 1}}));
  EXPECT_EQ(named_row(read(file, options).data, 0), (NamedRow{{"c=NA", 1}}));
  options.na.reset();
  options.also_na = {"red"};
  EXPECT_EQ(named_row(read(file, options).data, 9), (NamedRow{{"c (missing)", 1}}));
  EXPECT_EQ(named_row(read(file, options).data, 0), (NamedRow{{"c (missing)", 1}}));
}

TEST(Table, CodesAndStrayWords) {
  // Few kinds of stray words are complained about; many make a category.
  std::string few = "a,y\n";
  std::string many = "a,y\n";
  for (int i = 0; i < 40; ++i) {
    few += fmt::format("{},1\n", i % 8 == 0 ? "unknown" : std::to_string(i));
    many += fmt::format("{},1\n", i % 4 == 0 ? fmt::format("A{}", i) : std::to_string(i % 9));
  }
  EXPECT_THROW(read(few), ParseError);
  EXPECT_EQ(read(many).notes.columns[0].kind, ColumnKind::category);
}

TEST(Table, SkipsOrKeepsBadRows) {
  const std::string file = "a,b\n1,1\nx,0\n2,1\n3\n4,0\n";
  ReadOptions options;
  options.bad_rows = BadRows::skip;
  const auto skipped = read(file, options);
  EXPECT_EQ(skipped.data.rows(), 3U);
  EXPECT_EQ(skipped.notes.rows_bad, 2U);
  EXPECT_EQ(skipped.notes.first_bad->line, 3U);
  options.bad_rows = BadRows::keep_empty;
  const auto kept = read(file, options);
  EXPECT_EQ(kept.data.rows(), 5U);
  EXPECT_TRUE(std::isnan(kept.data.label(1)));
  EXPECT_EQ(named_row(kept.data, 4), (NamedRow{{"a", 4}}));
}

TEST(Table, StreamsIdsAndAnswersRowsBeforeABadOne) {
  const TemporaryFolder folder;
  ReadOptions options;
  options.threads = 1;
  options.schema = read("id,a,y\nu,1,0\nv,2,1\nu,3,1\n").data.shared_schema();
  options.id_column = "id";
  std::vector<std::string> ids;
  options.extras = [&ids](const RowExtras& extras) {
    ids.insert(ids.end(), extras.ids.begin(), extras.ids.end());
  };
  std::size_t rows = 0;
  const auto map = [&](const std::string& file) {
    return map_rows(
        folder.file("a.csv", file), options, [](const RowView&) { return 0.0; },
        [&](const Dataset& block, std::span<const double>) { rows += block.rows(); });
  };
  map("id,a\n\"x \"\"y\",1\nz,2\n");
  EXPECT_EQ(ids, (std::vector<std::string>{"x \"y", "z"}));
  EXPECT_EQ(rows, 2U);
  rows = 0;
  EXPECT_THROW(map("id,a\nu,1\nv,2\nu,x\nu,4\n"), ParseError);
  EXPECT_EQ(rows, 2U);
}

TEST(Table, QuotesInTabSeparatedTextArePlain) {
  std::string file;
  for (int i = 0; i < 30; ++i) {
    file += fmt::format("{}\t{}5\" screen and many more words number {}\n",
                        i % 2 == 0 ? "ham" : "spam", i % 3 == 0 ? "\"" : "", i);
  }
  const auto result = read(file);
  EXPECT_EQ(result.data.rows(), 30U);
  EXPECT_FALSE(result.data.schema().csv->quotes);
  EXPECT_EQ(result.data.schema().label_words, (std::vector<std::string>{"ham", "spam"}));
  const auto quoted = read("a\tb\n\"1\"\t\"x y\"\n\"2\"\t\"z\"\n");
  EXPECT_TRUE(quoted.data.schema().csv->quotes);
  ReadOptions options;
  options.quotes = false;
  EXPECT_EQ(read("a,b,y\n5\",x,1\n6\",z,0\n", options).data.rows(), 2U);
}

TEST(Table, ReadsJsonLines) {
  const auto result = read(
      "{\"n\": 1.5, \"city\": \"Rome\", \"label\": \"a\", \"in\": {\"x\": 3}}\n"
      "{\"city\": \"say \\\"hi\\\", \\n\", \"label\": \"b\", \"in\": {\"x\": null}, \"n\": 2}\n"
      "\n{\"label\": \"a\", \"n\": 4, \"in\": {\"x\": 5}}\n");
  EXPECT_EQ(result.notes.format, DataFormat::json_lines);
  ASSERT_EQ(result.data.rows(), 3U);
  EXPECT_EQ(named_row(result.data, 0), (NamedRow{{"n", 1.5F}, {"city=Rome", 1}, {"in.x", 3}}));
  EXPECT_EQ(named_row(result.data, 1),
            (NamedRow{{"n", 2}, {"city=say \"hi\",  ", 1}, {"in.x", 4}}));
  EXPECT_EQ(named_row(result.data, 2), (NamedRow{{"n", 4}, {"city (missing)", 1}, {"in.x", 5}}));
  ReadOptions options;
  options.schema = result.data.shared_schema();
  EXPECT_EQ(named_row(read("{\"city\": \"Rome\", \"n\": 7}\n", options).data, 0),
            (NamedRow{{"n", 7}, {"city=Rome", 1}, {"in.x", 4}}));
  try {
    read("{\"a\": 1, \"b\": 2}\n{\"a\": 1\n");
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_EQ(error.line(), 2U);
  }
}

TEST(Table, KeepsListsOfJsonLinesAsText) {
  const auto result = read(
      "{\"a\": [1, \"x\", {\"b\": [], \"c\": [true, null]}], \"y\": 1, \"e\": {}}\n"
      "{\"a\": [], \"y\": 0, \"a\": \"q\"}\n");
  const std::string list = R"(a=[1,"x",{"b":[],"c":[true,null]}])";
  EXPECT_EQ(named_row(result.data, 0), (NamedRow{{list, 1}}));
  EXPECT_EQ(named_row(result.data, 1), (NamedRow{{"a=q", 1}}));  // the last of two
}

TEST(Table, KnowsJsonLinesThatAreLongerThanItsSample) {
  const std::string words(100'000, 'w');  // 64 kB are looked at
  const auto result = read("{ \"t\": \"" + words + "\", \"y\": 1}\n{\"t\": \"x\", \"y\": 0}\n");
  EXPECT_EQ(result.notes.format, DataFormat::json_lines);
  EXPECT_EQ(result.data.rows(), 2U);
}

// The JSON library's own tree is written recursively, and looks names up one by one.
TEST(Table, RefusesJsonLinesThatNestTooDeeply) {
  const std::string first = "{\"a\": 1, \"y\": 0}\n";
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"b\":", "}")}) {
    std::string line = "{\"y\": 1, \"a\": ";
    for (int i = 0; i < 300'000; ++i) line += open;
    line += '1';
    for (int i = 0; i < 300'000; ++i) line += close;
    try {
      read(first + line + "}\n");
      FAIL();
    } catch (const ParseError& error) {
      EXPECT_EQ(error.line(), 2U);
    }
  }
  std::string wide = "{\"y\": 1";
  for (int i = 0; i < 200'000; ++i) wide += ", \"n" + std::to_string(i) + "\": 1";
  EXPECT_EQ(read(first + first + wide + "}\n").data.rows(), 3U);
}

TEST(Table, ConvertsEncodings) {
  std::string utf16 = "\xff\xfe";
  for (const char c : std::string("a,y\n1,x\n2,\xe9\n")) {
    utf16 += c;
    utf16 += '\0';
  }
  const auto wide = read(utf16);
  EXPECT_EQ(wide.notes.encoding, "UTF-16");
  EXPECT_EQ(wide.data.schema().label_words, (std::vector<std::string>{"x", "\xc3\xa9"}));
  const auto latin = read("a,y\n1,caf\xe9\n2,\x80 5\n");
  EXPECT_EQ(latin.notes.encoding, "Windows-1252");
  EXPECT_EQ(latin.data.schema().label_words,
            (std::vector<std::string>{"caf\xc3\xa9", "\xe2\x82\xac 5"}));
  EXPECT_EQ(read("a,y\n1,caf\xc3\xa9\n2,x\n").notes.encoding, "");
}

TEST(Table, ExplainsFilesOfOtherPrograms) {
  const auto hint = [](const std::string& file) {
    try {
      read(file);
    } catch (const ParseError& error) {
      return error.diagnostics()[0].message + " | " + error.diagnostics()[0].hint;
    }
    return std::string();
  };
  EXPECT_EQ(hint("PAR1xxxx"),
            "this is a Parquet file, which is not supported | convert it: in Python: "
            "pandas.read_parquet('memory').to_csv('data.csv', index=False)");
  EXPECT_NE(hint(std::string("PK\x03\x04") + "[Content_Types].xml").find("Excel"),
            std::string::npos);
  EXPECT_NE(hint(std::string("PK\x03\x04") + "data.csv").find("unzip -p memory"),
            std::string::npos);
  EXPECT_NE(hint("SQLite format 3").find("sqlite3 -header -csv memory"), std::string::npos);
}

TEST(Table, BinaryDataMeetsTheScaleOfAModel) {
  const TemporaryFolder folder;
  const std::string file = "a,b,y\n1,10,0\n2,20,1\n4,60,0\n0,0,1\n";
  ReadOptions scaled;
  scaled.table_scaling = TableScaling::standard;
  const auto model = read(file, scaled).data;
  const std::string path = folder.path("raw.bin");
  write_binary(read(file).data, path);
  ReadOptions options;
  options.schema = model.shared_schema();
  const auto data = read_dataset(path, options).data;
  for (std::size_t i = 0; i < 4; ++i) {
    const NamedRow expected = named_row(model, i);
    for (const auto& [name, value] : named_row(data, i))
      EXPECT_NEAR(value, expected.at(name), 1e-6);
  }
}

TEST(Table, ReadsSchemasOfTheFirstVersion) {
  const Schema schema = schema_from_json(
      R"({"csv":{"columns":[{"mean":2.0,"name":"n","role":"number"},{"name":"c","role":"words",)"
      R"("words":["a","b"]},{"name":"y","role":"label"}],"delimiter":",","has_header":true,)"
      R"("missing":"refuse"},"feature_names":[],"index_base":1,"index_count":0,"label_words":[],)"
      R"("source":"csv"})",
      {});
  EXPECT_EQ(schema.feature_count(), 3U);
  EXPECT_EQ(schema.feature_name(2), "c=b");
  ReadOptions options;
  options.schema = std::make_shared<const Schema>(schema);
  EXPECT_EQ(named_row(read("n,c,y\n7,b,1\n", options).data, 0), (NamedRow{{"n", 7}, {"c=b", 1}}));
  EXPECT_THROW(read("n,c,y\nNA,b,1\n", options), ParseError);
  EXPECT_THROW(read("n,c,y\n,b,1\n", options), ParseError);
}

TEST(Table, SaysWhichColumnsTheModelDoesNotKnow) {
  ReadOptions options;
  options.schema = read("a,b,y\n1,2,0\n3,4,1\n").data.shared_schema();
  const auto named = read("b,extra,a\n1,2,3\n", options);
  EXPECT_EQ(named.notes.columns_extra, (std::vector<std::string>{"extra"}));
  EXPECT_FALSE(named.notes.matched_by_position);
  EXPECT_TRUE(read("1,2\n", options).notes.matched_by_position);
}

TEST(Table, ProfilesWhatDoesNotParse) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bad.csv", "a,b,y\n1,red,0\n2,blue,1\n3\n\"4,5\n");
  EXPECT_THROW(read_dataset(path, {}), ParseError);
  const auto columns = profile_columns(path, {});
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[1].kind, ColumnKind::category);
  EXPECT_EQ(columns[1].values, "red, blue");
}

std::vector<Diagnostic> complaints_about(const std::string& file, const ReadOptions& options = {}) {
  try {
    read(file, options);
  } catch (const ParseError& error) {
    return error.diagnostics();
  }
  return {};
}

TEST(JsonArray, IsReadLikeJsonLines) {
  const std::string lines =
      "{\"a\":1,\"c\":\"x\",\"y\":\"u\"}\n{\"a\":2.5,\"c\":\"[}\\\"{\",\"y\":\"v\"}\n"
      "{\"a\":null,\"c\":\"x\",\"y\":\"u\",\"more\":{\"k\":[1,{\"z\":2}]}}\n";
  std::string compact = "[" + lines;
  for (char& c : compact) c = c == '\n' ? ',' : c;
  compact.back() = ']';
  const std::string pretty =
      "\xef\xbb\xbf [\r\n  {\r\n \"a\" : 1, \"c\":\"x\",\n\"y\":\"u\"} ,\n{\"a\":2.5,\"c\":"
      "\"[}\\\"{\",\"y\":\"v\"}\n\n,{\"a\":null,\"c\":\"x\",\"y\":\"u\",\"more\":\n{\"k\":\n[1,"
      "{\"z\":2}]}}\n]\n\n";
  const auto expected = read(lines);
  for (const std::string& array : {compact, pretty}) {
    const auto result = read(array);
    EXPECT_EQ(result.notes.format, DataFormat::json_lines);
    EXPECT_EQ(result.data.schema(), expected.data.schema());
    ASSERT_EQ(result.data.rows(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(named_row(result.data, i), named_row(expected.data, i)) << i;
    }
  }
}

TEST(JsonArray, MessagesNameTheLine) {
  const std::string bad =
      "[\n {\"a\":1,\"y\":0},\n\n {\n  \"a\":2,\n  \"y\":1},\n {\"a\":\"oops\",\n  \"y\":1}]\n";
  ASSERT_EQ(complaints_about(bad).size(), 1U);
  EXPECT_EQ(complaints_about(bad)[0].line, 7U);
  const auto first = [](const std::string& file) {
    const auto all = complaints_about(file);
    return all.empty() ? "" : fmt::format("{}: {}", all[0].line, all[0].message);
  };
  EXPECT_EQ(first("[{\"a\":1,\"y\":0},\n{\"a\":2,\"y\":1}\n"),
            "3: the JSON array is not closed; the file may be cut off");
  EXPECT_EQ(complaints_about("[{\"a\":1,\"y\":0},\n")[0].hint,
            "get the whole file, or end it with a bracket: ]");
  EXPECT_EQ(first("[{\"a\":1,\"y\":0},\n7]"), "2: this element of the JSON array is not an object");
  EXPECT_EQ(first("[{\"a\":1,\"y\":0}\n{\"a\":1,\"y\":0}]"),
            "2: there is no comma between the objects of the JSON array");
  EXPECT_EQ(first("[{\"a\":1,\"y\":0}]\n{"), "2: there is text behind the JSON array");
  EXPECT_EQ(first("[]"), "0: no line of the file is a non-empty JSON object");
  EXPECT_EQ(first("{\n  \"rows\": [\n {\"a\":1}]}"),
            "0: this is JSON, but not with one object on each line");
}

// Excel's way to say what the delimiter is.
TEST(SeparatorLine, SaysTheDelimiterAndIsNoRecord) {
  const auto expected = read("a,b,y\n1.5,2,0\n3,\"4\",1\n");
  for (const std::string file :
       {"sep=;\na;b;y\n1.5;2;0\n3;\"4\";1\n", "SEP=,\r\na,b,y\r\n1.5,2,0\r\n3,\"4\",1\r\n",
        "\xef\xbb\xbfsep=\t\na\tb\ty\n1.5\t2\t0\n3\t\"4\"\t1\n",
        "sep=\\t\na\tb\ty\n1.5\t2\t0\n3\t\"4\"\t1\n", "sep=|\n\na|b|y\n1.5|2|0\n3|4|1\n"}) {
    const auto result = read(file);
    ASSERT_EQ(result.data.rows(), 2U) << file;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(named_row(result.data, i), named_row(expected.data, i)) << file;
      EXPECT_EQ(result.data.label(i), expected.data.label(i));
    }
    ReadOptions with;
    with.schema = expected.data.shared_schema();
    EXPECT_EQ(named_row(read(file, with).data, 1), named_row(expected.data, 1)) << file;
  }
  EXPECT_EQ(read("sep=;\n1,5;0\n2,5;1\n").data.rows(), 2U);  // no header
  ReadOptions semicolon;
  semicolon.delimiter = ';';
  EXPECT_EQ(read("sep=,\n1,5;0\n2,5;1\n", semicolon).data.features(), 1U);
}

TEST(SeparatorLine, IsALineOfTheFile) {
  const auto ragged = complaints_about("sep=;\na;b;y\n1;2;0\n3;1\n");
  ASSERT_EQ(ragged.size(), 1U);
  EXPECT_EQ(ragged[0].line, 4U);
  EXPECT_EQ(complaints_about("sep=;\n1;2;0\n3;1\n").at(0).line, 3U);
  EXPECT_EQ(complaints_about("sep=;\n\"a\"x;b;y\n1;2;0\n").at(0).line, 2U);
  ReadOptions with;
  with.schema = read("a,b,y\n1,2,0\n").data.shared_schema();
  EXPECT_EQ(complaints_about("sep=;\na;c\n1;2\n", with).at(0).line, 2U);
}

}  // namespace
}  // namespace pegasos::testing
