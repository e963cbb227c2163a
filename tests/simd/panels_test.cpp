// Every vector target against plain loops in double, on sizes around those of vectors and tiles.
#include "simd/panels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "simd/target.h"

namespace pegasos::simd {
namespace {

constexpr std::size_t W = kPanelWidth;

struct Rows {
  std::size_t features;
  std::vector<float> dense;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> ids;
  std::vector<float> values;

  Rows(std::size_t rows, std::size_t columns, std::uint64_t seed) : features(columns) {
    Random random(seed, 0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < columns; ++k) {
        const bool there = random.below(3) == 0;
        const float value = there ? static_cast<float>(random.uniform() + 0.1) : 0.0F;
        dense.push_back(value);
        if (!there) continue;
        ids.push_back(static_cast<std::uint32_t>(k));
        values.push_back(value);
      }
      offsets.push_back(ids.size());
    }
  }
  SparseArrays sparse(std::size_t slice) const {
    return {offsets.data(), ids.data(), values.data(), slice};
  }
};

double naive(Product product, const float* x, const double* panel, std::size_t features,
             std::size_t c) {
  double sum = 0;
  for (std::size_t k = 0; k < features; ++k) {
    const double a{x[k]};
    const double b = panel[k * W + c];
    if (product == Product::dot) sum += a * b;
    if (product == Product::l1) sum += std::abs(a - b);
    if (product == Product::chi_squared && a + b > 0) sum += (a - b) * (a - b) / (a + b);
  }
  return sum;
}

class Panels : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(force_target(GetParam())); }
  void TearDown() override { force_target(usable_targets().front()); }
};

template <typename T>
void check_products(Product product, std::size_t count, std::size_t features, double tolerance) {
  const Rows rows(count, features, 3);
  Random random(4, 0);
  std::vector<double> exact(features * W);
  for (auto& value : exact) {
    value = random.below(2) == 0 ? 0.0 : double{static_cast<float>(random.uniform())};
  }
  std::vector<float> panel(exact.size());
  for (std::size_t j = 0; j < exact.size(); ++j) panel[j] = static_cast<float>(exact[j]);
  std::vector<T> base(W, T{0});
  for (std::size_t j = 0; product != Product::dot && j < exact.size(); ++j) {
    base[j % W] += static_cast<T>(panel[j]);
  }
  std::vector<T> sparse(count * W, T{-1});
  std::vector<T> sliced(count * W, T{-1});
  std::vector<T> dense(count * W, T{-1});
  panel_products(product, rows.sparse(features + 1), 0, count, panel.data(), base.data(),
                 sparse.data());
  panel_products(product, rows.sparse(3), 0, count, panel.data(), base.data(), sliced.data());
  panel_products(product, DenseArrays{rows.dense.data(), features}, 0, count, panel.data(),
                 base.data(), dense.data());
  EXPECT_EQ(sparse, dense);
  EXPECT_EQ(sparse, sliced);
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t c = 0; c < W; ++c) {
      const double expected =
          naive(product, rows.dense.data() + r * features, exact.data(), features, c);
      ASSERT_NEAR(double{sparse[r * W + c]}, expected,
                  tolerance * (1.0 + static_cast<double>(features)))
          << r << ' ' << c;
    }
  }
}

TEST_P(Panels, ProductsOfSparseAndDenseRows) {
  for (const auto product : {Product::dot, Product::l1, Product::chi_squared}) {
    for (const std::size_t count : {1U, 2U, 3U, 7U, 64U}) {
      for (const std::size_t features : {0U, 1U, 5U, 33U, 100U}) {
        check_products<float>(product, count, features, 1e-6);
        check_products<double>(product, count, features, 1e-14);
      }
    }
  }
}

