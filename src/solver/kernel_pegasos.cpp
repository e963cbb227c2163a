// Pegasos with kernels: stochastic sub-gradient descent on functions f = sum_j c_j K(x_j, .).
//
//   minimise over f:   lambda/2 |f|^2  +  1/m sum_i s_i loss(f(x_i) + b; y_i)
//
// Shalev-Shwartz, Singer, Srebro, Cotter, Math. Programming 127 (2011), Figure 3. u_i is minus a
// sub-gradient of the loss of row i, n the rows seen so far, A a batch of them, R the product of
// the projection factors, as in pegasos_iterate.h. The sub-gradient at row i is -u_i K(x_i, .), so
// that
//
//   f_n = R/(lambda n) sum_j S_j K(x_j, .)              S_j: the sum of the u/R taken at row j
//
// For the hinge S_j is y_j times the number of violations counted at row j. The row seen next is
// judged by f_n, with n the rows seen before it (Figure 3 divides by the number of the step
// itself, one more, and with the linear kernel would not be the algorithm of Figure 1).
//
// G_i = sum_j S_j K_ij is kept for all rows. A row without a slope then costs nothing, a row with
// one the addition of a row of K; those that will probably be needed next are computed along with
// it. S and G are both sums over the additions and live in one vector v = (S, G), which makes
// averages of the iterates the same as for a linear model.
#include "solver/kernel_pegasos.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "certify/kernel_certificate.h"
#include "certify/kernel_objective.h"
#include "math/coordinate_steps.h"
#include "math/losses.h"
#include "math/passes.h"
#include "pegasos/error.h"
#include "simd/panels.h"
#include "solver/average.h"
#include "solver/dual_sums.h"
#include "solver/kernel_row_cache.h"
#include "solver/sampler.h"
#include "solver/state.h"
#include "solver/watched.h"

namespace pegasos {

// What an addition at row `id` adds to v = (S, G).
struct KernelRow {
  RowId id;
  std::span<const float> values;
};

inline void add(const KernelRow& x, double c, double* v) {
  v[x.id] += c;
  const float* row = x.values.data();
  simd::add_rows({v + x.values.size(), x.values.size()}, {&row, 1}, &c);
}

namespace {

// Rows of K that are computed together, and how far ahead they are looked for.
constexpr std::size_t kRowsTogether = simd::kPanelWidth;
constexpr std::size_t kRowsAhead = 4096;
constexpr std::size_t kRowsBetweenPolls = 64;
// v is rescaled before u/R could overflow; much sooner where averages are kept, which are
// differences of two sums that grow with 1/R.
constexpr double kSmallestFactor = 1e-60;
constexpr double kSmallestFactorOfAverages = 1e-4;

template <typename LossType>
class Run {
 public:
  Run(const KernelProblem& problem, const PegasosOptions& options, const KernelBlocks& blocks,
      KernelRowCache& cache, const Watch& watch, ThreadPool& pool, LossType loss,
      const SolverState& state)
      : problem_(problem),
        options_(options),
        blocks_(blocks),
        cache_(cache),
        watch_(watch),
        pool_(pool),
        loss_(loss),
        m_(problem.rows()),
        batch_(static_cast<std::size_t>(std::min<std::uint64_t>(options.batch, m_))),
        lambda_of_rows_(problem.lambda * (problem.m() / static_cast<double>(m_))),
        certifies_(problem.kernel.is_positive_semidefinite()),
        sampler_(options.sampling, m_, batch_, options.seed),
        v_(2 * m_, 0.0),
        diagonal_(m_),
        wanted_(m_, 0),
        duals_(m_, 1,
               sampler_.visits_every_row() ? DualSums::Divisor::epochs : DualSums::Divisor::visits),
        average_(options.average, 2 * m_),
        batch_slopes_(batch_) {
    report_.kernel.emplace();
    prepare();
    if (!state.empty()) resume_from(state);
  }

  KernelResult run() {
    try {
      const CancelScope scope(pool_, watch_.hurry());
      descend();
      return finish();
    } catch (const Cancelled&) {
      watch_.asked_to_stop();
      return as_it_is();
    }
  }

  template <typename Archive>
  void archive(Archive& a) {
    a.fixed(v_);
    a(R_, n_, offset_, b_, squared_norm_, duals_, average_, steps_, rows_seen_, violations_, epoch_,
      position_, violations_before_, until_poll_, report_, output_b_);
    a.fixed(point_);
    a.fixed(best_a_);
    if (position_ >= m_) refuse_state("its position is past the last row");
  }

