// The share of a data set that one rank reads: parts of one or several text files.
//
// Ranks have the rows in their order: rank 0 the first ones. Plain text is cut at the first
// beginnings of records at or after equal shares of all bytes; every rank finds its cuts alone, but
// for the quotes of a table, of which each counts its own bytes' to tell line feeds inside quotes
// from ends of records. Of several compressed files each is one rank's alone. A single compressed
// file is unpacked by every rank, which keeps what is between its cuts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/byte_source.h"
#include "data/line_blocks.h"
#include "pegasos/collective.h"
#include "pegasos/error.h"

namespace pegasos {

// Whole files for ranks, in order: rank r gets those from begins[r] to begins[r + 1]. The largest
// sum of sizes is as small as it can be with at least one file for each rank. There must be at
// least as many files as ranks.
std::vector<std::size_t> divide_files(const std::vector<std::uint64_t>& sizes, std::size_t ranks);

// Of `whole` things, where those of a rank begin.
std::uint64_t share_begin(std::uint64_t whole, int rank, int ranks);

class FileShare {
 public:
  // What the beginning of the first file says: the header, which all files have and which belongs
  // to no row, and whether line feeds can be inside quotes.
  struct Form {
    std::string header = {};
    LineBlocks::Records records = LineBlocks::Records::lines;
    std::optional<std::uint64_t> max_decompressed = {};
  };

  // All ranks must call it. Throws InvalidOption where files cannot be divided.
  FileShare(std::vector<std::string> files, Form form, Collective& ranks);

  // The text of this rank, one part behind the other. Throws ParseError where a file has another
  // header than the first.
  std::unique_ptr<ByteSource> open() const;

  // The same complaints with the file and line where they stand, counted from the beginning of the
  // file; only those of the file of the first one.
  ParseError located(const ParseError& error) const;
  void locate(Diagnostic& one) const;

 private:
  // Bytes of a file, unpacked; from the first record that begins at or after `begin` to the first
  // that begins at or after `end`.
  struct Part {
    std::string path;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool compressed = false;
    bool odd_quotes = false;  // before the byte in front of begin
  };
  friend class PartSource;
  friend class ShareSource;

  void cut_plain(const std::vector<std::uint64_t>& sizes, Collective& ranks);
  void cut_compressed(Collective& ranks);
  struct Place {
    std::string path;
    std::uint64_t line = 0;
  };
  Place place_of(std::uint64_t line) const;

  std::vector<std::string> files_;
  Form form_;
  std::vector<Part> parts_;
};

}  // namespace pegasos
