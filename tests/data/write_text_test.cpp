// write.h: what is written reads back as it was, byte for byte the same on any number of threads.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "base/random.h"
#include "data/number_text.h"
#include "data/row_text.h"
#include "pegasos/error.h"
#include "pegasos/read.h"
#include "pegasos/write.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::contents_of;
using testing::TemporaryFolder;

constexpr double kNoLabel = std::numeric_limits<double>::quiet_NaN();

// A dataset as a person would write it down: for each row a label and its non-zeros by id.
struct Table {
  std::vector<double> labels;
  std::vector<double> weights;
  std::vector<std::map<FeatureId, float>> rows;
  std::size_t features = 0;
  bool dense = false;
  Schema schema;

  Dataset dataset() const {
    struct Arrays {
      std::vector<std::uint64_t> offsets{0};
      std::vector<FeatureId> ids;
      std::vector<float> values;
      std::vector<double> labels;
      std::vector<double> weights;
    };
    auto arrays = std::make_shared<Arrays>();
    arrays->labels = labels;
    arrays->weights = weights;
    if (dense) arrays->values.resize(rows.size() * features);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const auto& [id, value] : rows[i]) {
        if (dense) {
          arrays->values[i * features + id] = value;
        } else {
          arrays->ids.push_back(id);
          arrays->values.push_back(value);
        }
      }
      arrays->offsets.push_back(arrays->ids.size());
    }
    DatasetParts parts;
    parts.rows = rows.size();
    parts.features = features;
    parts.labels = arrays->labels;
    parts.weights = arrays->weights;
    if (dense) {
      parts.dense = DenseMatrix{arrays->values, features};
    } else {
      parts.sparse = SparseMatrix{arrays->offsets, arrays->ids, arrays->values};
    }
    parts.schema = std::make_shared<const Schema>(schema);
    parts.owner = arrays;
    return Dataset::from_parts(std::move(parts));
  }
};

std::uint64_t bits(double number) {
  return std::isnan(number) ? 1 : std::bit_cast<std::uint64_t>(number);
}

// What is equal about two datasets, whether their rows are stored sparse or dense.
struct Image {
  std::size_t features;
  std::vector<std::uint64_t> labels;
  std::vector<std::uint64_t> weights;
  std::vector<std::map<FeatureId, std::uint32_t>> rows;
  std::vector<std::string> label_words;

  friend bool operator==(const Image&, const Image&) = default;
};

Image image_of(const Dataset& data) {
  Image image;
  image.features = data.features();
  image.label_words = data.schema().label_words;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    image.labels.push_back(bits(data.has_labels() ? data.label(i) : kNoLabel));
    if (data.has_weights()) image.weights.push_back(bits(data.weight(i)));
    const RowView row = data.row(i);
    auto& cells = image.rows.emplace_back();
    for (std::size_t j = 0; j < row.values.size(); ++j) {
      if (row.values[j] == 0.0F) continue;
      cells[row.dense ? static_cast<FeatureId>(j) : row.ids[j]] =
          std::bit_cast<std::uint32_t>(row.values[j]);
    }
  }
  return image;
}

rc::Gen<float> any_value() {
  return rc::gen::oneOf(
      rc::gen::element(1.0F, -1.0F, 0.5F, 0.1F, FLT_MAX, -FLT_MAX, FLT_MIN, FLT_TRUE_MIN, 1e-40F,
                       16777216.0F, 16777217.0F, 999999.0F, 1000000.0F, 1e10F, 3.14159265F),
      rc::gen::map(rc::gen::inRange(-2000, 2000),
                   [](int n) { return static_cast<float>(n == 0 ? 1 : n); }),
      rc::gen::map(rc::gen::inRange<std::uint32_t>(1, 0x7f800000),
                   [](std::uint32_t pattern) { return std::bit_cast<float>(pattern); }));
}

rc::Gen<double> any_label() {
  return rc::gen::oneOf(
      rc::gen::element(1.0, -1.0, 0.0, 0.1, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 1e15,
                       kNoLabel),
      rc::gen::map(rc::gen::inRange<std::uint64_t>(0, 0x7ff0000000000000),
                   [](std::uint64_t pattern) { return std::bit_cast<double>(pattern); }));
}

