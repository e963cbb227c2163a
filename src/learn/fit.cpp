#include "learn/fit.h"

#include <algorithm>
#include <utility>

#include "learn/resolve.h"

namespace pegasos {
namespace {

// Dual variables at the optimum are piecewise linear in lambda (Hastie, Rosset, Tibshirani and Zhu
// 2004, for the hinge): those at their bounds stay there, the others move at a steady rate. So the
// line through the last two leads near the next; the solver that starts there makes them feasible.
std::vector<double> on_the_line(std::span<const double> first, double first_lambda,
                                std::span<const double> second, double second_lambda,
                                double lambda) {
  std::vector<double> a(second.begin(), second.end());
  if (first.size() != a.size() || first_lambda == second_lambda) return a;
  const double rate = (lambda - second_lambda) / (second_lambda - first_lambda);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += rate * (a[i] - first[i]);
  return a;
}

std::vector<std::vector<double>> predicted_duals(std::span<const Fitted> before, double lambda) {
  if (before.empty()) return {};
  const Fitted& last = before.back();
  std::vector<std::vector<double>> duals = last.duals;
  if (before.size() == 1) return duals;
  const Fitted& earlier = before[before.size() - 2];
  for (std::size_t k = 0; k < std::min(duals.size(), earlier.duals.size()); ++k) {
    duals[k] = on_the_line(earlier.duals[k], earlier.lambda, duals[k], last.lambda, lambda);
  }
  return duals;
}

}  // namespace

Fitted fit(const Dataset& rows, const TrainOptions& wanted, std::span<const Fitted> before,
           const std::function<bool()>& interrupted, const RunPart& part) {
  TrainOptions options = plain(wanted);
  Fitted fitted;
  auto whole = static_cast<double>(rows.rows());
  ranks_of(options).sum({&whole, 1});
  fitted.lambda = lambda_for(options, static_cast<std::size_t>(whole));
  // Pegasos by name is judged as it will run: from nothing.
  if (options.solver.kind != Solver::pegasos) {
    options.start_duals = predicted_duals(before, fitted.lambda);
  }
  // What was interrupted is not used, so it needs no proof.
  const Watch watch{.stop = interrupted, .hurry = interrupted};
  Trained trained = train_part(rows, options, watch, part);
  if (const auto proof = certificate_of(trained.model)) {
    fitted.gap = proof->relative_gap();
  }
  fitted.model = std::move(trained.model);
  fitted.duals = std::move(trained.duals);
  fitted.interrupted = trained.ending != Ending::finished;
  return fitted;
}

}  // namespace pegasos
