// The binary data file: round trip, and no damaged or hostile file is ever accepted.
#include "data/binary_format.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/read.h"
#include "pegasos/write.h"
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

TEST_F(Damaged, EveryFlippedBitIsRefusedOrWithoutMeaning) {
  const Dataset expected = read_dataset_from_memory(good_, "good").data;
  for (std::size_t bit = 0; bit < 8 * good_.size(); ++bit) {
    std::string bytes = good_;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    try {
      // Only the padding between sections is not under a checksum.
      expect_equal(expected, read_dataset_from_memory(bytes, "damaged").data);
      EXPECT_EQ(good_[bit / 8], '\0') << "byte " << bit / 8;
    } catch (const Error&) {
    }
  }
}

// A hostile writer computes good checksums over bad contents.
class Hostile : public Damaged {
 protected:
  struct Section {
    std::uint32_t kind, zero;
    std::uint64_t offset, bytes, checksum;
  };
  template <typename T>
  T at(std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  template <typename T>
  void put(std::size_t offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  std::size_t section_at(std::uint32_t kind) const {
    for (std::size_t i = 0; i < at<std::uint32_t>(12); ++i) {
      if (at<std::uint32_t>(64 + 32 * i) == kind) return 64 + 32 * i;
    }
    return 0;
  }
  std::size_t contents_at(std::uint32_t kind) const {
    return static_cast<std::size_t>(at<std::uint64_t>(section_at(kind) + 8));
  }
  void seal() {
    const std::size_t sections = at<std::uint32_t>(12);
    for (std::size_t i = 0; i < sections && 96 + 32 * i <= bytes_.size(); ++i) {
      const auto offset = at<std::uint64_t>(64 + 32 * i + 8);
      const auto size = at<std::uint64_t>(64 + 32 * i + 16);
      if (offset > bytes_.size() || size > bytes_.size() - offset) continue;
      put(64 + 32 * i + 24, std::uint64_t{XXH3_64bits(bytes_.data() + offset, size)});
    }
    std::string header = bytes_.substr(0, 56) + bytes_.substr(64, 32 * sections);
    put(56, std::uint64_t{XXH3_64bits(header.data(), header.size())});
  }
  bool refused_when_sealed() {
    seal();
    return refused(bytes_);
  }
  void SetUp() override { bytes_ = good_; }
  std::string bytes_;
};

TEST_F(Hostile, SealingWorks) {
  EXPECT_FALSE(refused_when_sealed());
}

TEST_F(Hostile, FeatureIdBeyondTheFeatures) {
  put(contents_at(2), std::uint32_t{7});
  EXPECT_TRUE(refused_when_sealed());
}

TEST_F(Hostile, OffsetsThatGoBackOrTooFar) {
  put(contents_at(1) + 8, std::uint64_t{5000});
  EXPECT_TRUE(refused_when_sealed());
  bytes_ = good_;
  put(contents_at(1) + 8, ~std::uint64_t{0});
  EXPECT_TRUE(refused_when_sealed());
  bytes_ = good_;
  put(contents_at(1) + 32, std::uint64_t{5000});
  EXPECT_TRUE(refused_when_sealed());
}

TEST_F(Hostile, ValuesThatAreNotFinite) {
  put(contents_at(3), std::uint32_t{0x7fc00000});
  EXPECT_TRUE(refused_when_sealed());
  put(contents_at(3), std::uint32_t{0xff800000});
  EXPECT_TRUE(refused_when_sealed());
}

TEST_F(Hostile, CountsThatOverflow) {
  for (const std::size_t field : {16, 24, 32}) {
    for (const std::uint64_t value :
         {~std::uint64_t{0}, std::uint64_t{1} << 61, std::uint64_t{1} << 32, std::uint64_t{0}}) {
      bytes_ = good_;
      put(field, value);
      EXPECT_TRUE(refused_when_sealed()) << field << " = " << value;
    }
  }
}

TEST_F(Hostile, SectionsOutsideTheFile) {
  for (const std::size_t field : {8, 16}) {
    for (const std::uint64_t value : {~std::uint64_t{63}, std::uint64_t{1} << 40}) {
      bytes_ = good_;
      put(section_at(3) + field, value);
      EXPECT_TRUE(refused_when_sealed());
    }
  }
}

TEST_F(Hostile, TooManySections) {
  put(12, std::uint32_t{0xffffffff});
  EXPECT_TRUE(refused(bytes_));
}

TEST_F(Hostile, SchemaThatIsNotOurs) {
  bytes_[contents_at(6)] = '[';
  EXPECT_TRUE(refused_when_sealed());
}

TEST_F(Hostile, AnotherVersion) {
  put(8, std::uint32_t{2});
  seal();
  try {
    read_dataset_from_memory(bytes_, "newer");
    FAIL();
  } catch (const CorruptFile& error) {
    EXPECT_EQ(error.offset(), 8u);
    EXPECT_NE(std::string(error.what()).find("version 2"), std::string::npos);
  }
}

}  // namespace
}  // namespace pegasos
