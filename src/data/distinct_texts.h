// Which of many texts are there already: a set of views, in one array.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/word_table.h"

namespace pegasos {

class DistinctTexts {
 public:
  // For at most so many texts.
  explicit DistinctTexts(std::size_t most) : slots_(std::bit_ceil(2 * most + 1)) {}

  // Whether it was not there. The text must stay where it is.
  bool insert(std::string_view text) {
    const std::uint64_t hash = hash_of_term(text);
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].text.data() != nullptr; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == hash && slots_[at].text == text) return false;
    }
    slots_[at] = {hash, text};
    ++size_;
    return true;
  }

  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::string_view text;  // null: free
  };

  std::vector<Slot> slots_;  // a power of two of them, at most half in use
  std::size_t size_ = 0;
};

}  // namespace pegasos
