#include "data/row_table.h"

#include <algorithm>
#include <bit>

namespace pegasos {
namespace {

// The values of a row that are not zero, one after the other.
class NonZeros {
 public:
  explicit NonZeros(const RowView& row) : row_(row) { skip_zeros(); }

  bool ended() const { return at_ == row_.values.size(); }
  std::uint64_t feature() const { return row_.dense ? at_ : row_.ids[at_]; }
  float value() const { return row_.values[at_]; }
  void advance() {
    ++at_;
    skip_zeros();
  }

 private:
  void skip_zeros() {
    while (!ended() && value() == 0.0F) ++at_;
  }

  const RowView& row_;
  std::size_t at_ = 0;
};

// A sum over the values that are not zero, so that none waits for the one before.
std::uint64_t hash_of(const RowView& row) {
  const auto mixed = [](std::uint64_t feature, float value) {
    std::uint64_t x = feature << 32 | std::bit_cast<std::uint32_t>(value);
    x *= 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93U;
    return value != 0.0F ? x ^ x >> 32 : 0;
  };
  std::uint64_t hash = 0;
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    hash += mixed(row.dense ? k : row.ids[k], row.values[k]);
  }
  return hash;
}

bool equal(const RowView& left, const RowView& right) {
  NonZeros a(left);
  NonZeros b(right);
  for (; !a.ended() && !b.ended(); a.advance(), b.advance()) {
    if (a.feature() != b.feature() || a.value() != b.value()) return false;
  }
  return a.ended() && b.ended();
}

}  // namespace

std::optional<std::size_t> RowTable::find(const RowView& row) const {
  if (rows_.empty()) return std::nullopt;
  const std::size_t slot = slot_of(row, hash_of(row));
  return slots_[slot] == kEmpty ? std::nullopt : std::optional<std::size_t>(slots_[slot]);
}

std::size_t RowTable::add(const RowView& row) {
  if (2 * rows_.size() >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(row);
  std::size_t& place = slots_[slot_of(row, hash)];
  if (place != kEmpty) return place;
  place = rows_.size();
  rows_.push_back(row);
  hashes_.push_back(hash);
  return place;
}

// Where the row is, or the empty slot where it belongs.
std::size_t RowTable::slot_of(const RowView& row, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != kEmpty; slot = (slot + 1) & mask) {
    const std::size_t place = slots_[slot];
    if (hashes_[place] == hash && equal(rows_[place], row)) break;
  }
  return slot;
}

void RowTable::grow() {
  slots_.assign(std::max<std::size_t>(kFewestSlots, 2 * slots_.size()), kEmpty);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t place = 0; place < hashes_.size(); ++place) {
    std::size_t slot = hashes_[place] & mask;
    while (slots_[slot] != kEmpty) slot = (slot + 1) & mask;
    slots_[slot] = place;
  }
}

}  // namespace pegasos
