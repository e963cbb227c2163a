// The iterate does not care where its rows come from: batches that are copied out of the data one
// at a time, as a stream would deliver them, lead to the same bits as training on rows in memory.
#include "solver/pegasos_iterate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "data/take_rows.h"
#include "solver/dual_sums.h"
#include "solver/pegasos.h"
#include "solver/sampler.h"
#include "support/small_problem.h"

namespace pegasos {
namespace {

using testing::make_problem;
using testing::SmallProblem;

// A stream keeps no dual variables.
struct NoDuals {
  void visit(RowId) {}
  void add(RowId, double) {}
  void fold(double) {}
};

TEST(PegasosIterate, TakesRowsFromAnywhere) {
  constexpr std::size_t kBatch = 6;
  constexpr std::uint64_t kEpochs = 3;
  for (const Bias bias : {Bias::none, Bias::regularised, Bias::unregularised, Bias::exact}) {
    for (const Average average : {Average::last, Average::mean}) {
      const SmallProblem problem =
          make_problem({.rows = 50, .features = 7, .weighted = true, .lambda = 1e-2, .bias = bias});
      const LinearProblem linear = problem.linear();
      const PegasosOptions options{
          .batch = kBatch, .average = average, .epochs = kEpochs, .measure_gradients = false};
      ThreadPool pool(1);
      const SolverResult in_memory = train_pegasos(linear, options, {}, pool);

      const LinearPoint streamed = with_loss(linear.loss, [&](const auto& loss) {
        PegasosIterate iterate({.loss = linear.loss,
                                .lambda = linear.lambda,
                                .bias = bias,
                                .bias_feature = linear.bias_feature,
                                .average = average},
                               loss, problem.features);
        iterate.reserve(kBatch);
        NoDuals duals;
        Sampler sampler(options.sampling, problem.rows(), kBatch, options.seed);
        for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
          const std::vector<RowId> order(sampler.epoch(epoch).begin(), sampler.epoch(epoch).end());
          for (std::size_t begin = 0; begin < order.size(); begin += kBatch) {
            const std::size_t size = std::min(kBatch, order.size() - begin);
            const std::vector<RowId> ids(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                         order.begin() + static_cast<std::ptrdiff_t>(begin + size));
            const Dataset rows = take_rows(linear.data, ids);
            std::vector<double> y;
            std::vector<double> weights;
            for (const RowId id : ids) {
              y.push_back(problem.y[id]);
              weights.push_back(problem.weight(id));
            }
            std::vector<RowId> all(size);
            std::iota(all.begin(), all.end(), RowId{0});
            with_rows(rows, [&](const auto& layout) {
              iterate.step(RowBatch{layout, y, weights, all}, duals, nullptr);
            });
          }
        }
        return iterate.point();
      });
      EXPECT_EQ(streamed.w, in_memory.point.w) << name_of(bias);
      if (bias == Bias::regularised) {
        EXPECT_EQ(streamed.b, in_memory.point.b);
      }
    }
  }
}

// Means of sums by hand: three epochs over two rows, the factor folded in on the way.
TEST(DualSums, AreMeansOfWhatWasAdded) {
  DualSums sums(2, 1, DualSums::Divisor::epochs);
  sums.add(0, 1.0);
  sums.add(1, -1.0);
  sums.epoch_done(1);
  sums.add(0, 0.5);
  sums.epoch_done(2);
  sums.fold(0.5);
  sums.add(1, -0.25);
  sums.epoch_done(3);
  EXPECT_EQ(sums.mean(1.0, 3.0), (std::vector<double>{0.75 / 3, -0.75 / 3}));
  // Since epoch 1.
  EXPECT_EQ(sums.recent_mean(1.0, 3.0), (std::vector<double>{0.25 / 2, -0.25 / 2}));
}

TEST(DualSums, CountVisitsWhereRowsAreNotSeenOncePerEpoch) {
  DualSums sums(2, 2, DualSums::Divisor::visits);
  for (int k = 0; k < 3; ++k) sums.visit(0);
  sums.add(0, 0, 1.5);
  sums.add(0, 1, -1.5);
  EXPECT_EQ(sums.mean(2.0, 0.0), (std::vector<double>{1.0, -1.0, 0.0, 0.0}));
  EXPECT_TRUE(sums.recent_mean(1.0, 0.0).empty());
}

}  // namespace
}  // namespace pegasos
