// Labels that are words: numbered as they appear, sorted at the end, never mixed with numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/row_block.h"

namespace pegasos {

// A letter, underscore or non-ASCII character, then the same, digits and any of .-+/&
bool is_label_word(std::string_view token);

// The message for a label of the other kind than those before it.
std::string mixed_labels_message(std::string_view token);

class LabelWords {
 public:
  // With the schema of a model, its words keep their places 0, 1, … and new ones come after them;
  // and labels must be of its kind. Null: whatever comes first.
  explicit LabelWords(const Schema* schema);

  // Renumbers the block's label words to those of the file; complains into rows.errors if the block
  // has labels of another kind than what came before.
  void adopt(RowBlock& rows);

  // Sorts the words, renumbers all labels accordingly and returns the sorted words.
  std::vector<std::string> sort(std::span<double> labels);

 private:
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::optional<LabelKind> kind_;
  bool mixed_ = false;
};

}  // namespace pegasos
