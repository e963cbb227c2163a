// The checkpoint file, as it is and with its sections put into a sound container. What is loaded
// must not be larger than the file.
#include <cstdlib>
#include <string>

#include "pegasos/checkpoint.h"
#include "pegasos/error.h"
#include "support/section_bytes.h"

namespace {

void load(const std::string& bytes) {
  try {
    const pegasos::Checkpoint checkpoint = pegasos::load_checkpoint_from_memory(bytes, "fuzz");
    std::size_t size = 0;
    for (const auto& [name, part] : checkpoint.parts) size += name.size() + part.size();
    if (size > bytes.size()) std::abort();
  } catch (const pegasos::CorruptFile&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  load(bytes);
  load(std::string(pegasos::testing::put_together("\x89PGC\r\n\x1a\n", 1,
                                                  pegasos::testing::taken_apart(bytes))));
  return 0;
}
