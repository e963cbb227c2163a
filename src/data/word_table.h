// The distinct words of the words columns, numbered in the order they are first seen.
//
// A flat hash table over (column, text). Looking up a word that is there allocates nothing, which
// is what nearly every cell of a words column comes to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/row_block.h"

namespace pegasos {

// What a term of a hashed text column is numbered by.
std::uint64_t hash_of_term(std::string_view term);

// Words that are looked up together, so that the memory of all of them is on its way before the
// first is compared: a text has hundreds, and a large table answers each from memory.
class WordBatch {
 public:
  void clear() {
    bytes_.clear();
    ends_.clear();
  }
  void add(std::string_view text) {
    bytes_.append(text);
    ends_.push_back(bytes_.size());
  }
  std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t k) const {
    const std::size_t begin = k == 0 ? 0 : ends_[k - 1];
    return std::string_view(bytes_).substr(begin, ends_[k] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

class WordTable {
 public:
  // The number of a word, a new one if it was not there.
  std::uint32_t add(std::uint32_t column, std::string_view text);

  // The number of a word that is there.
  std::optional<std::uint32_t> find(std::uint32_t column, std::string_view text) const;

  // The same for many words of a column: found(number) for each, in their order; find_all leaves
  // out those that are not there.
  template <typename Found>
  void add_all(std::uint32_t column, const WordBatch& batch, const Found& found) {
    make_room_for(batch.size());
    fetch(column, batch);
    for (std::size_t k = 0; k < batch.size(); ++k) found(add(hashes_[k], column, batch[k]));
  }
  template <typename Found>
  void find_all(std::uint32_t column, const WordBatch& batch, std::vector<std::uint64_t>& hashes,
                const Found& found) const {
    if (slots_.empty()) return;
    fetch(column, batch, hashes);
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const Slot& slot = slots_[slot_of(hashes[k], column, batch[k])];
      if (slot.entry != 0) found(slot.entry - 1);
    }
  }

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
  std::uint32_t add(std::uint64_t hash, std::uint32_t column, std::string_view text);
  // The hashes of all words; their slots, and the words in these, are being fetched afterwards.
  void fetch(std::uint32_t column, const WordBatch& batch,
             std::vector<std::uint64_t>& hashes) const;
  void fetch(std::uint32_t column, const WordBatch& batch) { fetch(column, batch, hashes_); }
  void make_room_for(std::size_t more);
  void grow(std::size_t slots);

  std::vector<std::uint64_t> hashes_;  // of a batch
  std::vector<RowBlock::Word> words_;
  std::vector<Slot> slots_;  // a power of two of them, at most half in use
};

}  // namespace pegasos
