#include "data/equal_rows.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>

namespace pegasos {
namespace {

std::size_t skip_zeros(const RowView& row, std::size_t at) {
  while (at < row.values.size() && row.values[at] == 0.0F) ++at;
  return at;
}

std::uint64_t feature_at(const RowView& row, std::size_t at) {
  return row.dense ? at : row.ids[at];
}

}  // namespace

std::uint64_t hash_of_row(const RowView& row, std::vector<std::uint64_t>& scratch) {
  scratch.clear();
  for (std::size_t at = 0; at < row.values.size(); ++at) {
    if (row.values[at] == 0.0F) continue;
    scratch.push_back(feature_at(row, at) << 32 | std::bit_cast<std::uint32_t>(row.values[at]));
  }
  return XXH3_64bits(scratch.data(), scratch.size() * sizeof(std::uint64_t));
}

bool equal_rows(const RowView& left, const RowView& right) {
  std::size_t a = skip_zeros(left, 0);
  std::size_t b = skip_zeros(right, 0);
  while (a < left.values.size() && b < right.values.size()) {
    if (feature_at(left, a) != feature_at(right, b) || left.values[a] != right.values[b]) {
      return false;
    }
    a = skip_zeros(left, a + 1);
    b = skip_zeros(right, b + 1);
  }
  return a == left.values.size() && b == right.values.size();
}

RowIndex::RowIndex(const Dataset& data, std::span<const std::uint64_t> hashes)
    : data_(data),
      hashes_(hashes),
      slots_(std::bit_ceil(std::max<std::size_t>(2 * hashes.size(), 2)), kNone) {}

// Linear probing: the slot of an equal row, or the first that is free.
std::size_t RowIndex::slot_of(const RowView& row, std::uint64_t hash) const {
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1)) {
    const RowId other = slots_[slot];
    if (hashes_[other] == hash && equal_rows(data_.row(other), row)) break;
  }
  return slot;
}

std::optional<RowId> RowIndex::find(const RowView& row, std::uint64_t hash) const {
  const RowId found = slots_[slot_of(row, hash)];
  if (found == kNone) return std::nullopt;
  return found;
}

std::optional<RowId> RowIndex::add(RowId row) {
  RowId& slot = slots_[slot_of(data_.row(row), hashes_[row])];
  if (slot != kNone) return slot;
  slot = row;
  return std::nullopt;
}

}  // namespace pegasos
