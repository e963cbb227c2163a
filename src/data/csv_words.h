// The words and terms that the blocks of a table brought which one thread parsed, one after the
// other.
//
// Most words of a block were in the blocks before it. So they stay with the RowBlock, which is used
// again, and only those that are new become words of the file when the block is adopted. A RowBlock
// serves one reader, and each of its blocks is adopted before the next is parsed.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "data/term_index.h"
#include "data/word_table.h"
#include "pegasos/dataset.h"

namespace pegasos {

struct CsvWords {
  WordTable table;
  std::vector<std::unique_ptr<TermIndex>> indices;  // of text columns, by column; null for others
  std::vector<FeatureId> word_of_file;              // of the words that were adopted
  bool same_as_file = true;                         // word k of the table is word k of the file

  // Every thread has words of its own: beyond so many they are forgotten.
  static constexpr std::size_t kMost = std::size_t{1} << 18;
  bool are_too_many() const { return table.words().size() > kMost; }
};

}  // namespace pegasos
