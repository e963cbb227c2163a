// RowBlock: the rows a parser found in one block of text, and what it noticed on the way.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/grow_buffer.h"
#include "pegasos/dataset.h"
#include "pegasos/error.h"

namespace pegasos {

enum class LabelKind { number, word };

struct RowBlock {
  GrowBuffer<double> labels;          // NaN: no label; of words: an index into label_words
  GrowBuffer<double> weights;         // empty unless the file has a weight column
  GrowBuffer<std::uint64_t> offsets;  // rows + 1
  GrowBuffer<FeatureId> features;
  GrowBuffer<float> values;

  std::uint64_t lines = 0;
  std::uint32_t smallest_index = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t largest_index = 0;
  std::uint64_t rows_with_qid = 0;
  std::uint64_t rows_reordered = 0;
  std::uint64_t rows_unlabelled = 0;
  std::uint64_t unknown_features = 0;
  std::uint64_t unknown_words = 0;
  std::uint64_t values_filled = 0;

  // Complaints, lines counted from 1 within the block.
  std::vector<Diagnostic> errors;

  // Labels are all numbers or all words. Where the first one stands, and the first of the other
  // kind, so that the mixture can be reported wherever the blocks were cut.
  std::optional<LabelKind> label_kind;
  Diagnostic first_label;
  std::optional<Diagnostic> first_other_label;
  std::vector<std::string> label_words;  // in order of appearance in the block
  // Where the first set of labels ("1,3") stands. Then every label of the block is a word, single
  // numbers too.
  std::optional<Diagnostic> first_set;

  // CSV: words of the block's words columns; the provisional feature id columns + k stands for
  // words[k]. A NaN in values is a hole to be filled with its column's mean, from these sums.
  struct Word {
    std::uint32_t column;
    std::string text;
  };
  std::vector<Word> words;
  std::vector<double> column_sums;
  std::vector<std::uint64_t> column_counts;

  std::size_t rows() const { return offsets.size() - 1; }
  void clear();
};

// A complaint about byte `at` of `text`, with the part of the line around it. `line` counts from 1.
Diagnostic diagnose(std::string_view text, std::size_t line_begin, std::size_t at,
                    std::uint64_t line, std::string message, std::string hint = "");

// A token as it may stand in a message: control characters escaped, shortened if long.
std::string printable(std::string_view token, std::size_t longest = 40);

}  // namespace pegasos
