// Bounds that are nearly attained: problems and numbers on which rounding errors are as large as
// they can be and all have the same sign. The bounds must hold here too, in 400 bits; and because
// most of each bound is needed, half of it would be false. Random problems, whose rounding errors
// cancel, are in tests/learn/certificate_property_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "certify/certificate.h"
#include "certify/kernel_certificate.h"
#include "math/enclosure.h"
#include "support/exact_objective.h"
#include "support/kernel_problems.h"
#include "support/small_problem.h"

namespace pegasos {
namespace {

using testing::ExactProblem;
using testing::Real;
using testing::SmallProblem;

ExactProblem exact_twin(const SmallProblem& problem) {
  return {.x = problem.x,
          .y = problem.y,
          .weights = std::vector<double>(problem.rows(), 1.0),
          .loss = problem.loss,
          .lambda = problem.lambda,
          .bias = problem.bias,
          .bias_feature = problem.bias_feature};
}

// 1 + t rounds to 1 for t < u: adding such a number loses all of it. Its root as a float.
float lost_root(Random& random) {
  const double share = 0.9 + 0.08 * static_cast<double>(random.below(1U << 20)) * 0x1p-20;
  return static_cast<float>(std::sqrt(share * kUnit));
}

// Four values of 1, one for each running sum of a dot product, and `lost` others. The dot product
// of the row with itself is computed too small.
std::vector<float> row_of_lost_values(Random& random, std::size_t lost) {
  std::vector<float> row(4, 1.0F);
  for (std::size_t k = 0; k < lost; ++k) row.push_back(lost_root(random));
  return row;
}

SmallProblem problem_of_one_row(Random& random, Loss loss) {
  SmallProblem problem;
  problem.x = {row_of_lost_values(random, 4 * (400 + random.below(800)))};
  problem.features = problem.x[0].size();
  problem.loss.loss = loss;
  problem.dense = random.below(2) == 0;
  return problem;
}

// The score is computed too small, and the loss grows with it.
TEST(CertificateProperty, ObjectivesHoldWhereEveryDotProductIsTooSmall) {
  ThreadPool pool(1);
  Random random(11, 1);
  for (const Loss loss : testing::kAllLosses) {
    for (int round = 0; round < 5; ++round) {
      SmallProblem problem = problem_of_one_row(random, loss);
      problem.y = {is_classification(loss) ? -1.0 : 0.0};
      problem.lambda = 0x1p-20;
      std::vector<double> w;
      for (const float value : problem.x[0]) w.push_back(16.0 * double{value});
      std::vector<double> none;
      const Proof proof = certify(problem.linear(), {w, 0.0}, none, pool, Arithmetic::doubles);
      const Real P = exact_primal(exact_twin(problem), w, 0.0);
      EXPECT_TRUE(P <= Real(proof.certificate.primal)) << name_of(loss);
      const double room = proof.certificate.primal - P.nearest();
      const double width = 0.5 * (proof.certificate.primal - proof.primal_below);
      EXPECT_LT(room, 0.25 * width) << name_of(loss);  // the bound is needed
    }
  }
}

// With w = w(a) the duals have a bound in which the score counts with the other sign.
TEST(CertificateProperty, BoundsHoldWhereEveryDotProductIsTooSmall) {
  ThreadPool pool(1);
  Random random(12, 1);
  for (const Loss loss : testing::kAllLosses) {
    for (int round = 0; round < 5; ++round) {
      SmallProblem problem = problem_of_one_row(random, loss);
      problem.y = {1.0};
      problem.lambda = 0x1p-2;
      problem.loss.epsilon = 0.125;
      const double factor = 0x1p-4;  // w = a x / lambda
      std::vector<double> w;
      for (const float value : problem.x[0]) w.push_back(factor * double{value});
      std::vector<double> a = {problem.lambda * factor};
      const Proof proof = certify(problem.linear(), {w, 0.0}, a, pool, Arithmetic::doubles);
      const Real D = exact_dual(exact_twin(problem), a);
      ASSERT_GT(*proof.certificate.dual, 0.0) << name_of(loss);
      EXPECT_TRUE(Real(*proof.certificate.dual) <= D) << name_of(loss);
    }
  }
}

// w(a) = sum a_i x_i is computed too small, and with it what the dual objective loses by its norm.
TEST(CertificateProperty, BoundsHoldWhereTheCombinationOfRowsIsTooSmall) {
  ThreadPool pool(1);
  Random random(13, 1);
  for (int round = 0; round < 5; ++round) {
    SmallProblem problem;
    // So many features for so few values are summed up in one part, by every row in turn.
    const std::size_t rows = 500 + random.below(200);
    problem.features = rows;
    std::vector<double> a;
    for (std::size_t i = 0; i < rows; ++i) {
      problem.x.emplace_back(problem.features, 0.0F);
      problem.x.back()[0] = i == 0 ? 1.0F : 0x1p-10F;
      problem.y.push_back(1.0);
      a.push_back(i == 0 ? 1.0 : 0.97 * kUnit * 0x1p10);
    }
    problem.lambda = 2.0 / static_cast<double>(rows);
    const Proof proof =
        certify(problem.linear(), {std::vector<double>(rows), 0.0}, a, pool, Arithmetic::doubles);
    const Real D = exact_dual(exact_twin(problem), a);
    ASSERT_GT(*proof.certificate.dual, 0.0);
    EXPECT_TRUE(Real(*proof.certificate.dual) <= D);
  }
}

// The same for values of the linear kernel.
TEST(CertificateProperty, KernelScoresHoldWhereEveryValueIsTooSmall) {
  ThreadPool pool(1);
  Random random(14, 1);
  SmallProblem problem;
  problem.x = {std::vector<float>(8000)};
  for (float& value : problem.x[0]) value = lost_root(random);
  problem.x[0][0] = 1.0F;
  problem.features = problem.x[0].size();
  problem.y = {1.0};
  const KernelOptions kernel = testing::kernel_of(KernelKind::linear);
  const KernelProblem view = testing::with_kernel(problem, kernel);
  const KernelBlocks blocks(kernel, view.data, pool);
  const std::vector<double> c = {1.0};
  const KernelScores scores = enclose_scores(blocks, c, pool);
  const Real truth = testing::exact_kernel(kernel, problem.x[0], problem.x[0]);
  const double used = (abs(Real(scores.values[0]) - truth) / Real(scores.errors[0])).nearest();
  EXPECT_LE(used, 1.0);
}

// ---- operation by operation ----

Real middle(Near x) {
  return x.mid;
}
Real middle(Nearer x) {
  return Real(x.hi) + Real(x.lo);
}

// How much of its bound an error takes up; more than 1 is a false bound.
template <typename Number>
double used(const Number& x, const Real& truth) {
  const Real error = abs(middle(x) - truth);
  if (x.error == 0.0) return error == Real(0.0) ? 0.0 : 2.0;
  return (error / Real(x.error)).nearest();
}

// Just above a power of 2, where a unit in the last place is most of the number.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed, 3) {}

