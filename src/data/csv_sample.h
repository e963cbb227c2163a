// The beginning of a CSV file cut into cells, and what it gives away: the delimiter, whether there
// is a header, which columns hold words.
//
// The sample is the first whole records: up to 5,000 of them within the first MiB; when these are
// fewer than two, as much more as it takes. It depends on the content of the file only.
//
// Delimiter. What a first line "sep=;" says, which Excel understands and which is no record. Else
// the tab, if 19 in 20 of the first lines have as many as the first one. Else of , ; tab and | the
// one that the most of the first 50 records have as often as the first record does, outside quotes;
// the more frequent one if several do; else the comma.
//
// Quotes. In tab-separated text they are plain characters, unless some cells begin with a quote,
// all of these also end with one, and no other cell has any. Elsewhere they are quotes.
//
// Header. The first record is one if a word in it stands over a column of numbers, and at least
// half of its cells are words or one is a usual name of a label. If no column holds numbers there
// is nothing to tell names from data by, and it is one if all its cells are words, distinct, and
// none is seen again in its column.
//
// Words. A column holds words if more than half of its cells that are not missing are not numbers,
// or more than one in twenty if these are of more than three kinds: fewer kinds are more likely
// marks of missing values. Spelled infinities count as numbers here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_grammar.h"
#include "data/line_blocks.h"
#include "data/missing_words.h"
#include "pegasos/read.h"

namespace pegasos {

// What the column to learn is often called, the most telling name first; case does not matter.
inline constexpr std::array<std::string_view, 4> kUsualLabelNames = {"label", "target", "class",
                                                                     "y"};
bool same_word(std::string_view a, std::string_view b);

class CsvSample {
 public:
  using Record = std::vector<CsvCell>;

  // Looks at the beginning without consuming it, but for a line "sep=;". Throws ParseError if the
  // first record, which decides on the columns, cannot be read.
  CsvSample(LineBlocks& blocks, const ReadOptions& options, const std::string& path);
  CsvSample(const CsvSample&) = delete;  // cells point into the text
  CsvSample& operator=(const CsvSample&) = delete;

  const CsvGrammar& grammar() const { return grammar_; }
  const MissingWords& missing() const { return missing_; }
  const std::vector<Record>& records() const { return records_; }
  bool is_whole_file() const { return whole_ && !cut_short_; }
  std::size_t columns() const { return records_.empty() ? 0 : records_[0].size(); }

  // By names over columns of numbers; or, where there are none, by words that do not occur again,
  // which rows of texts may be, too.
  enum class Evidence { numbers, any };
  bool first_record_looks_like_header(Evidence evidence = Evidence::any) const;

  // For each column, whether it holds words from record `first`, 0 or 1, on.
  std::vector<bool> words_columns(std::size_t first) const;

  // What was consumed before the first record.
  std::size_t bytes_before() const { return bytes_before_; }
  std::uint64_t lines_before() const { return lines_before_; }
  // The first record with the blank lines before it, when it is a header.
  std::size_t header_bytes() const { return first_record_end_; }
  std::uint64_t header_lines() const;
  // A complaint about a place in the first record.
  Diagnostic complaint(const char* place, std::string message, Hint hint = {}) const;

 private:
  // Of a column: cells that are not missing, words among them, and the first few kinds of these.
  static constexpr std::size_t kFewKinds = 3;
  struct WordCounts {
    std::size_t filled = 0;
    std::size_t words = 0;
    std::vector<std::string_view> kinds;
  };

  void cut_into_records(const std::string& path);
  Diagnostic of_file(Diagnostic about) const;  // with its line in the file
  void count_words(const Record& record, std::vector<WordCounts>& seen) const;

  std::string text_;  // with a line feed behind it that is not part of the file
  bool is_word(const CsvCell& cell) const;

  bool whole_ = false;      // the text is all there is
  bool cut_short_ = false;  // but not all of it was cut into records
  MissingWords missing_;
  CsvGrammar grammar_;
  std::vector<Record> records_;
  std::size_t first_record_end_ = 0;
  std::size_t bytes_before_ = 0;
  std::uint64_t lines_before_ = 0;
  mutable std::vector<WordCounts> below_first_;  // of all records but the first, when asked for
};

// The complaint about a record beyond the longest, given its beginning: the quote
// that makes it run on, or its length. `text` must be followed by a line feed.
Diagnostic refuse_long_record(std::string_view text, const CsvGrammar& grammar);

}  // namespace pegasos
