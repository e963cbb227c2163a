// The binary data file: round trip, and no damaged or hostile file is ever accepted.
#include "data/binary_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/residency.h"
#include "data/data_cache.h"
#include "pegasos/error.h"
#include "pegasos/read.h"
#include "pegasos/write.h"
#include "support/section_bytes.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::contents_of;
using testing::TemporaryFolder;

Dataset from_text(const std::string& text, bool keep_sparse = true) {
  ReadOptions options;
  options.keep_sparse = keep_sparse;
  return read_dataset_from_memory(text, "memory", options).data;
}

void expect_equal(const Dataset& a, const Dataset& b) {
  ASSERT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.features(), b.features());
  EXPECT_EQ(a.is_dense(), b.is_dense());
  EXPECT_EQ(a.schema(), b.schema());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    EXPECT_EQ(a.label(i), b.label(i));
    const RowView left = a.row(i);
    const RowView right = b.row(i);
    EXPECT_TRUE(std::equal(left.ids.begin(), left.ids.end(), right.ids.begin(), right.ids.end()));
    EXPECT_TRUE(std::equal(left.values.begin(), left.values.end(), right.values.begin(),
                           right.values.end()));
  }
}

const char* const kText = "spam 1:0.5 3:2\nham 2:1\nspam\nham 1:-4 2:8 3:1e-20\n";

TEST(BinaryFormat, RoundTripsSparseDenseAndScattered) {
  TemporaryFolder folder;
  for (const auto& data : {from_text(kText), from_text("1 1:1 2:2\n-1 1:3 2:4\n", false),
                           from_text("1 4000000000:1\n-1 17:2\n")}) {
    const std::string path = folder.path("data.pgd");
    write_binary(data, path);
    const auto back = read_dataset(path);
    EXPECT_EQ(back.notes.format, DataFormat::binary);
    expect_equal(data, back.data);
  }
}

TEST(BinaryFormat, WritesASliceAsAWholeFile) {
  TemporaryFolder folder;
  const Dataset data = from_text(kText);
  write_binary(data.slice(1, 3), folder.path("slice.pgd"));
  const Dataset back = read_dataset(folder.path("slice.pgd")).data;
  ASSERT_EQ(back.rows(), 3u);
  EXPECT_EQ(back.row(2).values[1], 8.0F);
}

TEST(BinaryFormat, ReadsCompressedBinary) {
  TemporaryFolder folder;
  const Dataset data = from_text(kText);
  write_binary(data, folder.path("data.pgd"));
  const std::string command = "gzip '" + folder.path("data.pgd") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  expect_equal(data, read_dataset(folder.path("data.pgd.gz")).data);
}

class Damaged : public ::testing::Test {
 protected:
  Damaged() {
    write_binary(from_text(kText), folder_.path("good.pgd"));
    good_ = contents_of(folder_.path("good.pgd"));
  }
  static bool refused(const std::string& bytes) {
    try {
      read_dataset_from_memory(bytes, "damaged");
    } catch (const Error&) {
      return true;
    }
    return false;
  }
  TemporaryFolder folder_;
  std::string good_;
};

TEST_F(Damaged, TruncationAtEveryByteIsRefused) {
  ASSERT_FALSE(refused(good_));
  for (std::size_t size = 0; size < good_.size(); ++size) {
    EXPECT_TRUE(refused(good_.substr(0, size))) << size;
  }
  EXPECT_TRUE(refused(good_ + '\0'));
}

TEST_F(Damaged, EveryFlippedBitIsRefused) {
  for (std::size_t bit = 0; bit < 8 * good_.size(); ++bit) {
    std::string bytes = good_;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_TRUE(refused(bytes)) << "bit " << bit;
  }
}

// A hostile writer puts bad contents into a sound container.
class Hostile : public Damaged {
 protected:
  void SetUp() override { reset(); }
  void reset() { sections_ = testing::taken_apart(good_); }
  template <typename T>
  void put(std::uint32_t kind, std::size_t offset, T value) {
    testing::put_value(testing::section_in(sections_, kind), offset, value);
  }
  bool refused_when_sealed() { return refused(testing::put_together(kBinaryMagic, 1, sections_)); }
  std::vector<testing::SectionBytes> sections_;
};

