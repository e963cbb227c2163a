// Pegasos: stochastic sub-gradient descent for the linear SVM.
//
//   minimise over w:   lambda/2 |w|^2  +  1/m sum_i s_i loss(<w, x_i> + b; y_i)
//
// Shalev-Shwartz, Singer, Srebro, Cotter, Math. Programming 127 (2011), Figures 1 and 2. Names
// follow the paper: w weights, x a row, y its label, A a batch of rows, t the step, eta the step
// size. u_i is minus a sub-gradient of the loss of row i (for the hinge y_i where y_i z_i < 1, else
// 0), n the rows seen so far. With eta = |A|/(lambda n), which is 1/(lambda t) for equal batches:
//
//   w  <-  (1 - |A|/n) w  +  1/(lambda n) sum over i in A of u_i x_i
//   w  <-  min(1, radius/|w|) w                                            (optional)
//
// Unwound, w = R/(lambda n) v, where v is the plain sum of u x / R and R the product of the
// projection factors. So a step is one dot product and, for a violating row, one addition;
// shrinking is free.
//
// Dual variables come along: S_i sums the u (over R) taken at row i. After E epochs that visit
// every row, a_i = R S_i/E is a mean of feasible values, hence feasible, and w(a) is exactly w. So
// is the mean over the later epochs alone, which leaves the wild first ones out: a tighter bound.
#include "solver/pegasos.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "certify/objective.h"
#include "math/best_bias.h"
#include "math/losses.h"
#include "math/passes.h"
#include "math/rows.h"
#include "solver/average.h"
#include "solver/sampler.h"

namespace pegasos {
namespace {

constexpr std::size_t kPrefetchAhead = 8;
constexpr std::size_t kRowsBetweenPolls = 512;
// v is rescaled before u/R could overflow; much sooner where averages are kept, which are
// differences of two sums that grow with 1/R.
constexpr double kSmallestFactor = 1e-60;
constexpr double kSmallestFactorOfAverages = 1e-4;

template <typename LossType, typename Rows>
class Run {
 public:
  Run(const LinearProblem& problem, const PegasosOptions& options, const TrainWatch& watch,
      ThreadPool& pool, LossType loss, Rows rows, const WarmStart& start)
      : problem_(problem),
        options_(options),
        watch_(watch),
        pool_(pool),
        loss_(loss),
        rows_(rows),
        m_(problem.rows()),
        batch_(static_cast<std::size_t>(std::min<std::uint64_t>(options.batch, problem.rows()))),
        B_(problem.bias == Bias::regularised ? problem.bias_feature : 0.0),
        sampler_(options.sampling, m_, batch_, options.seed),
        v_(problem.features(), 0.0),
        slope_sums_(m_),
        average_(options.average, problem.features()),
        batch_dots_(batch_),
        batch_slopes_(batch_) {
    if (!sampler_.visits_every_row()) visits_.assign(m_, 0);
    prepare();
    if (!start.empty()) resume(start);
  }

  SolverResult run() {
    for (std::uint64_t epoch = 0; epoch < options_.epochs && !ended_; ++epoch) {
      if (epoch == options_.epochs / 2) average_.begin_suffix();
      const std::uint64_t violations_before = violations_;
      run_epoch(sampler_.epoch(epoch));
      report_.epoch = epoch + 1;
      report_.violations = violations_ - violations_before;
      const bool whole = rows_seen_ == (epoch + 1) * m_;
      if (whole && std::has_single_bit(epoch + 1)) remember_sums();
      certify();
      if (watch_.epoch && watch_.epoch(report_, point_) == Verdict::stop) break;
    }
    return finish();
  }

  std::vector<double> run_to_duals() {
    for (std::uint64_t epoch = 0; epoch < options_.epochs && !ended_; ++epoch) {
      run_epoch(sampler_.epoch(epoch));
    }
    return dual_point();
  }

 private:
  void run_epoch(std::span<const RowId> order) {
    for (std::size_t begin = 0; begin < m_ && !ended_; begin += batch_) {
      const std::size_t size = std::min(batch_, m_ - begin);
      for (std::size_t j = begin; j < begin + size; ++j) prefetch(order, j);
      step(order.subspan(begin, size));
      if (options_.steps && steps_ >= *options_.steps) ended_ = true;
      if (until_poll_ > size) {
        until_poll_ -= size;
      } else {
        until_poll_ = kRowsBetweenPolls;
        if (watch_.interrupted && watch_.interrupted()) ended_ = interrupted_ = true;
      }
    }
  }