 private:
  void descend() {
    if (resumed_ && announce()) ended_ = true;
    while (epoch_ < options_.epochs && !ended_) {
      if (position_ == 0) {
        if (epoch_ == options_.epochs / 2) average_.begin_suffix();
        violations_before_ = violations_;
      }
      run_epoch(sampler_.epoch(epoch_));
      report_.epoch = position_ == 0 ? epoch_ : epoch_ + 1;
      report_.violations = violations_ - violations_before_;
      evaluate();
      if (announce()) break;
    }
  }

  // Tells the watch about this moment; true if it wants the run to end here.
  bool announce() {
    watch_.tell([this] {
      TrainingEvent event{
          .report = report_,
          .kernel_point = [this] { return kernel_point(); },
          .state = [this] { return save_state(StateKind::kernel_pegasos, identity(), *this); }};
      if (certifies_) event.duals = [this] { return best_a_; };
      return event;
    });
    return watch_.asked_to_stop();
  }

  std::uint64_t identity() const { return identity_of(identity_of(problem_), options_); }

  void resume_from(const SolverState& state) {
    point_.resize(2 * m_);
    if (certifies_) best_a_.resize(m_);
    load_state(state, StateKind::kernel_pegasos, identity(), *this);
    if (!report_.kernel) refuse_state("it has no report of a kernel solver");
    used_before_ = report_.kernel->rows_used;
    computed_before_ = report_.kernel->rows_computed;
    resumed_ = true;
  }

  KernelPoint kernel_point() const {
    return {{point_.begin(), point_.begin() + static_cast<std::ptrdiff_t>(m_)}, output_b_};
  }

  // f = scale (S, G); f_0 = 0.
  double scale() const { return n_ > 0 ? R_ / (lambda_of_rows_ * n_) : 0.0; }

  double slope(RowId i, double f_scale) const {
    const double z = f_scale * v_[m_ + i] + b_;
    return problem_.weight(i) * loss_.ascent(z, problem_.y[i]);
  }

  void run_epoch(std::span<const RowId> order) {
    while (position_ < m_ && !ended_) {
      const std::size_t size = std::min(batch_, m_ - position_);
      step(order.subspan(position_, size), order.subspan(position_ + size));
      position_ += size;
      if (options_.steps && steps_ >= *options_.steps) ended_ = true;
      if (until_poll_ > size) {
        until_poll_ -= size;
      } else {
        until_poll_ = kRowsBetweenPolls;
        if (watch_.asked_to_stop()) ended_ = true;
      }
    }
    if (position_ < m_) return;
    position_ = 0;
    ++epoch_;
  }

  // One step on the batch A: slopes at f_n, then the update. `later` are the rows after it.
  void step(std::span<const RowId> A, std::span<const RowId> later) {
    const double f_scale = scale();
    for (std::size_t j = 0; j < A.size(); ++j) {
      batch_slopes_[j] = slope(A[j], f_scale);
      duals_.visit(A[j]);
    }
    rows_seen_ += A.size();
    n_ = offset_ + static_cast<double>(rows_seen_);
    ++steps_;
    double total = 0;
    for (std::size_t j = 0; j < A.size(); ++j) {
      const double u = batch_slopes_[j];
      if (u == 0.0) continue;
      total += u;
      ++violations_;
      if (!cache_.holds(A[j])) fetch_with_others(A, j, later);
      add_row(A[j], u / R_);
    }
    if (problem_.has_free_bias()) b_ += total / (lambda_of_rows_ * n_);
    if (options_.project) project();
    average_.step_done(scale());
  }

  void add_row(RowId i, double c) {
    const float* row = nullptr;
    cache_.fetch({&i, 1}, {&row, 1}, pool_);
    squared_norm_ += 2.0 * c * v_[m_ + i] + c * c * diagonal_[i];
    const KernelRow x = {i, {row, m_}};
    add(x, c, v_.data());
    duals_.add(i, c);
    average_.row_added(x, c, 0.0);
  }

  // Computes the row of K that A[j] needs, together with those of the rest of its batch that have
  // a slope and of later rows that would have one now: a panel of rows costs what one does.
  void fetch_with_others(std::span<const RowId> A, std::size_t j, std::span<const RowId> later) {
    const std::size_t most = std::min(kRowsTogether, cache_.capacity());
    together_.clear();
    const auto want = [&](RowId i) {
      if (wanted_[i] != 0 || cache_.holds(i)) return;
      wanted_[i] = 1;
      together_.push_back(i);
    };
    for (; j < A.size() && together_.size() < most; ++j) {
      if (batch_slopes_[j] != 0.0) want(A[j]);
    }
    const double f_scale = scale();
    const std::size_t ahead = std::min(kRowsAhead, later.size());
    for (std::size_t k = 0; k < ahead && together_.size() < most; ++k) {
      if (slope(later[k], f_scale) != 0.0) want(later[k]);
    }
    for (const RowId i : together_) wanted_[i] = 0;
    cache_.prepare(together_, pool_);
  }

