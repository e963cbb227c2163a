// Finds duplicate rows by hashing in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

// Of the pairs (feature, value) that are not zero; 0 and -0 are the same. `scratch` is overwritten.
std::uint64_t hash_of_row(const RowView& row, std::vector<std::uint64_t>& scratch);

bool equal_rows(const RowView& left, const RowView& right);

// Rows by their hash: each different row once, the first of those that are equal.
class RowIndex {
 public:
  // `hashes` has one for each row of `data`; both must outlive the index.
  RowIndex(const Dataset& data, std::span<const std::uint64_t> hashes);

  // The first row that is equal, if any was added.
  std::optional<RowId> find(const RowView& row, std::uint64_t hash) const;
  // Adds the row, unless an equal one is there: then that.
  std::optional<RowId> add(RowId row);

 private:
  std::size_t slot_of(const RowView& row, std::uint64_t hash) const;

  static constexpr RowId kNone = ~RowId{0};

  const Dataset& data_;
  std::span<const std::uint64_t> hashes_;
  std::vector<RowId> slots_;  // a power of two of them, at least twice the rows
};

}  // namespace pegasos
