#include "data/row_table.h"

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

std::uint64_t hash_of(const RowView& row) {
  std::uint64_t hash = 0;
  for (NonZeros entry(row); !entry.ended(); entry.advance()) {
    hash ^= entry.feature() << 32 | std::bit_cast<std::uint32_t>(entry.value());
    hash = std::rotl(hash * 0x9e3779b97f4a7c15U, 29);
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
  const auto [first, last] = places_.equal_range(hash_of(row));
  for (auto candidate = first; candidate != last; ++candidate) {
    if (equal(rows_[candidate->second], row)) return candidate->second;
  }
  return std::nullopt;
}

std::size_t RowTable::add(const RowView& row) {
  if (const auto found = find(row)) return *found;
  places_.emplace(hash_of(row), rows_.size());
  rows_.push_back(row);
  return rows_.size() - 1;
}

}  // namespace pegasos
