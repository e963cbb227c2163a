// The tile kernels of every vector target against plain loops. Products are of whole numbers, so
// that they are exact whatever is fused or summed first.
#include "simd/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "simd/target.h"

namespace pegasos::simd {
namespace {

class Tiles : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(force_target(GetParam())); }
  void TearDown() override { force_target(usable_targets().front()); }
};

std::vector<double> whole_numbers(std::size_t count, std::uint64_t seed) {
  Random random(seed, 3);
  std::vector<double> values(count);
  for (auto& value : values) value = static_cast<double>(random.below(2001)) - 1000.0;
  return values;
}

double product(const std::vector<double>& A, const std::vector<double>& B, std::size_t depth,
               std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < depth; ++k) sum += A[k * kTileSide + i] * B[k * kTileSide + j];
  return sum;
}

TEST_P(Tiles, ProductsOfAnyShape) {
  constexpr std::size_t kStride = kTileSide + 3;
  for (const std::size_t depth : {0U, 1U, 2U, 7U, 96U}) {
    const auto A = whole_numbers(depth * kTileSide, 1);
    const auto B = whole_numbers(depth * kTileSide, 2);
    const auto before = whole_numbers(kTileSide * kStride, 3);
    for (std::size_t rows = 0; rows <= kTileSide; ++rows) {
      for (std::size_t columns = 0; columns <= kTileSide; ++columns) {
        const double factor = (rows + columns) % 2 == 0 ? 1.0 : -1.0;
        auto C = before;
        add_product(A.data(), B.data(), depth, factor,
                    {.values = C.data(), .stride = kStride, .rows = rows, .columns = columns});
        for (std::size_t i = 0; i < kTileSide; ++i) {
          for (std::size_t j = 0; j < kStride; ++j) {
            const bool inside = i < rows && j < columns;
            const double added = inside ? factor * product(A, B, depth, i, j) : 0.0;
            ASSERT_EQ(C[i * kStride + j], before[i * kStride + j] + added)
                << rows << "x" << columns << " at " << i << " " << j;
          }
        }
      }
    }
  }
}

TEST_P(Tiles, ProductsOnTheDiagonalAreWholeBelowIt) {
  const auto A = whole_numbers(10 * kTileSide, 4);
  for (std::size_t side = 1; side <= kTileSide; ++side) {
    std::vector<double> C(side * side, 5.0);
    add_product(
        A.data(), A.data(), 10, 1.0,
        {.values = C.data(), .stride = side, .rows = side, .columns = side, .on_diagonal = true});
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        ASSERT_EQ(C[i * side + j], 5.0 + product(A, A, 10, i, j)) << side;
      }
    }
  }
}

// A lower triangle with a good diagonal, transposed as tiles are, and NaN in the other half.
std::vector<double> some_triangle() {
  Random random(5, 3);
  std::vector<double> L(kTileSize, std::nan(""));
  for (std::size_t k = 0; k < kTileSide; ++k) {
    L[k * kTileSide + k] = 2.0 + random.uniform();
    for (std::size_t i = k + 1; i < kTileSide; ++i) L[k * kTileSide + i] = 0.3 * random.normal();
  }
  return L;
}

// L L', of which only the half that counts is not NaN.
std::vector<double> square_of(const std::vector<double>& L) {
  std::vector<double> tile(kTileSize, std::nan(""));
  for (std::size_t j = 0; j < kTileSide; ++j) {
    for (std::size_t i = j; i < kTileSide; ++i) {
      tile[j * kTileSide + i] = 0;
      for (std::size_t k = 0; k <= j; ++k) {
        tile[j * kTileSide + i] += L[k * kTileSide + i] * L[k * kTileSide + j];
      }
    }
  }
  return tile;
}

TEST_P(Tiles, FactorFindsTheTriangle) {
  const auto L = some_triangle();
  auto tile = square_of(L);
  std::vector<double> inverses(kTileSide);
  ASSERT_TRUE(factor_tile(tile.data(), inverses.data()));
  for (std::size_t k = 0; k < kTileSide; ++k) {
    EXPECT_NEAR(inverses[k], 1.0 / L[k * kTileSide + k], 1e-12);
    for (std::size_t i = k; i < kTileSide; ++i) {
      EXPECT_NEAR(tile[k * kTileSide + i], L[k * kTileSide + i], 1e-12) << k << " " << i;
    }
  }
}

TEST_P(Tiles, FactorRefusesEveryBadPivot) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto L = some_triangle();
  std::vector<double> inverses(kTileSide);
  for (std::size_t k = 0; k < kTileSide; ++k) {
    for (const double bad : {-1.0, -kInfinity, kInfinity, std::nan("")}) {
      auto tile = square_of(L);
      tile[k * kTileSide + k] = bad;
      EXPECT_FALSE(factor_tile(tile.data(), inverses.data())) << k << " " << bad;
    }
  }
  std::vector<double> zeros(kTileSize, 0.0);
  EXPECT_FALSE(factor_tile(zeros.data(), inverses.data()));
}

TEST_P(Tiles, SolveUndoesTheProduct) {
  const auto L = some_triangle();
  std::vector<double> inverses(kTileSide);
  for (std::size_t k = 0; k < kTileSide; ++k) inverses[k] = 1.0 / L[k * kTileSide + k];
  const auto X = whole_numbers(kTileSize, 6);
  std::vector<double> right(kTileSize, 0.0);
  for (std::size_t j = 0; j < kTileSide; ++j) {
    for (std::size_t i = 0; i < kTileSide; ++i) {
      for (std::size_t k = 0; k <= j; ++k) {
        right[j * kTileSide + i] += L[k * kTileSide + j] * X[k * kTileSide + i];
      }
    }
  }
  solve_tile(L.data(), inverses.data(), right.data());
  for (std::size_t k = 0; k < kTileSize; ++k) EXPECT_NEAR(right[k], X[k], 1e-9) << k;
}

INSTANTIATE_TEST_SUITE_P(Targets, Tiles, ::testing::ValuesIn(usable_targets()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace pegasos::simd
