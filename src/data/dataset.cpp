#include "pegasos/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/residency.h"
#include "pegasos/error.h"
#include "simd/arrays.h"

namespace pegasos {
namespace {

// Arrays that are not all in memory are walked over in pieces.
constexpr std::size_t kRowsBetweenReliefs = 2048;
constexpr std::size_t kValuesBetweenReliefs = std::size_t{1} << 20;

bool all_finite(std::span<const float> values) {
  for (std::size_t at = 0; at < values.size(); at += kValuesBetweenReliefs) {
    if (!simd::all_finite(
            values.subspan(at, std::min(kValuesBetweenReliefs, values.size() - at)))) {
      return false;
    }
    Residency::relieve();
  }
  return true;
}

// The ids of every row ascend and are below the number of features. Rows are often too short for a
// vector loop each, so the descents of all of them are counted at once: there are as many as rows
// begin with one.
bool ids_ascend(const SparseMatrix& matrix, std::size_t begin, std::size_t end,
                std::size_t features) {
  const std::uint64_t first = matrix.offsets[begin];
  std::size_t between_rows = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint64_t from = matrix.offsets[i];
    const std::uint64_t to = matrix.offsets[i + 1];
    if (from == to) continue;
    if (matrix.features[to - 1] >= features) return false;
    if (from > first && matrix.features[from - 1] >= matrix.features[from]) ++between_rows;
  }
  const auto ids = matrix.features.subspan(first, matrix.offsets[end] - first);
  return simd::count_descents(ids) == between_rows;
}

// Throws for the first of the rows whose ids are wrong.
[[noreturn]] void refuse_ids(const SparseMatrix& matrix, std::size_t begin, std::size_t features) {
  for (std::size_t i = begin;; ++i) {
    const auto ids = matrix.row(i).ids;
    if (simd::count_descents(ids) > 0) {
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
  for (std::size_t begin = 0; begin < rows; begin += kRowsBetweenReliefs) {
    Residency::relieve();
    const std::size_t end = std::min(rows, begin + kRowsBetweenReliefs);
    if (!ids_ascend(matrix, begin, end, features)) refuse_ids(matrix, begin, features);
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
  // Four sums, which need not wait for one another.
  std::array<double, 4> sums = {};
  const std::size_t whole = values.size() / 4 * 4;
  for (std::size_t k = 0; k < whole; k += 4) {
    for (std::size_t j = 0; j < 4; ++j) sums[j] += double{values[k + j]} * double{values[k + j]};
  }
  for (const float value : values.subspan(whole)) sums[0] += double{value} * double{value};
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
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
    if (!all_finite(parts.dense ? parts.dense->values : parts.sparse->values)) {
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

void Dataset::count_visit(const RowView& row) {
  Residency::visit(row.dense ? static_cast<const void*>(row.values.data()) : row.ids.data(),
                   row.ids.size_bytes() + row.values.size_bytes(), Residency::Visits::in_order);
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

std::size_t Dataset::rows_at_a_time() const {
  if (!is_paged()) return rows();
  const double per_row =
      static_cast<double>(memory_bytes()) / static_cast<double>(std::max<std::size_t>(1, rows()));
  // A window and what is visited beside it stay below what makes all pages go.
  constexpr double kShare = 0.16;
  const double most =
      kShare * static_cast<double>(parts_.residency->bytes()) / std::max(1.0, per_row);
  return std::clamp<std::size_t>(static_cast<std::size_t>(most), 1,
                                 std::max<std::size_t>(1, rows()));
}

void Dataset::advise(std::size_t begin, std::size_t end, PageUse use) const {
  if (!is_paged() || begin >= end) return;
  const auto advise_on = [&](const auto& array, std::uint64_t first, std::uint64_t last) {
    parts_.residency->advise(array.data() + first,
                             static_cast<std::size_t>(last - first) * sizeof(array[0]), use);
  };
  if (parts_.dense) {
    advise_on(parts_.dense->values, begin * parts_.features, end * parts_.features);
    return;
  }
  const SparseMatrix& matrix = *parts_.sparse;
  advise_on(matrix.features, matrix.offsets[begin], matrix.offsets[end]);
  advise_on(matrix.values, matrix.offsets[begin], matrix.offsets[end]);
  advise_on(matrix.offsets, begin, end + 1);  // last: the others look there
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
