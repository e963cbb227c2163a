// Reading as a whole: threads, streaming, layouts, detection, progress.
#include "pegasos/read.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>

#include "base/random.h"
#include "data/text_format.h"
#include "pegasos/error.h"
#include "pegasos/write.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::TemporaryFolder;

std::string random_text(int rows, std::uint64_t seed) {
  Random random(seed, 0);
  std::string text;
  for (int i = 0; i < rows; ++i) {
    text += random.below(2) == 0 ? "ham" : "spam";
    std::uint64_t index = 0;
    for (auto n = random.below(12); n > 0; --n) {
      index += 1 + random.below(500);
      text += " " + std::to_string(index) + ":" + std::to_string(random.uniform());
    }
    text += "\n";
  }
  return text;
}

template <typename T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

TEST(Read, GivesTheSameBytesForAnyNumberOfThreads) {
  const std::string text = random_text(60000, 5);
  ReadOptions options;
  options.threads = 1;
  const Dataset one = read_dataset_from_memory(text, "memory", options).data;
  for (const int threads : {2, 4, 8}) {
    options.threads = threads;
    const Dataset many = read_dataset_from_memory(text, "memory", options).data;
    EXPECT_TRUE(same_bytes(one.sparse().offsets, many.sparse().offsets)) << threads;
    EXPECT_TRUE(same_bytes(one.sparse().features, many.sparse().features)) << threads;
    EXPECT_TRUE(same_bytes(one.sparse().values, many.sparse().values)) << threads;
    EXPECT_TRUE(same_bytes(one.labels(), many.labels())) << threads;
    EXPECT_EQ(one.schema(), many.schema()) << threads;
  }
}

TEST(Read, ReportsTheSameErrorsForAnyNumberOfThreads) {
  std::string text = random_text(60000, 6);
  for (const double share : {0.2, 0.5, 0.9}) {
    const auto at =
        text.find('\n', static_cast<std::size_t>(share * static_cast<double>(text.size())));
    text.insert(at, " oops");
  }
  const auto errors_with = [&text](int threads) {
    ReadOptions options;
    options.threads = threads;
    try {
      read_dataset_from_memory(text, "memory", options);
    } catch (const ParseError& error) {
      return error.diagnostics();
    }
    return std::vector<Diagnostic>();
  };
  const auto expected = errors_with(1);
  ASSERT_EQ(expected.size(), 3u);
  for (const int threads : {2, 4, 8}) EXPECT_EQ(errors_with(threads), expected);
}

TEST(Read, StreamsTheSameRows) {
  TemporaryFolder folder;
  const std::string path = folder.file("rows.svm", random_text(40000, 7));
  const Dataset whole = read_dataset(path).data;
  for (const bool binary : {false, true}) {
    const std::string source = binary ? folder.path("rows.pgd") : path;
    if (binary) write_binary(whole, source);
    RowStream stream(source, {});
    std::size_t row = 0;
    while (const auto block = stream.next()) {
      EXPECT_EQ(stream.first_row(), row);
      for (std::size_t i = 0; i < block->rows(); ++i, ++row) {
        ASSERT_LT(row, whole.rows());
        const RowView left = block->row(i);
        const RowView right = whole.row(row);
        ASSERT_TRUE(same_bytes(left.values, right.values));
        for (std::size_t j = 0; j < left.ids.size(); ++j) {
          // Streamed text keeps indices as written; the base is 1.
          ASSERT_EQ(left.ids[j], right.ids[j] + (binary ? 0u : 1u));
        }
      }
    }
    EXPECT_EQ(row, whole.rows());
  }
}

TEST(Read, StreamsInTheFeaturesOfASchema) {
  TemporaryFolder folder;
  const std::string path = folder.file("rows.svm", random_text(5000, 8));
  ReadOptions options;
  options.schema = read_dataset(path).data.shared_schema();
  const Dataset whole = read_dataset(path, options).data;
  RowStream stream(path, options);
  std::size_t row = 0;
  while (const auto block = stream.next()) {
    for (std::size_t i = 0; i < block->rows(); ++i, ++row) {
      ASSERT_TRUE(same_bytes(block->row(i).ids, whole.row(row).ids));
      ASSERT_EQ(block->label(i), whole.label(row));
    }
  }
  EXPECT_EQ(row, whole.rows());
}