Table any_table(bool words, bool weights) {
  Table table;
  table.dense = *rc::gen::arbitrary<bool>();
  table.features = *rc::gen::inRange<std::size_t>(1, 12);
  const auto rows = *rc::gen::inRange<std::size_t>(1, 30);
  if (words) table.schema.label_words = {"blue", "green-1", "inform", "nancy", "r\xc3\xb6t"};
  for (std::size_t i = 0; i < rows; ++i) {
    auto& row = table.rows.emplace_back();
    const auto ids = *rc::gen::container<std::vector<FeatureId>>(
        rc::gen::inRange<FeatureId>(0, static_cast<FeatureId>(table.features)));
    for (const FeatureId id : ids) row[id] = *any_value();
    table.labels.push_back(words ? *rc::gen::inRange(0, 5) : *any_label());
    if (row.empty() && std::isnan(table.labels.back())) table.labels.back() = 0;
    if (weights) table.weights.push_back(std::abs(double{*any_value()}));
  }
  for (std::size_t k = 0; words && k < 5; ++k) {  // a file keeps only the words that occur
    table.rows.emplace_back();
    table.labels.push_back(static_cast<double>(k));
    if (weights) table.weights.push_back(0.25);
  }
  table.schema.indices =
      IndexMap::contiguous(*rc::gen::inRange<std::uint32_t>(0, 2), table.features);
  return table;
}

RC_GTEST_PROP(WriteSvmlight, ReadsBackEqual, ()) {
  const TemporaryFolder folder;
  const Table table = any_table(*rc::gen::arbitrary<bool>(), /*weights=*/false);
  const Dataset data = table.dataset();
  const auto path = folder.path("data.svm");
  write_svmlight(data, path, {.threads = *rc::gen::inRange(1, 4)});
  ReadOptions options;
  options.format = DataFormat::svmlight;
  options.threads = 1;
  const Dataset back = read_dataset(path, options).data;
  RC_ASSERT(image_of(back) == image_of(data));
  RC_ASSERT(back.schema().indices == data.schema().indices);
}

RC_GTEST_PROP(WriteBinary, ReadsBackEqual, ()) {
  const TemporaryFolder folder;
  const Table table = any_table(*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>());
  const Dataset data = table.dataset();
  const auto path = folder.path("data.pgd");
  write_binary(data, path);
  const Dataset back = read_dataset(path).data;
  RC_ASSERT(image_of(back) == image_of(data));
  RC_ASSERT(back.schema() == data.schema());
  RC_ASSERT(back.is_dense() == data.is_dense());
}

// Indices all over the range: only those that occur have an id.
RC_GTEST_PROP(WriteSvmlight, KeepsScatteredIndices, ()) {
  const TemporaryFolder folder;
  const auto seen = *rc::gen::suchThat(
      rc::gen::container<std::set<std::uint32_t>>(
          rc::gen::oneOf(rc::gen::arbitrary<std::uint32_t>(), rc::gen::just(0xffffffffu),
                         rc::gen::inRange<std::uint32_t>(1, 100))),
      [](const auto& indices) { return !indices.empty() && *indices.rbegin() > 2'000'000; });
  Table table;
  table.features = seen.size();
  table.schema.indices = IndexMap::of_seen(*seen.begin() == 0 ? 0 : *rc::gen::inRange(0u, 2u),
                                           {seen.begin(), seen.end()});
  table.rows.resize(3);
  table.labels = {1, kNoLabel, -1};
  for (FeatureId id = 0; id < seen.size(); ++id) table.rows[id % 2][id] = *any_value();
  if (table.rows[1].empty()) table.labels[1] = 5;
  const auto path = folder.path("data.svm");
  write_svmlight(table.dataset(), path);
  const Dataset back = read_dataset(path).data;
  RC_ASSERT(image_of(back) == image_of(table.dataset()));
  RC_ASSERT(back.schema().indices == table.schema.indices);
}

class WriteTextTest : public ::testing::Test {
 protected:
  std::string svmlight(const Dataset& data, const WriteOptions& options = {}) const {
    write_svmlight(data, folder_.path("out"), options);
    return contents_of(folder_.path("out"));
  }
  std::string csv(const Dataset& data, const WriteOptions& options = {}) const {
    write_csv(data, folder_.path("out"), options);
    return contents_of(folder_.path("out"));
  }
  template <typename Write>
  std::string error_of(Write&& write) const {
    try {
      write();
    } catch (const Error& error) {
      EXPECT_TRUE(std::filesystem::is_empty(folder_.path(""))) << "a file was left behind";
      return error.what();
    }
    return "none";
  }