  // A row's place is fetched first, and a few rows later, when it is there, the row itself.
  void prefetch(std::span<const RowId> order, std::size_t j) const {
    if (j + 2 * kPrefetchAhead < m_) rows_.prefetch_place(order[j + 2 * kPrefetchAhead]);
    if (j + kPrefetchAhead >= m_) return;
    const RowId soon = order[j + kPrefetchAhead];
    rows_.prefetch(soon);
    __builtin_prefetch(&slope_sums_[soon], 1);
    __builtin_prefetch(&problem_.y[soon]);
  }

  // One step on the batch A: slopes at w_t, then the update to w_{t+1}.
  void step(std::span<const RowId> A) {
    const double scale = n_ > 0 ? R_ / (problem_.lambda * n_) : 0.0;  // w = scale v; w_1 = 0
    for (std::size_t j = 0; j < A.size(); ++j) {
      batch_dots_[j] = dot(rows_.row(A[j]), v_.data()) + B_ * v_bias_;
    }
    const double batch_loss = slopes(A, scale);
    if (measures_) measure_step(A, scale, batch_loss);

    rows_seen_ += A.size();
    n_ = offset_ + static_cast<double>(rows_seen_);
    ++steps_;
    bool moved = false;
    for (std::size_t j = 0; j < A.size(); ++j) {
      const double u = batch_slopes_[j];
      if (!visits_.empty()) ++visits_[A[j]];
      if (u == 0.0) continue;
      const auto x = rows_.row(A[j]);
      const double c = u / R_;
      if (tracks_norm_) {
        const double product = moved ? dot(x, v_.data()) + B_ * v_bias_ : batch_dots_[j];
        squared_norm_ += 2.0 * c * product + c * c * squared_norm_of(A[j]);
      }
      add(x, c, v_.data());
      v_bias_ += c * B_;
      average_.row_added(x, c, c * B_);
      slope_sums_[A[j]] += c;
      ++violations_;
      moved = true;
    }
    if (problem_.bias == Bias::unregularised) {
      double total = 0;
      for (std::size_t j = 0; j < A.size(); ++j) total += batch_slopes_[j];
      b_ += total / (problem_.lambda * n_);
    }
    if (options_.project) project();
    average_.step_done(R_ / (problem_.lambda * n_));
  }

  // Fills batch_slopes_ with u_i = s_i ascent(z_i); returns the sum of the losses.
  double slopes(std::span<const RowId> A, double scale) {
    if (problem_.bias == Bias::exact) choose_batch_bias(A, scale);
    double total = 0;
    for (std::size_t j = 0; j < A.size(); ++j) {
      const double z = scale * batch_dots_[j] + b_;
      const double y = problem_.y[A[j]];
      const double s = problem_.weight(A[j]);
      batch_slopes_[j] = s * loss_.ascent(z, y);
      if (measures_) total += s * loss_.value(z, y);
    }
    if (problem_.bias == Bias::exact) {
      for (auto& z : batch_scores_) z += b_;
      balance_at_kinks(problem_.loss, batch_scores_, batch_labels_, batch_weights_,
                       std::span(batch_slopes_).first(A.size()));
    }
    return total;
  }

  // The free bias that is best for this batch under the current w.
  void choose_batch_bias(std::span<const RowId> A, double scale) {
    batch_scores_.resize(A.size());
    batch_labels_.resize(A.size());
    batch_weights_.resize(A.size());
    for (std::size_t j = 0; j < A.size(); ++j) {
      batch_scores_[j] = scale * batch_dots_[j];
      batch_labels_[j] = problem_.y[A[j]];
      batch_weights_[j] = problem_.weight(A[j]);
    }
    b_ = best_bias(problem_.loss, batch_scores_, batch_labels_, batch_weights_);
  }

