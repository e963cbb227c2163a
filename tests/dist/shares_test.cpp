// Shares of files: what ranks read, put together, is what one process reads.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "data/file_list.h"
#include "data/file_share.h"
#include "pegasos/dist.h"
#include "pegasos/error.h"
#include "pegasos/write.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

std::vector<Dataset> shares_of(const std::string& path, int count, const ReadOptions& options) {
  std::vector<Dataset> shares(static_cast<std::size_t>(count));
  run_ranks_as_threads(count, [&](Collective& ranks) {
    shares[static_cast<std::size_t>(ranks.rank())] = read_share(path, options, ranks).data;
  });
  return shares;
}

// But for the last bits of means, which depend on the order in which numbers are added.
Schema without_means(Schema schema) {
  if (schema.csv) {
    for (CsvColumn& column : schema.csv->columns) {
      column.mean = static_cast<double>(static_cast<float>(column.mean));
    }
  }
  return schema;
}

void expect_the_same_rows(const std::string& path, int count, const ReadOptions& options = {}) {
  const Dataset whole = read_dataset(path, options).data;
  std::size_t row = 0;
  const std::vector<Dataset> shares = shares_of(path, count, options);
  for (const Dataset& share : shares) {
    EXPECT_TRUE(without_means(share.schema()) == without_means(whole.schema())) << path;
    EXPECT_EQ(share.is_dense(), shares.front().is_dense()) << path;
    for (std::size_t i = 0; i < share.rows(); ++i, ++row) {
      ASSERT_LT(row, whole.rows());
      EXPECT_TRUE(share.label(i) == whole.label(row) ||
                  (std::isnan(share.label(i)) && std::isnan(whole.label(row))));
      std::vector<double> w(whole.features());
      for (std::size_t k = 0; k < w.size(); ++k) w[k] = 1.0 + static_cast<double>(k);
      EXPECT_EQ(share.row(i).dot(w), whole.row(row).dot(w)) << path << " row " << row;
    }
  }
  EXPECT_EQ(row, whole.rows()) << path;
}

TEST(Shares, AreTheRowsOfOneReader) {
  const testing::TemporaryFolder folder;
  const std::string few =
      folder.file("few.svm", "1 1:1\n-1 2:2\r\n\n# a comment\n1 3:1 9:2\n-1 2:1");
  const std::string words = folder.file("words.svm", "b 1:1\na 0:2\nc 5:1\na 1:1 7:3\n");
  const std::string far = folder.file("far.svm", "1 4000000000:1\n-1 3:2\n1 7:1\n-1 3000000:5\n");
  const std::string sets = folder.file("sets.svm", "1 1:1\n2 2:2\n1,3 5:1\n3,2 1:1 7:3\n");
  for (const auto& path : {few, words, far, sets}) {
    for (const int count : {2, 3, 7}) expect_the_same_rows(path, count);
  }
}

// Numbers with holes, words, dates, text, labels that are words, and line feeds inside quotes.
std::string table(int rows) {
  std::string text = "age,city,day,note,label\n";
  for (int i = 0; i < rows; ++i) {
    text += i % 7 == 3 ? "" : std::to_string((i * 37) % 64);
    text += i % 5 == 0 ? ",Rome" : i % 11 == 4 ? "," : i == 17 ? ",Oslo" : ",Bern";
    text += ",2024-0" + std::to_string(1 + i % 9) + "-1" + std::to_string(i % 8);
    text += ",\"the quick fox, number " + std::to_string(i % 6) + "\njumps over \"\"dog\"\" " +
            std::to_string(i % 4) + "\"";
    text += i % 3 == 0 ? ",yes\n" : ",no\n";
  }
  return text;
}

TEST(Shares, OfTablesAgreeOnColumnsWordsMediansAndTerms) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("table.csv", table(60));
  for (const TableScaling scaling : {TableScaling::none, TableScaling::min_max}) {
    ReadOptions options;
    options.table_scaling = scaling;
    for (const int count : {2, 3, 5}) expect_the_same_rows(path, count, options);
    options.column_kinds = {{"note", ColumnKind::text}};
    options.text.hash_bits = 6;
    expect_the_same_rows(path, 3, options);
  }
  const std::string bare = folder.file("bare.csv", "1,2,0\n3,1,1\n5,4,0\n2,2,1\n9,1,0\n");
  expect_the_same_rows(bare, 3);
}

TEST(Shares, OfTablesStandardiseByTheSumsOfAll) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("table.csv", table(80));
  ReadOptions options;
  options.table_scaling = TableScaling::standard;
  const Dataset whole = read_dataset(path, options).data;
  std::size_t row = 0;
  for (const Dataset& share : shares_of(path, 3, options)) {
    const std::vector<double> ones(whole.features(), 1.0);
    for (std::size_t i = 0; i < share.rows(); ++i, ++row) {
      EXPECT_NEAR(share.row(i).dot(ones), whole.row(row).dot(ones), 1e-5);
    }
  }
  EXPECT_EQ(row, whole.rows());
}

