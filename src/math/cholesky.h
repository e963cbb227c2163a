// Solves H x = g for a symmetric positive definite H, as Newton steps need it.
//
// H is first scaled to a unit diagonal: features of very different size would otherwise decide how
// well the factorisation goes. Where rounding leaves it indefinite all the same, a growing multiple
// of the diagonal is added, so there is always an answer: a slightly shorter step.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pegasos {

class Cholesky {
 public:
  // Takes the lower triangle of the row-major H of g.size() rows and columns, which it destroys,
  // and turns g into x.
  void solve(std::span<double> H, std::span<double> g);

 private:
  std::vector<double> scale_;
  std::vector<double> factor_;
};

}  // namespace pegasos