  static Table small_table() {
    Table table;
    table.features = 3;
    table.labels = {1, -1, 2.5};
    table.rows = {{{0, 1.0F}, {2, 0.5F}}, {{1, -2.0F}}, {}};
    table.schema.indices = IndexMap::contiguous(1, 3);
    return table;
  }

  TemporaryFolder folder_;
};

TEST_F(WriteTextTest, SvmlightIsPlain) {
  Table table = small_table();
  EXPECT_EQ(svmlight(table.dataset()), "1 1:1 3:0.5\n-1 2:-2\n2.5\n");
  table.dense = true;
  EXPECT_EQ(svmlight(table.dataset()), "1 1:1 3:0.5\n-1 2:-2\n2.5\n");
  table.schema.indices = IndexMap::contiguous(0, 3);
  EXPECT_EQ(svmlight(table.dataset()), "1 0:1 2:0.5\n-1 1:-2\n2.5\n");
}

TEST_F(WriteTextTest, RowsWithoutLabelBeginWithAFeature) {
  Table table = small_table();
  table.labels[1] = kNoLabel;
  EXPECT_EQ(svmlight(table.dataset()), "1 1:1 3:0.5\n2:-2\n2.5\n");
  table.labels.clear();
  table.rows[2] = {{0, 7.0F}};
  EXPECT_EQ(svmlight(table.dataset()), "1:1 3:0.5\n2:-2\n1:7\n");
}

TEST_F(WriteTextTest, FirstRowKeepsBaseAndNumberOfFeatures) {
  Table table = small_table();
  table.rows = {{{1, 1.0F}}, {{1, 2.0F}}, {}};
  EXPECT_EQ(svmlight(table.dataset()), "1 2:1 3:0\n-1 2:2\n2.5\n");
  table.schema.indices = IndexMap::contiguous(0, 3);
  EXPECT_EQ(svmlight(table.dataset()), "1 0:0 1:1 2:0\n-1 1:2\n2.5\n");
  table.rows = {{}, {}, {}};
  table.features = 1;
  table.schema.indices = IndexMap::contiguous(0, 1);
  EXPECT_EQ(svmlight(table.dataset()), "1 0:0\n-1\n2.5\n");
  const Dataset back = read_dataset(folder_.path("out"), {.format = DataFormat::svmlight}).data;
  EXPECT_EQ(back.features(), 1u);
  EXPECT_EQ(back.schema().indices.base(), 0u);
}

TEST_F(WriteTextTest, ExplicitZerosAreLeftOut) {
  Table table = small_table();
  table.rows[0][1] = 0.0F;
  table.rows[1][2] = -0.0F;
  EXPECT_EQ(svmlight(table.dataset()), "1 1:1 3:0.5\n-1 2:-2\n2.5\n");
}

TEST_F(WriteTextTest, SlicesAreWrittenAsTheyAre) {
  EXPECT_EQ(svmlight(small_table().dataset().slice(1, 2)), "-1 2:-2 3:0\n2.5\n");
  Table table = small_table();
  table.dense = true;
  EXPECT_EQ(csv(table.dataset().slice(1, 1)), "label,1,2,3\n-1,0,-2,0\n");
}

TEST_F(WriteTextTest, CsvBornDataCountsFromOne) {
  Table table = small_table();
  table.schema = Schema();
  table.schema.source = DataFormat::csv;
  table.schema.csv = CsvLayout();
  EXPECT_EQ(svmlight(table.dataset()), "1 1:1 3:0.5\n-1 2:-2\n2.5\n");
}

TEST_F(WriteTextTest, LabelWordsAreWritten) {
  Table table = small_table();
  table.schema.label_words = {"no", "yes"};
  table.labels = {1, 0, kNoLabel};
  table.rows[2] = {{0, 1.0F}};
  EXPECT_EQ(svmlight(table.dataset()), "yes 1:1 3:0.5\nno 2:-2\n1:1\n");
  EXPECT_EQ(csv(table.dataset()), "label,1,2,3\nyes,1,0,0.5\nno,0,-2,0\n,1,0,0\n");
}