TEST(Shares, NameTheLineOfTheWholeFile) {
  const testing::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 50; ++i) text += "1 1:1\n";
  const std::string first = folder.file("part-1.svm", text);
  const std::string second = folder.file("part-2.svm", text + "1 1:abc\n");
  for (const auto& [path, count] : {std::pair(second, 3), std::pair(folder.path("part-*"), 3),
                                    std::pair(folder.path("part-*"), 1)}) {
    try {
      shares_of(path, count, {});
      FAIL();
    } catch (const ParseError& error) {
      EXPECT_EQ(error.path(), second);
      EXPECT_EQ(error.line(), 51U);
      EXPECT_EQ(error.column(), 5U);
    }
  }
}

TEST(Shares, OfSeveralFilesAreThoseOfOneFileWithAllRows) {
  const testing::TemporaryFolder folder;
  const std::vector<std::string> parts = {"b 1:1\na 0:2", "c 5:1\na 1:1 7:3\n", "a 2:1\nb 3:1\n",
                                          "c 2:1\n"};
  std::string all;
  std::string names;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    names += folder.file("part-" + std::to_string(k) + ".svm", parts[k]) + "\n";
    all += parts[k] + (parts[k].ends_with('\n') ? "" : "\n");
  }
  const Dataset whole = read_dataset(folder.file("all.svm", all)).data;
  folder.file("list", names);
  for (const std::string& path : {folder.path("part-*.svm"), "@" + folder.path("list")}) {
    EXPECT_EQ(files_named(path).size(), 4U);
    const Dataset together = read_dataset(path).data;
    EXPECT_EQ(together.rows(), whole.rows());
    EXPECT_EQ(together.schema(), whole.schema());
    for (const int count : {2, 3, 5}) expect_the_same_rows(path, count);
  }
  EXPECT_THROW(files_named(folder.path("none-*")), IoError);
}

TEST(Shares, OfSeveralTablesSkipEachHeader) {
  const testing::TemporaryFolder folder;
  const std::string whole = table(30);
  const std::string header = whole.substr(0, whole.find('\n') + 1);
  folder.file("table-1.csv", table(20));
  folder.file("table-2.csv", table(30));
  for (const int count : {1, 2, 3}) expect_the_same_rows(folder.path("table-*"), count);
  EXPECT_EQ(read_dataset(folder.path("table-*")).data.rows(), 50U);
  folder.file("table-3.csv", "age,town,day,note,label\n1,Rome,2024-01-01,a,yes\n");
  EXPECT_THROW(read_dataset(folder.path("table-*")), ParseError);
}

TEST(Shares, OfCompressedFilesAreWholeFiles) {
  const testing::TemporaryFolder folder;
  for (int k = 0; k < 3; ++k) {
    std::string text;
    for (int i = 0; i < 40; ++i) {
      text += std::to_string(i % 2) + " " + std::to_string(1 + k * 40 + i) + ":1\n";
    }
    const std::string path = folder.file("part-" + std::to_string(k), text);
    ASSERT_EQ(testing::run_program("/usr/bin/gzip", {path}).exit_code, 0);
  }
  for (const int count : {1, 2, 3}) expect_the_same_rows(folder.path("part-*.gz"), count);
  EXPECT_THROW(shares_of(folder.path("part-*.gz"), 4, {}), InvalidOption);
  // A single one is unpacked by all.
  for (const int count : {2, 5}) expect_the_same_rows(folder.path("part-1.gz"), count);
}

TEST(Shares, DivideFilesSoThatTheLargestIsSmall) {
  using Begins = std::vector<std::size_t>;
  EXPECT_EQ(divide_files({5, 5, 5, 5}, 2), (Begins{0, 2, 4}));
  EXPECT_EQ(divide_files({1, 1, 1, 9}, 2), (Begins{0, 3, 4}));
  EXPECT_EQ(divide_files({9, 1, 1, 1}, 3), (Begins{0, 1, 3, 4}));
  EXPECT_EQ(divide_files({0, 0, 7}, 3), (Begins{0, 1, 2, 3}));
}

TEST(Shares, RefuseMixedLabelsAndWhatIsConvertedAsAWhole) {
  const testing::TemporaryFolder folder;
  const std::string mixed = folder.file("mixed.svm", "1 1:1\n2 1:1\na 1:1\nb 1:1\n");
  EXPECT_THROW(shares_of(mixed, 2, {}), UnusableData);
  const std::string lines =
      folder.file("rows.jsonl", "{\"a\":1,\"label\":0}\n{\"a\":2,\"label\":1}\n");
  EXPECT_THROW(shares_of(lines, 2, {}), InvalidOption);
}

}  // namespace
}  // namespace pegasos