  // |grad_t|^2 = lambda^2 |w|^2 - 2 lambda <w, g> + |g|^2 with g the mean of u x over the batch.
  void measure_step(std::span<const RowId> A, double scale, double batch_loss) {
    const auto size = static_cast<double>(A.size());
    double w_dot_g = 0;
    double violators = 0;
    double g_squared = 0;  // right for one violating row; corrected below for more
    for (std::size_t j = 0; j < A.size(); ++j) {
      const double u = batch_slopes_[j];
      if (u == 0.0) continue;
      ++violators;
      w_dot_g += u * scale * batch_dots_[j];
      g_squared += u * u * squared_norm_of(A[j]);
    }
    if (violators > 1) g_squared = squared_norm_of_batch(A);
    w_dot_g /= size;
    g_squared /= size * size;
    const double lambda = problem_.lambda;
    const double w_squared = scale * scale * squared_norm_;
    const double squared =
        std::max(0.0, lambda * lambda * w_squared - 2 * lambda * w_dot_g + g_squared);
    largest_gradient_ = std::max(largest_gradient_, squared);
    gradient_sum_ += size * size * squared / (n_ + size);
    objective_sum_ += size * 0.5 * lambda * w_squared + batch_loss;
  }

  // |sum of u x|^2, built up in a scratch vector that is cleared again row by row.
  double squared_norm_of_batch(std::span<const RowId> A) {
    if (scratch_.empty()) scratch_.assign(v_.size(), 0.0);
    double squared = 0;
    double bias = 0;
    for (std::size_t j = 0; j < A.size(); ++j) {
      const double u = batch_slopes_[j];
      if (u == 0.0) continue;
      const auto x = rows_.row(A[j]);
      squared += 2 * u * (dot(x, scratch_.data()) + B_ * bias) + u * u * squared_norm_of(A[j]);
      add(x, u, scratch_.data());
      bias += u * B_;
    }
    for (std::size_t j = 0; j < A.size(); ++j) {
      if (batch_slopes_[j] != 0.0) clear(rows_.row(A[j]), scratch_.data());
    }
    return squared;
  }

  void project() {
    const double norm = R_ * std::sqrt(std::max(0.0, squared_norm_)) / (problem_.lambda * n_);
    if (norm <= radius_) return;
    R_ *= radius_ / norm;
    const bool averages = options_.average != Average::last;
    if (R_ < (averages ? kSmallestFactorOfAverages : kSmallestFactor)) fold_factor();
  }

  // Multiplies R into everything that is kept relative to it.
  void fold_factor() {
    average_.fold(v_, v_bias_);
    for (auto& value : v_) value *= R_;
    for (auto& sum : slope_sums_) sum *= R_;
    for (auto& sum : earlier_sums_) sum *= R_;
    for (auto& sum : later_sums_) sum *= R_;
    v_bias_ *= R_;
    R_ = 1.0;
    recompute_norm();
  }

  // |x|^2 with the constant feature.
  double squared_norm_of(std::size_t i) const { return squared_norm(rows_.row(i)) + B_ * B_; }

  void recompute_norm() {
    squared_norm_ = v_bias_ * v_bias_;
    for (const double value : v_) squared_norm_ += value * value;
  }

  // Row norms, the step offset of the squared losses, the radius, and what they are needed for.
  void prepare() {
    const double curvature = unbounded_curvature(problem_.loss.loss);
    const bool needs_offset = !options_.step_offset && curvature > 0;
    n_ = options_.step_offset.value_or(0.0);
    measures_ = options_.measure_gradients && !problem_.has_free_bias() && n_ == 0 && !needs_offset;
    tracks_norm_ = measures_ || options_.project;
    double largest = 0;
    double loss_at_zero = 0;
    for (std::size_t i = 0; i < m_; ++i) {
      if (needs_offset) {
        const double free_direction = problem_.bias == Bias::unregularised ? 1.0 : 0.0;
        largest = std::max(largest, problem_.weight(i) * (squared_norm_of(i) + free_direction));
      }
      loss_at_zero += problem_.weight(i) * loss_.value(0.0, problem_.y[i]);
    }
    if (needs_offset) n_ = curvature * static_cast<double>(batch_) * largest / problem_.lambda;
    offset_ = n_;
    radius_ = std::sqrt(loss_at_zero / static_cast<double>(m_) / problem_.lambda);
  }

