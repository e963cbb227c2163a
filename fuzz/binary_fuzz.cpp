// The binary data file. Checksums and offsets would stop almost every mutation, so the target also
// puts the sections into a sound container: what is tested is the checking behind it. Bytes that
// do not begin as a binary file are text, which other targets read.
#include <string>
#include <string_view>

#include "reading.h"
#include "support/section_bytes.h"

namespace {

constexpr std::string_view kMagic = "\x89PGD\r\n\x1a\n";

void read_binary(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return;
  pegasos::fuzz::read_and_walk(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                               {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_binary(bytes);
  read_binary(pegasos::testing::put_together(kMagic, 1, pegasos::testing::taken_apart(bytes)));
  return 0;
}
