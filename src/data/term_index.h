// The terms of the text cells of one column, numbered and counted.
//
// A text has hundreds of terms, nearly all of which were seen before, most of them in pieces of
// text that were seen before. So the terms of a piece are looked up together; those of a new piece
// and those of several words by keys of 64 bits. The text of a term is built once, when it is first
// seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/csv_values.h"
#include "data/piece_table.h"
#include "data/text_terms.h"
#include "data/word_list.h"
#include "pegasos/schema.h"

namespace pegasos {

class TermIndex {
 public:
  // New terms become words of the column, of which nobody else adds any.
  TermIndex(const TextRules& rules, std::uint32_t column, WordList& words)
      : rules_(rules), column_(column), words_(words), maker_(rules) {}

  // Stores every distinct term of the text once, with how often it occurs; the feature of term k is
  // first + k. So many bytes of the block are still to be read.
  void store(std::string_view text, FeatureId first, std::size_t bytes_left, CsvValues& values);

 private:
  struct Slot {
    std::uint64_t key = 0;  // 0: free
    std::uint32_t number = 0;
  };

  // The steps of store.
  // Without terms of characters a word is found as fast as a piece that is the word.
  bool looks_up_pieces() const { return rules_.char_from > 0; }
  void cut_at_blanks(std::string_view text);
  void add_long_piece(std::string_view piece);
  void find_pieces();
  void count_pieces();
  void count_terms_of_words(std::size_t n);

  PieceTable::Terms cut_piece(std::string_view piece);
  void make_room_for(std::size_t terms);
  // Looks up all keys and adds their numbers; is_same(number, k) compares the texts of hashed ones,
  // add(k) makes that of a new one.
  template <typename IsSame, typename Add>
  void find_all(std::vector<std::uint32_t>& numbers, const IsSame& is_same, const Add& add);
  template <typename TextOf>
  void find_all_texts(std::vector<std::uint32_t>& numbers, const TextOf& text_of);
  void add_key(std::uint64_t key);
  void count(std::uint32_t number);
  void grow(std::size_t slots);

  TextRules rules_;
  std::uint32_t column_;
  WordList& words_;
  TermMaker maker_;
  PieceTable pieces_;
  std::vector<Slot> slots_;  // a power of two of them, at most half in use
  std::size_t used_ = 0;
  unsigned shift_ = 64;                // 64 - the bits of a slot's number
  std::vector<std::uint32_t> places_;  // of a term among the values of the cell that had it last

  // Of the piece at hand.
  std::vector<std::uint64_t> keys_;
  std::vector<std::string_view> chars_;

  // Of the cell at hand.
  struct Piece {
    std::string_view text;
    std::uint64_t key = 0;  // 0: too long to be looked up
    PieceTable::Terms terms = {};
  };
  std::vector<Piece> cut_;  // with room for all, and how many there are
  std::size_t cut_count_ = 0;
  std::vector<std::uint32_t> word_numbers_;  // of its words
  std::vector<std::uint32_t> numbers_;       // of its terms of n words
  FeatureId first_ = 0;
  FeatureId* features_ = nullptr;
  float* values_ = nullptr;
  std::uint32_t stored_ = 0;
};

}  // namespace pegasos
