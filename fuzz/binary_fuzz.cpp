// The binary data file. Checksums would stop almost every mutation, so the target repairs them:
// what is tested is the checking behind them.
#include <xxhash.h>

#include <cstring>
#include <string>

#include "reading.h"

namespace {

template <typename T>
T load(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void store(std::string& bytes, std::size_t at, std::uint64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// See src/data/binary_format.h for the layout.
void seal(std::string& bytes) {
  if (bytes.size() < 64) return;
  bytes.replace(0, 12, std::string("\x89PGD\r\n\x1a\n\x01\0\0\0", 12));
  store(bytes, 48, bytes.size());
  const std::size_t sections = load<std::uint32_t>(bytes, 12) % 17;
  bytes[12] = static_cast<char>(sections);
  bytes[13] = bytes[14] = bytes[15] = 0;
  if (bytes.size() < 64 + 32 * sections) return;
  for (std::size_t i = 0; i < sections; ++i) {
    const auto offset = load<std::uint64_t>(bytes, 64 + 32 * i + 8);
    const auto size = load<std::uint64_t>(bytes, 64 + 32 * i + 16);
    if (offset > bytes.size() || size > bytes.size() - offset) continue;
    store(bytes, 64 + 32 * i + 24, XXH3_64bits(bytes.data() + offset, size));
  }
  const std::string header = bytes.substr(0, 56) + bytes.substr(64, 32 * sections);
  store(bytes, 56, XXH3_64bits(header.data(), header.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  pegasos::fuzz::read_and_walk(data, size, {});
  seal(bytes);
  pegasos::fuzz::read_and_walk(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                               {});
  return 0;
}
