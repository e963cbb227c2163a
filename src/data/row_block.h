// RowBlock: the rows a parser found in one block of text, and what it noticed on the way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/grow_buffer.h"
#include "pegasos/dataset.h"
#include "pegasos/error.h"

namespace pegasos {

struct CsvWords;

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
  // How many rows come before the first row that is complained about.
  std::optional<std::size_t> rows_before_error;
  void note_error() {
    if (!rows_before_error) rows_before_error = rows();
  }

  // Labels are all numbers or all words. Where the first one stands, and the first of the other
  // kind, so that the mixture can be reported wherever the blocks were cut.
  std::optional<LabelKind> label_kind;
  Diagnostic first_label;
  std::optional<Diagnostic> first_other_label;
  std::vector<std::string> label_words;  // in order of appearance in the block
  // Where the first set of labels ("1,3") stands. Then every label of the block is a word, single
  // numbers too.
  std::optional<Diagnostic> first_set;

  // CSV: words of the words and text columns; the provisional feature id of word k comes after
  // those of the columns. They stay for the next block.
  std::shared_ptr<CsvWords> words;
  // A NaN in values is a hole to be filled from these sums.
  // Of the values of a provisional feature, less the centre that the plan has for it.
  struct NumberSums {
    double sum = 0.0;
    double squares = 0.0;
    double smallest = std::numeric_limits<double>::infinity();
    double largest = -std::numeric_limits<double>::infinity();

    void add(double x) {
      sum += x;
      squares += x * x;
      smallest = std::min(smallest, x);
      largest = std::max(largest, x);
    }
  };
  std::vector<NumberSums> sums;
  std::vector<std::uint64_t> missing;       // cells of each column
  std::vector<std::uint64_t> hashed_terms;  // of text columns with hashing: what was hashed

  // Cells that cannot be used: the first of each column, and how many.
  struct BadCells {
    std::uint32_t column = 0;
    std::uint64_t count = 0;
    Diagnostic first = {};
  };
  std::vector<BadCells> bad_cells;

  std::uint64_t rows_bad = 0;  // skipped or kept empty
  std::optional<Diagnostic> first_bad;
  std::optional<Diagnostic> first_unlabelled;
  std::vector<std::string> ids;      // of rows, where an id column was asked for
  std::vector<std::uint8_t> is_bad;  // of rows kept empty: 1; none if there are none

  std::size_t rows() const { return offsets.size() - 1; }
  void clear();
};

// A complaint about byte `at` of `text`, with the part of the line around it. `line` counts from 1.
Diagnostic diagnose(std::string_view text, std::size_t line_begin, std::size_t at,
                    std::uint64_t line, std::string message, Hint hint = {});

// Of a record that is too long: how long records may be, and what to do about it.
std::string longest_in_words(std::size_t bytes);  // 64 MiB
Hint hint_on_long_lines();

// A token as it may stand in a message: control characters escaped, shortened if long.
std::string printable(std::string_view token, std::size_t longest = 40);

}  // namespace pegasos
