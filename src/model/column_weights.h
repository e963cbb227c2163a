// Scores of a precomputed kernel: <c, row> over the columns of the support vectors.
//
// A model names the columns it uses. Memory follows those, not the largest column: a small file
// that claims two thousand million columns is scored in a few bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

class UsedColumns {
 public:
  explicit UsedColumns(std::span<const FeatureId> columns)
      : ascending_(columns.begin(), columns.end()) {
    std::sort(ascending_.begin(), ascending_.end());
    ascending_.erase(std::unique(ascending_.begin(), ascending_.end()), ascending_.end());
  }

  std::size_t size() const { return ascending_.size(); }
  std::size_t place_of(FeatureId column) const {
    const auto found = std::lower_bound(ascending_.begin(), ascending_.end(), column);
    return static_cast<std::size_t>(found - ascending_.begin());
  }

  // take(place, value) for every value of the row in a column that is used.
  template <typename Take>
  void for_values(const RowView& row, Take&& take) const {
    std::size_t next = 0;  // of a sparse row, whose ids ascend
    for (std::size_t place = 0; place < ascending_.size(); ++place) {
      const FeatureId column = ascending_[place];
      if (row.dense) {
        if (column < row.values.size()) take(place, double{row.values[column]});
        continue;
      }
      while (next < row.ids.size() && row.ids[next] < column) ++next;
      if (next == row.ids.size()) return;
      if (row.ids[next] == column) take(place, double{row.values[next]});
    }
  }

 private:
  std::vector<FeatureId> ascending_;
};

}  // namespace pegasos
