// The best free bias against trying every candidate.
#include "math/best_bias.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/random.h"
#include "support/naive_objective.h"
#include "support/small_problem.h"

namespace pegasos {
namespace {

using testing::kAllLosses;
using testing::naive_ascent;
using testing::naive_loss;

struct Scores {
  LossOptions loss;
  std::vector<double> z, y, weights;

  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  double total(double b) const {
    double sum = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      sum += weight(i) * naive_loss(loss, z[i] + b, y[i]);
    }
    return sum;
  }
};

// Random scores, half of the time whole numbers, so that breakpoints coincide.
Scores arbitrary_scores() {
  const auto seed = *rc::gen::resize(1000, rc::gen::inRange<std::uint64_t>(0, 1000000));
  const auto count = *rc::gen::inRange<std::size_t>(1, 30);
  const bool whole = *rc::gen::arbitrary<bool>();
  const bool weighted = *rc::gen::arbitrary<bool>();
  Scores scores;
  scores.loss.loss =
      *rc::gen::elementOf(std::vector<Loss>(std::begin(kAllLosses), std::end(kAllLosses)));
  scores.loss.epsilon = *rc::gen::element(0.0, 0.1, 1.0, 5.0);
  scores.loss.delta = *rc::gen::element(0.3, 1.0);
  const int classes = *rc::gen::element(0, 0, 0, 1, -1);  // 0: both
  Random random(seed, 5);
  const auto number = [&] { return whole ? std::round(2 * random.normal()) : random.normal(); };
  for (std::size_t i = 0; i < count; ++i) {
    scores.z.push_back(number());
    double y = number();
    if (is_classification(scores.loss.loss)) {
      y = classes != 0 ? classes : (random.below(2) == 0 ? 1.0 : -1.0);
    }
    scores.y.push_back(y);
    if (weighted) scores.weights.push_back(random.below(6) == 0 ? 0.0 : 2 * random.uniform());
  }
  return scores;
}

// The smallest total over every breakpoint and a grid far beyond them.
double least_total_by_force(const Scores& scores) {
  double least = scores.total(0.0);
  const auto try_bias = [&](double b) { least = std::min(least, scores.total(b)); };
  for (std::size_t i = 0; i < scores.z.size(); ++i) {
    const double at = scores.y[i] - scores.z[i];
    for (const double b : {at, at - scores.loss.epsilon, at + scores.loss.epsilon}) try_bias(b);
  }
  for (double b = -20; b <= 20; b += 0.01) try_bias(b);
  return least;
}

TEST(BestBias, BeatsEveryCandidate) {
  EXPECT_TRUE(rc::check("no other bias is better", [] {
    const Scores scores = arbitrary_scores();
    const double b = best_bias(scores.loss, scores.z, scores.y, scores.weights);
    RC_ASSERT(std::isfinite(b));
    const double least = least_total_by_force(scores);
    RC_ASSERT(scores.total(b) <= least + 1e-10 * (1 + least));
  }));
}

TEST(BestBias, OfTheHingeIsBetweenTwoOrderStatistics) {
  Random random(3, 0);
  for (int k = 0; k < 300; ++k) {
    Scores scores;
    scores.loss.loss = Loss::hinge;
    std::vector<double> sorted;
    std::size_t positives = 0;
    const std::size_t count = 1 + random.below(40);
    for (std::size_t i = 0; i < count; ++i) {
      scores.z.push_back(random.normal());
      scores.y.push_back(random.below(3) == 0 ? 1.0 : -1.0);
      positives += scores.y[i] > 0 ? 1 : 0;
      sorted.push_back(scores.y[i] - scores.z[i]);
    }
    std::sort(sorted.begin(), sorted.end());
    const double low = sorted[positives == 0 ? 0 : positives - 1];
    const double high = positives == 0 ? low : sorted[std::min(positives, count - 1)];
    const double expected = 0.5 * low + 0.5 * high;
    EXPECT_EQ(best_bias(scores.loss, scores.z, scores.y, {}), expected);
    // Weights that are all the same change nothing, rounding included.
    scores.weights.assign(count, 0.1);
    EXPECT_EQ(best_bias(scores.loss, scores.z, scores.y, scores.weights), expected);
  }
}

TEST(BestBias, OfAbsoluteResidualsIsTheMedian) {
  const LossOptions loss{.loss = Loss::epsilon_insensitive, .epsilon = 0.0};
  const std::vector<double> z = {0, 0, 0, 0, 0};
  const std::vector<double> y = {9, -4, 2, 100, 1};
  EXPECT_EQ(best_bias(loss, z, y, {}), 2.0);
  EXPECT_EQ(best_bias(loss, z, y, std::vector<double>{1, 9, 1, 1, 1}), -4.0);
}

// Nothing is learned yet, and both classes have as many rows: neither is preferred.
TEST(BestBias, IsTheMiddleWhereManyAreOptimal) {
  const std::vector<double> z(100, 0.0);
  std::vector<double> y;
  for (int i = 0; i < 100; ++i) y.push_back(i % 2 == 0 ? 1.0 : -1.0);
  EXPECT_EQ(best_bias({.loss = Loss::hinge}, z, y, {}), 0.0);
  const LossOptions tube{.loss = Loss::epsilon_insensitive, .epsilon = 3.0};
  EXPECT_EQ(best_bias(tube, z, y, {}), 0.0);
  // Rows without a weight are no end of the flat.
  const std::vector<double> scores = {0.0, 0.0, 0.5};
  const std::vector<double> labels = {1.0, -1.0, 1.0};
  EXPECT_EQ(best_bias({.loss = Loss::hinge}, scores, labels, std::vector<double>{2, 2, 0}), 0.0);
}

TEST(BestBias, OfOneClassIsTheNearestThatIsEnough) {
  for (const Loss kind : {Loss::hinge, Loss::squared_hinge}) {
    const LossOptions loss{.loss = kind};
    const std::vector<double> z = {-0.5, 0.25, 0.75};
    // Positives need z + b ≥ 1: b = 1.5 is the first. Negatives need z + b ≤ -1: b = -1.75.
    EXPECT_NEAR(best_bias(loss, z, std::vector<double>{1, 1, 1}, {}), 1.5, 1e-12) << name_of(kind);
    EXPECT_NEAR(best_bias(loss, z, std::vector<double>{-1, -1, -1}, {}), -1.75, 1e-12)
        << name_of(kind);
  }
}

TEST(BestBias, StaysPutWhereEveryRowIsInTheTube) {
  const LossOptions loss{.loss = Loss::squared_epsilon_insensitive, .epsilon = 50.0};
  EXPECT_EQ(best_bias(loss, std::vector<double>{1.0, 2.0}, std::vector<double>{3.0, -4.0}, {}),
            0.0);
}

TEST(BestBias, OfNoRowsIsZero) {
  for (const Loss kind : kAllLosses) EXPECT_EQ(best_bias({.loss = kind}, {}, {}, {}), 0.0);
}

// At the best bias, zero is among the sums of sub-gradients: the duals can be balanced exactly.
TEST(BalanceAtKinks, SumsToZeroAndStaysASubGradient) {
  EXPECT_TRUE(rc::check("balanced and valid", [] {
    Scores scores = arbitrary_scores();
    const double b = best_bias(scores.loss, scores.z, scores.y, scores.weights);
    std::vector<double> u(scores.z.size());
    for (std::size_t i = 0; i < u.size(); ++i) {
      scores.z[i] += b;
      u[i] = scores.weight(i) * naive_ascent(scores.loss, scores.z[i], scores.y[i]);
    }
    const std::vector<double> unbalanced = u;
    balance_at_kinks(scores.loss, scores.z, scores.y, scores.weights, u);
    const bool bends =
        scores.loss.loss == Loss::hinge || scores.loss.loss == Loss::epsilon_insensitive;
    if (!bends) {
      RC_ASSERT(u == unbalanced);
      return;
    }
    double after = 0;
    for (const double value : u) after += value;
    RC_ASSERT(std::abs(after) <= 1e-9);
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double here = naive_loss(scores.loss, scores.z[i], scores.y[i]);
      for (const double step : {-3.0, -0.1, 0.1, 3.0}) {
        const double there = naive_loss(scores.loss, scores.z[i] + step, scores.y[i]);
        RC_ASSERT(scores.weight(i) * (there - here) >= -u[i] * step - 1e-7);
      }
    }
  }));
}

