// The solver of Newton's systems: right on definite matrices, however their rows are scaled, and
// never without an answer on others.
#include "math/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "simd/target.h"

namespace pegasos {
namespace {

// H = A'A + ridge I of random A with `rank` rows, column j times size_j.
std::vector<double> gram(std::size_t n, std::size_t rank, double ridge,
                         const std::vector<double>& sizes = {}) {
  Random random(n, 9);
  std::vector<double> A(rank * n);
  for (std::size_t k = 0; k < A.size(); ++k) {
    A[k] = random.normal() * (sizes.empty() ? 1.0 : sizes[k % n]);
  }
  std::vector<double> H(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < rank; ++k) H[i * n + j] += A[k * n + i] * A[k * n + j];
    }
    H[i * n + i] += ridge;
  }
  return H;
}

std::vector<double> times(const std::vector<double>& H, const std::vector<double>& x) {
  std::vector<double> g(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) g[i] += H[i * x.size() + j] * x[j];
  }
  return g;
}

// Only the lower triangle may be read.
std::vector<double> solved(std::vector<double> H, std::vector<double> g, int threads = 2) {
  const std::size_t n = g.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) H[i * n + j] = std::nan("");
  }
  ThreadPool pool(threads);
  Cholesky().solve(H, g, pool);
  return g;
}

std::vector<double> some(std::size_t n) {
  Random random(n, 10);
  std::vector<double> x(n);
  for (auto& value : x) value = random.normal();
  return x;
}

// Around the edges of tiles, of blocks of tiles, and of what one thread does alone.
std::vector<std::size_t> sizes_at_edges() {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n <= 50; ++n) sizes.push_back(n);
  for (const std::size_t n : {95, 96, 97, 127, 128, 129, 130, 240, 241, 264, 265, 300}) {
    sizes.push_back(n);
  }
  return sizes;
}

TEST(Cholesky, SolvesDefiniteSystems) {
  for (const std::size_t n : sizes_at_edges()) {
    const auto H = gram(n, n + 20, 0.1);
    const auto x = some(n);
    const auto found = solved(H, times(H, x));
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(found[i], x[i], 1e-8) << n;
  }
}

TEST(Cholesky, SolvesOnEveryTarget) {
  for (const std::string& target : simd::usable_targets()) {
    ASSERT_TRUE(simd::force_target(target));
    for (const std::size_t n : {1U, 24U, 25U, 130U, 300U}) {
      const auto H = gram(n, n + 20, 0.1);
      const auto x = some(n);
      const auto found = solved(H, times(H, x));
      for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(found[i], x[i], 1e-8) << target << n;
    }
  }
  simd::force_target(simd::usable_targets().front());
}

// Of 600 rows, several rows of tiles make one task.
TEST(Cholesky, SameBitsForAnyNumberOfThreads) {
  for (const std::size_t n : {100U, 264U, 300U, 600U}) {
    for (const std::size_t rank :
         {n + 1, n / 3}) {  // the latter fails, in some tile, until there is a ridge
      const auto H = gram(n, rank, 0.0);
      const auto g = some(n);
      const auto one = solved(H, g, 1);
      for (const int threads : {2, 4, 8}) {
        ASSERT_EQ(one, solved(H, g, threads)) << n << " rank " << rank << " threads " << threads;
      }
    }
  }
}

TEST(Cholesky, SizesOfFeaturesDoNotMatter) {
  const std::vector<double> sizes = {1e-8, 1e-4, 1.0, 1e4, 1e8, 1e10};
  const auto H = gram(sizes.size(), 30, 0.0, sizes);
  std::vector<double> x = some(sizes.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] /= sizes[i];
  const auto found = solved(H, times(H, x));
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(found[i] * sizes[i], x[i] * sizes[i], 1e-9);
}

TEST(Cholesky, SingularSystemsGetADirectionDownhill) {
  for (const std::size_t rank : {0U, 1U, 5U, 19U}) {
    const auto H = gram(20, rank, 0.0);
    const auto g = times(gram(20, 25, 0.0), some(20));
    const auto x = solved(H, g);
    double product = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      ASSERT_TRUE(std::isfinite(x[i])) << rank;
      product += x[i] * g[i];
    }
    EXPECT_GT(product, 0) << rank;
  }
}

TEST(Cholesky, ConsistentSingularSystemsAreSolved) {
  const auto H = gram(20, 8, 0.0);
  const auto g = times(H, some(20));
  const auto back = times(H, solved(H, g));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(back[i], g[i], 1e-5 * (1 + std::abs(g[i])));
}

// The ridge grows until the matrix is definite, and then points downhill.
TEST(Cholesky, IndefiniteSystemsGetADirectionDownhill) {
  for (const std::size_t n : {2U, 30U, 300U}) {
    auto H = gram(n, n + 5, 0.0);
    H[n * n - 1] = -H[n * n - 1];
    std::vector<double> opposed(n * n, -1.0);  // its lowest eigenvalue is 2 - n
    for (std::size_t i = 0; i < n; ++i) opposed[i * n + i] = 1.0;
    for (const auto& matrix : {H, opposed}) {
      const auto g = some(n);
      const auto x = solved(matrix, g);
      double product = 0;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_TRUE(std::isfinite(x[i])) << n;
        product += x[i] * g[i];
      }
      EXPECT_GT(product, 0) << n;
    }
  }
}

TEST(Cholesky, WhatIsNotFiniteGetsNoDirection) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const std::size_t n : {1U, 30U, 300U}) {
      for (const std::size_t row : {std::size_t{0}, n / 2, n - 1}) {
        for (const std::size_t column : {std::size_t{0}, row}) {
          auto H = gram(n, n + 5, 0.1);
          H[row * n + column] = bad;
          EXPECT_EQ(solved(H, some(n), 4), std::vector<double>(n, 0.0)) << n << " " << row;
        }
      }
    }
  }
}

TEST(Cholesky, CanBeUsedAgainForAnotherSize) {
  Cholesky cholesky;
  ThreadPool pool(2);
  for (const std::size_t n : {300U, 5U, 30U, 3U, 9U, 301U}) {
    auto H = gram(n, 2 * n, 0.1);
    const auto x = some(n);
    auto g = times(H, x);
    cholesky.solve(H, g, pool);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(g[i], x[i], 1e-9);
  }
}

}  // namespace
}  // namespace pegasos