template <typename T>
void check_curve(const CurveOptions& options, double tolerance) {
  constexpr std::size_t kRows = 5;
  Random random(7, 0);
  std::vector<T> tile(kRows * W);
  std::vector<T> row_norms(kRows);
  std::vector<T> panel_norms(W);
  for (auto& value : tile) value = static_cast<T>(random.normal());
  for (auto& value : row_norms) value = static_cast<T>(random.uniform() * 4);
  for (auto& value : panel_norms) value = static_cast<T>(random.uniform() * 4);
  std::vector<T> bent = tile;
  bend(options, bent.data(), kRows, row_norms.data(), panel_norms.data());
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t c = 0; c < W; ++c) {
      const double v{tile[r * W + c]};
      const double inner = options.gamma * v + options.coef0;
      const double squared = std::max(0.0, double{row_norms[r]} + double{panel_norms[c]} - 2 * v);
      double expected = v;
      if (options.curve == Curve::polynomial) expected = std::pow(inner, options.degree);
      if (options.curve == Curve::gaussian) expected = std::exp(-options.gamma * squared);
      if (options.curve == Curve::decay) expected = std::exp(-options.gamma * std::max(0.0, v));
      if (options.curve == Curve::tanh) expected = std::tanh(inner);
      ASSERT_NEAR(double{bent[r * W + c]}, expected, tolerance * (1 + std::abs(expected)));
    }
  }
}

TEST_P(Panels, CurvesAreTheirFormulas) {
  for (const auto curve :
       {Curve::identity, Curve::polynomial, Curve::gaussian, Curve::decay, Curve::tanh}) {
    for (const unsigned degree : {1U, 2U, 3U, 6U}) {
      const CurveOptions options = {curve, 0.7, 0.3, degree};
      check_curve<float>(options, 4e-6);
      check_curve<double>(options, 1e-13);
    }
  }
}

TEST_P(Panels, TransposePutsEveryValueInItsPlace) {
  for (const std::size_t count : {1U, 3U, 4U, 9U, 64U}) {
    for (const std::size_t vectors : {1U, 4U, 6U, 63U, 64U}) {
      std::vector<float> tile(count * W);
      for (std::size_t j = 0; j < tile.size(); ++j) tile[j] = static_cast<float>(j);
      std::vector<std::vector<float>> out(vectors, std::vector<float>(count + 1, -1.0F));
      std::vector<float*> places;
      for (auto& row : out) places.push_back(row.data());
      transpose(tile.data(), count, vectors, places.data());
      for (std::size_t c = 0; c < vectors; ++c) {
        for (std::size_t r = 0; r < count; ++r) ASSERT_EQ(out[c][r], tile[r * W + c]);
        EXPECT_EQ(out[c][count], -1.0F) << "wrote past the end";
      }
    }
  }
}

TEST_P(Panels, AddRowsAndTilesSumInDouble) {
  Random random(9, 0);
  for (const std::size_t size : {1U, 3U, 8U, 37U}) {
    for (const std::size_t count : {0U, 1U, 4U, 7U}) {
      std::vector<std::vector<float>> rows(count, std::vector<float>(size));
      std::vector<const float*> pointers;
      std::vector<double> factors;
      for (auto& row : rows) {
        for (auto& value : row) value = static_cast<float>(random.normal());
        pointers.push_back(row.data());
        factors.push_back(random.normal());
      }
      std::vector<double> sums(size, 0.5);
      add_rows(sums, pointers, factors.data());
      for (std::size_t i = 0; i < size; ++i) {
        double expected = 0.5;
        for (std::size_t r = 0; r < count; ++r) expected += factors[r] * double{rows[r][i]};
        EXPECT_NEAR(sums[i], expected, 1e-14);
      }
    }
  }
  std::vector<double> tile(2 * W);
  std::vector<double> factors(W);
  for (auto& value : tile) value = random.normal();
  for (auto& value : factors) value = random.normal();
  double sums[2] = {1.0, 2.0};
  add_tile(tile.data(), 2, factors.data(), sums);
  for (std::size_t r = 0; r < 2; ++r) {
    double expected = r == 0 ? 1.0 : 2.0;
    for (std::size_t c = 0; c < W; ++c) expected += factors[c] * tile[r * W + c];
    EXPECT_NEAR(sums[r], expected, 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(AllTargets, Panels, ::testing::ValuesIn(usable_targets()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace pegasos::simd
