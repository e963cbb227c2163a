// Decisions on rows that a model scales first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/scaling.h"

namespace pegasos {

// What decide(rows) says of scaled rows, all of it side by side. They are scaled in blocks: scaled
// rows are copies, and may be dense where the rows are not.
template <typename Decide>
std::vector<double> on_scaled_blocks(const std::optional<Scaling>& scaling, const Dataset& rows,
                                     Decide&& decide) {
  constexpr std::size_t kBlock = 8192;
  if (!scaling) return decide(rows);
  std::vector<double> scores;
  for (std::size_t first = 0; first < rows.rows(); first += kBlock) {
    const Dataset block = rows.slice(first, std::min(kBlock, rows.rows() - first));
    const std::vector<double> part = decide(apply(*scaling, block));
    scores.insert(scores.end(), part.begin(), part.end());
  }
  return scores;
}

}  // namespace pegasos
