// Labels that are words: numbered as they appear, sorted at the end, never mixed with numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/row_block.h"
#include "pegasos/collective.h"

namespace pegasos {

// A letter, underscore or non-ASCII character, then the same, digits and any of .-+/&
bool is_label_word(std::string_view token);

// "3,1" as the set it is: its members once each, numbers by value before words; none where a member
// is neither a number nor a word.
std::optional<std::string> label_set(std::string_view token);
// The set of one number.
std::string label_set_of(double label);

// The message for a label of the other kind than those before it.
std::string mixed_labels_message(std::string_view token);

class LabelWords {
 public:
  // With the schema of a model, its words keep their places 0, 1, … and new ones come after them;
  // and labels must be of its kind. Null: whatever comes first.
  explicit LabelWords(const Schema* schema);

  // With sets of labels, the words so far.
  bool has_sets() const { return sets_; }
  const std::vector<std::string>& words() const { return words_; }

  // Renumbers the block's label words to those of the file; complains into rows.errors if the block
  // has labels of another kind than what came before.
  void adopt(RowBlock& rows);

  // Where rows are divided among ranks: the words of all of them, behind those of this one. Throws
  // UnusableData on all ranks where some have numbers and some have words.
  void agree(Collective& ranks);

  // Sorts the words, with every member of a set as a word by itself, renumbers all labels
  // accordingly and returns the sorted words.
  std::vector<std::string> sort(std::span<double> labels);

 private:
  double number_of(const std::string& word);
  void adopt_sets(RowBlock& rows);

  std::vector<std::string> words_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::optional<LabelKind> kind_;
  bool mixed_ = false;
  bool sets_ = false;
  bool one_label_a_row_ = false;  // by the schema
  std::size_t rows_ = 0;
  std::size_t rows_of_numbers_ = 0;  // at the beginning, before the first set was seen
};

}  // namespace pegasos
