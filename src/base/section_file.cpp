#include "base/section_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "base/atomic_file.h"
#include "base/residency.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

static_assert(std::endian::native == std::endian::little,
              "files hold values as they are in memory");

constexpr std::uint32_t kMostSections = 16;
constexpr std::uint64_t kAlignment = 64;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t sections;
  std::uint64_t file_size;
  std::uint64_t checksum;
};
static_assert(sizeof(Header) == 32);

constexpr std::uint64_t aligned(std::uint64_t at) {
  return (at + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint64_t checksum_of(const Header& header, std::span<const SectionEntry> table) {
  constexpr std::size_t kCovered = offsetof(Header, checksum);
  std::array<char, kCovered + kMostSections * sizeof(SectionEntry)> bytes;
  std::memcpy(bytes.data(), &header, kCovered);
  if (!table.empty()) std::memcpy(bytes.data() + kCovered, table.data(), table.size_bytes());
  return XXH3_64bits(bytes.data(), kCovered + table.size_bytes());
}

// A large section need not all be in memory at a time.
constexpr std::size_t kPiece = std::size_t{1} << 22;

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  if (bytes.size() <= kPiece) return XXH3_64bits(bytes.data(), bytes.size());
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    XXH3_64bits_update(state.get(), bytes.data() + at, std::min(kPiece, bytes.size() - at));
    Residency::relieve();
  }
  return XXH3_64bits_digest(state.get());
}

// Header, table and sections in the order of the file, to whatever takes bytes.
template <typename Write>
void write_sections(const SectionFormat& format, std::span<const SectionContents> sections,
                    Write&& write) {
  assert(sections.size() <= kMostSections && format.magic.size() == 8);
  std::vector<SectionEntry> table;
  std::uint64_t end = sizeof(Header) + sections.size() * sizeof(SectionEntry);
  for (const auto& [kind, bytes] : sections) {
    const std::uint64_t offset = aligned(end);
    table.push_back({kind, 0, offset, bytes.size(), checksum_of(std::as_bytes(bytes))});
    end = offset + bytes.size();
  }
  Header header = {{}, format.version, static_cast<std::uint32_t>(table.size()), end, 0};
  std::copy(format.magic.begin(), format.magic.end(), header.magic.begin());
  header.checksum = checksum_of(header, table);

  write(std::span<const char>(reinterpret_cast<const char*>(&header), sizeof header));
  write(section_of(0, std::span<const SectionEntry>(table)).bytes);
  std::uint64_t written = sizeof header + table.size() * sizeof(SectionEntry);
  constexpr std::array<char, kAlignment> kZeros = {};
  for (std::size_t i = 0; i < sections.size(); ++i) {
    write(std::span<const char>(kZeros).first(table[i].offset - written));
    const std::span<const char> bytes = sections[i].bytes;
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      write(bytes.subspan(at, std::min(kPiece, bytes.size() - at)));
      Residency::relieve();
    }
    written = table[i].offset + sections[i].bytes.size();
  }
}

}  // namespace

void write_section_file(const SectionFormat& format, std::span<const SectionContents> sections,
                        const std::string& path, const std::function<void()>& between) {
  AtomicFile file(path);
  write_sections(format, sections, [&](std::span<const char> bytes) {
    file.write(bytes);
    if (between) between();
  });
  file.commit();
}

std::string section_file_bytes(const SectionFormat& format,
                               std::span<const SectionContents> sections) {
  std::string all;
  write_sections(format, sections,
                 [&](std::span<const char> bytes) { all.append(bytes.data(), bytes.size()); });
  return all;
}

SectionFile::SectionFile(const SectionFormat& format, std::span<const std::byte> bytes,
                         std::string path, ThreadPool& pool,
                         const std::vector<std::uint32_t>& later)
    : file_(bytes), path_(std::move(path)) {
  read_table(format);
  check_places();
  check_contents(pool, later);
}

