// What a text format has to offer a reader: parse blocks in parallel, then adopt them in order.
//
// There is one grammar per format, in one place. Reading a whole file and streaming one both go
// through these calls, so they accept and reject the same bytes with the same words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "data/line_blocks.h"
#include "data/row_block.h"
#include "pegasos/read.h"

namespace pegasos {

// Whether the rows of a file are gathered and numbered for good at its end, or seen block by block.
enum class Reading { whole, stream };

class TextFormat {
 public:
  TextFormat() = default;
  TextFormat(const TextFormat&) = delete;
  TextFormat& operator=(const TextFormat&) = delete;
  virtual ~TextFormat() = default;

  // Parses one block into `rows`. Complaints go into rows.errors, at most max_errors of them; a
  // line with a complaint gives no row. Called from many threads at once.
  virtual void parse(const TextBlock& text, RowBlock& rows) const = 0;

  // Bytes of the file that a thread must have to be worth it: each has to get to know the words of
  // a text by itself.
  virtual std::uint64_t least_bytes_per_thread() const { return 1; }

  // Takes note of a parsed block, in the order of the file, and renumbers what only has a meaning
  // within the block. Called from one thread at a time.
  virtual void adopt(RowBlock& rows) = 0;

  // Lines of the file before the first block, e.g. a header.
  virtual std::uint64_t lines_before() const { return 0; }
  // And how many bytes they are.
  virtual std::size_t bytes_before() const { return 0; }

  // Where rows have sets of labels, the words so far: those of a stream's schema and new ones after
  // them. Null elsewhere.
  virtual const std::vector<std::string>* words_of_sets() const { return nullptr; }

  // The whole file has been adopted: numbers the features and label words of all rows for good, in
  // place, fills holes in the values, and describes the result. Values that turn out to be zero may
  // be dropped: the last offset says how many remain.
  struct Rows {
    std::span<std::uint64_t> offsets;  // rows + 1
    std::span<FeatureId> features;
    std::span<float> values;
    std::span<double> labels;
  };
  virtual Schema finish(Rows rows, ThreadPool& pool) = 0;

  // What was decided about the columns of a table, as far as it is known.
  virtual void describe(ReadNotes& notes) const { static_cast<void>(notes); }

  // Names a column in messages, of RowBlock::bad_cells.
  virtual std::string column_shown(std::uint32_t column) const {
    return "column " + std::to_string(column + 1);
  }
};

std::unique_ptr<TextFormat> make_svmlight_format(const ReadOptions& options);

// Reads the header and decides on the columns from the beginning of the input, which it consumes.
std::unique_ptr<TextFormat> make_csv_format(const ReadOptions& options, Reading reading,
                                            LineBlocks& blocks, const std::string& path);

// The profiles of a table's columns, from its beginning.
std::vector<ColumnProfile> profile_csv(const ReadOptions& options, LineBlocks& blocks,
                                       const std::string& path);

// What the text looks like, from its beginning. Never binary: that is seen from the file's magic.
DataFormat detect_text_format(std::string_view head);

}  // namespace pegasos
