// The beginning of a CSV file cut into cells, and what it gives away: the delimiter, whether there
// is a header, which columns hold words.
//
// The sample is the whole records within the first 64 KiB; when these are fewer than two, as much
// more as it takes. It depends on the content of the file only.
//
// Delimiter. Of , ; tab and | the one that the most of the first 50 records have as often as the
// first record does, outside quotes; the more frequent one if several do; else the comma.
//
// Header. The first record is one if a word in it stands over a column of numbers, and at least
// half of its cells are words or one is a usual name of a label. If no column holds numbers there
// is nothing to tell names from data by, and it is one if all its cells are words, distinct, and
// none is seen again in its column.
//
// Words. A column holds words if more than half of its cells that are not empty are not numbers.
// Spelled infinities and NaNs count as numbers here: they are complained about when they are read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_grammar.h"
#include "data/line_blocks.h"
#include "pegasos/read.h"

namespace pegasos {

// What the column to learn is often called, the most telling name first; case does not matter.
inline constexpr std::array<std::string_view, 4> kUsualLabelNames = {"label", "target", "class",
                                                                     "y"};
bool same_word(std::string_view a, std::string_view b);

class CsvSample {
 public:
  using Record = std::vector<CsvCell>;

  // Looks at the beginning without consuming it. Throws ParseError if the first record, which
  // decides on the columns, cannot be read.
  CsvSample(LineBlocks& blocks, const ReadOptions& options, const std::string& path);
  CsvSample(const CsvSample&) = delete;  // cells point into the text
  CsvSample& operator=(const CsvSample&) = delete;

  const CsvGrammar& grammar() const { return grammar_; }
  const std::vector<Record>& records() const { return records_; }
  std::size_t columns() const { return records_.empty() ? 0 : records_[0].size(); }

  bool first_record_looks_like_header() const;

  // For each column, whether it holds words from record `first` on.
  std::vector<bool> words_columns(std::size_t first) const;

  // The first record with the lines before it, when it is a header.
  std::size_t header_bytes() const { return first_record_end_; }
  std::uint64_t header_lines() const;
  // A complaint about a place in the first record.
  Diagnostic complaint(const char* place, std::string message, std::string hint = "") const;

 private:
  void cut_into_records(const std::string& path);

  std::string text_;  // with a line feed behind it that is not part of the file
  bool whole_ = false;
  CsvGrammar grammar_;
  std::vector<Record> records_;
  std::size_t first_record_end_ = 0;
};

// The complaint about a record beyond LineBlocks::kLongestRecord, given its beginning: the quote
// that makes it run on, or its length. `text` must be followed by a line feed.
Diagnostic refuse_long_record(std::string_view text, const CsvGrammar& grammar);

}  // namespace pegasos
