#include "solver/online.h"

#include <algorithm>
#include <span>

#include "math/losses.h"
#include "math/rows.h"
#include "solver/pegasos_iterate.h"

namespace pegasos {
namespace {

// A stream has no second visit to a row: there are no duals to keep.
struct NoDuals {
  void visit(RowId) {}
  void add(RowId, double) {}
  void fold(double) {}
};

template <typename Rows>
double counted_at_least(const LinearProblem& problem, const Rows& rows) {
  const double curvature = unbounded_curvature(problem.loss.loss);
  if (curvature == 0.0) return 0.0;
  const double constant = problem.bias == Bias::regularised
                              ? problem.bias_feature * problem.bias_feature
                          : problem.bias == Bias::unregularised ? 1.0
                                                                : 0.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    largest = std::max(largest, problem.weight(i) * (squared_norm(rows.row(i)) + constant));
  }
  return curvature * largest / problem.lambda;
}

}  // namespace

OnlinePoint learn_online(const LinearProblem& problem, OnlinePoint from) {
  IterateOptions options;
  options.loss = problem.loss;
  options.lambda = problem.lambda;
  options.bias = problem.bias;
  options.bias_feature = problem.bias_feature;
  return with_loss(problem.loss, [&](const auto& loss) {
    return with_rows(problem.data, [&](const auto& rows) {
      PegasosIterate iterate(options, loss, problem.features());
      iterate.reserve(1);
      from.point.w.resize(problem.features(), 0.0);
      iterate.begin_at(from.point, std::max(from.counted, counted_at_least(problem, rows)));
      NoDuals none;
      for (std::size_t i = 0; i < problem.rows(); ++i) {
        const auto id = static_cast<RowId>(i);
        iterate.step(RowBatch<std::decay_t<decltype(rows)>>{rows, problem.y, problem.weights,
                                                            std::span(&id, 1)},
                     none, nullptr);
      }
      OnlinePoint reached{iterate.point(), iterate.rows_counted()};
      if (problem.has_free_bias()) reached.point.b = iterate.free_bias();
      return reached;
    });
  });
}

}  // namespace pegasos
