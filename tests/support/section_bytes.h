// Section files (src/base/section_file.h) taken apart and put together from the description of
// their layout alone: an independent check of the writer, and what a hostile writer would do.
#pragma once

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pegasos::testing {

template <typename T>
T value_at(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T>
void put_value(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

struct SectionBytes {
  std::uint32_t kind = 0;
  std::string bytes = {};
};

// The sections of any bytes, sizes and places cut to what is there; at most 16.
inline std::vector<SectionBytes> taken_apart(std::string_view file) {
  std::vector<SectionBytes> sections;
  if (file.size() < 32) return sections;
  const std::size_t count = value_at<std::uint32_t>(file, 12) % 17;
  for (std::size_t at = 32; sections.size() < count && at + 32 <= file.size(); at += 32) {
    const auto offset = std::min<std::uint64_t>(value_at<std::uint64_t>(file, at + 8), file.size());
    const auto size = value_at<std::uint64_t>(file, at + 16);
    sections.push_back({value_at<std::uint32_t>(file, at),
                        std::string(file.substr(static_cast<std::size_t>(offset),
                                                static_cast<std::size_t>(size)))});
  }
  return sections;
}

// Makes every checksum right that can be computed, and the file size; changes nothing else.
inline void repair_checksums(std::string& file) {
  put_value(file, 16, std::uint64_t{file.size()});
  const std::size_t count = std::min<std::size_t>(value_at<std::uint32_t>(file, 12), 16);
  if (file.size() < 32 + 32 * count) return;
  for (std::size_t at = 32; at < 32 + 32 * count; at += 32) {
    const auto offset = value_at<std::uint64_t>(file, at + 8);
    const auto size = value_at<std::uint64_t>(file, at + 16);
    if (offset > file.size() || size > file.size() - offset) continue;
    put_value(file, at + 24, std::uint64_t{XXH3_64bits(file.data() + offset, size)});
  }
  const std::string covered = file.substr(0, 24) + file.substr(32, 32 * count);
  put_value(file, 24, std::uint64_t{XXH3_64bits(covered.data(), covered.size())});
}

inline std::string put_together(std::string_view magic, std::uint32_t version,
                                const std::vector<SectionBytes>& sections) {
  std::string file(32 + 32 * sections.size(), '\0');
  std::copy(magic.begin(), magic.end(), file.begin());
  put_value(file, 8, version);
  put_value(file, 12, static_cast<std::uint32_t>(sections.size()));
  for (std::size_t i = 0; i < sections.size(); ++i) {
    file.append((64 - file.size() % 64) % 64, '\0');
    put_value(file, 32 + 32 * i, sections[i].kind);
    put_value(file, 32 + 32 * i + 8, std::uint64_t{file.size()});
    put_value(file, 32 + 32 * i + 16, std::uint64_t{sections[i].bytes.size()});
    file += sections[i].bytes;
  }
  repair_checksums(file);
  return file;
}

inline std::string& section_in(std::vector<SectionBytes>& sections, std::uint32_t kind) {
  for (auto& section : sections) {
    if (section.kind == kind) return section.bytes;
  }
  throw std::out_of_range("no section " + std::to_string(kind));
}

}  // namespace pegasos::testing
