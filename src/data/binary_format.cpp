#include "data/binary_format.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/file.h"
#include "data/schema_json.h"
#include "pegasos/error.h"
#include "pegasos/write.h"

namespace pegasos {
namespace {

enum Kind : std::uint32_t {
  kOffsets = 1,
  kFeatures = 2,
  kValues = 3,
  kLabels = 4,
  kWeights = 5,
  kSchema = 6,
  kSeen = 7
};

constexpr std::uint32_t kFormatVersion = 1;
constexpr std::uint32_t kMostSections = 16;
constexpr std::uint64_t kAlignment = 64;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t sections;
  std::uint64_t rows;
  std::uint64_t features;
  std::uint64_t values;
  std::uint32_t layout;
  std::uint32_t zero;
  std::uint64_t file_size;
  std::uint64_t checksum;
};
static_assert(sizeof(Header) == 64);

struct Section {
  std::uint32_t kind;
  std::uint32_t zero;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t checksum;
};
static_assert(sizeof(Section) == 32);

std::uint64_t header_checksum(const Header& header, std::span<const Section> table) {
  std::vector<char> bytes(offsetof(Header, checksum) + table.size_bytes());
  std::memcpy(bytes.data(), &header, offsetof(Header, checksum));
  if (!table.empty()) {
    std::memcpy(bytes.data() + offsetof(Header, checksum), table.data(), table.size_bytes());
  }
  return XXH3_64bits(bytes.data(), bytes.size());
}

// Checks a file from the outside in: header, table, sections, contents.
class Opener {
 public:
  Opener(std::span<const std::byte> file, std::string path, ThreadPool& pool)
      : file_(file), path_(std::move(path)), pool_(pool) {}

  Dataset open(std::shared_ptr<const void> owner) {
    read_header();
    check_sections();
    DatasetParts parts;
    parts.rows = header_.rows;
    parts.features = header_.features;
    const std::uint64_t m = header_.rows;
    if (header_.layout == 1) {
      parts.dense = DenseMatrix{array<float>(kValues, header_.values), header_.features};
    } else {
      parts.sparse = SparseMatrix{array<std::uint64_t>(kOffsets, m + 1),
                                  array<FeatureId>(kFeatures, header_.values),
                                  array<float>(kValues, header_.values)};
    }
    if (find(kLabels)) parts.labels = array<double>(kLabels, m);
    if (find(kWeights)) parts.weights = array<double>(kWeights, m);
    parts.schema = std::make_shared<const Schema>(read_schema());
    parts.owner = std::move(owner);
    try {
      return Dataset::from_parts(std::move(parts));
    } catch (const InvalidOption& problem) {
      fail(0, problem.what());
    }
  }

 private:
  [[noreturn]] void fail(std::uint64_t offset, const std::string& message) const {
    throw CorruptFile(path_, offset, message);
  }

  void read_header() {
    if (file_.size() < sizeof(Header)) fail(file_.size(), "the binary data file is cut short");
    std::memcpy(&header_, file_.data(), sizeof header_);
    if (header_.version != kFormatVersion) {
      fail(8, fmt::format("binary data version {}; this program reads version {}", header_.version,
                          kFormatVersion));
    }
    if (header_.sections > kMostSections) fail(12, "impossible number of sections");
    if (header_.file_size != file_.size()) {
      fail(48, fmt::format("the file has {} bytes, its header says {}; it was cut short or grew",
                           file_.size(), header_.file_size));
    }
    if (file_.size() < sizeof(Header) + header_.sections * sizeof(Section)) {
      fail(sizeof(Header), "the section table is cut short");
    }
    table_.resize(header_.sections);
    if (!table_.empty()) {
      std::memcpy(table_.data(), file_.data() + sizeof(Header), table_.size() * sizeof(Section));
    }
    if (header_checksum(header_, table_) != header_.checksum) fail(56, "the header is damaged");
    // No count below may overflow when multiplied by the size of an element.
    constexpr std::uint64_t kMost = std::uint64_t{1} << 56;
    if (header_.rows >= kMost || header_.features > (std::uint64_t{1} << 32) ||
        header_.values >= kMost) {
      fail(16, "impossible counts");
    }
    if (header_.layout > 1) fail(40, "unknown layout");
    if (header_.layout == 1 &&
        (header_.features == 0 ? header_.values != 0
                               : header_.values % header_.features != 0 ||
                                     header_.values / header_.features != header_.rows)) {
      fail(32, "the number of values is not rows times features");
    }
  }

  void check_sections() {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const Section& section = table_[i];
      const std::uint64_t place = sizeof(Header) + i * sizeof(Section);
      if (section.offset % kAlignment != 0 || section.offset > file_.size() ||
          section.bytes > file_.size() - section.offset) {
        fail(place, "a section lies outside the file");
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (table_[j].kind == section.kind) fail(place, "a section appears twice");
      }
    }
    pool_.for_each(table_.size(), [this](std::size_t i) {
      const Section& section = table_[i];
      const auto* begin = file_.data() + section.offset;
      if (XXH3_64bits(begin, section.bytes) != section.checksum) {
        fail(section.offset, fmt::format("section {} is damaged", section.kind));
      }
    });
  }