TEST_F(Hostile, SealingWorks) {
  EXPECT_FALSE(refused_when_sealed());
}

TEST_F(Hostile, FeatureIdBeyondTheFeatures) {
  put(2, 0, std::uint32_t{7});
  EXPECT_TRUE(refused_when_sealed());
}

TEST_F(Hostile, OffsetsThatGoBackOrTooFar) {
  put(1, 8, std::uint64_t{5000});
  EXPECT_TRUE(refused_when_sealed());
  reset();
  put(1, 8, ~std::uint64_t{0});
  EXPECT_TRUE(refused_when_sealed());
  reset();
  put(1, 32, std::uint64_t{5000});
  EXPECT_TRUE(refused_when_sealed());
}

TEST_F(Hostile, ValuesThatAreNotFinite) {
  put(3, 0, std::uint32_t{0x7fc00000});
  EXPECT_TRUE(refused_when_sealed());
  put(3, 0, std::uint32_t{0xff800000});
  EXPECT_TRUE(refused_when_sealed());
}

TEST_F(Hostile, CountsThatOverflow) {
  for (const std::size_t field : {0, 8, 16}) {
    for (const std::uint64_t value :
         {~std::uint64_t{0}, std::uint64_t{1} << 61, std::uint64_t{1} << 32, std::uint64_t{0}}) {
      reset();
      put(8, field, value);
      EXPECT_TRUE(refused_when_sealed()) << field << " = " << value;
    }
  }
}

TEST_F(Hostile, UnknownLayout) {
  put(8, 24, std::uint32_t{2});
  EXPECT_TRUE(refused_when_sealed());
  reset();
  put(8, 28, std::uint32_t{1});
  EXPECT_TRUE(refused_when_sealed());
}

TEST_F(Hostile, EverySectionMissingOrShort) {
  for (const std::uint32_t kind : {1, 2, 3, 6, 8}) {
    reset();
    std::erase_if(sections_, [kind](const auto& section) { return section.kind == kind; });
    EXPECT_TRUE(refused_when_sealed()) << kind;
  }
  for (const std::uint32_t kind : {1, 2, 3, 4, 6, 8}) {
    reset();
    testing::section_in(sections_, kind).pop_back();
    EXPECT_TRUE(refused_when_sealed()) << kind;
  }
}

TEST_F(Hostile, SchemaThatIsNotOurs) {
  const std::string good = testing::section_in(sections_, 6);
  const std::pair<std::string, std::string> changes[] = {
      {R"("index_base":1)", R"("index_base":2)"},
      {R"("index_base":1)", R"("index_base":-1)"},
      {R"("index_base":1)", R"("index_base":1.0)"},
      {R"("index_base":1)", R"("index_base":1e300)"},
      {R"("index_base":1)", R"("index_base":"1")"},
      {R"("index_count":3)", R"("index_count":4)"},
      {R"("index_count":3)", R"("index_count":18446744073709551615)"},
      {R"(["ham","spam"])", R"(["spam","ham"])"},
      {R"(["ham","spam"])", R"(["ham","ham"])"},
      {R"(["ham","spam"])", R"(["ham",7])"},
      {R"(["ham","spam"])", R"({"bytes":"ham"})"},
      {R"("feature_names":[])", R"("feature_names":["one"])"},
      {R"("source":"svmlight")", R"("source":"magic")"},
      {"{", "["}};
  for (const auto& [from, to] : changes) {
    reset();
    std::string& schema = testing::section_in(sections_, 6);
    const auto place = schema.find(from);
    ASSERT_NE(place, std::string::npos) << from << " in " << schema;
    schema.replace(place, from.size(), to);
    EXPECT_TRUE(refused_when_sealed()) << to;
  }
}

TEST_F(Hostile, IndexMapThatDoesNotAscendOrFit) {
  write_binary(from_text("1 4000000000:1\n-1 17:2\n"), folder_.path("scattered.pgd"));
  good_ = contents_of(folder_.path("scattered.pgd"));
  reset();
  EXPECT_FALSE(refused_when_sealed());
  put(7, 0, std::uint32_t{4000000000});
  EXPECT_TRUE(refused_when_sealed());
  put(7, 0, std::uint32_t{0});  // below the index base
  EXPECT_TRUE(refused_when_sealed());
  reset();
  testing::section_in(sections_, 7).resize(4);
  EXPECT_TRUE(refused_when_sealed());
}

