// Text in other encodings, and files of other programs.
//
//   UTF-16 with a byte order mark      converted to UTF-8
//   bytes that are not UTF-8           taken for Windows-1252 (Latin-1 with curly quotes and the
//                                      euro sign) and converted, if the first 64 KiB have some
//   JSON Lines                         converted to CSV, see json_lines.h
//   a JSON array of objects            converted to JSON Lines first, see json_array.h
//   Parquet, zip, xlsx, HDF5, …        refused with how to convert them
#pragma once

#include <memory>
#include <string>

#include "data/byte_source.h"
#include "pegasos/read.h"

namespace pegasos {

// Puts what the first bytes ask for in front, or nothing. `eager`: waits for no more bytes than
// there are. Throws ParseError for files of other programs.
std::unique_ptr<ByteSource> decoded(std::unique_ptr<ByteSource> source, const std::string& path,
                                    const ReadOptions& options, bool eager = false);

// A source with some bytes of its beginning put back.
class PutBackSource : public ByteSource {
 public:
  PutBackSource(std::string head, std::unique_ptr<ByteSource> rest);

  std::size_t read(std::span<char> into) override;
  std::size_t read_some(std::span<char> into) override;
  std::uint64_t stored_bytes_read() const override { return rest_->stored_bytes_read(); }
  std::optional<std::uint64_t> stored_bytes_total() const override {
    return rest_->stored_bytes_total();
  }
  std::string compression() const override { return rest_->compression(); }

 private:
  std::size_t take_head(std::span<char> into);

  std::string head_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

// A source whose bytes are made from those of another, a piece at a time.
class ConvertedSource : public ByteSource {
 public:
  explicit ConvertedSource(std::unique_ptr<ByteSource> from) : from_(std::move(from)) {}

  std::size_t read(std::span<char> into) override;
  std::size_t read_some(std::span<char> into) override;
  std::uint64_t stored_bytes_read() const override { return from_->stored_bytes_read(); }
  std::optional<std::uint64_t> stored_bytes_total() const override {
    return from_->stored_bytes_total();
  }
  std::string compression() const override { return from_->compression(); }
  std::string encoding() const override { return from_->encoding(); }

 protected:
  // Appends to `out` what `piece` becomes; `last`: nothing comes after it.
  virtual void convert(std::string_view piece, bool last, std::string& out) = 0;

 private:
  std::size_t give(std::span<char> into);
  bool fill(bool some);

  std::unique_ptr<ByteSource> from_;
  std::string ready_;
  std::size_t given_ = 0;
  bool ended_ = false;
};

}  // namespace pegasos