TEST(BalanceAtKinks, LeavesRowsAwayFromKinksAlone) {
  const LossOptions loss{.loss = Loss::hinge};
  const std::vector<double> z = {0.0, 1.0, 2.0};
  std::vector<double> u = {1.0, 0.0, 0.0};
  balance_at_kinks(loss, z, std::vector<double>{1, 1, 1}, {}, u);
  EXPECT_EQ(u, (std::vector<double>{1.0, 0.0, 0.0}));  // only a positive could be added
  std::vector<double> mixed = {1.0, 0.0, 0.0};
  balance_at_kinks(loss, std::vector<double>{0.0, -1.0, 2.0}, std::vector<double>{1, -1, 1}, {},
                   mixed);
  EXPECT_EQ(mixed, (std::vector<double>{1.0, -1.0, 0.0}));
}

// Many breakpoints, some of them equal: the first at which the slope is no longer negative, as
// sorting all of them finds it.
TEST(BestBias, OfManyRowsIsWhatSortingFinds) {
  for (const std::size_t rows : {31U, 32U, 33U, 500U, 4001U}) {
    for (const bool weighted : {false, true}) {
      for (const double share : {0.02, 0.5, 1.0}) {
        Random random(rows, weighted ? 1 : 0);
        std::vector<double> z(rows);
        std::vector<double> y(rows);
        std::vector<double> weights(weighted ? rows : 0);
        std::vector<std::pair<double, double>> points;
        double slope = 0;
        for (std::size_t i = 0; i < rows; ++i) {
          z[i] = std::round(100 * random.normal()) / 64;
          y[i] = random.uniform() < share ? 1.0 : -1.0;
          if (weighted) weights[i] = static_cast<double>(random.below(4)) / 4;  // exact sums
          const double s = weighted ? weights[i] : 1.0;
          points.emplace_back(y[i] - z[i], s);
          if (y[i] > 0) slope -= s;
        }
        std::sort(points.begin(), points.end());
        std::size_t k = 0;
        while (k + 1 < rows && slope + points[k].second < 0) slope += points[k++].second;
        std::size_t end = k;
        if (slope + points[k].second == 0) {
          do ++end;
          while (end < rows && points[end].second == 0);
        }
        const double to = points[end < rows ? end : k].first;
        EXPECT_EQ(best_bias({.loss = Loss::hinge}, z, y, weights), 0.5 * points[k].first + 0.5 * to)
            << rows << " " << weighted << " " << share;
      }
    }
  }
}

}  // namespace
}  // namespace pegasos
