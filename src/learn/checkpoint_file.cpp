// The file of a Checkpoint; its bytes are described in pegasos/checkpoint.h.
#include <limits>
#include <span>

#include "base/archive.h"
#include "base/file.h"
#include "base/section_file.h"
#include "base/thread_pool.h"
#include "pegasos/checkpoint.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

constexpr SectionFormat kFormat = {std::string_view("\x89PGC\r\n\x1a\n", 8), 1, "checkpoint"};

enum Section : std::uint32_t { kRun = 1, kParts = 2, kBytes = 3 };

std::string run_section(const Checkpoint& checkpoint) {
  Checkpoint copy;
  copy.version = checkpoint.version;
  copy.work = checkpoint.work;
  copy.options = checkpoint.options;
  std::uint64_t fingerprint = checkpoint.data_fingerprint;
  double seconds = checkpoint.seconds;
  std::uint64_t count = copy.options.size();
  ArchiveWriter writer;
  writer(copy.version, copy.work, fingerprint, seconds, count);
  for (Setting& one : copy.options) writer(one.name, one.value);
  return std::move(writer).bytes();
}

void read_run(std::string_view bytes, Checkpoint& checkpoint) {
  ArchiveReader reader(bytes);
  std::uint64_t count = 0;
  reader(checkpoint.version, checkpoint.work, checkpoint.data_fingerprint, checkpoint.seconds,
         count);
  for (std::uint64_t k = 0; k < count; ++k) {
    Setting one;
    reader(one.name, one.value);
    checkpoint.options.push_back(std::move(one));
  }
  if (!reader.at_end()) throw Error("bytes after the options");
  if (!(checkpoint.seconds >= 0) ||
      !(checkpoint.seconds < std::numeric_limits<double>::infinity())) {
    throw Error("invalid time");
  }
}

void read_parts(std::string_view table, std::string_view bytes, Checkpoint& checkpoint) {
  ArchiveReader reader(table);
  std::uint64_t count = 0;
  reader(count);
  for (std::uint64_t k = 0; k < count; ++k) {
    std::string name;
    std::uint64_t size = 0;
    reader(name, size);
    if (size > bytes.size()) throw Error("a part lies outside the file");
    if (!checkpoint.parts.emplace(std::move(name), bytes.substr(0, size)).second) {
      throw Error("a part appears twice");
    }
    bytes.remove_prefix(size);
  }
  if (!reader.at_end() || !bytes.empty()) throw Error("bytes after the last part");
}

Checkpoint read(std::span<const std::byte> bytes, const std::string& path) {
  ThreadPool pool(1);
  const SectionFile file(kFormat, bytes, path, pool);
  Checkpoint checkpoint;
  const auto section = [&](Section kind, const auto& reading) {
    try {
      reading(file.text(kind));
    } catch (const CorruptFile&) {
      throw;
    } catch (const Error& problem) {
      file.fail(file.offset_of(kind), problem.what());
    }
  };
  section(kRun, [&](std::string_view text) { read_run(text, checkpoint); });
  const std::string_view contents = file.text(kBytes);
  section(kParts, [&](std::string_view text) { read_parts(text, contents, checkpoint); });
  return checkpoint;
}

}  // namespace

void save_checkpoint(const Checkpoint& checkpoint, const std::string& path) {
  const std::string run = run_section(checkpoint);
  ArchiveWriter table;
  std::string bytes;
  std::uint64_t count = checkpoint.parts.size();
  std::size_t total = 0;
  for (const auto& [name, part] : checkpoint.parts) total += part.size();
  bytes.reserve(total);
  table(count);
  for (const auto& [name, part] : checkpoint.parts) {
    std::string name_of_part = name;
    std::uint64_t size = part.size();
    table(name_of_part, size);
    bytes += part;
  }
  const std::string parts = std::move(table).bytes();
  const SectionContents sections[] = {
      {kRun, std::span(run)}, {kParts, std::span(parts)}, {kBytes, std::span(bytes)}};
  write_section_file(kFormat, sections, path);
}

bool looks_like_checkpoint(const std::string& path) {
  return file_begins_with(kFormat.magic, path);
}

Checkpoint load_checkpoint(const std::string& path) {
  const auto bytes = read_file_beginning_with(kFormat.magic, path);
  return read(std::as_bytes(bytes.view()), path);
}

Checkpoint load_checkpoint_from_memory(const std::string& bytes, const std::string& path) {
  return read(std::as_bytes(std::span(bytes)), path);
}

}  // namespace pegasos
