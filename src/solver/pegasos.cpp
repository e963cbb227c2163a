// Pegasos on rows in memory. pegasos_iterate.h has the algorithm, dual_sums.h the dual variables it
// produces. This file feeds the iterate with batches from a sampler and computes a certificate
// after every epoch.
#include "solver/pegasos.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "certify/objective.h"
#include "math/losses.h"
#include "math/passes.h"
#include "math/rows.h"
#include "solver/dual_sums.h"
#include "solver/lemma_meter.h"
#include "solver/pegasos_iterate.h"
#include "solver/sampler.h"
#include "solver/state.h"
#include "solver/watched.h"

namespace pegasos {
namespace {

constexpr std::size_t kPrefetchAhead = 8;
constexpr std::size_t kRowsBetweenPolls = 512;

std::size_t batch_of(const PegasosOptions& options, std::size_t rows) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(options.batch, rows));
}

std::size_t steps_of(std::size_t rows, std::size_t batch) {
  return (rows + batch - 1) / batch;
}

// Sub-gradients are means over the rows at hand and those of other ranks. If these are only some of
// the m rows of the problem, their losses make up a share of its mean loss; that is the same
// minimiser as with the whole mean and lambda m/rows.
double lambda_of_rows(const LinearProblem& problem, double rows) {
  return problem.lambda * (problem.m() / rows);
}

// The lemma covers runs that start from zero, without a free bias or a step offset.
bool lemma_applies(const LinearProblem& problem, const PegasosOptions& options,
                   const WarmStart& start) {
  const bool steps_as_in_paper = options.step_offset
                                     ? *options.step_offset == 0.0
                                     : unbounded_curvature(problem.loss.loss) == 0.0;
  const bool all_rows = problem.m() == static_cast<double>(problem.rows());
  return options.measure_gradients && !problem.has_free_bias() && steps_as_in_paper && all_rows &&
         start.empty();
}

// The offset that the squared losses need, and the radius of the ball that holds the optimum.
template <typename LossType, typename Rows>
IterateOptions prepare(const LinearProblem& problem, const PegasosOptions& options, bool measures,
                       const LossType& loss, const Rows& rows, double all_rows, ThreadPool& pool) {
  IterateOptions prepared;
  prepared.loss = problem.loss;
  prepared.lambda = lambda_of_rows(problem, all_rows);
  prepared.bias = problem.bias;
  prepared.bias_feature = problem.bias_feature;
  prepared.project = options.project;
  prepared.average = options.average;
  prepared.tracks_norm = measures;
  const double curvature = unbounded_curvature(problem.loss.loss);
  prepared.offset = options.step_offset.value_or(0.0);
  if (!options.step_offset && curvature > 0) {
    const double B = problem.bias == Bias::regularised ? problem.bias_feature : 0.0;
    const double free_direction = problem.bias == Bias::unregularised ? 1.0 : 0.0;
    const double largest = largest_over_rows(problem.rows(), pool, [&](std::size_t i) {
      return problem.weight(i) * (squared_norm(rows.row(i)) + B * B + free_direction);
    });
    const double batch = sum_over_rows(
        std::array{static_cast<double>(batch_of(options, problem.rows()))}, pool.ranks());
    prepared.offset = curvature * batch * largest / prepared.lambda;
  }
  if (options.project) {
    const double loss_at_zero =
        sum_over_blocks(problem.rows(), pool, [&](std::size_t begin, std::size_t end) {
          double total = 0;
          for (std::size_t i = begin; i < end; ++i) {
            total += problem.weight(i) * loss.value(0.0, problem.y[i]);
          }
          return total;
        });
    prepared.radius = std::sqrt(loss_at_zero / problem.m() / problem.lambda);
  }
  return prepared;
}

template <typename LossType, typename Rows>
class Training {
 public:
  Training(const LinearProblem& problem, const PegasosOptions& options, const Watch& watch,
           ThreadPool& pool, LossType loss, Rows rows, const WarmStart& start)
      : problem_(problem),
        options_(options),
        watch_(watch, pool.ranks()),
        pool_(pool),
        rows_(rows),
        m_(problem.rows()),
        rows_of_all_(sum_over_rows(std::array{static_cast<double>(m_)}, pool.ranks())),
        batch_(batch_of(options, m_)),
        steps_(static_cast<std::size_t>(
            largest_over_ranks(static_cast<double>(steps_of(m_, batch_)), pool.ranks()))),
        sampler_(options.sampling, m_, batch_, options.seed, &problem.data),
        measures_(lemma_applies(problem, options, start)),
        iterate_(prepare(problem, options, measures_, loss, rows, rows_of_all_, pool), loss,
                 problem.features(), pool.ranks()),
        duals_(m_, 1,
               sampler_.visits_every_row() ? DualSums::Divisor::epochs : DualSums::Divisor::visits),
        meter_(lambda_of_rows(problem, rows_of_all_),
               problem.bias == Bias::regularised ? problem.bias_feature : 0.0, problem.features()) {
    iterate_.reserve(batch_);
    if (!start.state.empty()) {
      resume_from(start.state);
    } else if (!start.empty()) {
      begin_from(start);
    }
  }

