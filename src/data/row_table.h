// Groups duplicate rows, independent of their layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
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
  std::vector<RowView> rows_;
  std::unordered_multimap<std::uint64_t, std::size_t> places_;  // by hash
};

}  // namespace pegasos