  // Goes on where `start.epochs` epochs have led: t would be 1 otherwise, and the first step, with
  // its factor 1 - 1/t, would erase w. Duals become sums of slopes again; without them the weights
  // are taken as they are, and the duals of the new epochs stand alone.
  void resume(const WarmStart& start) {
    epochs_before_ = static_cast<double>(start.epochs);
    offset_ += epochs_before_ * static_cast<double>(m_);
    n_ = offset_;
    measures_ = false;  // the lemma speaks of runs from zero
    tracks_norm_ = options_.project;
    b_ = problem_.has_free_bias() ? start.point.b : 0.0;
    if (start.a.empty()) {
      const double unwound = problem_.lambda * n_;
      for (std::size_t j = 0; j < v_.size(); ++j) v_[j] = unwound * start.point.w[j];
      if (B_ != 0.0) v_bias_ = unwound * start.point.b / B_;
    } else {
      v_ = combine(problem_.data, start.a, pool_);
      for (auto& value : v_) value *= epochs_before_;
      for (std::size_t i = 0; i < m_; ++i) {
        slope_sums_[i] = epochs_before_ * start.a[i];
        v_bias_ += B_ * slope_sums_[i];
        if (!visits_.empty()) visits_[i] = static_cast<std::uint32_t>(start.epochs);
      }
    }
    recompute_norm();
  }

  // The point to hand out. Its free bias, if it has one, is found when it is evaluated.
  LinearPoint output() const {
    if (auto mean = average_.point(v_, v_bias_)) {
      return {std::move(mean->w), mean->weight_of_constant * B_};
    }
    const double scale = n_ > 0 ? R_ / (problem_.lambda * n_) : 0.0;
    LinearPoint point{v_, scale * v_bias_ * B_};
    for (auto& weight : point.w) weight *= scale;
    return point;
  }

  // The dual point of this moment. For whole epochs that visit every row the divisor is their
  // number; in the middle of one, or with a step offset, the smallest that keeps every a_i
  // feasible. Other samplings take each row's mean over its own visits.
  std::vector<double> dual_point() const {
    std::vector<double> a(m_);
    if (sampler_.visits_every_row()) {
      const auto m = static_cast<double>(m_);
      const double epochs = epochs_before_ + std::ceil(static_cast<double>(rows_seen_) / m);
      const double divisor = std::max(epochs, n_ / m);
      for (std::size_t i = 0; i < m_; ++i) a[i] = R_ * slope_sums_[i] / divisor;
    } else {
      for (std::size_t i = 0; i < m_; ++i) {
        if (visits_[i] > 0) a[i] = R_ * slope_sums_[i] / visits_[i];
      }
    }
    return a;
  }

  // At epochs 1, 2, 4, …: so that there is always a memory of between a quarter and half the way.
  void remember_sums() {
    earlier_sums_ = std::move(later_sums_);
    earlier_epoch_ = later_epoch_;
    later_epoch_ = report_.epoch;
    later_sums_.resize(m_);
    for (std::size_t i = 0; i < m_; ++i) later_sums_[i] = slope_sums_[i];
  }

  // The mean of the slopes since then, or nothing if there is no such memory.
  std::vector<double> suffix_dual_point() const {
    std::vector<double> a;
    if (earlier_sums_.empty() || !sampler_.visits_every_row()) return a;
    a.resize(m_);
    const double epochs = std::ceil(static_cast<double>(rows_seen_) / static_cast<double>(m_)) -
                          static_cast<double>(earlier_epoch_);
    for (std::size_t i = 0; i < m_; ++i) {
      a[i] = R_ * (slope_sums_[i] - earlier_sums_[i]) / epochs;
    }
    return a;
  }

  void keep_if_better(std::vector<double> a) {
    const double dual = evaluate_dual(problem_, a, pool_).objective();
    if (dual <= report_.dual) return;
    report_.dual = dual;
    best_a_ = std::move(a);
  }