  SolverResult run() {
    if (resumed_ && announce()) ended_ = true;
    while (epoch_ < options_.epochs && !ended_) {
      if (step_ == 0) {
        if (epoch_ == options_.epochs / 2) iterate_.begin_suffix();
        violations_before_ = iterate_.violations();
      }
      run_epoch();
      const bool whole = step_ == 0;
      report_.epoch = whole ? epoch_ : epoch_ + 1;
      report_.violations = iterate_.violations() - violations_before_;
      if (whole && sampler_.visits_every_row()) duals_.epoch_done(epoch_);
      if (watch_.interrupted() && watch_.hurried()) return as_it_is();
      certify();
      if (announce()) break;
    }
    return {std::move(point_), std::move(best_a_), report_, watch_.interrupted(), watch_.hurried()};
  }

  std::vector<double> run_to_duals() {
    while (epoch_ < options_.epochs && !ended_) run_epoch();
    return duals_.mean(iterate_.factor(), divisor());
  }

  template <typename Archive>
  void archive(Archive& a) {
    a(iterate_, duals_, meter_, measures_, epochs_before_, epoch_, step_, violations_before_,
      until_poll_, report_, point_);
    a.fixed(best_a_);
    if (step_ >= steps_) refuse_state("its position is past the last row");
  }

 private:
  // From `step_` to the end of the epoch, where the next begins, or to where the run ends. Ranks
  // with fewer rows have nothing to add to its last steps.
  void run_epoch() {
    const std::span<const RowId> order = sampler_.epoch(epoch_);
    while (step_ < steps_ && !ended_) {
      const std::size_t begin = std::min(m_, step_ * batch_);
      const std::size_t size = std::min(batch_, m_ - begin);
      sampler_.reach(begin);
      for (std::size_t j = begin; j < begin + size; ++j) prefetch(order, j);
      const RowBatch<Rows> A{rows_, problem_.y, problem_.weights, order.subspan(begin, size)};
      iterate_.step(A, duals_, measures_ ? &meter_ : nullptr);
      ++step_;
      if (options_.steps && iterate_.steps() >= *options_.steps) ended_ = true;
      if (iterate_.asked_to_stop()) ended_ = true;
      if (until_poll_ > size) {
        until_poll_ -= size;
      } else {
        until_poll_ = kRowsBetweenPolls;
        if (watch_.asked_here()) end_early();
      }
    }
    if (step_ < steps_) return;
    step_ = 0;
    ++epoch_;
  }

  // At once, or with the next step if other ranks take part in it.
  void end_early() {
    if (pool_.is_alone()) {
      ended_ = true;
    } else {
      iterate_.ask_to_stop();
    }
  }

  // A row's place is fetched first, and a few rows later, when it is there, the row itself.
  void prefetch(std::span<const RowId> order, std::size_t j) const {
    if (j + 2 * kPrefetchAhead < m_) rows_.prefetch_place(order[j + 2 * kPrefetchAhead]);
    if (j + kPrefetchAhead >= m_) return;
    const RowId soon = order[j + kPrefetchAhead];
    rows_.prefetch(soon);
    duals_.prefetch(soon);
    __builtin_prefetch(&problem_.y[soon]);
  }

  // Goes on where `start.epochs` epochs have led. Duals become sums of slopes again; without them
  // the weights are taken as they are, and the duals of the new epochs stand alone.
  void begin_from(const WarmStart& start) {
    epochs_before_ = start.epochs;
    const double epochs = static_cast<double>(start.epochs);
    const double rows = epochs * rows_of_all_;
    if (start.a.empty()) {
      iterate_.begin_at(start.point, rows);
      return;
    }
    duals_.begin_with(start.a, start.epochs);
    std::vector<double> sum = combine(problem_.data, start.a, pool_);
    for (auto& value : sum) value *= epochs;
    iterate_.begin_with_sum(std::move(sum), sum_over_rows(duals_.sums(), pool_.ranks()), rows,
                            start.point.b);
  }