  const Section* find(std::uint32_t kind) const {
    const auto found = std::find_if(table_.begin(), table_.end(),
                                    [kind](const Section& s) { return s.kind == kind; });
    return found == table_.end() ? nullptr : &*found;
  }

  template <typename T>
  std::span<const T> array(std::uint32_t kind, std::uint64_t count) const {
    const Section* section = find(kind);
    if (section == nullptr) fail(sizeof(Header), fmt::format("section {} is missing", kind));
    if (section->bytes != count * sizeof(T)) {
      fail(section->offset, fmt::format("section {} has {} bytes where {} are due", kind,
                                        section->bytes, count * sizeof(T)));
    }
    return {reinterpret_cast<const T*>(file_.data() + section->offset),
            static_cast<std::size_t>(count)};
  }

  Schema read_schema() const {
    std::vector<std::uint32_t> seen;
    if (const Section* section = find(kSeen)) {
      const auto values = array<std::uint32_t>(kSeen, section->bytes / sizeof(std::uint32_t));
      seen.assign(values.begin(), values.end());
      if (std::adjacent_find(seen.begin(), seen.end(), std::greater_equal<>()) != seen.end()) {
        fail(section->offset, "the index map does not ascend");
      }
    }
    const Section* section = find(kSchema);
    if (section == nullptr) fail(sizeof(Header), "the description of the columns is missing");
    const auto text = array<char>(kSchema, section->bytes);
    try {
      Schema schema = schema_from_json({text.data(), text.size()}, std::move(seen));
      if (schema.feature_count() != header_.features) {
        throw Error("the description has another number of features than the data");
      }
      return schema;
    } catch (const Error& problem) {
      fail(section->offset, problem.what());
    }
  }

  std::span<const std::byte> file_;
  std::string path_;
  ThreadPool& pool_;
  Header header_ = {};
  std::vector<Section> table_;
};

template <typename T>
std::span<const char> bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

Dataset open_binary(const std::string& path, ThreadPool& pool) {
  auto file = std::make_shared<MappedFile>(path);
  const auto bytes = file->bytes();
  return Opener(bytes, path, pool).open(std::move(file));
}

Dataset open_binary_from(GrowBuffer<char> bytes, const std::string& name, ThreadPool& pool) {
  auto owner = std::make_shared<GrowBuffer<char>>(std::move(bytes));
  const auto file = std::as_bytes(owner->view());
  return Opener(file, name, pool).open(std::move(owner));
}

void write_binary(const Dataset& data, const std::string& path) {
  // A slice's offsets need not begin at 0; those in the file do.
  std::vector<std::uint64_t> offsets;
  std::vector<std::pair<std::uint32_t, std::span<const char>>> contents;
  Header header = {};
  if (data.is_dense()) {
    const auto values = data.dense().values.first(data.rows() * data.features());
    header.layout = 1;
    header.values = values.size();
    contents.emplace_back(kValues, bytes_of(values));
  } else {
    const SparseMatrix& matrix = data.sparse();
    const std::uint64_t first = matrix.offsets.front();
    offsets.assign(matrix.offsets.begin(), matrix.offsets.end());
    for (auto& offset : offsets) offset -= first;
    header.values = offsets.back();
    contents.emplace_back(kOffsets, bytes_of(std::span<const std::uint64_t>(offsets)));
    contents.emplace_back(kFeatures, bytes_of(matrix.features.subspan(first, header.values)));
    contents.emplace_back(kValues, bytes_of(matrix.values.subspan(first, header.values)));
  }
  if (data.has_labels()) contents.emplace_back(kLabels, bytes_of(data.labels()));
  if (data.has_weights()) contents.emplace_back(kWeights, bytes_of(data.weights()));
  const std::string schema = schema_to_json(data.schema());
  contents.emplace_back(kSchema, std::span<const char>(schema));
  const auto& seen = data.schema().indices.seen();
  if (!seen.empty()) {
    contents.emplace_back(kSeen, bytes_of(std::span<const std::uint32_t>(seen)));
  }

  std::vector<Section> table;
  const auto aligned = [](std::uint64_t at) {
    return (at + kAlignment - 1) / kAlignment * kAlignment;
  };
  std::uint64_t at = sizeof(Header) + contents.size() * sizeof(Section);
  for (const auto& [kind, bytes] : contents) {
    at = aligned(at);
    table.push_back({kind, 0, at, bytes.size(), XXH3_64bits(bytes.data(), bytes.size())});
    at += bytes.size();
  }
  std::copy(kBinaryMagic.begin(), kBinaryMagic.end(), header.magic.begin());
  header.version = kFormatVersion;
  header.sections = static_cast<std::uint32_t>(table.size());
  header.rows = data.rows();
  header.features = data.features();
  header.file_size = at;
  header.checksum = header_checksum(header, table);

  AtomicFile file(path);
  file.write(std::span<const char>(reinterpret_cast<const char*>(&header), sizeof header));
  file.write(bytes_of(std::span<const Section>(table)));
  const std::array<char, kAlignment> zeros = {};
  for (std::size_t i = 0; i < contents.size(); ++i) {
    file.write(std::span<const char>(zeros).first(table[i].offset - file.bytes_written()));
    file.write(contents[i].second);
  }
  file.commit();
}

}  // namespace pegasos
