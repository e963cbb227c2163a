// Compressed input: every format, several members, damage, bombs.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <string>

#include "pegasos/error.h"
#include "pegasos/read.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::contents_of;
using testing::TemporaryFolder;

std::string sample(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    text += (i % 2 == 0 ? "+1 1:" : "-1 2:") + std::to_string(i) + " 7:0.25\n";
  }
  return text;
}

void shell(const std::string& command) {
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

struct Tool {
  friend void PrintTo(const Tool& tool, std::ostream* out) { *out << tool.name; }
  const char* command;
  const char* name;
};

class Compressed : public ::testing::TestWithParam<Tool> {
 protected:
  std::string pack(const std::string& text) {
    const std::string plain = folder_.file("plain", text);
    shell(std::string(GetParam().command) + " -c '" + plain + "' > '" + folder_.path("packed") +
          "'");
    return folder_.path("packed");
  }
  TemporaryFolder folder_;
};

TEST_P(Compressed, ReadsByContentNotByName) {
  const auto result = read_dataset(pack(sample(50000)));
  EXPECT_EQ(result.notes.compression, GetParam().name);
  EXPECT_EQ(result.data.rows(), 50000u);
  const auto plain = read_dataset(folder_.path("plain"));
  for (std::size_t i = 0; i < 50000; i += 777) {
    EXPECT_EQ(result.data.row(i).values[0], plain.data.row(i).values[0]);
  }
}

TEST_P(Compressed, ReadsSeveralMembersInARow) {
  const std::string one = contents_of(pack(sample(10)));
  const std::string both = folder_.file("both", one + one);
  EXPECT_EQ(read_dataset(both).data.rows(), 20u);
}

TEST_P(Compressed, RefusesEveryTruncation) {
  const std::string packed = contents_of(pack(sample(40)));
  for (std::size_t size = 6; size < packed.size(); ++size) {
    EXPECT_THROW(read_dataset_from_memory(std::string_view(packed).substr(0, size), "cut"),
                 ParseError)
        << size;
  }
}

TEST_P(Compressed, NoticesDamage) {
  const std::string packed = contents_of(pack(sample(2000)));
  int refused = 0;
  for (std::size_t at = packed.size() / 2; at < packed.size() / 2 + 40; ++at) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    try {
      const auto result = read_dataset_from_memory(damaged, "damaged");
      EXPECT_EQ(result.data.rows(), 2000u);
    } catch (const ParseError&) {
      ++refused;
    }
  }
  EXPECT_GE(refused, 39);  // a bit without meaning is possible in a header, not here
}

TEST_P(Compressed, RefusesBombsAtACapThatCanBeRaised) {
  const std::string path = pack(sample(300000));
  ReadOptions options;
  options.max_decompressed = 1'000'000;
  try {
    read_dataset(path, options);
    FAIL() << "accepted";
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find("decompression bomb"), std::string::npos);
    EXPECT_NE(error.diagnostics()[0].hint.find("max_decompressed=100G"), std::string::npos);
  }
  options.max_decompressed = 100'000'000;
  EXPECT_EQ(read_dataset(path, options).data.rows(), 300000u);
}

INSTANTIATE_TEST_SUITE_P(Tools, Compressed,
                         ::testing::Values(Tool{"gzip", "gzip"}, Tool{"bzip2", "bzip2"},
                                           Tool{"xz", "xz"}, Tool{"zstd -q", "zstd"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

// A real bomb: 2 GiB of blank lines in 2 MB of gzip. The default cap stops it early.
TEST(Decompress, StopsABombByDefault) {
  TemporaryFolder folder;
  gzFile out = gzopen(folder.path("member.gz").c_str(), "wb9");
  const std::string blank = std::string((1 << 24) - 1, ' ') + "\n";
  gzwrite(out, blank.data(), static_cast<unsigned>(blank.size()));
  gzclose(out);
  const std::string member = contents_of(folder.path("member.gz"));
  std::string bomb;
  for (int i = 0; i < 128; ++i) bomb += member;
  EXPECT_THROW(read_dataset_from_memory(bomb, "bomb"), ParseError);
}

TEST(Decompress, LeavesTextAloneThatOnlyLooksCompressed) {
  const std::string text = "BZh 1:1\nother 1:2\n";
  EXPECT_EQ(read_dataset_from_memory(text, "memory").data.rows(), 2u);
}

}  // namespace
}  // namespace pegasos