  // The number of epochs that the mean of the slopes is over: in the middle of one, or with a step
  // offset, the smallest that keeps every a_i feasible.
  double divisor() const {
    return std::max(static_cast<double>(epochs_before_) + epochs_begun(),
                    iterate_.rows_counted() / rows_of_all_);
  }
  double epochs_begun() const { return static_cast<double>(step_ > 0 ? epoch_ + 1 : epoch_); }

  // The point of this moment, without a pass over the rows.
  SolverResult as_it_is() {
    iterate_.refresh_norm();
    return {iterate_.point(), std::vector<double>(m_, 0.0), report_, true, true};
  }

  // Objective and bound of this moment, from fresh passes.
  void certify() {
    iterate_.refresh_norm();
    point_ = iterate_.point();
    report_.primal = evaluate_primal_at_best_bias(problem_, point_, pool_);
    if (best_a_.empty()) {
      // Zero is feasible for every loss; the bound is never worse than what it gives.
      best_a_.assign(m_, 0.0);
      report_.dual = evaluate_dual(problem_, best_a_, pool_).objective();
    }
    keep_if_better(duals_.mean(iterate_.factor(), divisor()));
    if (auto a = duals_.recent_mean(iterate_.factor(), epochs_begun()); !a.empty()) {
      keep_if_better(std::move(a));
    }
    report_.steps = iterate_.steps();
    report_.rows_seen = iterate_.rows_seen();
    report_.all_violations = iterate_.violations();
    report_.norm = iterate_.norm();
    if (measures_) {
      report_.lemma = meter_.report(iterate_.rows_counted(), static_cast<double>(batch_));
    }
  }

  void keep_if_better(std::vector<double> a) {
    const double dual = evaluate_dual(problem_, a, pool_).objective();
    if (dual <= report_.dual) return;
    report_.dual = dual;
    best_a_ = std::move(a);
  }

  // Tells the watch about this moment; true if it wants the run to end here.
  bool announce() {
    watch_.tell([this] {
      return TrainingEvent{
          .report = report_,
          .linear_point = [this] { return point_; },
          .duals = [this] { return best_a_; },
          .state = [this] { return save_state(StateKind::pegasos, identity(), *this); }};
    });
    return watch_.asked_to_stop();
  }

  std::uint64_t identity() const { return identity_of(identity_of(problem_), options_); }

  void resume_from(const SolverState& state) {
    best_a_.resize(m_);
    load_state(state, StateKind::pegasos, identity(), *this);
    resumed_ = true;
  }

  const LinearProblem& problem_;
  const PegasosOptions& options_;
  Watched watch_;
  ThreadPool& pool_;
  Rows rows_;
  std::size_t m_;       // rows at hand
  double rows_of_all_;  // with those of other ranks
  std::size_t batch_;
  std::size_t steps_;  // of an epoch
  Sampler sampler_;
  bool measures_;  // the lemma
  PegasosIterate<LossType> iterate_;
  DualSums duals_;
  LemmaMeter meter_;

  std::uint64_t epochs_before_ = 0;  // of a warm start
  std::uint64_t epoch_ = 0;          // the one that goes on, or begins
  std::size_t step_ = 0;             // the next of it
  std::uint64_t violations_before_ = 0;
  std::size_t until_poll_ = kRowsBetweenPolls;
  TrainingReport report_;
  LinearPoint point_;  // the point that report_ describes
  std::vector<double> best_a_;
  bool resumed_ = false;
  bool ended_ = false;
};

}  // namespace

SolverResult train_pegasos(const LinearProblem& problem, const PegasosOptions& options,
                           const Watch& watch, ThreadPool& pool, const WarmStart& start) {
  problem.validate();
  options.validate();
  return with_loss(problem.loss, [&](const auto& loss) {
    return with_rows(
        problem.data,
        [&](const auto& rows) {
          return Training(problem, options, watch, pool, loss, rows, start).run();
        },
        Residency::Visits::in_windows);
  });
}

std::vector<double> pegasos_duals(const LinearProblem& problem, std::uint64_t epochs,
                                  std::uint64_t seed, const std::function<bool()>& stop,
                                  ThreadPool& pool) {
  const PegasosOptions options{.epochs = epochs, .seed = seed, .measure_gradients = false};
  const Watch watch{.stop = stop};
  return with_loss(problem.loss, [&](const auto& loss) {
    return with_rows(
        problem.data,
        [&](const auto& rows) {
          return Training(problem, options, watch, pool, loss, rows, WarmStart{}).run_to_duals();
        },
        Residency::Visits::in_windows);
  });
}

}  // namespace pegasos
