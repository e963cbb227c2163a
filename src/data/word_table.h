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
#include <utility>
#include <vector>

#include "data/word_list.h"

namespace pegasos {

// What a term of a hashed text column is numbered by.
std::uint64_t hash_of_term(std::string_view term);

// Words that are looked up together, so that the memory of all of them is on its way before the
// first is compared: a text has hundreds, and a large table answers each from memory.
using WordBatch = std::vector<WordView>;

class WordTable {
 public:
  // The number of a word, a new one if it was not there.
  std::uint32_t add(std::uint32_t column, std::string_view text);

  // The number of a word that is there.
  std::optional<std::uint32_t> find(std::uint32_t column, std::string_view text) const;

  // The same for many words of a column: their numbers, in their order; find_all leaves out those
  // that are not there, and has its hashes with the caller, as many threads may look up words.
  void add_all(std::uint32_t column, const WordBatch& batch, std::vector<std::uint32_t>& numbers);
  void find_all(std::uint32_t column, const WordBatch& batch, std::vector<std::uint32_t>& hashes,
                std::vector<std::uint32_t>& numbers) const;

  const WordList& words() const { return words_; }
  // For who looks up the words of a column by themselves: new ones are only numbered here.
  WordList& list() { return words_; }
  // Takes over the words of a list that begins with those of the table and has no word twice. False
  // if words were looked up already: then they must be here too.
  bool go_on_with(const WordList& list);
  // Hands the words out; the table is empty afterwards.
  WordList take_words();

 private:
  struct Slot {
    std::uint32_t hash = 0;   // of the word; its lower bits chose the slot
    std::uint32_t entry = 0;  // 1 + the word's number; 0: free
  };

  // The slot that holds the word, or the free one where it belongs. There must be a free one.
  std::size_t slot_of(std::uint32_t hash, std::uint32_t column, WordView word) const;
  std::uint32_t add(std::uint32_t hash, std::uint32_t column, WordView word);
  // The hashes of all words; their slots, and the words in these, are being fetched afterwards.
  void fetch(std::uint32_t column, const WordBatch& batch,
             std::vector<std::uint32_t>& hashes) const;
  void make_room_for(std::size_t more);
  void grow(std::size_t slots);

  std::vector<std::uint32_t> hashes_;  // of a batch
  WordList words_;
  std::vector<Slot> slots_;  // a power of two of them, at most half in use
};

}  // namespace pegasos