TEST_F(WriteTextTest, SvmlightRefusesWhatItCannotSay) {
  const auto refusal = [this](const Table& table) {
    return error_of([&] { write_svmlight(table.dataset(), folder_.path("out")); });
  };
  Table weighted = small_table();
  weighted.weights = {1, 2, 3};
  EXPECT_EQ(refusal(weighted),
            "svmlight cannot store row weights; use CSV or the binary format instead");

  for (const std::string word : {"two words", "", "1st", "a:b", "a#b", "NaN", "inf", "Infinity"}) {
    Table table = small_table();
    table.labels = {0, 0, 0};
    table.schema.label_words = {word};
    EXPECT_NE(refusal(table).find("the label '" + word + "' cannot be written as svmlight"),
              std::string::npos)
        << refusal(table);
  }

  Table silent = small_table();
  silent.labels = {1, 1, kNoLabel};
  EXPECT_NE(refusal(silent).find("row 3 has neither a label nor a feature"), std::string::npos);

  Table beyond = small_table();
  beyond.schema.label_words = {"a", "b"};
  for (const double label : {2.0, -1.0, 0.5}) {
    beyond.labels = {0, 1, label};
    EXPECT_NE(refusal(beyond).find("no such label word"), std::string::npos);
  }

  Table unnamed = small_table();
  unnamed.schema.indices = IndexMap::of_seen(1, {5, 7});
  EXPECT_NE(refusal(unnamed).find("2 indices for 3 features"), std::string::npos);
}

