// Groups the rows of a dataset that are equal byte for byte, by hashes made on all threads.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "pegasos/dataset.h"

namespace pegasos {

struct RowGroups {
  std::vector<RowId> group_of = {};  // by row
  std::vector<RowId> firsts = {};    // the first row of each group, ascending
};

// Rows with the same stored values and the same y. Nothing if that leaves more than the given share
// of the rows; mostly a small sample of them tells so.
std::optional<RowGroups> group_equal_rows(const Dataset& data, std::span<const double> y,
                                          double most_left, ThreadPool& pool);

}  // namespace pegasos
