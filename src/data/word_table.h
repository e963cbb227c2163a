// The distinct words of the words columns, numbered in the order they are first seen.
//
// A flat hash table over (column, text). Looking up a word that is there allocates nothing, which
// is what nearly every cell of a words column comes to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "data/row_block.h"

namespace pegasos {

// What a term of a hashed text column is numbered by.
std::uint64_t hash_of_term(std::string_view term);

class WordTable {
 public:
  // The number of a word, a new one if it was not there.
  std::uint32_t add(std::uint32_t column, std::string_view text);

  // The number of a word that is there.
  std::optional<std::uint32_t> find(std::uint32_t column, std::string_view text) const;

  const std::vector<RowBlock::Word>& words() const { return words_; }
  // Hands the words out; the table is empty afterwards.
  std::vector<RowBlock::Word> take_words();

 private:
  struct Slot {
    std::uint32_t hash = 0;   // the upper half of the word's; the lower half chose the slot
    std::uint32_t entry = 0;  // 1 + the word's number; 0: free
  };

  // The slot that holds the word, or the free one where it belongs. There must be a free one.
  std::size_t slot_of(std::uint64_t hash, std::uint32_t column, std::string_view text) const;
  void grow();

  std::vector<RowBlock::Word> words_;
  std::vector<Slot> slots_;  // a power of two of them, at most half in use
};

}  // namespace pegasos
