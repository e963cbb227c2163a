// TextReader: a text file as a sequence of parsed blocks. The one mechanism under whole-file
// reading and streaming.
//
//   take (serial) ─► parse (parallel) ─► adopt (serial, in order)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/line_blocks.h"
#include "data/row_block.h"
#include "data/text_format.h"
#include "pegasos/read.h"

namespace pegasos {

class TextReader {
 public:
  struct Item {
    TextBlock text;
    RowBlock rows;
    ReadProgress progress;  // up to and including this block
  };

  TextReader(std::unique_ptr<LineBlocks> blocks, std::string path, const ReadOptions& options,
             Reading reading);

  // What the reader has learned from the blocks it was made with is the beginning of other text: it
  // goes on with these blocks, lines counted from their first. How long the header was, and how
  // records end.
  void go_on_with(std::unique_ptr<LineBlocks> blocks);
  std::size_t header_bytes() const { return format_->bytes_before(); }
  LineBlocks::Records records() const { return blocks_->records(); }

  // Of so many threads those that parsing is worth; what is read is the same for any number.
  int threads_for(int threads) const;

  bool take(Item& item);         // the next block of text; false at the end
  void parse(Item& item) const;  // text to rows
  // Takes note of the rows, calls the watcher. With complaints about the data, the rows are
  // dropped; throws ParseError when there are enough of them.
  void adopt(Item& item);

  // The end was reached: throws ParseError if there were complaints, or no rows at all where there
  // must be some.
  enum class NoRows { refused, fine };
  void end(NoRows none = NoRows::refused);

  // Numbers everything for good; see TextFormat::finish.
  Schema finish(TextFormat::Rows rows, ThreadPool& pool);

  // The schema with the label sets that were met so far.
  std::shared_ptr<const Schema> with_sets(std::shared_ptr<const Schema> schema) const;

  const ReadNotes& notes() const { return notes_; }

  bool has_errors() const { return !errors_.empty() || !bad_cells_.empty(); }

 private:
  std::string path_;
  ReadOptions options_;
  std::unique_ptr<LineBlocks> blocks_;
  std::unique_ptr<TextFormat> format_;
  ReadNotes notes_;
  void read_json_lines(Reading reading);
  [[noreturn]] void refuse();
  void adopt_bad_cells(RowBlock& rows);

  std::vector<Diagnostic> errors_;
  std::vector<RowBlock::BadCells> bad_cells_;  // one for each column that has some
  std::uint64_t lines_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace pegasos
