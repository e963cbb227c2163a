// The passes over all rows against plain loops over dense rows, and the same bits for any number of
// threads.
#include "math/passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "simd/target.h"
#include "support/small_problem.h"

namespace pegasos {
namespace {

using testing::make_problem;
using testing::SmallProblem;

// Few and many rows, sparse and dense, and rows so sparse that H is made entry by entry.
std::vector<SmallProblem> shapes() {
  std::vector<SmallProblem> all;
  for (const std::size_t rows : {1U, 7U, 2048U, 2049U, 6000U}) {
    for (const bool dense : {false, true}) {
      for (const double density : {1.0, 0.5, 0.02}) {
        all.push_back(make_problem(
            {.rows = rows, .features = 40, .density = density, .dense = dense, .seed = rows}));
      }
    }
  }
  all.push_back(make_problem({.rows = 300, .features = 1}));
  for (const std::size_t features : {23U, 24U, 25U, 168U, 169U, 200U}) {  // tiles and their number
    for (const bool dense : {false, true}) {
      all.push_back(make_problem(
          {.rows = 300, .features = features, .density = 0.9, .dense = dense, .seed = features}));
    }
  }
  return all;
}

std::vector<double> normals(std::size_t count, std::uint64_t seed, bool some_zero = false) {
  Random random(seed, 5);
  std::vector<double> values(count);
  for (auto& value : values) {
    value = some_zero && random.below(3) == 0 ? 0.0 : random.normal();
  }
  return values;
}

TEST(Passes, BlocksCoverEveryRowOnce) {
  for (const std::size_t rows : {0U, 1U, 2047U, 2048U, 2049U, 10000U}) {
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      std::vector<std::atomic<int>> visits(rows);
      for_row_blocks(rows, pool, [&](std::size_t block, std::size_t begin, std::size_t end) {
        EXPECT_EQ(begin, block * kRowsPerBlock);
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      for (const auto& count : visits) ASSERT_EQ(count, 1);
      const double sum = sum_over_blocks(rows, pool, [](std::size_t begin, std::size_t end) {
        return static_cast<double>(end - begin);
      });
      EXPECT_EQ(sum, static_cast<double>(rows));
    }
  }
}

TEST(Passes, MultiplyAndCombine) {
  for (const SmallProblem& problem : shapes()) {
    const auto data = problem.linear().data;
    ThreadPool pool(2);
    const auto w = normals(problem.features, 1);
    std::vector<double> z(problem.rows(), 99.0);
    multiply(data, w, z, pool);
    for (std::size_t i = 0; i < z.size(); ++i) ASSERT_NEAR(z[i], problem.dot(i, w), 1e-12);
    const auto a = normals(problem.rows(), 2, true);
    const auto g = combine(data, a, pool);
    ASSERT_EQ(g.size(), problem.features);
    for (std::size_t j = 0; j < g.size(); ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * double{problem.x[i][j]};
      ASSERT_NEAR(g[j], sum, 1e-10);
    }
    std::vector<RowId> ids;
    std::vector<double> some;
    for (std::size_t i = 0; i < a.size(); i += 3) {
      ids.push_back(static_cast<RowId>(i));
      some.push_back(a[i]);
    }
    const auto of_some = combine_some(data, ids, some, pool);
    for (std::size_t j = 0; j < g.size(); ++j) {
      double sum = 0;
      for (const RowId i : ids) sum += a[i] * double{problem.x[i][j]};
      ASSERT_NEAR(of_some[j], sum, 1e-10);
    }
  }
}

void expect_weighted_gram(const SmallProblem& problem) {
  const auto data = problem.linear().data;
  ThreadPool pool(2);
  auto c = normals(problem.rows(), 3, true);
  for (auto& value : c) value = std::abs(value);
  for (const std::size_t border : {0U, 1U}) {
    const std::size_t side = problem.features + border;
    std::vector<double> H(side * side, 7.0);
    weighted_gram(data, c, side, H, pool);
    for (std::size_t r = 0; r < side; ++r) {
      for (std::size_t k = 0; k <= r; ++k) {
        double sum = 0;
        for (std::size_t i = 0; r < problem.features && i < c.size(); ++i) {
          sum += c[i] * double{problem.x[i][r]} * double{problem.x[i][k]};
        }
        ASSERT_NEAR(H[r * side + k], sum, 1e-10 * (1 + std::abs(sum)))
            << describe(problem) << r << " " << k;
      }
    }
  }
}

TEST(Passes, WeightedGram) {
  for (const SmallProblem& problem : shapes()) expect_weighted_gram(problem);
}

// The diagonal of the matrix and its product with a vector, without the matrix; with a constant
// feature and without.
TEST(Passes, WeightedProductAndSquares) {
  for (const SmallProblem& problem : shapes()) {
    const auto data = problem.linear().data;
    const auto c = normals(problem.rows(), 3, true);
    for (const std::size_t border : {0U, 1U}) {
      const auto v = normals(problem.features + border, 4, false);
      const double B = 0.3;
      std::vector<double> squares(problem.features);
      std::vector<double> product(v.size());
      for (std::size_t i = 0; i < c.size(); ++i) {
        const double score = problem.dot(i, v) + (border > 0 ? B * v.back() : 0.0);
        for (std::size_t j = 0; j < problem.features; ++j) {
          const double x = problem.x[i][j];
          squares[j] += c[i] * x * x;
          product[j] += c[i] * score * x;
        }
        if (border > 0) product.back() += c[i] * score * B;
      }
      for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        const auto our_squares = weighted_squares(data, c, pool);
        const auto ours = weighted_product(data, c, B, v, pool);
        ASSERT_EQ(ours.size(), v.size());
        for (std::size_t j = 0; j < v.size(); ++j) EXPECT_NEAR(ours[j], product[j], 1e-10);
        for (std::size_t j = 0; j < problem.features; ++j) {
          EXPECT_NEAR(our_squares[j], squares[j], 1e-10);
        }
      }
    }
  }
}

TEST(Passes, WeightedGramOnEveryTarget) {
  for (const std::string& target : simd::usable_targets()) {
    ASSERT_TRUE(simd::force_target(target));
    for (std::size_t features = 1; features <= 50; ++features) {
      expect_weighted_gram(make_problem({.rows = 100, .features = features, .density = 0.8}));
    }
    expect_weighted_gram(make_problem({.rows = 200, .features = 300, .density = 0.8}));
  }
  simd::force_target(simd::usable_targets().front());
}

// More rows than are laid out at once, and more than one part.
TEST(Passes, WeightedGramOfManyRows) {
  for (const bool dense : {false, true}) {
    expect_weighted_gram(
        make_problem({.rows = 9000, .features = 190, .density = 0.8, .dense = dense}));
    expect_weighted_gram(
        make_problem({.rows = 7000, .features = 60, .density = 0.1, .dense = dense}));
  }
}

TEST(Passes, CombineColumns) {
  for (const std::size_t columns : {1U, 3U, 8U, 19U}) {
    const SmallProblem problem = make_problem({.rows = 40, .features = 6, .density = 0.6});
    const auto A = normals(problem.rows() * columns, 4, true);
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      const auto G = combine_columns(problem.linear().data, A, columns, 0.5, pool);
      const auto sums = column_sums(A, columns, alone());
      for (std::size_t r = 0; r < columns; ++r) {
        double total = 0;
        for (std::size_t i = 0; i < problem.rows(); ++i) total += A[i * columns + r];
        EXPECT_NEAR(sums[r], total, 1e-12);
        for (std::size_t j = 0; j < problem.features; ++j) {
          double sum = 0;
          for (std::size_t i = 0; i < problem.rows(); ++i) {
            sum += 0.5 * A[i * columns + r] * double{problem.x[i][j]};
          }
          EXPECT_NEAR(G[j * columns + r], sum, 1e-12);
        }
      }
    }
  }
}

TEST(Passes, SumsAndTheLargest) {
  const std::size_t rows = 3 * kRowsPerBlock + 17;
  const std::vector<double> values = normals(rows, 5);
  double sum = 0;
  double squares = 0;
  double largest = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
    largest = std::max(largest, value);
  }
  std::optional<RowSums<2>> first;
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    const auto both = sums_over_blocks<2>(rows, pool, [&](std::size_t begin, std::size_t end) {
      RowSums<2> sums = {};
      for (std::size_t i = begin; i < end; ++i) {
        sums[0] += values[i];
        sums[1] += values[i] * values[i];
      }
      return sums;
    });
    EXPECT_NEAR(both[0], sum, 1e-10);
    EXPECT_NEAR(both[1], squares, 1e-9);
    EXPECT_EQ(largest_over_rows(rows, pool, [&](std::size_t i) { return values[i]; }), largest);
    EXPECT_EQ(both, first.value_or(both));
    first = both;
  }
  EXPECT_NEAR(sum_over_rows(values, alone()), sum, 1e-10);
  EXPECT_EQ(sum_over_rows({}, alone()), 0.0);
}

TEST(Passes, SameBitsForAnyNumberOfThreads) {
  for (const SmallProblem& problem : shapes()) {
    const auto data = problem.linear().data;
    const auto w = normals(problem.features, 1);
    auto a = normals(problem.rows(), 2, true);
    const std::size_t side = problem.features;
    const auto all = [&](int threads) {
      ThreadPool pool(threads);
      std::vector<double> z(problem.rows());
      multiply(data, w, z, pool);
      std::vector<double> c = a;
      for (auto& value : c) value = std::abs(value);
      std::vector<double> H(side * side);
      weighted_gram(data, c, side, H, pool);
      z.insert(z.end(), H.begin(), H.end());
      const auto g = combine(data, a, pool);
      z.insert(z.end(), g.begin(), g.end());
      return z;
    };
    const auto one = all(1);
    for (const int threads : {2, 4, 8}) ASSERT_EQ(one, all(threads)) << describe(problem);
  }
}

}  // namespace
}  // namespace pegasos
