// Groups duplicate rows, independent of their layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

// Keeps views: the arrays of the rows must outlive it.
class RowTable {
 public:
  // The place of the row, from 0 in the order in which different rows came; a new one if no row
  // before was equal.
  std::size_t add(const RowView& row);
  std::optional<std::size_t> find(const RowView& row) const;
  std::size_t size() const { return rows_.size(); }

 private:
  static constexpr std::size_t kEmpty = static_cast<std::size_t>(-1);
  static constexpr std::size_t kFewestSlots = 64;

  std::size_t slot_of(const RowView& row, std::uint64_t hash) const;
  void grow();

  std::vector<RowView> rows_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::size_t> slots_;  // places; open addressing, a power of two, half of it empty
};

}  // namespace pegasos
