// Scores are finite, or refused: finite weights and finite values can have a sum that is not.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <span>

#include "pegasos/error.h"

namespace pegasos {

// `scores` are of rows from `first_row` on, `outputs` for each. Throws UnusableData.
inline void refuse_scores_that_overflow(std::span<const double> scores, std::size_t outputs,
                                        std::uint64_t first_row) {
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (std::isfinite(scores[k])) continue;
    throw UnusableData(
        fmt::format("row {} has no score: its values times the model's weights are beyond the "
                    "largest number there is",
                    first_row + k / outputs + 1));
  }
}

}  // namespace pegasos