// The complaint names the first such row, whichever thread finds one first.
TEST_F(WriteTextTest, FirstImpossibleRowIsNamed) {
  Table table;
  table.features = 1;
  table.schema.indices = IndexMap::contiguous(1, 1);
  table.rows.resize(200'000);
  table.labels.assign(200'000, 1);
  table.rows[0] = {{0, 1.0F}};
  for (const std::size_t i : {100'000u, 100'001u, 199'999u}) table.labels[i] = kNoLabel;
  const Dataset data = table.dataset();
  for (const int threads : {1, 2, 8}) {
    const std::string error =
        error_of([&] { write_svmlight(data, folder_.path("out"), {.threads = threads}); });
    EXPECT_TRUE(error.starts_with("row 100001 has neither")) << error;
  }
}

TEST_F(WriteTextTest, CsvHasACellForEverything) {
  Table table = small_table();
  EXPECT_EQ(csv(table.dataset()), "label,1,2,3\n1,1,0,0.5\n-1,0,-2,0\n2.5,0,0,0\n");
  table.dense = true;
  table.weights = {1, 0.1, 1e100};
  EXPECT_EQ(csv(table.dataset()),
            "label,weight,1,2,3\n1,1,1,0,0.5\n-1,0.1,0,-2,0\n2.5,1e+100,0,0,0\n");
  table.labels.clear();
  table.weights.clear();
  EXPECT_EQ(csv(table.dataset()), "label,1,2,3\n,1,0,0.5\n,0,-2,0\n,0,0,0\n");
}

TEST_F(WriteTextTest, CsvNamesAndQuotesColumns) {
  Table table = small_table();
  table.features = 5;
  table.schema = Schema();
  table.schema.source = DataFormat::csv;
  CsvLayout layout;
  layout.delimiter = ';';
  using Role = CsvColumn::Role;
  layout.columns = {
      {.name = "city", .role = Role::words, .words = {"Paris", "Rome, IT"}, .first_feature = 3},
      {.name = "id", .role = Role::ignored},
      {.name = "age", .role = Role::number, .first_feature = 0},
      {.name = "y", .role = Role::label},
      {.name = "size \"net\"", .role = Role::number, .first_feature = 1},
      {.name = " blank", .role = Role::number, .first_feature = 2}};
  table.schema.csv = layout;
  table.schema.label_words = {"a,b", "line\nbreak", "plain"};
  table.labels = {0, 1, 2};
  table.rows[0][3] = 1.0F;
  table.rows[1][4] = 1.0F;
  EXPECT_EQ(csv(table.dataset()),
            "label,age,\"size \"\"net\"\"\",\" blank\",city=Paris,\"city=Rome, IT\"\n"
            "\"a,b\",1,0,0.5,1,0\n"
            "\"line\nbreak\",0,-2,0,0,1\n"
            "plain,0,0,0,0,0\n");
  table.schema.feature_names = {"v", "w", "x", "y", "z"};
  EXPECT_TRUE(csv(table.dataset()).starts_with("label,v,w,x,y,z\n"));
}

TEST_F(WriteTextTest, CsvHeaderNamesWhatTheSchemaNames) {
  Table table = small_table();
  table.schema.csv = CsvLayout();
  table.schema.csv->columns = {
      {.name = "a", .role = CsvColumn::Role::number, .first_feature = 0},
      {.name = "b", .role = CsvColumn::Role::words, .words = {"u", "v"}, .first_feature = 1}};
  const Dataset data = table.dataset();
  std::string expected = "label";
  for (FeatureId id = 0; id < 3; ++id) expected += "," + data.schema().feature_name(id);
  EXPECT_TRUE(csv(data).starts_with(expected + "\n"));
}

TEST(CsvCell, QuotesWhereItMust) {
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("a b"), "a b");
  EXPECT_EQ(csv_cell(""), "");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_cell("\""), "\"\"\"\"");
  EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_cell("a\rb"), "\"a\rb\"");
  EXPECT_EQ(csv_cell(" a"), "\" a\"");
  EXPECT_EQ(csv_cell("a\t"), "\"a\t\"");
}

TEST_F(WriteTextTest, CsvRefusesTooManyColumns) {
  Table table;
  table.features = CsvText::kMostFeatures + 1;
  table.rows.resize(1);
  table.labels = {1};
  table.schema.indices = IndexMap::contiguous(1, table.features);
  EXPECT_NE(error_of([&] {
              write_csv(table.dataset(), folder_.path("out"));
            }).find("use svmlight or the binary format instead"),
            std::string::npos);
}

// Enough rows for many blocks.
Table large_table(bool dense) {
  Table table;
  table.features = 40;
  table.dense = dense;
  table.schema.indices = IndexMap::contiguous(1, 40);
  Random random(5, 0);
  for (int i = 0; i < 5000; ++i) {
    table.labels.push_back(random.normal());
    auto& row = table.rows.emplace_back();
    for (FeatureId id = 0; id < 40; ++id) {
      if (random.below(4) == 0) row[id] = static_cast<float>(random.normal());
    }
  }
  return table;
}

TEST_F(WriteTextTest, BytesDoNotDependOnThreads) {
  for (const bool dense : {false, true}) {
    const Dataset data = large_table(dense).dataset();
    const std::string svmlight_bytes = svmlight(data, {.threads = 1});
    const std::string csv_bytes = csv(data, {.threads = 1});
    EXPECT_EQ(std::count(svmlight_bytes.begin(), svmlight_bytes.end(), '\n'), 5000);
    EXPECT_EQ(std::count(csv_bytes.begin(), csv_bytes.end(), '\n'), 5001);
    for (const int threads : {2, 3, 8}) {
      EXPECT_TRUE(svmlight(data, {.threads = threads}) == svmlight_bytes);
      EXPECT_TRUE(csv(data, {.threads = threads}) == csv_bytes);
    }
    write_svmlight(data, folder_.path("out"));
    EXPECT_TRUE(image_of(read_dataset(folder_.path("out")).data) == image_of(data));
  }
}

TEST_F(WriteTextTest, WatcherSeesTheRowsAndMayStop) {
  const Dataset data = large_table(false).dataset();
  std::vector<std::uint64_t> seen;
  WriteOptions options;
  options.threads = 2;
  options.watch = [&seen](std::uint64_t rows) {
    seen.push_back(rows);
    return true;
  };
  svmlight(data, options);
  EXPECT_GT(seen.size(), 1u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 5000u);

  folder_.file("out", "old");
  options.watch = [](std::uint64_t) { return false; };
  EXPECT_THROW(write_svmlight(data, folder_.path("out"), options), Cancelled);
  EXPECT_THROW(write_csv(data, folder_.path("out"), options), Cancelled);
  EXPECT_EQ(contents_of(folder_.path("out")), "old");
}

TEST(WriteOptions, RejectImpossibleThreads) {
  for (const int threads : {-1, 1025}) {
    EXPECT_THROW((WriteOptions{.threads = threads}.validate()), InvalidOption);
  }
  EXPECT_NO_THROW(WriteOptions{}.validate());
}

}  // namespace
}  // namespace pegasos
