#include "data/term_key.h"

// Terms are short: the call into the library would take as long as the hash.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace pegasos::term_key {

std::uint64_t of_long(std::string_view text, bool is_marked) {
  return kIsHash | XXH3_64bits_withSeed(text.data(), text.size(), is_marked ? 8 : 0);
}

}  // namespace pegasos::term_key
