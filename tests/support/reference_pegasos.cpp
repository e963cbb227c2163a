#include "support/reference_pegasos.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "math/best_bias.h"
#include "solver/sampler.h"
#include "support/naive_objective.h"

namespace pegasos::testing {
namespace {

using Vector = std::vector<double>;

double inner(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

void add(Vector& to, double c, const Vector& x) {
  for (std::size_t j = 0; j < to.size(); ++j) to[j] += c * x[j];
}

void scale(Vector& v, double c) {
  for (auto& value : v) value *= c;
}

struct Textbook {
  const SmallProblem& problem;
  const PegasosOptions& options;
  std::size_t m = problem.rows();
  std::size_t k = static_cast<std::size_t>(std::min<std::uint64_t>(options.batch, m));
  // Rows with the constant feature at their end (0 without a regularised bias).
  std::vector<Vector> x = {};
  Vector w = Vector(problem.features + 1, 0.0);
  double b = 0.0;
  double n = 0.0;
  double offset = 0.0;
  Vector S = Vector(m, 0.0);
  std::vector<std::uint64_t> visits = std::vector<std::uint64_t>(m, 0);
  std::vector<Vector> iterates = {};
  std::vector<Vector> sums_at_epochs = {};  // S after every whole epoch
  std::size_t suffix_begins = 0;            // place in iterates
  double gradients = 0.0;
  double objectives = 0.0;
  ReferenceRun run = {};

  void prepare() {
    double at_zero = 0;
    double steepest = 0;
    for (std::size_t i = 0; i < m; ++i) {
      Vector row(problem.x[i].begin(), problem.x[i].end());
      row.push_back(problem.bias == Bias::regularised ? problem.bias_feature : 0.0);
      const double free_bias = problem.bias == Bias::unregularised ? 1.0 : 0.0;
      steepest = std::max(steepest, problem.weight(i) * (inner(row, row) + free_bias));
      x.push_back(std::move(row));
      at_zero += problem.weight(i) * naive_loss(problem.loss, 0.0, problem.y[i]);
    }
    run.radius = std::sqrt(at_zero / static_cast<double>(m) / problem.lambda);
    const bool squared = problem.loss.loss == Loss::squared_hinge ||
                         problem.loss.loss == Loss::squared_epsilon_insensitive;
    offset = squared ? 2 * static_cast<double>(k) * steepest / problem.lambda : 0.0;
    offset = options.step_offset.value_or(offset);
    n = offset;
  }

  // u_i of every row of the batch at the current w, and the batch objective f_t.
  Vector slopes(std::span<const RowId> A) {
    Vector z, y, s, u;
    for (const RowId i : A) {
      z.push_back(inner(w, x[i]));
      y.push_back(problem.y[i]);
      s.push_back(problem.weight(i));
    }
    if (problem.bias == Bias::exact) b = best_bias(problem.loss, z, y, s);
    for (std::size_t j = 0; j < A.size(); ++j) {
      z[j] += b;
      u.push_back(s[j] * naive_ascent(problem.loss, z[j], y[j]));
      objectives += s[j] * naive_loss(problem.loss, z[j], y[j]);
    }
    if (problem.bias == Bias::exact) balance_at_kinks(problem.loss, z, y, s, u);
    return u;
  }

  void step(std::span<const RowId> A) {
    const auto size = static_cast<double>(A.size());
    objectives += size * problem.lambda / 2 * inner(w, w);
    const Vector u = slopes(A);
    Vector sum(w.size(), 0.0);
    double total = 0;
    for (std::size_t j = 0; j < A.size(); ++j) {
      add(sum, u[j], x[A[j]]);
      total += u[j];
      S[A[j]] += u[j];
      ++visits[A[j]];
      run.violations += u[j] != 0 ? 1 : 0;
    }
    Vector gradient = w;
    scale(gradient, problem.lambda);
    add(gradient, -1.0 / size, sum);

    n += size;
    ++run.steps;
    run.rows_seen += A.size();
    const double squared = inner(gradient, gradient);
    run.lemma.largest_gradient = std::max(run.lemma.largest_gradient, std::sqrt(squared));
    const double eta = size / (problem.lambda * n);
    gradients += size * eta / 2 * squared;

    scale(w, 1.0 - size / n);
    add(w, 1.0 / (problem.lambda * n), sum);
    const double norm = std::sqrt(inner(w, w));
    if (options.project && norm > run.radius) {
      scale(w, run.radius / norm);
      scale(S, run.radius / norm);
      for (auto& sums : sums_at_epochs) scale(sums, run.radius / norm);
    }
    if (problem.bias == Bias::unregularised) b += eta * total / size;
    run.norm = std::sqrt(inner(w, w));
    run.largest_norm = std::max(run.largest_norm, run.norm);
    iterates.push_back(w);
  }

  Vector average() const {
    Vector sum(w.size(), 0.0);
    double weights = 0;
    const std::size_t begin = options.average == Average::suffix ? suffix_begins : 0;
    if (options.average == Average::last || begin >= iterates.size()) return w;
    for (std::size_t t = begin; t < iterates.size(); ++t) {
      const double c = options.average == Average::weighted ? static_cast<double>(t + 1) : 1.0;
      add(sum, c, iterates[t]);
      weights += c;
    }
    scale(sum, 1.0 / weights);
    return sum;
  }

  Vector duals(bool visits_every_row) const {
    Vector a(m, 0.0);
    const std::uint64_t epochs = (run.rows_seen + m - 1) / m;
    const double divisor = std::max(static_cast<double>(epochs), n / static_cast<double>(m));
    for (std::size_t i = 0; i < m; ++i) {
      if (visits_every_row) {
        a[i] = S[i] / divisor;
      } else if (visits[i] > 0) {
        a[i] = S[i] / static_cast<double>(visits[i]);
      }
    }
    return a;
  }

  // The mean over the epochs after the power of two that is at most half the epochs so far.
  Vector suffix_duals() const {
    const std::uint64_t epochs = (run.rows_seen + m - 1) / m;
    const std::uint64_t whole = run.rows_seen / m;
    const std::uint64_t begin = std::bit_floor(whole) / 2;
    if (begin == 0) return {};
    Vector a = S;
    add(a, -1.0, sums_at_epochs[begin - 1]);
    scale(a, 1.0 / static_cast<double>(epochs - begin));
    return a;
  }

  LinearPoint point(Vector of) const {
    const double constant = of.back();
    of.pop_back();
    return {std::move(of), problem.bias == Bias::regularised ? constant * problem.bias_feature : b};
  }

  ReferenceRun finish() {
    run.last = point(w);
    run.handed_out = point(average());
    const auto rows = static_cast<double>(run.rows_seen);
    // A short last batch counts as less than a step.
    const double T = rows / static_cast<double>(k);
    run.lemma.tight_bound = gradients / rows;
    run.lemma.mean_objective = objectives / rows;
    run.lemma.bound =
        std::pow(run.lemma.largest_gradient, 2) * (1 + std::log(T)) / (2 * problem.lambda * T);
    return std::move(run);
  }
};

}  // namespace

ReferenceRun reference_pegasos(const SmallProblem& problem, const PegasosOptions& options) {
  Textbook book{problem, options};
  book.prepare();
  Sampler sampler(options.sampling, book.m, book.k, options.seed);
  const std::uint64_t most_steps = options.steps.value_or(UINT64_MAX);
  book.suffix_begins = SIZE_MAX;
  for (std::uint64_t e = 0; e < options.epochs && book.run.steps < most_steps; ++e) {
    if (e == options.epochs / 2) book.suffix_begins = book.iterates.size();
    const auto order = sampler.epoch(e);
    for (std::size_t i = 0; i < book.m && book.run.steps < most_steps; i += book.k) {
      book.step(order.subspan(i, std::min(book.k, book.m - i)));
    }
    if (book.run.rows_seen == (e + 1) * book.m) book.sums_at_epochs.push_back(book.S);
    book.run.duals.push_back(book.duals(sampler.visits_every_row()));
    const auto suffix = book.suffix_duals();
    if (sampler.visits_every_row() && !suffix.empty()) book.run.suffix_duals.push_back(suffix);
  }
  return book.finish();
}

}  // namespace pegasos::testing
