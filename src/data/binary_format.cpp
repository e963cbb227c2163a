#include "data/binary_format.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/section_file.h"
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
  kSeen = 7,
  kCounts = 8,
  kKey = 9
};

enum Layout : std::uint32_t { kSparse = 0, kDense = 1 };

struct Counts {
  std::uint64_t rows;
  std::uint64_t features;
  std::uint64_t values;
  std::uint32_t layout;
  std::uint32_t zero;
};
static_assert(sizeof(Counts) == 32);

Counts read_counts(const SectionFile& file) {
  const Counts counts = file.array<Counts>(kCounts, 1)[0];
  const std::uint64_t place = file.offset_of(kCounts);
  // No count may overflow when one is added to it or it is multiplied by the size of an element.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 56;
  if (counts.rows >= kMost || counts.features > (std::uint64_t{1} << 32) ||
      counts.values >= kMost) {
    file.fail(place, "invalid counts");
  }
  if (counts.layout > kDense || counts.zero != 0) file.fail(place, "unknown layout");
  if (counts.layout == kDense &&
      (counts.features == 0 ? counts.values != 0
                            : counts.values % counts.features != 0 ||
                                  counts.values / counts.features != counts.rows)) {
    file.fail(place, "the number of values is not rows times features");
  }
  return counts;
}

Schema read_schema(const SectionFile& file, std::uint64_t features) {
  std::vector<std::uint32_t> seen;
  if (file.has(kSeen)) seen = file.values<std::uint32_t>(kSeen);
  const std::uint64_t place = file.offset_of(kSchema);
  try {
    Schema schema = schema_from_json(file.text(kSchema), std::move(seen));
    if (schema.feature_count() != features) {
      throw Error("the schema and the data have different numbers of features");
    }
    return schema;
  } catch (const Error& problem) {
    file.fail(place, problem.what());
  }
}

DatasetParts parts_of(const SectionFile& file, std::shared_ptr<const void> owner) {
  const Counts counts = read_counts(file);
  DatasetParts parts;
  parts.rows = counts.rows;
  parts.features = counts.features;
  if (counts.layout == kDense) {
    parts.dense = DenseMatrix{file.array<float>(kValues, counts.values), parts.features};
  } else {
    parts.sparse = SparseMatrix{file.array<std::uint64_t>(kOffsets, counts.rows + 1),
                                file.array<FeatureId>(kFeatures, counts.values),
                                file.array<float>(kValues, counts.values)};
  }
  if (file.has(kLabels)) parts.labels = file.array<double>(kLabels, counts.rows);
  if (file.has(kWeights)) parts.weights = file.array<double>(kWeights, counts.rows);
  parts.schema = std::make_shared<const Schema>(read_schema(file, counts.features));
  parts.owner = std::move(owner);
  return parts;
}

Dataset checked(const SectionFile& file, DatasetParts parts) {
  try {
    return Dataset::from_parts(std::move(parts));
  } catch (const InvalidOption& problem) {
    file.fail(0, problem.what());
  }
}

Dataset open(std::span<const std::byte> bytes, const std::string& path, ThreadPool& pool,
             std::shared_ptr<const void> owner) {
  const SectionFile file(kBinaryData, bytes, path, pool);
  return checked(file, parts_of(file, std::move(owner)));
}

// Everything but feature ids and values.
void check_around_rows(const SectionFile& file, const DatasetParts& parts) {
  DatasetParts without = parts;
  without.sparse.reset();
  without.dense = DenseMatrix{};
  without.features = 0;
  checked(file, std::move(without));
  if (!parts.sparse) return;
  const auto offsets = parts.sparse->offsets;
  bool ascend = offsets.front() == 0 && offsets.back() <= parts.sparse->features.size();
  for (std::size_t i = 0; i < parts.rows; ++i) ascend = ascend && offsets[i] <= offsets[i + 1];
  if (!ascend) file.fail(file.offset_of(kOffsets), "the offsets of rows decrease");
}

}  // namespace

Dataset open_binary(const std::string& path, ThreadPool& pool) {
  auto file = std::make_shared<MappedFile>(path);
  const auto bytes = file->bytes();
  return open(bytes, path, pool, std::move(file));
}

PagedBinary open_binary_paged(const std::string& path, std::shared_ptr<Residency> residency,
                              ThreadPool& pool) {
  const auto mapped = std::make_shared<MappedFile>(path, residency);
  const SectionFile file(kBinaryData, mapped->bytes(), path, pool, {kFeatures, kValues});
  DatasetParts parts = parts_of(file, mapped);
  parts.residency = std::move(residency);
  check_around_rows(file, parts);
  PagedBinary opened;
  if (file.has(kKey)) opened.key = file.array<std::uint64_t>(kKey, 1)[0];
  opened.check = [file, parts](ThreadPool&) {
    if (file.has(kFeatures)) file.check(kFeatures);
    file.check(kValues);
    checked(file, parts);
  };
  opened.data = Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
  return opened;
}

Dataset open_binary_from(GrowBuffer<char> bytes, const std::string& name, ThreadPool& pool) {
  auto owner = std::make_shared<GrowBuffer<char>>(std::move(bytes));
  const auto file = std::as_bytes(owner->view());
  return open(file, name, pool, std::move(owner));
}

namespace {

void write_with(const Dataset& data, const std::uint64_t* key, const std::string& path,
                const std::function<void()>& between) {
  Counts counts = {data.rows(), data.features(), 0, data.is_dense() ? kDense : kSparse, 0};
  std::vector<SectionContents> sections;
  // A slice's offsets need not begin at 0; those in the file do.
  std::vector<std::uint64_t> offsets;
  if (data.is_dense()) {
    const auto values = data.dense().values.first(data.rows() * data.features());
    counts.values = values.size();
    sections.push_back(section_of(kValues, values));
  } else {
    const SparseMatrix& matrix = data.sparse();
    const std::uint64_t first = matrix.offsets.front();
    if (first > 0) {
      offsets.assign(matrix.offsets.begin(), matrix.offsets.end());
      for (auto& offset : offsets) offset -= first;
    }
    const std::span<const std::uint64_t> written = first > 0 ? offsets : matrix.offsets;
    counts.values = written.back();
    sections.push_back(section_of(kOffsets, written));
    sections.push_back(section_of(kFeatures, matrix.features.subspan(first, counts.values)));
    sections.push_back(section_of(kValues, matrix.values.subspan(first, counts.values)));
  }
  if (data.has_labels()) sections.push_back(section_of(kLabels, data.labels()));
  if (data.has_weights()) sections.push_back(section_of(kWeights, data.weights()));
  const std::string schema = schema_to_json(data.schema());
  sections.push_back({kSchema, schema});
  const std::span<const std::uint32_t> seen = data.schema().indices.seen();
  if (!seen.empty()) sections.push_back(section_of(kSeen, seen));
  sections.push_back(section_of(kCounts, std::span<const Counts>(&counts, 1)));
  if (key != nullptr) sections.push_back(section_of(kKey, std::span<const std::uint64_t>(key, 1)));
  write_section_file(kBinaryData, sections, path, between);
}

}  // namespace

void write_binary(const Dataset& data, const std::string& path) {
  write_with(data, nullptr, path, {});
}

void write_binary_cache(const Dataset& data, std::uint64_t key, const std::string& path,
                        const std::function<void()>& between) {
  write_with(data, &key, path, between);
}

}  // namespace pegasos
