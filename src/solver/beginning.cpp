#include "solver/beginning.h"

#include <span>
#include <utility>

#include "certify/objective.h"
#include "math/best_bias.h"
#include "math/losses.h"
#include "math/passes.h"

namespace pegasos {
namespace {

// Are they better than the ones before?
bool offer_duals(const LinearProblem& problem, std::vector<double> a, bool first,
                 Beginning& beginning, ThreadPool& pool) {
  LinearPoint point;
  const double dual = evaluate_dual(problem, a, pool, &point).objective();
  if (!first && !(dual > beginning.dual)) return false;
  beginning.a = std::move(a);
  beginning.of_duals = std::move(point);
  beginning.dual = dual;
  return true;
}

void offer_point(const LinearProblem& problem, LinearPoint point, Beginning& beginning,
                 ThreadPool& pool, std::span<double> z = {}) {
  if (problem.bias == Bias::none) point.b = 0.0;  // of a model that had one, or of its scaling
  const PrimalValue primal = evaluate_primal_at_best_bias(problem, point, pool, z);
  if (!(primal.objective() < beginning.primal.objective())) return;
  beginning.point = std::move(point);
  beginning.primal = primal;
}

// w = 0 needs no pass over the features.
void begin_at_zero(const LinearProblem& problem, Beginning& beginning, ThreadPool& pool) {
  beginning.point.w.assign(problem.features(), 0.0);
  if (problem.has_free_bias()) {
    const std::vector<double> z(problem.rows(), 0.0);
    beginning.point.b = best_bias_over_ranks(problem.loss, z, problem.y, problem.weights, pool);
  }
  const double b = beginning.point.b;
  const auto [losses, wrong] = with_loss(problem.loss, [&](const auto& loss) {
    return sums_over_blocks<2>(problem.rows(), pool, [&](std::size_t begin, std::size_t end) {
      RowSums<2> sums = {};
      for (std::size_t i = begin; i < end; ++i) {
        sums[0] += problem.weight(i) * loss.value(b, problem.y[i]);
        sums[1] += (b > 0) != (problem.y[i] > 0) ? problem.copies_of(i) : 0.0;
      }
      return sums;
    });
  });
  if (is_classification(problem.loss.loss)) {
    beginning.primal.wrong = static_cast<std::uint64_t>(wrong);
  }
  beginning.primal.mean_loss = losses / problem.m();
}

}  // namespace

Beginning begin_from(const LinearProblem& problem, WarmStart start, ThreadPool& pool) {
  Beginning beginning;
  offer_duals(problem, std::vector<double>(problem.rows(), 0.0), true, beginning, pool);
  const bool useful =
      !start.a.empty() && offer_duals(problem, std::move(start.a), false, beginning, pool);
  begin_at_zero(problem, beginning, pool);
  if (useful) {
    beginning.z.resize(problem.rows());
    offer_point(problem, beginning.of_duals, beginning, pool, beginning.z);
  }
  if (!start.point.w.empty()) offer_point(problem, std::move(start.point), beginning, pool);
  return beginning;
}

}  // namespace pegasos
