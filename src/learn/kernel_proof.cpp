#include "learn/kernel_proof.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "data/row_table.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// A function this near the one whose scores are known, relative to its norm, needs no scores of its
// own: the distance enters D squared.
constexpr double kNearEnough = 1e-9;
constexpr std::size_t kRowsBetweenPolls = 256;

// The first row that is equal to each row.
std::vector<RowId> first_of_equals(const KernelProblem& problem, Together together,
                                   const ThreadPool& pool) {
  std::vector<RowId> first(problem.rows());
  std::iota(first.begin(), first.end(), RowId{0});
  if (problem.kernel.kind == KernelKind::precomputed) return first;
  RowTable tables[2];
  std::vector<RowId> firsts[2];
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i % kRowsBetweenPolls == 0) pool.throw_if_cancelled();
    const std::size_t t = together == Together::equal_rows_of_a_class && problem.y[i] > 0 ? 1 : 0;
    const std::size_t place = tables[t].add(problem.data.row(i));
    if (place == firsts[t].size()) firsts[t].push_back(static_cast<RowId>(i));
    first[i] = firsts[t][place];
  }
  return first;
}

// A bound of |f - g| where f has the first coefficients divided by `divisor` and g the second:
// sum over different rows of |difference| sqrt(K_ii).
double distance_between(std::span<const double> coefficients, const Nearer& divisor,
                        std::span<const double> others, std::span<const RowId> first,
                        std::span<const double> diagonal) {
  std::vector<Nearer> differences(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    Nearer& to = differences[first[i]];
    if (coefficients[i] != 0.0) to = to + Nearer(coefficients[i]);
    if (others[i] != 0.0) to = to - divisor * Nearer(others[i]);
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double largest = std::max(upper(differences[i]), -lower(differences[i]));
    sum = (sum + largest * std::sqrt(diagonal[i]) * kUp) * kUp;
  }
  return lower(divisor) > 0.0 ? sum / lower(divisor) * kUp + kTiny : kUnknown;
}

Nearer unit_of(const KernelProblem& problem) {
  return Nearer(problem.lambda) * Nearer(static_cast<double>(problem.rows()));
}

}  // namespace

FunctionOfDuals function_of_duals(const KernelProblem& problem, const KernelBlocks& blocks,
                                  std::span<const double> diagonal, std::span<const double> a,
                                  ThreadPool& pool) {
  std::vector<double> coefficients(a.begin(), a.end());
  const double unit = 1.0 / (problem.lambda * static_cast<double>(problem.rows()));
  for (double& coefficient : coefficients) coefficient *= unit;
  std::vector<RowId> first(a.size());
  std::iota(first.begin(), first.end(), RowId{0});
  FunctionOfDuals result;
  result.f.scores = enclose_scores(blocks, coefficients, pool);
  result.f.squared_norm = squared_norm_of(coefficients, result.f.scores);
  result.distance = distance_between(a, unit_of(problem), coefficients, first, diagonal);
  return result;
}

Proof prove_kernel(const KernelProblem& problem, Together together, KernelResult& result,
                   ThreadPool& pool) {
  const KernelBlocks blocks(problem.kernel, problem.data, pool);
  const std::vector<RowId> first = first_of_equals(problem, together, pool);
  std::vector<double>& coefficients = result.point.coefficients;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == i) continue;
    coefficients[first[i]] += coefficients[i];
    coefficients[i] = 0.0;
  }
  const bool bounded = problem.kernel.is_positive_semidefinite();
  if (result.scores.values.empty() || (!bounded && result.scores.coefficients != coefficients)) {
    result.scores = enclose_scores(blocks, coefficients, pool);
  }
  KernelFunction f{result.scores, {}};
  f.squared_norm = squared_norm_of(result.scores.coefficients, result.scores);
  Proof proof;
  if (!bounded) {
    proof = certify_kernel(problem, f, result.point.b, {}, f, 0.0);
  } else {
    const std::vector<double> diagonal = diagonal_above(blocks);
    const std::span<const double> known = result.scores.coefficients;
    KernelFunction of_model = f;
    widen(of_model, diagonal, distance_between(coefficients, 1.0, known, first, diagonal));
    make_exactly_feasible(problem, diagonal, result.a);
    double distance = distance_between(result.a, unit_of(problem), known, first, diagonal);
    const double norm = std::sqrt(std::max(0.0, upper(f.squared_norm)));
    if (!(distance <= kNearEnough * norm)) {
      FunctionOfDuals own = function_of_duals(problem, blocks, diagonal, result.a, pool);
      f = std::move(own.f);
      distance = own.distance;
    }
    proof = certify_kernel(problem, of_model, result.point.b, result.a, f, distance);
    if (!(proof.certificate.dual > 0.0)) std::fill(result.a.begin(), result.a.end(), 0.0);
  }
  const Certificate& certificate = proof.certificate;
  result.report.primal.regulariser = certificate.regulariser;
  result.report.primal.mean_loss = certificate.mean_loss;
  result.report.primal.wrong = certificate.wrong.value_or(0);
  if (bounded) result.report.dual = certificate.dual;
  return proof;
}

std::optional<Certificate> prove_unless_hurried(const KernelProblem& problem, Together together,
                                                KernelResult& result, ThreadPool& pool,
                                                const std::function<bool()>& hurry) {
  if (result.unproven) return std::nullopt;
  const CancelScope scope(pool, hurry);
  try {
    return prove_kernel(problem, together, result, pool).certificate;
  } catch (const Cancelled&) {
    result.unproven = result.interrupted = true;
    return std::nullopt;
  }
}

}  // namespace pegasos
