#include "learn/tune_choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pegasos {
namespace {

constexpr int kFurtherStrengths = 4;
constexpr double kFurtherGamma = 3.0;

bool same_path(const TunePoint& a, const TunePoint& b) {
  return a.gamma == b.gamma && a.degree == b.degree && a.epsilon == b.epsilon && a.loss == b.loss &&
         a.scaling == b.scaling;
}

// Points stand from strong to weak along a path, so the first that is near enough is the strongest.
std::size_t strongest_within_one_error(const TuneResult& result) {
  const TunePoint& best = result.points[result.best];
  for (std::size_t p = 0; p < result.best; ++p) {
    const TunePoint& point = result.points[p];
    const double worse = std::abs(point.mean - best.mean);
    if (point.path == best.path && worse <= best.standard_error) return p;
  }
  return result.best;
}

// Beyond the end of the best point's path, in its steps; none if the best is inside.
std::vector<double> further_lambdas(const TuneResult& result) {
  const TunePoint& best = result.points[result.best];
  std::vector<double> path;
  for (const TunePoint& point : result.points) {
    if (point.path == best.path) path.push_back(point.lambda);
  }
  if (path.size() < 3) return {};
  const bool strongest = best.lambda == path.front();
  const bool weakest = best.lambda == path.back();
  if (strongest == weakest) return {};
  const double step = strongest ? path[0] / path[1] : path.back() / path[path.size() - 2];
  std::vector<double> further;
  double lambda = best.lambda;
  for (int k = 0; k < kFurtherStrengths; ++k) {
    lambda *= step;
    if (lambda > 0 && std::isfinite(lambda)) further.push_back(lambda);
  }
  return further;
}

std::optional<double> further_gamma(const TuneResult& result) {
  const TunePoint& best = result.points[result.best];
  if (!best.gamma) return std::nullopt;
  double least = *best.gamma;
  double most = *best.gamma;
  for (const TunePoint& point : result.points) {
    if (point.loss != best.loss || point.scaling != best.scaling) continue;
    least = std::min(least, *point.gamma);
    most = std::max(most, *point.gamma);
  }
  if (least == most) return std::nullopt;
  if (best.gamma == least) return least / kFurtherGamma;
  if (best.gamma == most) return most * kFurtherGamma;
  return std::nullopt;
}

}  // namespace

bool is_better(Score score, const TunePoint& a, const TunePoint& b) {
  if (std::isnan(b.mean)) return !std::isnan(a.mean);
  return larger_is_better(score) ? a.mean > b.mean : a.mean < b.mean;
}

void choose(Choice choice, TuneResult& result) {
  result.best = 0;
  for (std::size_t p = 1; p < result.points.size(); ++p) {
    if (is_better(result.score, result.points[p], result.points[result.best])) result.best = p;
  }
  result.chosen = choice == Choice::best ? result.best : strongest_within_one_error(result);
}

TuneOptions at_combination(const TuneOptions& options, const TunePoint& point) {
  TuneOptions result = options;
  if (point.loss) result.train.loss = point.loss;
  if (point.scaling.empty()) return result;
  if (result.table) {
    result.table->scaling = *table_scaling_of_name(point.scaling);
  } else {
    result.train.scaling = scaling_of_name(point.scaling);
  }
  return result;
}

std::optional<TuneOptions> search_beyond(const TuneOptions& options, const TuneResult& result) {
  const bool strengths_named =
      !options.lambdas.empty() || !options.cs.empty() || options.train.lambda || options.train.c;
  if (strengths_named || result.interrupted) return std::nullopt;
  const TunePoint& best = result.points[result.best];
  TuneOptions further = at_combination(options, best);
  if (best.degree) further.degrees = {*best.degree};
  if (best.epsilon) further.epsilons = {*best.epsilon};
  if (best.gamma) further.gammas = {*best.gamma};
  further.lambdas = further_lambdas(result);
  if (!further.lambdas.empty()) return further;
  const bool gammas_named = !options.gammas.empty() || !options.train.gamma_rule;
  const auto gamma = gammas_named ? std::nullopt : further_gamma(result);
  if (!gamma) return std::nullopt;
  further.gammas = {*gamma};
  return further;
}

void add_points(const TuneResult& more, TuneResult& result) {
  result.planned += more.planned;
  result.interrupted = result.interrupted || more.interrupted;
  for (TunePoint point : more.points) {
    std::size_t next_path = 0;
    for (const TunePoint& other : result.points) next_path = std::max(next_path, other.path + 1);
    const auto known =
        std::find_if(result.points.begin(), result.points.end(),
                     [&](const TunePoint& other) { return same_path(other, point); });
    point.path = known != result.points.end() ? known->path : next_path;
    const auto place =
        std::find_if(result.points.begin(), result.points.end(), [&](const TunePoint& other) {
          return other.path > point.path ||
                 (other.path == point.path && other.lambda < point.lambda);
        });
    result.points.insert(place, std::move(point));
  }
}

}  // namespace pegasos