  void project() {
    const double norm = scale() * std::sqrt(std::max(0.0, squared_norm_));
    if (norm <= radius_) return;
    R_ *= radius_ / norm;
    const bool averages = options_.average != Average::last;
    if (R_ < (averages ? kSmallestFactorOfAverages : kSmallestFactor)) fold_factor();
  }

  // Multiplies R into everything that is kept relative to it.
  void fold_factor() {
    average_.fold(v_, 0.0);
    duals_.fold(R_);
    for (auto& value : v_) value *= R_;
    R_ = 1.0;
    recompute_norm();
  }

  void recompute_norm() {
    squared_norm_ = 0;
    for (std::size_t i = 0; i < m_; ++i) squared_norm_ += v_[i] * v_[m_ + i];
  }

  // The diagonal of K, the step offset of the squared losses, the radius.
  void prepare() {
    const double curvature = unbounded_curvature(problem_.loss.loss);
    const double free_direction = problem_.has_free_bias() ? 1.0 : 0.0;
    for (std::size_t i = 0; i < m_; ++i) diagonal_[i] = blocks_.diagonal(i);
    const double largest = largest_over_rows(m_, pool_, [&](std::size_t i) {
      return problem_.weight(i) * (diagonal_[i] + free_direction);
    });
    const double loss_at_zero = sum_over_blocks(m_, pool_, [&](std::size_t begin, std::size_t end) {
      double total = 0;
      for (std::size_t i = begin; i < end; ++i) {
        total += problem_.weight(i) * loss_.value(0.0, problem_.y[i]);
      }
      return total;
    });
    const double needed = curvature * static_cast<double>(batch_) * largest / lambda_of_rows_;
    n_ = offset_ = options_.step_offset.value_or(needed);
    radius_ = std::sqrt(loss_at_zero / problem_.m() / problem_.lambda);
  }

  // The dual point of this moment: see dual_sums.h.
  std::vector<double> dual_point() const {
    std::vector<double> a = duals_.mean(R_, dual_divisor());
    make_kernel_duals_feasible(problem_, diagonal_, a);
    return a;
  }

  double dual_divisor() const {
    const auto m = static_cast<double>(m_);
    return std::max({1.0, std::ceil(static_cast<double>(rows_seen_) / m), n_ / m});
  }

  // Scores of c(a). Where a is S over a number, they are G over one.
  std::vector<double> scores_of_duals(std::span<const double> a) const {
    const double factor = R_ / dual_divisor();
    bool proportional = sampler_.visits_every_row();
    for (std::size_t i = 0; i < m_ && proportional; ++i) {
      const double expected = factor * v_[i];
      proportional = diagonal_[i] == 0.0 ||
                     std::abs(a[i] - expected) <= 1e-12 * (std::abs(a[i]) + std::abs(expected));
    }
    if (!proportional) return kernel_scores(blocks_, coefficients_of(a), pool_);
    std::vector<double> scores(v_.begin() + static_cast<std::ptrdiff_t>(m_), v_.end());
    for (auto& score : scores) score *= factor / (problem_.lambda * problem_.m());
    return scores;
  }

  std::vector<double> coefficients_of(std::span<const double> a) const {
    std::vector<double> c(a.begin(), a.end());
    for (auto& value : c) value /= problem_.lambda * problem_.m();
    return c;
  }

  // The function to hand out, as (coefficients, scores).
  std::vector<double> output() const {
    if (auto mean = average_.point(v_, 0.0)) return std::move(mean->w);
    std::vector<double> point(v_);
    for (auto& value : point) value *= scale();
    return point;
  }

  // Objective and bound of this moment, from the scores that are kept.
  void evaluate() {
    recompute_norm();  // the running norm drifts
    point_ = output();
    report_.primal = primal_of(std::span(point_).subspan(m_));
    count();
    if (!certifies_) return;
    auto a = dual_point();
    const auto f = scores_of_duals(a);
    const double dual = evaluate_kernel_dual(problem_, a, f).objective();
    // Zero is feasible for every loss; the bound is never worse than what it gives.
    if (!report_.dual) {
      best_a_.assign(m_, 0.0);
      make_kernel_duals_feasible(problem_, diagonal_, best_a_);
      const std::vector<double> nothing(m_, 0.0);
      report_.dual = evaluate_kernel_dual(problem_, best_a_, nothing).objective();
    }
    if (dual <= *report_.dual) return;
    report_.dual = dual;
    best_a_ = std::move(a);
  }

