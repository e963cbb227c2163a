// Dataset: rows of features with labels; the input of every learner.
//
// A Dataset is a cheap handle: copying it copies a few pointers. The arrays behind it belong to a
// reader's buffers, to a memory-mapped file, or to the caller (zero-copy), and never change.
//
//   sparse   offsets[m+1]  features[nnz]  values[nnz]     row i is offsets[i] … offsets[i+1]
//   dense    values[m·d]                                  row i is values[i·d … (i+1)·d)
//
// Inside a sparse row feature ids ascend strictly. Values are finite; our readers store no zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pegasos/schema.h"

namespace pegasos {

using FeatureId = std::uint32_t;
using RowId = std::uint32_t;  // at most 2^32 - 1 rows in memory

// One row without copying it. A dense row has no ids: feature j is values[j].
struct RowView {
  std::span<const FeatureId> ids = {};
  std::span<const float> values = {};
  bool dense = false;

  double dot(std::span<const double> w) const;
  double squared_norm() const;
};

struct SparseMatrix {
  std::span<const std::uint64_t> offsets = {};  // m + 1 of them; a slice need not begin at 0
  std::span<const FeatureId> features = {};
  std::span<const float> values = {};

  RowView row(std::size_t i) const {
    const auto begin = static_cast<std::size_t>(offsets[i]);
    const auto length = static_cast<std::size_t>(offsets[i + 1]) - begin;
    return {features.subspan(begin, length), values.subspan(begin, length), false};
  }
};

struct DenseMatrix {
  std::span<const float> values = {};
  std::size_t columns = 0;

  RowView row(std::size_t i) const { return {{}, values.subspan(i * columns, columns), true}; }
};

class Residency;
enum class PageUse;  // see base/residency.h  // of rows in a file that are not all in memory

// The arrays of a Dataset, for callers that provide their own.
struct DatasetParts {
  std::size_t rows = 0;
  std::size_t features = 0;                 // d: every feature id is below it
  std::optional<SparseMatrix> sparse = {};  // exactly one of the two
  std::optional<DenseMatrix> dense = {};
  std::span<const double> labels = {};   // m, or none: unlabelled. NaN: this row has no label
  std::span<const double> weights = {};  // m, or none: every row has weight 1
  std::shared_ptr<const Schema> schema =
      {};                                  // names in the user's file; null: plain numbers from 0
  std::shared_ptr<const void> owner = {};  // keeps the arrays alive; null: the caller does
  // Set where the arrays are in files that are larger than the memory for them; see large_data.h.
  std::shared_ptr<Residency> residency = {};
};

// What rows may have beside their features.
struct RowFacts {
  std::span<const double> labels = {};  // as in DatasetParts
  std::span<const double> weights = {};
  std::shared_ptr<const Schema> schema = {};
  std::shared_ptr<const void> owner = {};
};

// Values row by row, as in a C-ordered array; float64 becomes float32.
using FloatArray = std::variant<std::span<const float>, std::span<const double>>;

// The three arrays of a CSR matrix in the types that others have them in.
struct CsrArrays {
  std::variant<std::span<const std::uint64_t>, std::span<const std::int64_t>,
               std::span<const std::int32_t>>
      offsets = {};
  std::variant<std::span<const FeatureId>, std::span<const std::int64_t>,
               std::span<const std::int32_t>>
      features = {};
  FloatArray values = {};
};

class Dataset {
 public:
  Dataset();  // no rows, no features

  // From arrays, in one call. Borrowed arrays must live and stay as they are while the Dataset or a
  // copy of it does, or `facts.owner` keeps them; float32 values, 64-bit offsets and 32-bit
  // features are then used in place, and what has another type is converted and owned. Throws
  // InvalidOption as from_parts does.
  enum class Arrays { copy, borrow };
  static Dataset from_dense(const FloatArray& values, std::size_t rows, std::size_t features,
                            const RowFacts& facts = {}, Arrays arrays = Arrays::copy);
  static Dataset from_csr(const CsrArrays& matrix, std::size_t features, const RowFacts& facts = {},
                          Arrays arrays = Arrays::copy);

  // Takes arrays as they are. Checks the sizes always, and the contents (ascending ids below d,
  // finite values) unless told that they are trusted. Throws InvalidOption naming the array.
  enum class Contents { check, trusted };
  static Dataset from_parts(DatasetParts parts, Contents contents = Contents::check);

  std::size_t rows() const { return parts_.rows; }
  std::size_t features() const { return parts_.features; }
  bool is_dense() const { return parts_.dense.has_value(); }
  const SparseMatrix& sparse() const { return *parts_.sparse; }
  const DenseMatrix& dense() const { return *parts_.dense; }

  RowView row(std::size_t i) const {
    const RowView row = parts_.dense ? parts_.dense->row(i) : parts_.sparse->row(i);
    if (parts_.residency) count_visit(row);
    return row;
  }

  bool has_labels() const { return !parts_.labels.empty(); }
  double label(std::size_t i) const { return parts_.labels[i]; }
  std::span<const double> labels() const { return parts_.labels; }
  bool has_weights() const { return !parts_.weights.empty(); }
  double weight(std::size_t i) const { return parts_.weights.empty() ? 1.0 : parts_.weights[i]; }
  std::span<const double> weights() const { return parts_.weights; }
  const Schema& schema() const { return *parts_.schema; }
  std::shared_ptr<const Schema> shared_schema() const { return parts_.schema; }

  // Rows that are in a file and come into memory when they are visited: they must not be copied
  // all at once, and are best visited in order, or so many neighbours at a time.
  bool is_paged() const { return parts_.residency != nullptr; }
  std::size_t rows_at_a_time() const;
  // These rows of a file will be visited soon, or now, in any order; or not again for a while.
  void advise(std::size_t begin, std::size_t end, PageUse use) const;

  // The handles themselves.
  const DatasetParts& parts() const { return parts_; }

  // Rows begin … begin + count - 1, without copying them. They must exist.
  Dataset slice(std::size_t begin, std::size_t count) const;

  std::uint64_t non_zeros() const;
  // Bytes of the arrays above.
  std::uint64_t memory_bytes() const;

 private:
  // Of rows that are not all in memory: pages that were used are given back in time.
  static void count_visit(const RowView& row);

  DatasetParts parts_;
};

// Some rows of a dataset in a given order: a fold, a hold-out set, a class.
class RowSubset {
 public:
  RowSubset(Dataset data, std::vector<RowId> rows)
      : data_(std::move(data)), rows_(std::move(rows)) {}

  const Dataset& data() const { return data_; }
  std::size_t rows() const { return rows_.size(); }
  std::span<const RowId> ids() const { return rows_; }
  RowView row(std::size_t i) const { return data_.row(rows_[i]); }
  double label(std::size_t i) const { return data_.label(rows_[i]); }
  double weight(std::size_t i) const { return data_.weight(rows_[i]); }

 private:
  Dataset data_;
  std::vector<RowId> rows_;
};

}  // namespace pegasos
