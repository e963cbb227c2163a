#include "math/cholesky.h"

#include <cblas.h>

#include <cmath>

#include "math/blas_mutex.h"

extern "C" void dpotrf_(const char* triangle, const int* side, double* matrix, const int* stride,
                        int* failed_at);

namespace pegasos {

void Cholesky::solve(std::span<double> H, std::span<double> g) {
  const std::size_t n = g.size();
  const int side = static_cast<int>(n);
  scale_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double diagonal = H[i * n + i];
    scale_[i] = diagonal > 0.0 ? 1.0 / std::sqrt(diagonal) : 1.0;
    g[i] *= scale_[i];
    for (std::size_t j = 0; j <= i; ++j) H[i * n + j] *= scale_[i] * scale_[j];
  }
  const std::lock_guard lock(blas_mutex());
  constexpr double kFirstRidge = 1e-14;
  constexpr double kRidgeGrowth = 100.0;
  for (double ridge = 0.0;; ridge = ridge == 0.0 ? kFirstRidge : ridge * kRidgeGrowth) {
    factor_.assign(H.begin(), H.end());
    for (std::size_t i = 0; i < n; ++i) factor_[i * n + i] += ridge;
    int failed_at = 0;
    // A row-major lower triangle is the column-major upper one of the same matrix.
    dpotrf_("U", &side, factor_.data(), &side, &failed_at);
    if (failed_at == 0 || !(ridge < 1.0)) break;
  }
  cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, side, factor_.data(), side,
              g.data(), 1);
  cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, side, factor_.data(), side,
              g.data(), 1);
  for (std::size_t i = 0; i < n; ++i) g[i] *= scale_[i];
}

}  // namespace pegasos
