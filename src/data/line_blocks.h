// Cuts a stream of bytes into blocks of whole records, for parsers that work in parallel.
//
// A block ends after a line feed. In CSV a line feed inside quotes belongs to the record, so there
// the number of quotes before it must be even. Where full blocks end depends on the content
// only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/grow_buffer.h"
#include "data/byte_source.h"

namespace pegasos {

// Bytes a parser may read past the end of a block without checking. They are a line feed, which
// ends any unfinished record, and zeros.
constexpr std::size_t kBlockPadding = 64;

struct TextBlock {
  GrowBuffer<char> bytes;        // the text, then the padding
  std::size_t size = 0;          // of the text
  bool record_too_long = false;  // the text is the beginning of a record beyond the longest

  std::string_view text() const { return {bytes.data(), size}; }
  // Sizes the buffer for `text_size` bytes and lays the padding behind them.
  void set_size(std::size_t text_size);
};

class LineBlocks {
 public:
  enum class Records { lines, quoted };

  // full: blocks of kBlockBytes. eager: a block as soon as there is a whole line, for input that is
  // typed or trickles in; where such blocks end depends on how it arrives.
  enum class Filling { full, eager };

  explicit LineBlocks(std::unique_ptr<ByteSource> source, Filling filling = Filling::full);

  // The first bytes of the input (up to `size`, fewer only if the input is shorter), byte order
  // mark removed, without consuming them. For finding out what the file is. Call before next().
  std::string_view peek(std::size_t size);

  // The whole records among the first `size` bytes, or all of these if there is none; waits for
  // them also when eager.
  std::string_view peek_records(std::size_t size);

  // A record beyond this is not gathered any further; kLongestRecord unless told otherwise.
  void set_longest_record(std::size_t bytes) { longest_ = bytes; }
  std::size_t longest_record() const { return longest_; }

  // How records end; lines unless told otherwise before the first next().
  void set_records(Records records) { records_ = records; }
  Records records() const { return records_; }

  // Drops `size` bytes that peek showed, e.g. a CSV header.
  void skip(std::size_t size);

  // The next block, false at the end of the input.
  bool next(TextBlock& block);

  // All bytes that are left, for input that turns out not to be text.
  GrowBuffer<char> rest();

  const ByteSource& source() const { return *source_; }

  static constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
  static constexpr std::size_t kLongestRecord = std::size_t{64} << 20;

 private:
  // The end of the last whole record in text, 0 if there is none; the first `searched` bytes are
  // known to end none.
  std::size_t last_record_end(std::string_view text, std::size_t searched) const;

  // Reads more into `into`; less than asked for at the end of the input, or when eager.
  std::size_t fill(std::span<char> into);

  std::unique_ptr<ByteSource> source_;
  Filling filling_;
  Records records_ = Records::lines;
  std::size_t longest_ = kLongestRecord;
  GrowBuffer<char> carry_;  // read from the source, not yet handed out
  std::size_t carry_begin_ = 0;

  bool ended_ = false;
};

}  // namespace pegasos
