// The JSON Lines reader.
#include "reading.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pegasos::ReadOptions options;
  options.format = pegasos::DataFormat::json_lines;
  pegasos::fuzz::read_and_walk(data, size, options);
  return 0;
}
