// Solves H x = g for a symmetric positive definite H, as Newton steps need it, on all threads and
// with the same bits for any number of them.
//
// H is first scaled to a unit diagonal: features of very different size would otherwise decide how
// well the factorisation goes. Where rounding leaves it indefinite all the same, a growing multiple
// of the diagonal is added, so there is always an answer: a slightly shorter step.
//
// The factor L is made tile by tile from the left (see simd/tiles.h),
//
//   L_IJ L_JJ' = H_IJ - sum over K < J of L_IK L_JK'
//
// and kept as the tiles of its lower half alone, those of one row of tiles after another: then the
// tiles left of (I, J) are one strip, and the sum over K is one product.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "base/thread_pool.h"

namespace pegasos {

class Cholesky {
 public:
  // Reads the lower triangle of the row-major H of g.size() rows and columns, and turns g into x.
  // x is zero if no multiple of the diagonal helps, as when H is not finite.
  void solve(std::span<const double> H, std::span<double> g, ThreadPool& pool);

 private:
  double* tile(std::size_t I, std::size_t J);
  double* inverses(std::size_t I);
  void scale(std::span<const double> H, std::size_t n);
  void load(std::span<const double> H, std::size_t n, double ridge, std::size_t I);
  bool factor(ThreadPool& pool);
  void subtract_left(std::size_t first, std::size_t last, std::size_t block);
  bool finish_row(std::size_t I, std::size_t block, const std::atomic<bool>& failed);
  void wait_for(std::size_t I, std::size_t blocks);
  void substitute(std::span<double> x);

  std::vector<double> scale_;
  std::vector<double> tiles_;
  std::vector<double> inverses_;                       // of the diagonal of L
  std::vector<std::atomic<std::size_t>> blocks_done_;  // by row of tiles
};

}  // namespace pegasos
