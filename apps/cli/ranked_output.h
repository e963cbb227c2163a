// One output file of lines that ranks make each for its own rows: rank 0 writes them in the order
// of the rows.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/atomic_file.h"
#include "session.h"

namespace pegasos::cli {

// Rank 0 writes as it goes; the others keep their lines in temporary files until it has finished,
// so that memory does not grow with the rows. Alone it is the file itself.
class RankedOutput {
 public:
  // `numbered`: every line is an object of JSON that begins with the number of its row, which is
  // counted on over the ranks.
  RankedOutput(const Session& session, const std::string& path, bool numbered);

  void write_header(std::span<const char> bytes);  // before the lines of rank 0
  void write(std::span<const char> lines);
  void flush();
  // All ranks must call it; `rows`: how many this one has written.
  void commit(std::uint64_t rows);

 private:
  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  std::string next_piece();
  std::string renumbered(const std::string& lines);

  const Session& session_;
  std::string path_;
  bool numbered_;
  std::optional<AtomicFile> file_;
  std::unique_ptr<std::FILE, Close> kept_;
  std::string unfinished_;  // of the line at the end of the last piece
  std::uint64_t rows_before_ = 0;
};

}  // namespace pegasos::cli
