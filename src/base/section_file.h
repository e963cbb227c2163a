// The container of our binary files, data and models alike: a header, a table, checksummed
// sections.
//
//   0    magic          8 bytes, 0x89, three letters, CR LF 0x1a LF (a transfer as text breaks it)
//   8    version        u32
//   12   sections       u32, n ≤ 16
//   16   file size      u64
//   24   checksum       u64, XXH3 of bytes 0 … 23 and the section table
//   32   section table  n times 32 bytes: kind u32, zero u32, offset u64, bytes u64, XXH3 u64
//        sections       each at the first multiple of 64 behind what is before it
//
// Little endian. The bytes between sections are zero and the last section ends the file, so every
// byte is either under a checksum or known: whichever bit of a file flips, the file is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"

namespace pegasos {

struct SectionFormat {
  std::string_view magic;  // 8 bytes
  std::uint32_t version;
  std::string_view name;  // in messages: "model"
};

struct SectionContents {
  std::uint32_t kind;
  std::span<const char> bytes;
};

template <typename T>
SectionContents section_of(std::uint32_t kind, std::span<const T> values) {
  return {kind, {reinterpret_cast<const char*>(values.data()), values.size_bytes()}};
}

// Each kind once, at most 16 of them. The file appears whole or not at all. Throws IoError.
// `between` is called every few megabytes; what it throws leaves no file behind.
void write_section_file(const SectionFormat& format, std::span<const SectionContents> sections,
                        const std::string& path, const std::function<void()>& between = {});

// The bytes of the same file.
std::string section_file_bytes(const SectionFormat& format,
                               std::span<const SectionContents> sections);

// One line of the section table, as it stands in the file.
struct SectionEntry {
  std::uint32_t kind;
  std::uint32_t zero;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t checksum;
};
static_assert(sizeof(SectionEntry) == 32);

// A container that was checked from the outside in: header, table, padding, every checksum. What
// the sections mean is for the caller to check.
class SectionFile {
 public:
  // Throws CorruptFile with the offset of what is wrong. `bytes` must outlive this; `path` stands
  // in messages. Checksums are computed on all threads of the pool.
  // The sections `later` are large and are checked when `check` is called for them.
  SectionFile(const SectionFormat& format, std::span<const std::byte> bytes, std::string path,
              ThreadPool& pool, const std::vector<std::uint32_t>& later = {});

  // Throws CorruptFile if the contents of the section are not what was written.
  void check(std::uint32_t kind) const;

  bool has(std::uint32_t kind) const { return find(kind) != nullptr; }

  // Where a section begins, for messages. Throws CorruptFile if it is missing, as all below do.
  std::uint64_t offset_of(std::uint32_t kind) const { return entry_of(kind).offset; }

  std::string_view text(std::uint32_t kind) const {
    const auto bytes = bytes_of(kind);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  // Exactly `count` values, in place; the file must stand in memory at an address aligned for them.
  template <typename T>
  std::span<const T> array(std::uint32_t kind, std::uint64_t count) const {
    const auto bytes = bytes_of(kind);
    if (bytes.size() % sizeof(T) != 0 || bytes.size() / sizeof(T) != count) {
      fail_size(kind, sizeof(T), count);
    }
    return {reinterpret_cast<const T*>(bytes.data()), static_cast<std::size_t>(count)};
  }

  // As many whole values as the section holds, copied, so the file may stand at any address.
  template <typename T>
  std::vector<T> values(std::uint32_t kind) const {
    const auto bytes = bytes_of(kind);
    std::vector<T> copy(bytes.size() / sizeof(T));
    if (bytes.size() % sizeof(T) != 0) fail_size(kind, sizeof(T), copy.size());
    if (!copy.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
    return copy;
  }

  [[noreturn]] void fail(std::uint64_t offset, const std::string& message) const;

 private:
  void read_table(const SectionFormat& format);
  void check_places() const;
  void check_contents(ThreadPool& pool, const std::vector<std::uint32_t>& later) const;
  const SectionEntry* find(std::uint32_t kind) const;
  const SectionEntry& entry_of(std::uint32_t kind) const;
  std::span<const std::byte> bytes_of(std::uint32_t kind) const;
  [[noreturn]] void fail_size(std::uint32_t kind, std::size_t element, std::uint64_t count) const;

  std::span<const std::byte> file_;
  std::string path_;
  std::vector<SectionEntry> table_;
};

}  // namespace pegasos
