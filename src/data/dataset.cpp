#include "pegasos/dataset.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "pegasos/error.h"
#include "simd/arrays.h"

namespace pegasos {
namespace {

void check_sparse(const SparseMatrix& matrix, std::size_t rows, std::size_t features) {
  if (matrix.offsets.size() != rows + 1) {
    throw InvalidOption("offsets",
                        fmt::format("{} offsets for {} rows; there must be one more than rows",
                                    matrix.offsets.size(), rows));
  }
  if (matrix.features.size() != matrix.values.size()) {
    throw InvalidOption("values", fmt::format("{} values for {} feature ids", matrix.values.size(),
                                              matrix.features.size()));
  }
  if (matrix.offsets.back() > matrix.features.size()) {
    throw InvalidOption("offsets", fmt::format("the last offset {} is beyond the {} feature ids",
                                               matrix.offsets.back(), matrix.features.size()));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (matrix.offsets[i] > matrix.offsets[i + 1]) {
      throw InvalidOption("offsets", fmt::format("the offsets decrease at row {}", i));
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const auto ids = matrix.row(i).ids;
    if (!simd::strictly_ascending(ids)) {
      throw InvalidOption("features",
                          fmt::format("the feature ids of row {} are not in ascending order", i));
    }
    if (!ids.empty() && ids.back() >= features) {
      throw InvalidOption("features",
                          fmt::format("feature id {} in row {}, but there are only {} features",
                                      ids.back(), i, features));
    }
  }
}

template <typename Check>
void check_per_row(std::span<const double> values, std::size_t rows, const char* name,
                   Check&& acceptable, const char* rule) {
  if (values.empty()) return;
  if (values.size() != rows) {
    throw InvalidOption(name, fmt::format("{} given for {} rows", values.size(), rows));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (!acceptable(values[i])) {
      throw InvalidOption(name, fmt::format("{} in row {}; {}", values[i], i, rule));
    }
  }
}

}  // namespace

double RowView::dot(std::span<const double> w) const {
  double sum = 0.0;
  if (dense) {
    for (std::size_t j = 0; j < values.size(); ++j) sum += w[j] * double{values[j]};
  } else {
    for (std::size_t j = 0; j < values.size(); ++j) sum += w[ids[j]] * double{values[j]};
  }
  return sum;
}

double RowView::squared_norm() const {
  double sum = 0.0;
  for (const float value : values) sum += double{value} * double{value};
  return sum;
}

Dataset::Dataset() {
  static const auto kNoNames = std::make_shared<const Schema>();
  parts_.schema = kNoNames;
}

Dataset Dataset::from_parts(DatasetParts parts, Contents contents) {
  if (parts.sparse.has_value() == parts.dense.has_value()) {
    throw InvalidOption("sparse", "give either sparse or dense rows, not both");
  }
  if (parts.rows > std::numeric_limits<RowId>::max()) {
    throw InvalidOption("rows", fmt::format("{} rows; at most {} are supported", parts.rows,
                                            std::numeric_limits<RowId>::max()));
  }
  if (parts.dense) {
    const auto& matrix = *parts.dense;
    if (matrix.columns != parts.features) {
      throw InvalidOption("dense",
                          fmt::format("{} names for {} features", matrix.columns, parts.features));
    }
    if (matrix.columns != 0 && matrix.values.size() / matrix.columns < parts.rows) {
      throw InvalidOption("dense", fmt::format("{} values for {} rows of {} features",
                                               matrix.values.size(), parts.rows, matrix.columns));
    }
  }
  if (contents == Contents::check) {
    if (parts.sparse) check_sparse(*parts.sparse, parts.rows, parts.features);
    if (!simd::all_finite(parts.dense ? parts.dense->values : parts.sparse->values)) {
      throw InvalidOption("values", "a value is infinite or not a number");
    }
    check_per_row(
        parts.labels, parts.rows, "labels", [](double y) { return !std::isinf(y); },
        "must be finite, or NaN for no label");
    if (parts.schema && !parts.schema->label_words.empty()) {
      const auto words = static_cast<double>(parts.schema->label_words.size());
      check_per_row(
          parts.labels, parts.rows, "labels",
          [words](double y) {
            return std::isnan(y) || (y >= 0 && y < words && y == std::floor(y));
          },
          "no such label word");
    }
    check_per_row(
        parts.weights, parts.rows, "weights", [](double s) { return s >= 0 && !std::isinf(s); },
        "must be finite and not negative");
  }
  if (!parts.schema) {
    Schema plain;
    plain.indices = IndexMap::contiguous(0, parts.features);
    parts.schema = std::make_shared<const Schema>(std::move(plain));
  }
  Dataset data;
  data.parts_ = std::move(parts);
  return data;
}

Dataset Dataset::slice(std::size_t begin, std::size_t count) const {
  DatasetParts part = parts_;
  part.rows = count;
  if (part.dense) {
    part.dense->values = part.dense->values.subspan(begin * part.features, count * part.features);
  } else {
    part.sparse->offsets = part.sparse->offsets.subspan(begin, count + 1);
  }
  if (!part.labels.empty()) part.labels = part.labels.subspan(begin, count);
  if (!part.weights.empty()) part.weights = part.weights.subspan(begin, count);
  Dataset data;
  data.parts_ = std::move(part);
  return data;
}

std::uint64_t Dataset::non_zeros() const {
  if (parts_.dense) return simd::count_non_zeros(parts_.dense->values);
  if (!parts_.sparse) return 0;
  return parts_.sparse->offsets.back() - parts_.sparse->offsets.front();
}

std::uint64_t Dataset::memory_bytes() const {
  std::uint64_t bytes = parts_.labels.size_bytes() + parts_.weights.size_bytes();
  if (parts_.dense) bytes += parts_.dense->values.size_bytes();
  if (parts_.sparse) {
    const auto& matrix = *parts_.sparse;
    bytes += matrix.offsets.size_bytes() + non_zeros() * (sizeof(FeatureId) + sizeof(float));
  }
  return bytes;
}

}  // namespace pegasos
