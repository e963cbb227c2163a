// The value of a primal point.
#pragma once

#include <cstdint>

namespace pegasos {

struct PrimalValue {
  double regulariser = 0.0;  // lambda/2 |w|^2
  double mean_loss = 0.0;    // 1/m sum s_i loss_i
  std::uint64_t wrong = 0;   // classification: rows on the wrong side (a score of 0 counts as -1)

  double objective() const { return regulariser + mean_loss; }
};

}  // namespace pegasos