TEST(Read, BinaryFilesAreReadInTheFeaturesOfASchema) {
  TemporaryFolder folder;
  const auto schema =
      read_dataset_from_memory(std::string_view("a 1:1 5:1\nb 3:1\n"), "m").data.shared_schema();
  // Another range of indices, one of them far away, and labels in another order.
  write_binary(read_dataset_from_memory(std::string_view("b 3:7 4000000000:1\nz 5:2\n"), "n").data,
               folder.path("other.pgd"));
  ReadOptions options;
  options.schema = schema;
  const ReadResult read = read_dataset(folder.path("other.pgd"), options);
  EXPECT_EQ(read.notes.unknown_features, 1u);
  EXPECT_EQ(read.data.features(), 5u);
  EXPECT_EQ(read.data.row(0).ids[0], 2u);
  EXPECT_EQ(read.data.row(1).ids[0], 4u);
  EXPECT_EQ(read.data.label(0), 1.0);
  EXPECT_EQ(read.data.label(1), 2.0);  // a word the schema does not have
  std::size_t rows = 0;
  map_rows(
      folder.path("other.pgd"), options, [](const RowView& row) { return row.squared_norm(); },
      [&rows](const Dataset& block, std::span<const double> norms) {
        rows += block.rows();
        EXPECT_EQ(norms[0], 49.0);
      });
  EXPECT_EQ(rows, 2u);
}

TEST(Read, StreamReportsErrorsAtTheEnd) {
  TemporaryFolder folder;
  RowStream stream(folder.file("bad.svm", "1 1:1\n1 1:x\n"), {});
  EXPECT_THROW(
      {
        while (stream.next()) {
        }
      },
      ParseError);
}

TEST(Read, MakesRowsDenseWhereThatIsSmaller) {
  std::string text;
  for (int i = 1; i <= 9; ++i) {
    text += "1 1:" + std::to_string(i) + " 3:" + std::to_string(10 * i) + " 4:1 5:2\n";
  }
  const Dataset dense = read_dataset_from_memory(text, "memory").data;
  ASSERT_TRUE(dense.is_dense());
  ReadOptions options;
  options.keep_sparse = true;
  const Dataset sparse = read_dataset_from_memory(text, "memory", options).data;
  ASSERT_FALSE(sparse.is_dense());
  EXPECT_LT(dense.memory_bytes(), sparse.memory_bytes());
  EXPECT_EQ(dense.non_zeros(), sparse.non_zeros());
  for (std::size_t i = 0; i < dense.rows(); ++i) {
    std::vector<float> expected(5, 0.0F);
    const RowView row = sparse.row(i);
    for (std::size_t j = 0; j < row.ids.size(); ++j) expected[row.ids[j]] = row.values[j];
    EXPECT_TRUE(same_bytes(dense.row(i).values, std::span<const float>(expected)));
  }
}

TEST(Read, CallsTheWatcherAndStopsWhenAsked) {
  const std::string text = random_text(50000, 9);
  std::uint64_t last = 0;
  ReadOptions options;
  options.watch = [&last](const ReadProgress& progress) {
    EXPECT_GE(progress.rows, last);
    last = progress.rows;
    return true;
  };
  read_dataset_from_memory(text, "memory", options);
  EXPECT_EQ(last, 50000u);
  options.watch = [](const ReadProgress&) { return false; };
  EXPECT_THROW(read_dataset_from_memory(text, "memory", options), Cancelled);
}

TEST(Read, NamesTheFileThatIsMissing) {
  try {
    read_dataset("no/such/file");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(error.path(), "no/such/file");
    EXPECT_EQ(error.error_number(), ENOENT);
  }
  EXPECT_THROW(read_dataset("/"), IoError);
}

