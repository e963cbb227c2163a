// Section files: what is written is what the description says, and nothing else is accepted.
#include "base/section_file.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <string>
#include <vector>

#include "pegasos/error.h"
#include "support/section_bytes.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::contents_of;
using testing::put_together;
using testing::put_value;
using testing::repair_checksums;
using testing::SectionBytes;
using testing::TemporaryFolder;
using testing::value_at;

constexpr SectionFormat kFormat = {"\x89TST\r\n\x1a\n", 3, "test"};

std::string written(const std::vector<SectionBytes>& sections) {
  TemporaryFolder folder;
  std::vector<SectionContents> contents;
  for (const auto& section : sections) contents.push_back({section.kind, section.bytes});
  write_section_file(kFormat, contents, folder.path("file"));
  return contents_of(folder.path("file"));
}

SectionFile opened(const std::string& bytes) {
  ThreadPool pool(2);
  return SectionFile(kFormat, std::as_bytes(std::span<const char>(bytes)), "memory", pool);
}

// Offset and sentence of the complaint about `bytes`; fails the test if there is none.
struct Complaint {
  std::uint64_t offset = ~std::uint64_t{0};
  std::string message = "accepted";
};
Complaint complaint_about(const std::string& bytes) {
  try {
    opened(bytes);
    ADD_FAILURE() << "accepted";
    return {};
  } catch (const CorruptFile& problem) {
    return {problem.offset(), problem.what()};
  }
}

const std::vector<SectionBytes> kSections = {
    {7, "seven bytes or so"}, {2, std::string(64, 'x')}, {900, ""}, {1, std::string("\0\1\2", 3)}};

TEST(SectionFile, BytesAreThoseOfTheDescription) {
  EXPECT_EQ(written(kSections), put_together(kFormat.magic, 3, kSections));
  const std::string file = written({{5, "abc"}});
  ASSERT_EQ(file.size(), 67u);
  EXPECT_EQ(file.substr(0, 8), "\x89TST\r\n\x1a\n");
  EXPECT_EQ(value_at<std::uint32_t>(file, 8), 3u);
  EXPECT_EQ(value_at<std::uint32_t>(file, 12), 1u);
  EXPECT_EQ(value_at<std::uint64_t>(file, 16), 67u);
  EXPECT_EQ(value_at<std::uint32_t>(file, 32), 5u);
  EXPECT_EQ(value_at<std::uint64_t>(file, 40), 64u);
  EXPECT_EQ(value_at<std::uint64_t>(file, 48), 3u);
  EXPECT_EQ(value_at<std::uint64_t>(file, 56), XXH3_64bits("abc", 3));
}

TEST(SectionFile, RoundTripsAnyNumberAndSize) {
  for (std::size_t count = 0; count <= 16; ++count) {
    std::vector<SectionBytes> sections;
    for (std::size_t i = 0; i < count; ++i) {
      const auto kind = static_cast<std::uint32_t>(10 * i);
      sections.push_back({kind, std::string((17 * count + 29 * i) % 131, static_cast<char>(i))});
    }
    const std::string file = written(sections);
    EXPECT_EQ(file, put_together(kFormat.magic, 3, sections));
    const SectionFile back = opened(file);
    for (const auto& section : sections) {
      ASSERT_TRUE(back.has(section.kind));
      EXPECT_EQ(back.text(section.kind), section.bytes);
      EXPECT_EQ(back.offset_of(section.kind) % 64, 0u);
    }
    EXPECT_FALSE(back.has(5));
  }
}

TEST(SectionFile, GivesArraysInPlaceAndAsCopies) {
  const std::vector<std::uint32_t> numbers = {1, 2, 0xffffffff};
  TemporaryFolder folder;
  const SectionContents contents[] = {section_of(4, std::span<const std::uint32_t>(numbers))};
  write_section_file(kFormat, contents, folder.path("file"));
  const std::string bytes = contents_of(folder.path("file"));
  const SectionFile file = opened(bytes);
  const auto array = file.array<std::uint32_t>(4, 3);
  EXPECT_EQ(std::vector<std::uint32_t>(array.begin(), array.end()), numbers);
  EXPECT_EQ(file.values<std::uint32_t>(4), numbers);
  EXPECT_THROW(file.array<std::uint32_t>(4, 2), CorruptFile);
  EXPECT_THROW(file.array<std::uint32_t>(4, (std::uint64_t{1} << 62) + 3), CorruptFile);
  EXPECT_THROW(file.values<std::uint64_t>(4), CorruptFile);
  EXPECT_THROW(file.text(5), CorruptFile);
}

