// A file that is written atomically.
//
//   temporary beside the target ─► write ─► fsync ─► rename over the target ─► fsync of the folder
//
// Until commit() returns, whatever stood under the target's name is untouched: a full disk, a crash
// or an exception costs the new file, never the old one. Without commit() the temporary is removed.
// A target that is "-" or not a regular file (a pipe, /dev/stdout) cannot be replaced; it is
// written straight through.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/grow_buffer.h"

namespace pegasos {

class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view text);
  // A template, so that text in quotes is no span: it would be one with its final NUL.
  template <std::size_t Extent>
  void write(std::span<const char, Extent> bytes) {
    write(std::string_view(bytes.data(), bytes.size()));
  }
  std::uint64_t bytes_written() const { return bytes_written_; }

  // Hands buffered bytes to the system now; for output that a reader is waiting for.
  void flush();

  // Makes the file durable and visible under its name. Call once, last.
  void commit();

 private:
  bool replaces() const { return !temporary_.empty(); }
  void create_temporary(mode_t mode);

  std::string path_;
  std::string temporary_;  // empty when written straight through
  FileDescriptor file_;
  GrowBuffer<char> pending_;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace pegasos
