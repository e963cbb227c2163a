// Where bytes come from: a file, standard input, memory, or a decompressor in front of one of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace pegasos {

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // Fills `into` completely unless the input ends first; returns the bytes written. The blocks a
  // reader cuts therefore depend on the content only, never on how a pipe delivers it.
  virtual std::size_t read(std::span<char> into) = 0;

  // At least one byte unless the input has ended, but no more waiting than that takes.
  virtual std::size_t read_some(std::span<char> into) { return read(into); }

  // How far the stored (perhaps compressed) input has been consumed, for progress.
  virtual std::uint64_t stored_bytes_read() const = 0;
  virtual std::optional<std::uint64_t> stored_bytes_total() const = 0;

  // "", "gzip", "bzip2", "xz" or "zstd".
  virtual std::string compression() const { return ""; }
  // What the text was converted from, "" if it was UTF-8.
  virtual std::string encoding() const { return ""; }
  // "json-lines" where lines of JSON were converted to CSV.
  virtual std::string form() const { return ""; }
};

// `idle` is called while a pipe has nothing to read, see ReadOptions::idle.
std::unique_ptr<ByteSource> open_file(const std::string& path, std::function<bool()> idle = {});
std::unique_ptr<ByteSource> open_memory(std::span<const char> bytes);

// Looks at the first bytes and puts the decompressor they ask for in front, or none. `path` is for
// messages. `cap`: the most it may unpack to; by default 1 GiB or 200 times the stored size read.
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> stored,
                                         const std::string& path, std::optional<std::uint64_t> cap);

}  // namespace pegasos
