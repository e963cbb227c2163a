#include "data/row_maker.h"

#include <utility>

namespace pegasos {

void GeneratedRows::clear() {
  labels.clear();
  offsets.clear();
  offsets.push_back(0);
  features.clear();
  values.clear();
}

Dataset GeneratedRows::view(std::size_t columns, std::shared_ptr<const Schema> schema,
                            std::shared_ptr<const void> owner) const {
  DatasetParts parts;
  parts.rows = labels.size();
  parts.features = columns;
  parts.labels = labels.view();
  if (offsets.size() > 1) {
    parts.sparse = SparseMatrix{offsets.view(), features.view(), values.view()};
  } else {
    parts.dense = DenseMatrix{values.view(), columns};
  }
  parts.schema = std::move(schema);
  parts.owner = std::move(owner);
  return Dataset::from_parts(std::move(parts), Dataset::Contents::trusted);
}

std::uint32_t features_of(const GenerateOptions& options) {
  if (options.features) return *options.features;
  switch (options.kind) {
    case GeneratedKind::text:
      return 50000;
    case GeneratedKind::blobs:
    case GeneratedKind::linear:
      return 20;
    case GeneratedKind::moons:
    case GeneratedKind::xor_squares:
      return 2;
    case GeneratedKind::friedman:
      return 10;
  }
  return 1;
}

double noise_of(const GenerateOptions& options) {
  if (options.noise) return *options.noise;
  switch (options.kind) {
    case GeneratedKind::text:
      return 0.0;
    case GeneratedKind::moons:
      return 0.15;
    case GeneratedKind::xor_squares:
      return 0.05;
    case GeneratedKind::blobs:
    case GeneratedKind::linear:
    case GeneratedKind::friedman:
      return 1.0;
  }
  return 0.0;
}

Random shared_random(const GenerateOptions& options, SharedStream stream, std::uint64_t part) {
  constexpr std::uint64_t kBeyondRows = std::uint64_t{1} << 63;
  return Random(options.seed, kBeyondRows + static_cast<std::uint64_t>(stream) + part);
}

ClassDraw::ClassDraw(const GenerateOptions& options)
    : classes_(static_cast<std::uint32_t>(options.classes)),
      positive_share_(options.positive_share.value_or(1.0 / options.classes)),
      label_noise_(options.label_noise) {}

std::uint32_t ClassDraw::draw(Random& random) const {
  const std::uint32_t last = classes_ - 1;
  if (random.uniform() < positive_share_) return last;
  return static_cast<std::uint32_t>(random.below(last));
}

double ClassDraw::label(std::uint32_t of_class, Random& random) const {
  if (random.uniform() < label_noise_) {
    of_class = static_cast<std::uint32_t>((of_class + 1 + random.below(classes_ - 1)) % classes_);
  }
  if (classes_ == 2) return of_class == 1 ? 1.0 : -1.0;
  return of_class + 1.0;
}

}  // namespace pegasos