  // Objective and bound of this moment, from fresh passes.
  void certify() {
    recompute_norm();  // the running norm drifts
    point_ = output();
    report_.primal = evaluate_primal_at_best_bias(problem_, point_, pool_);
    if (best_a_.empty()) {
      // Zero is feasible for every loss; the bound is never worse than what it gives.
      best_a_.assign(m_, 0.0);
      report_.dual = evaluate_dual(problem_, best_a_, pool_).objective();
    }
    keep_if_better(dual_point());
    if (auto a = suffix_dual_point(); !a.empty()) keep_if_better(std::move(a));
    report_.steps = steps_;
    report_.rows_seen = rows_seen_;
    report_.all_violations = violations_;
    report_.norm = n_ > 0 ? R_ / (problem_.lambda * n_) * std::sqrt(squared_norm_) : 0.0;
    if (measures_) report_.lemma = lemma();
  }

  LemmaReport lemma() const {
    const double T = n_ / static_cast<double>(batch_);
    LemmaReport report;
    report.largest_gradient = std::sqrt(largest_gradient_);
    report.bound = largest_gradient_ * (1.0 + std::log(T)) / (2.0 * problem_.lambda * T);
    report.tight_bound = gradient_sum_ / (2.0 * problem_.lambda * n_);
    report.mean_objective = objective_sum_ / n_;
    return report;
  }

  SolverResult finish() { return {std::move(point_), std::move(best_a_), report_, interrupted_}; }

  const LinearProblem& problem_;
  const PegasosOptions& options_;
  const TrainWatch& watch_;
  ThreadPool& pool_;
  LossType loss_;
  Rows rows_;
  std::size_t m_;
  std::size_t batch_;
  double B_;  // the constant feature of a regularised bias, or 0
  Sampler sampler_;

  // The iterate: w = R/(lambda n) v, and v_bias the weight of the constant feature, likewise
  // unwound.
  std::vector<double> v_;
  double v_bias_ = 0.0;
  double R_ = 1.0;
  double n_ = 0.0;  // the rows seen and the step offset
  double offset_ = 0.0;
  double epochs_before_ = 0.0;  // of a warm start
  double b_ = 0.0;              // a free bias
  double radius_ = 0.0;

  std::vector<double> slope_sums_;    // S, of the u/R taken at each row
  std::vector<double> earlier_sums_;  // slope sums after an earlier epoch
  std::vector<double> later_sums_;
  std::uint64_t earlier_epoch_ = 0;
  std::uint64_t later_epoch_ = 0;
  std::vector<std::uint32_t> visits_;  // of rows, where a sampler does not visit all
  MovingAverage average_;

  // Scratch of one batch.
  std::vector<double> batch_dots_;  // <x, v>
  std::vector<double> batch_slopes_;
  std::vector<double> batch_scores_, batch_labels_, batch_weights_;
  std::vector<double> scratch_;

  // Measurements.
  bool measures_ = false;
  bool tracks_norm_ = false;
  double squared_norm_ = 0.0;  // |v|^2
  double largest_gradient_ = 0.0;
  double gradient_sum_ = 0.0;
  double objective_sum_ = 0.0;
  std::uint64_t steps_ = 0;
  std::uint64_t rows_seen_ = 0;
  std::uint64_t violations_ = 0;
  EpochReport report_;
  LinearPoint point_;  // the one report_ speaks of
  std::vector<double> best_a_;
  std::size_t until_poll_ = kRowsBetweenPolls;
  bool ended_ = false;
  bool interrupted_ = false;
};

}  // namespace

SolverResult train_pegasos(const LinearProblem& problem, const PegasosOptions& options,
                           const TrainWatch& watch, ThreadPool& pool, const WarmStart& start) {
  problem.validate();
  options.validate();
  return with_loss(problem.loss, [&](const auto& loss) {
    return with_rows(problem.data, [&](const auto& rows) {
      return Run(problem, options, watch, pool, loss, rows, start).run();
    });
  });
}

std::vector<double> pegasos_duals(const LinearProblem& problem, std::uint64_t epochs,
                                  std::uint64_t seed, const std::function<bool()>& interrupted,
                                  ThreadPool& pool) {
  const PegasosOptions options{.epochs = epochs, .seed = seed, .measure_gradients = false};
  const TrainWatch watch{.interrupted = interrupted};
  return with_loss(problem.loss, [&](const auto& loss) {
    return with_rows(problem.data, [&](const auto& rows) {
      return Run(problem, options, watch, pool, loss, rows, WarmStart{}).run_to_duals();
    });
  });
}

}  // namespace pegasos
