// Choosing from points, and looking beyond the end of what was tried.
#include "learn/tune_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pegasos {
namespace {

TunePoint point_at(double lambda, double mean, std::size_t path = 0,
                   std::optional<double> gamma = {}) {
  TunePoint point;
  point.lambda = lambda;
  point.mean = mean;
  point.standard_error = 0.01;
  point.path = path;
  point.gamma = gamma;
  return point;
}

TuneResult result_of(std::vector<TunePoint> points) {
  TuneResult result;
  result.points = std::move(points);
  choose(Choice::best, result);
  return result;
}

TEST(TuneChoice, TheStrongestWithinOneErrorOfTheBest) {
  TuneResult result = result_of({point_at(1, 0.3), point_at(0.1, 0.205), point_at(0.01, 0.2)});
  EXPECT_EQ(result.best, 2U);
  EXPECT_EQ(result.chosen, 2U);
  choose(Choice::one_standard_error, result);
  EXPECT_EQ(result.chosen, 1U);
}

TEST(TuneChoice, NanIsWorseThanEverything) {
  EXPECT_EQ(result_of({point_at(1, NAN), point_at(0.1, 0.9)}).best, 1U);
  EXPECT_EQ(result_of({point_at(1, 0.9), point_at(0.1, NAN)}).best, 0U);
}

TEST(TuneChoice, GoesOnWhereTheBestIsAtAnEnd) {
  const TuneResult weak = result_of({point_at(1, 0.3), point_at(0.1, 0.2), point_at(0.01, 0.1)});
  const auto further = search_beyond({}, weak);
  ASSERT_TRUE(further);
  ASSERT_EQ(further->lambdas.size(), 4U);
  EXPECT_NEAR(further->lambdas.front(), 0.001, 1e-12);
  const TuneResult strong = result_of({point_at(1, 0.1), point_at(0.1, 0.2), point_at(0.01, 0.3)});
  EXPECT_NEAR(search_beyond({}, strong)->lambdas.front(), 10.0, 1e-9);
  const TuneResult inside = result_of({point_at(1, 0.2), point_at(0.1, 0.1), point_at(0.01, 0.3)});
  EXPECT_FALSE(search_beyond({}, inside));
  TuneOptions named;
  named.lambdas = {1, 0.1, 0.01};
  EXPECT_FALSE(search_beyond(named, weak));
}

TEST(TuneChoice, GoesOnWithTheLossAndScalingOfTheBest) {
  std::vector<TunePoint> points;
  for (const Loss loss : {Loss::hinge, Loss::logistic}) {
    for (const double lambda : {1.0, 0.1, 0.01}) {
      points.push_back(point_at(lambda, loss == Loss::logistic ? lambda : 2, points.size() / 3));
      points.back().loss = loss;
      points.back().scaling = "unit-row";
    }
  }
  TuneOptions wide;
  wide.search = SearchKind::wide;
  const auto further = search_beyond(wide, result_of(points));
  ASSERT_TRUE(further);
  EXPECT_EQ(further->train.loss, Loss::logistic);
  EXPECT_EQ(further->train.scaling, ScalingKind::unit_row);
  // Two new paths at once stay two.
  TuneResult found = result_of({points[0]});
  add_points(result_of({points[1], points[3]}), found);
  TunePoint other = points[3];
  other.loss = Loss::squared_hinge;
  other.gamma = 1;
  TunePoint another = other;
  another.gamma = 2;
  add_points(result_of({other, another}), found);
  EXPECT_EQ(found.points[3].path, 2U);
  EXPECT_EQ(found.points[4].path, 3U);
}

TEST(TuneChoice, GoesOnInGammaToo) {
  TuneOptions options;
  options.train.kernel.emplace();
  options.train.gamma_rule = GammaRule::scale;
  const TuneResult result = result_of({point_at(1, 0.3, 0, 0.1), point_at(0.1, 0.2, 0, 0.1),
                                       point_at(0.01, 0.3, 0, 0.1), point_at(1, 0.3, 1, 0.3),
                                       point_at(0.1, 0.1, 1, 0.3), point_at(0.01, 0.3, 1, 0.3)});
  const auto further = search_beyond(options, result);
  ASSERT_TRUE(further);
  EXPECT_TRUE(further->lambdas.empty());
  EXPECT_NEAR(further->gammas.front(), 0.9, 1e-12);
  options.gammas = {0.1, 0.3};
  EXPECT_FALSE(search_beyond(options, result));
}

TEST(TuneChoice, AddedPointsKeepTheOrderOfAPath) {
  TuneResult result = result_of({point_at(1, 0.3), point_at(0.1, 0.2), point_at(1, 0.4, 1, 2.0)});
  add_points(result_of({point_at(0.01, 0.1), point_at(0.001, 0.15)}), result);
  add_points(result_of({point_at(5, 0.5, 0, 6.0)}), result);
  std::vector<double> lambdas;
  for (const TunePoint& point : result.points) lambdas.push_back(point.lambda);
  EXPECT_EQ(lambdas, (std::vector<double>{1, 0.1, 0.01, 0.001, 1, 5}));
  EXPECT_EQ(result.points.back().path, 2U);
}

}  // namespace
}  // namespace pegasos