TEST(Read, ConvertsUtf16) {
  std::string text = "\xfe\xff";
  for (const char c : std::string("1 3:5\n")) text += std::string(1, '\0') + c;
  const auto result = read_dataset_from_memory(text, "memory");
  EXPECT_EQ(result.data.rows(), 1U);
  EXPECT_EQ(result.notes.encoding, "UTF-16");
}

TEST(Read, ValidatesItsOptions) {
  EXPECT_THROW((ReadOptions{.threads = -1}.validate()), InvalidOption);
  EXPECT_THROW((ReadOptions{.index_base = 2}.validate()), InvalidOption);
  EXPECT_THROW((ReadOptions{.max_errors = 0}.validate()), InvalidOption);
  EXPECT_THROW((ReadOptions{.delimiter = '"'}.validate()), InvalidOption);
}

TEST(DetectFormat, KnowsTheFormatsApart) {
  EXPECT_EQ(detect_text_format("+1 1:0.5 2:1\n"), DataFormat::svmlight);
  EXPECT_EQ(detect_text_format("1:0.5 2:1\n"), DataFormat::svmlight);
  EXPECT_EQ(detect_text_format("1 qid:3 1:1\n"), DataFormat::svmlight);
  EXPECT_EQ(detect_text_format("1,3 1:0.5\n2 4:1\n"), DataFormat::svmlight);
  EXPECT_EQ(detect_text_format("# a, b, c\n-1 7:1\n"), DataFormat::svmlight);
  EXPECT_EQ(detect_text_format("1 2 3\n"), DataFormat::svmlight);
  EXPECT_EQ(detect_text_format("a,b,c\n1,2,3\n"), DataFormat::csv);
  EXPECT_EQ(detect_text_format("1\t2\t3\n"), DataFormat::csv);
  EXPECT_EQ(detect_text_format("time;x\n12:30;5\n"), DataFormat::csv);
  EXPECT_EQ(detect_text_format("\n\n12:30,5\n"), DataFormat::csv);
}

TEST(Dataset, ChecksArraysItIsGiven) {
  const std::vector<std::uint64_t> offsets = {0, 2, 3};
  const std::vector<FeatureId> ids = {0, 4, 1};
  const std::vector<float> values = {1, 2, 3};
  const std::vector<double> labels = {1, -1};
  DatasetParts parts;
  parts.rows = 2;
  parts.features = 5;
  parts.sparse = SparseMatrix{offsets, ids, values};
  parts.labels = labels;
  const Dataset data = Dataset::from_parts(parts);
  EXPECT_EQ(data.row(0).values.data(), values.data());  // no copy
  EXPECT_EQ(data.non_zeros(), 3u);

  auto broken = parts;
  broken.features = 4;
  EXPECT_THROW(Dataset::from_parts(broken), InvalidOption);
  broken = parts;
  broken.rows = 3;
  EXPECT_THROW(Dataset::from_parts(broken), InvalidOption);
  const std::vector<FeatureId> unsorted = {4, 0, 1};
  broken = parts;
  broken.sparse->features = unsorted;
  EXPECT_THROW(Dataset::from_parts(broken), InvalidOption);
  const std::vector<float> infinite = {1, INFINITY, 3};
  broken = parts;
  broken.sparse->values = infinite;
  EXPECT_THROW(Dataset::from_parts(broken), InvalidOption);
  const std::vector<double> negative = {1, -1};
  broken = parts;
  broken.weights = negative;
  EXPECT_THROW(Dataset::from_parts(broken), InvalidOption);
}

TEST(Dataset, SubsetsKeepTheirOrder) {
  const Dataset data =
      read_dataset_from_memory(std::string_view("1 1:1\n2 1:2\n3 1:3\n"), "m").data;
  const RowSubset subset(data, {2, 0});
  EXPECT_EQ(subset.rows(), 2u);
  EXPECT_EQ(subset.label(0), 3.0);
  EXPECT_EQ(subset.row(1).values[0], 1.0F);
}

}  // namespace
}  // namespace pegasos
