// Any bytes with nothing said about them: format detection, decompressors, text and binary.
#include "reading.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pegasos::fuzz::read_and_walk(data, size, {});
  return 0;
}