  double high() {
    const double fraction = 1.0 + static_cast<double>(random_.below(1ULL << 47)) * 0x1p-52;
    const double sign = random_.below(2) == 0 ? 1.0 : -1.0;
    const int exponent = random_.below(2) == 0 ? 0 : static_cast<int>(random_.below(60));
    return std::ldexp(sign * fraction, -exponent);
  }
  Near number(Near) { return high(); }
  Nearer number(Nearer) {
    const double hi = high();
    const double share = static_cast<double>(random_.below(1ULL << 53)) * 0x1p-53;
    const double part = random_.below(3) == 0 ? 1.0 - 0x1p-8 * share : share;
    const TwoDoubles sum = two_sum(hi, (random_.below(2) == 0 ? part : -part) * kUnit * hi);
    return {sum.hi, sum.lo, 0.0};
  }

 private:
  Random random_;
};

struct LargestUse {
  double sum = 0, product = 0, quotient = 0;
};

template <typename Number>
LargestUse largest_use(std::uint64_t seed) {
  Draw draw(seed);
  LargestUse largest;
  for (int round = 0; round < 60'000; ++round) {
    const Number a = draw.number(Number());
    const Number b = draw.number(Number());
    const double c = draw.high();
    largest.sum = std::max(largest.sum, used(a + b, middle(a) + middle(b)));
    largest.product = std::max(largest.product, used(a * b, middle(a) * middle(b)));
    largest.quotient = std::max(largest.quotient, used(a / c, middle(a) / Real(c)));
  }
  return largest;
}

TEST(CertificateProperty, EveryOperationNeedsMostOfItsBound) {
  const LargestUse near = largest_use<Near>(1);
  const LargestUse nearer = largest_use<Nearer>(2);
  for (const double share :
       {near.sum, near.product, near.quotient, nearer.sum, nearer.product, nearer.quotient}) {
    EXPECT_LE(share, 1.0);
    EXPECT_GT(share, 0.52);
  }
}

// A sum that loses every number but the first, into a rest that loses what it can of each.
TEST(CertificateProperty, SumsNeedMostOfTheirBound) {
  CertifiedSum sum;
  sum.add(1.0);
  Real exact(1.0);
  double rest = 0.0;
  for (int k = 1; k < 2048; ++k) {
    const double next = rest + 0.9 * kUnit;
    const double place = std::nextafter(next, 1.0) - next;
    const double x = (next - rest) + (k < 64 ? 0.0 : 0.49 * place);
    sum.add(x);
    exact += Real(x);
    rest += x;
  }
  const double share = used(sum.total(), exact);
  EXPECT_LE(share, 1.0);
  EXPECT_GT(share, 0.52);
}

}  // namespace
}  // namespace pegasos
