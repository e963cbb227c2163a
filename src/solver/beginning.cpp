#include "solver/beginning.h"

#include <utility>

#include "certify/objective.h"

namespace pegasos {
namespace {

void offer_duals(const LinearProblem& problem, std::vector<double> a, bool first,
                 Beginning& beginning, ThreadPool& pool) {
  LinearPoint point;
  const double dual = evaluate_dual(problem, a, pool, &point).objective();
  if (!first && !(dual > beginning.dual)) return;
  beginning.a = std::move(a);
  beginning.of_duals = std::move(point);
  beginning.dual = dual;
}

void offer_point(const LinearProblem& problem, LinearPoint point, bool first, Beginning& beginning,
                 ThreadPool& pool) {
  const PrimalValue primal = evaluate_primal_at_best_bias(problem, point, pool);
  if (!first && !(primal.objective() < beginning.primal.objective())) return;
  beginning.point = std::move(point);
  beginning.primal = primal;
}

}  // namespace

Beginning begin_from(const LinearProblem& problem, WarmStart start, ThreadPool& pool) {
  Beginning beginning;
  offer_duals(problem, std::vector<double>(problem.rows(), 0.0), true, beginning, pool);
  if (!start.a.empty()) offer_duals(problem, std::move(start.a), false, beginning, pool);
  offer_point(problem, LinearPoint{std::vector<double>(problem.features(), 0.0)}, true, beginning,
              pool);
  offer_point(problem, beginning.of_duals, false, beginning, pool);
  if (!start.point.w.empty()) offer_point(problem, std::move(start.point), false, beginning, pool);
  return beginning;
}

}  // namespace pegasos
