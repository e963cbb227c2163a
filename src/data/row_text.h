// Rows to text, one class per format. Both are used by the writers of whole datasets and by the
// generator, which has only a block of its rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/grow_buffer.h"
#include "pegasos/dataset.h"

namespace pegasos {

// How the labels of a schema are written: numbers, or words.
class LabelText {
 public:
  explicit LabelText(std::vector<std::string> words);

  std::size_t longest() const { return longest_; }
  // Writes at `out`, where longest() bytes must be free; nothing for a row without a label.
  char* write(char* out, double label) const;

 private:
  std::vector<std::string> words_;  // empty: the labels are numbers
  std::size_t longest_;
};

// label index:value index:value ...
//
// Zeros are not written, except in the first row where a reader would otherwise see another index
// base or fewer features than there are: "0:0" keeps a base of 0, "last:0" the number of features.
class SvmlightText {
 public:
  // Throws Error if svmlight has no way to say what the data holds. `schema` must outlive this.
  SvmlightText(const Schema& schema, std::size_t features);

  // Looks which of the two zeros are needed.
  void keep_range_of(const Dataset& data);
  // Always writes "last:0" unless the first row has the last feature: what comes is not yet known.
  void keep_last_feature() { zero_last_ = true; }

  // Appends the lines of `rows`, of which the first is row `first_row` of the file, from 0.
  void append(const Dataset& rows, std::uint64_t first_row, GrowBuffer<char>& out) const;

 private:
  char* write_row(char* out, const RowView& row, double label, std::uint64_t place) const;

  const IndexMap& indices_;
  std::size_t features_;
  LabelText labels_;
  bool zero_first_ = false;
  bool zero_last_ = false;
};

// label[,weight],feature,feature,... with quotes where RFC 4180 asks for them.
class CsvText {
 public:
  explicit CsvText(const Schema& schema) : CsvText(schema.label_words) {}
  explicit CsvText(const std::vector<std::string>& label_words);

  static void append_header(const Dataset& data, GrowBuffer<char>& out);
  static void append_header(std::span<const std::string> features, bool weights,
                            GrowBuffer<char>& out);
  void append(const Dataset& rows, GrowBuffer<char>& out) const;

  // A cell for every feature makes a row; beyond this many our own reader would refuse the line.
  static constexpr std::size_t kMostFeatures = std::size_t{1} << 20;

 private:
  LabelText labels_;
};

// A CSV cell, quoted if it has to be.
std::string csv_cell(std::string_view text);

}  // namespace pegasos