TEST_F(Hostile, LabelsThatAreNoWord) {
  for (const double label : {2.0, 1e6, -1.0, 0.5}) {
    reset();
    put(4, 0, label);
    EXPECT_TRUE(refused_when_sealed()) << label;
  }
}

TEST_F(Hostile, AnotherVersion) {
  const std::string bytes = testing::put_together(kBinaryMagic, 2, sections_);
  try {
    read_dataset_from_memory(bytes, "newer");
    FAIL();
  } catch (const CorruptFile& error) {
    EXPECT_EQ(error.offset(), 8u);
    EXPECT_NE(std::string(error.what()).find("version 2"), std::string::npos);
  }
}

TEST(BinaryFormat, KeepsNamesThatAreNotUtf8) {
  TemporaryFolder folder;
  const Dataset data = from_text("caf\xe9 1:1\nth\xc3\xa9 2:1\n\xff\xfe 1:3\n");
  write_binary(data, folder.path("latin1.pgd"));
  expect_equal(data, read_dataset(folder.path("latin1.pgd")).data);
}

// A cache is opened without reading its rows; the first pass over them finds damage.
TEST(DataCache, FindsDamageAtOnceOrInTheFirstPass) {
  TemporaryFolder folder;
  const auto path = folder.path("a.cache.pgd");
  const Dataset data = from_text(kText);
  write_binary_cache(data, 77, path);
  const std::string whole = contents_of(path);
  ThreadPool pool(1);
  const auto residency = std::make_shared<Residency>(1 << 20, folder.path(""));
  {
    const auto opened = open_cache(path, 77, residency, pool);
    ASSERT_TRUE(opened);
    EXPECT_TRUE(opened->data.is_paged());
    expect_equal(data, opened->data);
    opened->check(pool);
    EXPECT_FALSE(open_cache(path, 78, residency, pool)) << "the key of other data";
  }
  EXPECT_EQ(read_dataset(path).data.rows(), data.rows()) << "it is an ordinary binary file";
  std::size_t at_once = 0;
  std::size_t in_first_pass = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    folder.file("a.cache.pgd", damaged);
    const auto opened = open_cache(path, 77, residency, pool);
    if (!opened) {
      ++at_once;
      continue;
    }
    EXPECT_THROW(opened->check(pool), CorruptFile) << at;
    ++in_first_pass;
  }
  // Feature ids and values: 6 non-zeros of 8 bytes.
  EXPECT_EQ(in_first_pass, 6 * 8U);
  EXPECT_EQ(at_once + in_first_pass, whole.size());
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    folder.file("a.cache.pgd", whole.substr(0, size));
    EXPECT_FALSE(open_cache(path, 77, residency, pool)) << size;
  }
}

TEST(DataCache, TheKeyFollowsContentsAndOptions) {
  TemporaryFolder folder;
  const auto path = folder.file("a.svm", "1 1:1\n-1 2:1\n");
  const auto key = cache_key(path, {});
  EXPECT_EQ(key, cache_key(path, {}));
  EXPECT_EQ(key, cache_key(path, {.threads = 1}));
  EXPECT_NE(key, cache_key(path, {.index_base = 0}));
  const auto time = std::filesystem::last_write_time(path);
  folder.file("a.svm", "1 1:1\n-1 2:2\n");
  std::filesystem::last_write_time(path, time);
  EXPECT_NE(key, cache_key(path, {})) << "the same size and time";
}

TEST(DataCache, RowsInFilesAreThoseInMemory) {
  TemporaryFolder folder;
  for (const char* text : {kText, "1 1:1 2:2\n-1 1:3 2:4\n", "1 4000000000:1\n-1 17:2\n",
                           "label,a,b\nx,1,red\ny,,blue\nx,3,red\n"}) {
    const auto path = folder.file("data", text);
    const auto expected = read_dataset(path);
    const auto residency = std::make_shared<Residency>(1 << 20, folder.path(""));
    const auto spooled = read_dataset(path, {.residency = residency});
    EXPECT_TRUE(spooled.data.is_paged());
    expect_equal(expected.data, spooled.data);
  }
}

}  // namespace
}  // namespace pegasos
