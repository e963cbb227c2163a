// The binary data file. Checksums and offsets would stop almost every mutation, so the target also
// puts the sections into a sound container: what is tested is the checking behind it.
#include <string>

#include "reading.h"
#include "support/section_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pegasos::fuzz::read_and_walk(data, size, {});
  const std::string sealed = pegasos::testing::put_together(
      "\x89PGD\r\n\x1a\n", 1,
      pegasos::testing::taken_apart({reinterpret_cast<const char*>(data), size}));
  pegasos::fuzz::read_and_walk(reinterpret_cast<const std::uint8_t*>(sealed.data()), sealed.size(),
                               {});
  return 0;
}
