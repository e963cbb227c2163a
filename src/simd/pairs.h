// The search for the next pair of a kernel block, over all of its rows; see solver/kernel_block.h.
//
// A row is pulled up by right - z and down by left - z: the slopes of its own gain, less its score.
// Arrays hold whole vectors; what fills the last one is never chosen if its slopes are
// right = -infinity and left = infinity. No sum is made over rows, so results do not depend on the
// instruction set; of equals, the first counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace pegasos::simd {

inline constexpr std::size_t kPairLanes = 8;

struct PullRows {
  const double* right;
  const double* left;
  double* z;
  std::size_t size;  // a multiple of kPairLanes
};

struct StrongestPulls {
  double up;             // the largest right - z
  double down;           // the smallest left - z
  std::size_t first_up;  // the first row with the largest, size if all are -infinity
};

StrongestPulls strongest_pulls(const PullRows& rows) noexcept;

// Of a pair with squares q + other_q: squares - 2 gram, but more than rounding may have left.
inline constexpr double kLeastShare = 1e-12;
inline double curvature_of_pair(double q, double other_q, double gram) {
  const double squares = q + other_q;
  const double least = std::max(kLeastShare * squares, std::numeric_limits<double>::min());
  return std::max(squares - (gram + gram), least);
}

// The row that gains most by going down while `up`, which is pulled by `pull`, goes up: its
// (pull - (left - z))^2 / curvature of the pair. Size if none gains.
struct PairSearch {
  std::size_t up;
  double pull;
  const double* q;
  const double* gram;  // of up with every row
};

std::size_t best_partner(const PullRows& rows, const PairSearch& search) noexcept;

// z += by a + other_by b
void add_two(const PullRows& rows, double by, const double* a, double other_by,
             const double* b) noexcept;

}  // namespace pegasos::simd
