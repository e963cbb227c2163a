// The loops of the smoothed hinge loss on every vector target, against its formulas, on every
// length around the vector sizes.
#include "simd/hinge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "simd/target.h"

namespace pegasos::simd {
namespace {

class Hinge : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(force_target(GetParam())); }
  void TearDown() override { force_target(usable_targets().front()); }
};

struct HingeCase {
  std::vector<double> y, s, centre, z, dz, a, response;
  std::vector<std::uint32_t> copies;

  explicit HingeCase(std::size_t size, Random& random) {
    for (std::size_t i = 0; i < size; ++i) {
      y.push_back(random.below(2) == 0 ? -1.0 : 1.0);
      s.push_back(random.below(8) == 0 ? 0.0 : 3.0 * random.uniform());
      centre.push_back(0.5 * y[i] * s[i]);
      z.push_back(y[i] + 2.0 * random.normal());
      dz.push_back(random.normal());
      copies.push_back(static_cast<std::uint32_t>(random.below(5)));
      // A third of the rows are at their dual already.
      a.push_back(random.below(3) == 0 ? dual(i, z[i], true) : 0.25 * centre[i]);
      response.push_back(-1.0);
    }
  }

  static constexpr double kMu = 0.4;
  double dual(std::size_t i, double score, bool weighted) const {
    const double weight = weighted ? s[i] : 1.0;
    const double rest = 1.0 - y[i] * score;
    return y[i] * std::clamp(y[i] * centre[i] + weight * (1.0 / kMu) * rest, 0.0, weight);
  }
  HingeRows view(bool weighted) const {
    return {y.data(), weighted ? s.data() : nullptr, centre.data(), 1.0 / kMu, y.size()};
  }
};

TEST_P(Hinge, SweepIsTheFormula) {
  Random random(3, 0);
  for (std::size_t size = 0; size < 40; ++size) {
    for (const bool weighted : {false, true}) {
      for (const double t : {0.0, 0.7}) {
        HingeCase rows(size, random);
        const HingeCase before = rows;
        std::vector<std::uint32_t> ids(size);
        std::vector<double> by(size);
        ChangedDuals changed{ids.data(), by.data(), 0};
        const HingeSums sums = hinge_sweep(rows.view(weighted), t, rows.dz.data(),
                                           weighted ? rows.copies.data() : nullptr, rows.z.data(),
                                           rows.a.data(), rows.response.data(), changed);
        HingeSums expected = {};
        std::size_t next = 0;
        for (std::size_t i = 0; i < size; ++i) {
          const double weight = weighted ? rows.s[i] : 1.0;
          const double score = before.z[i] + t * rows.dz[i];
          EXPECT_EQ(rows.z[i], score);
          const double a = rows.dual(i, score, weighted);
          EXPECT_EQ(rows.a[i], a);
          const bool between = rows.y[i] * a > 0.0 && rows.y[i] * a < weight;
          EXPECT_EQ(rows.response[i], between ? weight * (1.0 / HingeCase::kMu) : 0.0);
          expected.losses += weight * std::max(0.0, 1.0 - rows.y[i] * score);
          expected.gains += rows.y[i] * a;
          expected.duals += a;
          expected.wrong += (score > 0) != (rows.y[i] > 0) ? (weighted ? rows.copies[i] : 1) : 0;
          if (a == before.a[i]) continue;
          ASSERT_LT(next, changed.count);
          EXPECT_EQ(changed.rows[next], i);
          EXPECT_EQ(changed.by[next], a - before.a[i]);
          ++next;
        }
        EXPECT_EQ(changed.count, next);
        EXPECT_NEAR(sums.losses, expected.losses, 1e-12);
        EXPECT_NEAR(sums.gains, expected.gains, 1e-12);
        EXPECT_NEAR(sums.duals, expected.duals, 1e-12);
        EXPECT_EQ(sums.wrong, expected.wrong);
      }
    }
  }
}

TEST_P(Hinge, SlopesAreSumsOfDualsTimesDirections) {
  Random random(4, 0);
  for (std::size_t size = 0; size < 40; ++size) {
    for (const bool weighted : {false, true}) {
      HingeCase rows(size, random);
      for (std::size_t i = 0; i < size; ++i) rows.a[i] = rows.dual(i, rows.z[i], weighted);
      std::vector<double> start(size), rate(size), most(size), lever(size);
      HingeMovers movers{start.data(), rate.data(), most.data(), lever.data(), 0};
      const HingeSlopes slopes =
          hinge_slopes(rows.view(weighted), rows.z.data(), rows.dz.data(), rows.a.data(), movers);
      for (const double t : {0.0, 0.3, 1.0}) {
        double expected = 0;
        for (std::size_t i = 0; i < size; ++i) {
          expected += rows.dual(i, rows.z[i] + t * rows.dz[i], weighted) * rows.dz[i];
        }
        EXPECT_NEAR(slopes.still + hinge_slope_of_movers(movers, t), expected, 1e-12);
        if (t == 1.0) {
          EXPECT_NEAR(slopes.still + slopes.moving, expected, 1e-12);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Hinge, ::testing::ValuesIn(usable_targets()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace pegasos::simd
