#include "base/archive.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pegasos {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Things {
  double number = 0;
  bool flag = false;
  Colour colour = Colour::red;
  std::string text = {};
  std::vector<std::uint32_t> counts = {};
  std::vector<double> fixed = std::vector<double>(3);
  std::optional<double> maybe = {};
  std::optional<double> nothing = 1.0;

  template <typename Archive>
  void archive(Archive& a) {
    a(number, flag, colour, text, counts, maybe, nothing);
    a.fixed(fixed);
  }
};

std::string written(Things& things) {
  ArchiveWriter writer;
  writer(things);
  return std::move(writer).bytes();
}

Things some_things() {
  Things things;
  things.number = -0.1;
  things.flag = true;
  things.colour = Colour::green;
  things.text = std::string("a\0b", 3);
  things.counts = {1, 2, 0xffffffff};
  things.fixed = {1.5, -2.5, 1e300};
  things.maybe = 7.0;
  things.nothing.reset();
  return things;
}

TEST(Archive, ReadsWhatWasWritten) {
  Things things = some_things();
  const std::string bytes = written(things);
  Things back;
  ArchiveReader reader(bytes);
  reader(back);
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(back.number, things.number);
  EXPECT_EQ(back.flag, things.flag);
  EXPECT_EQ(back.colour, things.colour);
  EXPECT_EQ(back.text, things.text);
  EXPECT_EQ(back.counts, things.counts);
  EXPECT_EQ(back.fixed, things.fixed);
  EXPECT_EQ(back.maybe, things.maybe);
  EXPECT_EQ(back.nothing, things.nothing);
}

TEST(Archive, RefusesBytesThatEndTooSoonOrPromiseTooMuch) {
  Things things = some_things();
  const std::string bytes = written(things);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Things back;
    ArchiveReader reader(std::string_view(bytes).substr(0, size));
    EXPECT_THROW(reader(back), Error) << size;
  }
  std::uint64_t endless = ~std::uint64_t{0};
  ArchiveWriter writer;
  writer(endless);
  const std::string promise = std::move(writer).bytes();
  std::vector<double> values;
  ArchiveReader reader(promise);
  EXPECT_THROW(reader(values), Error);
}

TEST(Archive, RefusesAnArrayOfAnotherLength) {
  Things things = some_things();
  things.fixed.push_back(4.0);
  const std::string bytes = written(things);
  Things back;
  ArchiveReader reader(bytes);
  EXPECT_THROW(reader(back), Error);
}

}  // namespace
}  // namespace pegasos
