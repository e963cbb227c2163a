// The terms of the text cells of one column in a block of text, numbered and counted.
//
// A text has hundreds of terms, nearly all of which were seen before. So a term is looked up by a
// key of 64 bits that is made without building its text:
//
//   10 …   a term of up to seven bytes: the bytes themselves, how many, and whether it is marked
//   01 …   a term of several words: the number of the term without its last word, and that word's
//   11 …   a longer one: a hash, and the texts are compared
//
// Keys of the first two kinds are equal only for equal terms. The text of a term is built once,
// when it is first seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/csv_values.h"
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
    std::uint32_t place = 0;  // among the values of the cell that had it last
  };

  void find_words();
  void find_next_words(std::size_t n);
  void find_chars();
  // Looks up all keys; is_same(number, k) compares the texts of hashed ones, add(k) makes that of a
  // new one.
  template <typename IsSame, typename Add>
  void find_all(const IsSame& is_same, const Add& add);
  template <typename TextOf>
  void find_all_texts(const TextOf& text_of);
  void add_key(std::uint64_t key);
  void count(Slot& slot);
  void grow(std::size_t slots);

  TextRules rules_;
  std::uint32_t column_;
  WordList& words_;
  TermMaker maker_;
  std::vector<Slot> slots_;  // a power of two of them, at most half in use
  std::size_t used_ = 0;
  unsigned shift_ = 64;  // 64 - the bits of a slot's number

  // Of the cell at hand.
  std::vector<std::uint64_t> keys_;
  std::vector<std::string_view> chars_;
  std::vector<std::uint32_t> numbers_;         // of the terms that were looked up last
  std::vector<std::uint32_t> numbers_of_one_;  // of the single words
  FeatureId first_ = 0;
  FeatureId* features_ = nullptr;
  float* values_ = nullptr;
  std::uint32_t stored_ = 0;
};

}  // namespace pegasos