void SectionFile::read_table(const SectionFormat& format) {
  const std::string_view start(reinterpret_cast<const char*>(file_.data()),
                               std::min(file_.size(), format.magic.size()));
  if (start != format.magic) fail(0, fmt::format("this is not a {} file", format.name));
  if (file_.size() < sizeof(Header)) {
    fail(file_.size(), fmt::format("the {} file is truncated", format.name));
  }
  Header header;
  std::memcpy(&header, file_.data(), sizeof header);
  if (header.version != format.version) {
    fail(offsetof(Header, version), fmt::format("{} version {}; this program reads version {}",
                                                format.name, header.version, format.version));
  }
  if (header.sections > kMostSections) {
    fail(offsetof(Header, sections), "invalid number of sections");
  }
  if (header.file_size != file_.size()) {
    fail(offsetof(Header, file_size),
         fmt::format("the file is truncated or too long: it has {} bytes, but its header says {}",
                     file_.size(), header.file_size));
  }
  if (file_.size() < sizeof(Header) + header.sections * sizeof(SectionEntry)) {
    fail(sizeof(Header), "the section table is truncated");
  }
  table_.resize(header.sections);
  if (!table_.empty()) {
    std::memcpy(table_.data(), file_.data() + sizeof(Header), table_.size() * sizeof(SectionEntry));
  }
  if (checksum_of(header, table_) != header.checksum) {
    fail(offsetof(Header, checksum), "the header is damaged");
  }
}

// Sizes leave the writer no choice where a section begins, so the reader accepts only that place.
void SectionFile::check_places() const {
  std::uint64_t end = sizeof(Header) + table_.size() * sizeof(SectionEntry);
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const SectionEntry& entry = table_[i];
    const std::uint64_t place = sizeof(Header) + i * sizeof(SectionEntry);
    if (entry.zero != 0) fail(place, "a reserved field is not zero");
    if (entry.offset != aligned(end)) fail(place, "a section is misaligned");
    if (entry.offset > file_.size() || entry.bytes > file_.size() - entry.offset) {
      fail(place, "a section lies outside the file");
    }
    if (find(entry.kind) != &entry) fail(place, "a section appears twice");
    for (std::uint64_t at = end; at < entry.offset; ++at) {
      if (file_[at] != std::byte{0}) fail(at, "the space between sections is not empty");
    }
    end = entry.offset + entry.bytes;
  }
  if (end != file_.size()) fail(end, "bytes after the last section");
}

void SectionFile::check_contents(ThreadPool& pool, const std::vector<std::uint32_t>& later) const {
  pool.for_each(table_.size(), [&](std::size_t i) {
    const std::uint32_t kind = table_[i].kind;
    if (std::find(later.begin(), later.end(), kind) == later.end()) check(kind);
  });
}

void SectionFile::check(std::uint32_t kind) const {
  const SectionEntry& entry = entry_of(kind);
  if (checksum_of(file_.subspan(entry.offset, entry.bytes)) != entry.checksum) {
    fail(entry.offset, fmt::format("section {} is damaged", entry.kind));
  }
}

// The first with this kind.
const SectionEntry* SectionFile::find(std::uint32_t kind) const {
  const auto found = std::find_if(table_.begin(), table_.end(),
                                  [kind](const SectionEntry& e) { return e.kind == kind; });
  return found == table_.end() ? nullptr : &*found;
}

const SectionEntry& SectionFile::entry_of(std::uint32_t kind) const {
  const SectionEntry* entry = find(kind);
  if (entry == nullptr) fail(sizeof(Header), fmt::format("section {} is missing", kind));
  return *entry;
}

std::span<const std::byte> SectionFile::bytes_of(std::uint32_t kind) const {
  const SectionEntry& entry = entry_of(kind);
  return file_.subspan(entry.offset, entry.bytes);
}

void SectionFile::fail(std::uint64_t offset, const std::string& message) const {
  throw CorruptFile(path_, offset, message);
}

void SectionFile::fail_size(std::uint32_t kind, std::size_t element, std::uint64_t count) const {
  const SectionEntry& entry = entry_of(kind);
  fail(entry.offset, fmt::format("section {} has {} bytes; {} values of {} bytes were expected",
                                 kind, entry.bytes, count, element));
}

}  // namespace pegasos
