// Which rows of a file a rank reads. Text is cut at the line ends that follow equal shares of its
// bytes, so that every rank finds its cuts without asking; binary files are cut at equal shares of
// their rows.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "data/binary_format.h"
#include "data/byte_source.h"
#include "data/text_format.h"
#include "pegasos/dist.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;

std::size_t share_begin(std::size_t whole, int rank, int size) {
  const auto part = static_cast<std::size_t>(rank);
  const auto parts = static_cast<std::size_t>(size);
  return whole / parts * part + whole % parts * part / parts;
}

// The beginning of the first line at or after this place.
std::size_t line_begin(std::string_view text, std::size_t place) {
  if (place == 0 || place >= text.size()) return std::min(place, text.size());
  const std::size_t end = text.find('\n', place - 1);
  return end == std::string_view::npos ? text.size() : end + 1;
}

// Everything that a file unpacks to.
std::vector<char> unpacked(const std::string& path, const ReadOptions& options) {
  const auto source = decompressed(open_file(path), path, options.max_decompressed);
  std::vector<char> bytes;
  for (std::size_t size = 0;;) {
    bytes.resize(std::max<std::size_t>(bytes.size() * 2, std::size_t{1} << 20));
    size += source->read(std::span(bytes).subspan(size));
    if (size < bytes.size()) {
      bytes.resize(size);
      return bytes;
    }
  }
}

[[noreturn]] void refuse_table(const std::string& path) {
  throw InvalidOption("ranks", "tables are understood as a whole: convert " + path +
                                   " to the binary form first (convert, to binary), and train on "
                                   "that");
}

ReadResult read_lines(std::string_view text, const std::string& path, const ReadOptions& options,
                      Collective& ranks) {
  ReadOptions reading = options;
  if (!reading.format && !reading.schema) {
    reading.format = detect_text_format(text.substr(0, kHeadBytes));
  }
  if (reading.format == DataFormat::csv && !reading.schema) refuse_table(path);
  const std::size_t begin = line_begin(text, share_begin(text.size(), ranks.rank(), ranks.size()));
  const std::size_t end =
      line_begin(text, share_begin(text.size(), ranks.rank() + 1, ranks.size()));
  try {
    return read_dataset_from_memory(text.substr(begin, end - begin), path, reading);
  } catch (const ParseError& error) {
    const auto lines = static_cast<std::uint64_t>(
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    std::vector<Diagnostic> found = error.diagnostics();
    for (Diagnostic& one : found) {
      if (one.line > 0) one.line += lines;
    }
    throw ParseError(path, std::move(found));
  }
}

}  // namespace

ReadResult read_share(const std::string& path, const ReadOptions& options, Collective& ranks) {
  if (ranks.size() == 1) return read_dataset(path, options);
  if (path == "-") {
    throw InvalidOption("ranks", "standard input cannot be divided among ranks; name a file");
  }
  if (file_begins_with(kBinaryMagic, path)) {
    ReadResult read = read_dataset(path, options);
    const std::size_t begin = share_begin(read.data.rows(), ranks.rank(), ranks.size());
    const std::size_t end = share_begin(read.data.rows(), ranks.rank() + 1, ranks.size());
    read.data = read.data.slice(begin, end - begin);
    return read;
  }
  const MappedFile file(path);
  const std::span<const char> stored(reinterpret_cast<const char*>(file.bytes().data()),
                                     file.bytes().size());
  const std::string kind = decompressed(open_memory(stored), path, {})->compression();
  ReadResult read;
  if (kind.empty()) {
    read = read_lines({stored.data(), stored.size()}, path, options, ranks);
  } else {
    const std::vector<char> bytes = unpacked(path, options);
    read = read_lines({bytes.data(), bytes.size()}, path, options, ranks);
    read.notes.compression = kind;
  }
  if (!options.schema) read.data = agree_on_schema(read.data, ranks);
  return read;
}

}  // namespace pegasos