TEST(SectionFile, CopiesWorkAtAnyAddress) {
  const std::string shifted = " " + written({{4, std::string(16, 'a')}});
  ThreadPool pool(1);
  const SectionFile file(kFormat, std::as_bytes(std::span<const char>(shifted).subspan(1)), "x",
                         pool);
  EXPECT_EQ(file.values<std::uint64_t>(4), std::vector<std::uint64_t>(2, 0x6161616161616161));
}

TEST(SectionFile, TruncationAtEveryByteIsRefused) {
  const std::string good = written(kSections);
  for (std::size_t size = 0; size < good.size(); ++size) {
    complaint_about(good.substr(0, size));
  }
  complaint_about(good + '\0');
}

TEST(SectionFile, EveryFlippedBitIsRefused) {
  const std::string good = written(kSections);
  opened(good);
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bytes = good;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    complaint_about(bytes);
  }
}

// From here on every checksum is right and the file is wrong all the same.
class HostileContainer : public ::testing::Test {
 protected:
  Complaint complaint() {
    repair_checksums(bytes_);
    return complaint_about(bytes_);
  }
  std::string bytes_ = written(kSections);
};

TEST_F(HostileContainer, RepairingMakesAGoodFile) {
  repair_checksums(bytes_);
  EXPECT_EQ(opened(bytes_).text(7), "seven bytes or so");
}

TEST_F(HostileContainer, AnotherKindOfFile) {
  bytes_[1] = 'X';
  EXPECT_EQ(complaint().message, "memory: this is not a test file (at byte 0)");
}

TEST_F(HostileContainer, AnotherVersion) {
  put_value(bytes_, 8, std::uint32_t{4});
  const Complaint found = complaint();
  EXPECT_EQ(found.offset, 8u);
  EXPECT_EQ(found.message, "memory: test version 4; this program reads version 3 (at byte 8)");
}

TEST_F(HostileContainer, TooManySections) {
  for (const std::uint32_t count : {17u, 0xffffffffu}) {
    put_value(bytes_, 12, count);
    EXPECT_EQ(complaint().offset, 12u);
  }
  bytes_ = bytes_.substr(0, 100);
  put_value(bytes_, 12, std::uint32_t{16});
  EXPECT_EQ(complaint().offset, 32u);
}

TEST_F(HostileContainer, SectionsThatOverlapGapOrLieOutside) {
  for (const std::uint64_t offset :
       {std::uint64_t{0}, std::uint64_t{192}, std::uint64_t{320}, std::uint64_t{257},
        std::uint64_t{1} << 40, ~std::uint64_t{63}, ~std::uint64_t{0}}) {
    bytes_ = written(kSections);
    put_value(bytes_, 32 + 32 + 8, offset);
    EXPECT_EQ(complaint().offset, 64u) << offset;
  }
}

TEST_F(HostileContainer, SizesThatDoNotAddUp) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{1} << 63,
                                   ~std::uint64_t{0}, ~std::uint64_t{0} - 191}) {
    bytes_ = written(kSections);
    put_value(bytes_, 32 + 32 + 16, size);
    complaint();
  }
}

TEST_F(HostileContainer, PaddingReservedFieldsAndTails) {
  bytes_[32 + 4 * 32 + 1] = 1;  // the first section begins at 192
  EXPECT_EQ(complaint().offset, 161u);
  bytes_ = written(kSections);
  put_value(bytes_, 32 + 4, std::uint32_t{1});
  EXPECT_EQ(complaint().offset, 32u);
  bytes_ = written(kSections) + "tail";
  EXPECT_EQ(complaint().offset, bytes_.size() - 4);
}

TEST_F(HostileContainer, AKindTwice) {
  put_value(bytes_, 64, std::uint32_t{7});
  EXPECT_EQ(complaint().offset, 64u);
}

}  // namespace
}  // namespace pegasos