  // With an unregularised bias b is the best for the function; the one of the steps goes its way.
  PrimalValue primal_of(std::span<const double> f) {
    output_b_ = b_;
    return evaluate_kernel_primal(problem_, std::span(point_).first(m_), f, output_b_);
  }

  void count() {
    report_.steps = steps_;
    report_.rows_seen = rows_seen_;
    report_.all_violations = violations_;
    report_.norm = scale() * std::sqrt(std::max(0.0, squared_norm_));
    report_.kernel->support_vectors = report_.kernel->bounded = 0;
    const auto a = dual_point();
    for (std::size_t i = 0; i < m_; ++i) {
      if (a[i] == 0.0) continue;
      ++report_.kernel->support_vectors;
      if (is_at_bound(loss_, a[i], problem_.y[i], problem_.weight(i))) ++report_.kernel->bounded;
    }
    report_.kernel->rows_used = used_before_ + cache_.used();
    report_.kernel->rows_computed = computed_before_ + cache_.computed();
  }

  // The function that the steps have led to, without a fresh pass.
  KernelResult as_it_is() {
    point_ = output();
    output_b_ = b_;
    KernelResult result;
    result.point = kernel_point();
    result.a = dual_point();
    result.report = report_;
    result.interrupted = result.unproven = true;
    return result;
  }

  // Objective and bound again, in double.
  KernelResult finish() {
    KernelResult result;
    const auto coefficients = std::span(point_).first(m_);
    result.scores = enclose_scores(blocks_, coefficients, pool_);
    report_.primal = primal_of(result.scores.values);
    result.point = kernel_point();
    if (certifies_) {
      const auto c = coefficients_of(best_a_);
      report_.dual =
          evaluate_kernel_dual(problem_, best_a_, kernel_scores(blocks_, c, pool_)).objective();
    }
    report_.kernel->recomputed = true;
    result.a = std::move(best_a_);
    result.report = report_;
    result.interrupted = watch_.interrupted();
    return result;
  }

  const KernelProblem& problem_;
  const PegasosOptions& options_;
  const KernelBlocks& blocks_;
  KernelRowCache& cache_;
  Watched watch_;
  ThreadPool& pool_;
  LossType loss_;
  std::size_t m_;
  std::size_t batch_;
  double lambda_of_rows_;  // see pegasos.cpp
  bool certifies_;
  Sampler sampler_;

  std::vector<double> v_;  // (S, G)
  double R_ = 1.0;
  double n_ = 0.0;  // the rows seen and the step offset
  double offset_ = 0.0;
  double b_ = 0.0;
  double radius_ = 0.0;
  double squared_norm_ = 0.0;  // of sum_j S_j K(x_j, .)
  std::vector<double> diagonal_;
  std::vector<char> wanted_;  // rows that are in together_
  DualSums duals_;
  MovingAverage average_;

  std::vector<double> batch_slopes_;
  std::vector<RowId> together_;

  std::uint64_t epoch_ = 0;   // the one that goes on, or begins
  std::size_t position_ = 0;  // rows of it that are done
  std::uint64_t violations_before_ = 0;
  std::uint64_t used_before_ = 0;  // rows of K, by the run that this one goes on with
  std::uint64_t computed_before_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t rows_seen_ = 0;
  std::uint64_t violations_ = 0;
  TrainingReport report_;
  std::vector<double> point_;  // (coefficients, scores) of what would be handed out
  double output_b_ = 0.0;
  std::vector<double> best_a_;
  std::size_t until_poll_ = kRowsBetweenPolls;
  bool resumed_ = false;
  bool ended_ = false;
};

}  // namespace

KernelResult train_kernel_pegasos(const KernelProblem& problem, const PegasosOptions& options,
                                  const KernelSolverOptions& solver, const Watch& watch,
                                  ThreadPool& pool, const SolverState& state) {
  problem.validate();
  options.validate();
  solver.validate();
  const KernelBlocks blocks(problem.kernel, problem.data, pool);
  KernelRowCache cache(blocks, solver.cache_bytes, KernelRowCache::Use::again_and_again);
  return with_loss(problem.loss, [&](const auto& loss) {
    return Run(problem, options, blocks, cache, watch, pool, loss, state).run();
  });
}

}  // namespace pegasos
