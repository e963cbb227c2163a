// Newton's method on the augmented Lagrangian (the semismooth Newton proximal point method).
//
// The loss, smoothed around a centre c of the duals, is Moreau's envelope
//
//   loss_mu(z) = max over a of  gain(a) - a z - mu/2 (a - c)^2
//
// whose slope is -a(z), a(z) = ascend(c, z, mu), always dual feasible, and whose curvature is
// response(a, mu): for the hinge 1/mu on the rows with 0 < y a < 1 and zero on all others. So
//
//   outer:  w_k   = argmin  lambda/2 |w|^2 + 1/m sum_i loss_mu(<w,x_i> + b; centre c_k)
//           c_k+1 = a(z)                                                (the multiplier update)
//   inner:  Newton:  (lambda I + X' diag(response/m) X) dw = lambda (w(a) - w),  exact line search
//           (newton_direction.h: with the matrix, or by conjugate gradients)
//
// Unlike smoothing alone, the centre lets the gap fall to zero at a fixed mu; a smaller mu makes
// the outer steps fewer and the inner ones harder, so mu follows how hard they were. Losses without
// a kink need neither: mu = 0 and one inner problem, plain Newton. Only rows that respond enter the
// matrix, a few per cent of all near the end, which is what an interior point method cannot have;
// and unlike one it starts from any point, so nothing of Pegasos' work is lost.
//
// A start without duals has no centre. Then c is the middle of the kink: the smoothed loss errs on
// both sides of it alike, and its minimum is near that of the loss itself. mu begins large, where
// nearly all rows respond and the first step from w = 0 solves a least-squares problem, and shrinks
// with every step that went well.
//
// A bias is one more column. A free one is not regularised; its equation is sum a = 0.
//
// Li, Sun, Toh, SIAM J. Optim. 28 (2018), for the method; Rockafellar (1976) for the outer loop.
#include "solver/newton.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "certify/objective.h"
#include "math/losses.h"
#include "math/passes.h"
#include "pegasos/error.h"
#include "solver/beginning.h"
#include "solver/newton_direction.h"
#include "solver/smoothed_rows.h"
#include "solver/state.h"
#include "solver/watched.h"

namespace pegasos {
namespace {

// The inner problem is solved well enough when its own gap is this share of the whole gap.
constexpr double kInnerShare = 1.0;
constexpr double kInnerShareByGradients =
    0.2;  // their products are cheaper than more such problems
constexpr double kInnerShareOfSmoothing = 0.01;  // mu is about to shrink anyway
constexpr double kForcing = 0.2;

constexpr double kFirstMu = 0.4;
constexpr double kMuStep = 0.5;
constexpr int kEasy = 4;  // inner steps up to which mu shrinks
constexpr int kHard = 8;  // inner steps beyond which it grows
// Without duals, in units of the first: mu at w = 0, at another point, and where a rough run ends.
constexpr double kMuAtZero = 10.0;
constexpr double kMuAtPoint = 1.25;
constexpr double kMuOfRough = 2.5;
constexpr double kGoodStep = 0.3;  // of the whole: mu shrinks after it

constexpr int kStepsBetweenScores = 16;
constexpr double kCoarse = 1e-7;
constexpr double kClearly = 0.999;
constexpr double kGreatFall = 0.01;
constexpr int kLineSearchRounds = 60;
constexpr double kLineSearchPrecision = 1e-2;

using Way = NewtonDirection::Way;

Way way_for(const LinearProblem& problem) {
  return has_small_matrix(problem) ? Way::matrix : Way::conjugate_gradients;
}

template <typename LossType>
class Newton {
 public:
  Newton(const LinearProblem& problem, WarmStart start, const NewtonOptions& options,
         const Watch& watch, ThreadPool& pool, LossType loss)
      : problem_(problem),
        options_(options),
        watch_(watch, pool.ranks()),
        pool_(pool),
        loss_(loss),
        d_(problem.features()),
        side_(d_ + (problem.bias == Bias::none ? 0 : 1)),
        B_(problem.bias == Bias::regularised ? problem.bias_feature : 1.0),
        rows_(problem_, loss, pool),
        sums_(d_),
        g_(side_),
        direction_(problem_, B_, way_for(problem)) {
    if (start.state.empty()) {
      begin(std::move(start));
    } else {
      resume_from(start.state);
    }
  }

  SolverResult run() {
    if (!resumed_) measure(rows_.sweep(0.0));
    bool ended = announce() || stuck_;
    for (std::uint64_t step = report_.epoch; step < options_.steps && !ended; ++step) {
      if (inner_solved()) move_centre();
      if (!find_direction()) break;
      const double t = line_search();
      report_.epoch = step + 1;
      ++report_.steps;
      ++steps_since_scored_;
      const bool rough_enough = is_rough_enough(t);
      if (smoothing_ && t >= kGoodStep) rows_.mu = std::max(least_mu_, kMuStep * rows_.mu);
      measure(rows_.sweep(t));
      if (scores_are_stale()) {
        rescore();
        measure(rows_.sweep(0.0));
      }
      stuck_ = !(t > 0.0);
      if (stuck_ || report_.within(options_.tolerance)) certify_if_close();
      ended = announce() || stuck_ || rough_enough;
    }
    const bool hurried = watch_.hurried();
    if (!certified_ && !hurried && !options_.rough) certify();
    return {std::move(best_point_), std::move(best_a_), report_, watch_.interrupted(), hurried};
  }

  template <typename Archive>
  void archive(Archive& a) {
    for (auto* of_features : {&w_, &sums_, &g_}) a.fixed(*of_features);
    for (auto* of_rows : {&rows_.z, &rows_.centre, &rows_.a, &rows_.response}) a.fixed(*of_rows);
    a.fixed(best_a_);
    a(rows_.mu, least_mu_, smoothing_, sums_are_fresh_, inner_steps_);
    a(current_primal_, current_dual_, inner_gap_, primal_when_scored_, steps_since_scored_, report_,
      best_point_, certified_, stuck_);
  }

 private:
  using Sums = typename SmoothedRows<LossType>::Sums;

  // Tells the watch about this moment; true if it wants the run to end here.
  bool announce() {
    watch_.tell([this] {
      return TrainingEvent{
          .report = report_,
          .linear_point = [this] { return best_point_; },
          .duals = [this] { return feasible_duals(); },
          .state = [this] { return save_state(StateKind::newton, identity(), *this); }};
    });
    return watch_.asked_to_stop();
  }

  std::vector<double> feasible_duals() const {
    std::vector<double> a = best_a_;
    evaluate_dual(problem_, a, pool_);
    return a;
  }

  std::uint64_t identity() const { return identity_of(problem_); }

  void resume_from(const SolverState& state) {
    w_.resize(side_);
    best_a_.resize(problem_.rows());
    load_state(state, StateKind::newton, identity(), *this);
    resumed_ = true;
  }

  void begin(WarmStart start) {
    const bool without_duals = start.a.empty();
    // A point alone is measured by the first sweep; to find the best bias takes more.
    LinearPoint point;
    if (without_duals && !problem_.has_free_bias()) std::swap(point, start.point);
    Beginning beginning = begin_from(problem_, std::move(start), pool_);
    begin_at(beginning.point);
    if (!point.w.empty()) begin_at(point);
    best_point_ = std::move(beginning.point);
    rows_.centre = beginning.a;
    best_a_ = std::move(beginning.a);
    report_.solver = Solver::newton;
    report_.epoch = options_.first;
    report_.primal = beginning.primal;
    report_.dual = beginning.dual;
    rescore();
    if (!point.w.empty() && !(objective_at_scores() < report_.primal.objective())) {
      begin_at(best_point_);
      rescore();
    }
    rows_.mu = has_kink(problem_.loss.loss) ? first_mu() : 0.0;
    if constexpr (requires { loss_.middle(0.0, 0.0); }) {
      if (without_duals) begin_smoothing();
    }
  }

  void begin_at(const LinearPoint& point) {
    w_.assign(side_, 0.0);
    std::copy(point.w.begin(), point.w.end(), w_.begin());
    if (side_ > d_) w_[d_] = point.b / B_;
  }

  double objective_at_scores() {
    const double losses =
        sum_over_blocks(problem_.rows(), pool_, [&](std::size_t begin, std::size_t end) {
          double total = 0;
          for (std::size_t i = begin; i < end; ++i) {
            total += problem_.weight(i) * loss_.value(rows_.z[i], problem_.y[i]);
          }
          return total;
        });
    return 0.5 * problem_.lambda * squared_norm(w_) + losses / problem_.m();
  }

  void begin_smoothing() {
    smoothing_ = true;
    least_mu_ = rows_.mu;
    rows_.mu *= squared_norm(w_) > 0.0 ? kMuAtPoint : kMuAtZero;
    for (std::size_t i = 0; i < rows_.centre.size(); ++i) {
      rows_.centre[i] = problem_.weight(i) * loss_.middle(rows_.z[i], problem_.y[i]);
    }
  }

  bool is_rough_enough(double t) const {
    return options_.rough && smoothing_ && t >= kGoodStep && rows_.mu <= kMuOfRough * least_mu_;
  }

  // Scores and sums follow w by additions, and lose digits when they fall from far; so they are
  // made anew after a great fall and every few steps.
  void rescore() {
    score(w_, rows_.z);
    sums_are_fresh_ = false;
    primal_when_scored_ = report_.primal.objective();
    steps_since_scored_ = 0;
  }
  bool scores_are_stale() const {
    return steps_since_scored_ >= kStepsBetweenScores ||
           current_primal_ < kGreatFall * primal_when_scored_;
  }

  // mu is measured in z per a, and a is about 1: a good part of the distance between rows and
  // kinks. The margin of the hinge is 1; residuals are as large as they are.
  double first_mu() {
    if (is_classification(problem_.loss.loss)) return kFirstMu;
    const double residuals =
        sum_over_blocks(problem_.rows(), pool_, [&](std::size_t begin, std::size_t end) {
          double total = 0;
          for (std::size_t i = begin; i < end; ++i) {
            total += std::abs(problem_.y[i] - rows_.z[i]);
          }
          return total;
        });
    const double mean = residuals / problem_.m();
    return mean > 0 && std::isfinite(mean) ? kFirstMu * mean : kFirstMu;
  }

  void score(std::span<const double> w, std::span<double> z) {
    multiply(problem_.data, w.first(d_), z, pool_);
    if (side_ == d_) return;
    const double b = w[d_] * B_;
    for_row_blocks(z.size(), pool_, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) z[i] += b;
    });
  }

  // Gradient, objective and bound where the sweep has led; the best of the latter two are kept.
  void measure(const Sums& sums) {
    certified_ = false;
    find_gradient(sums.duals);
    const double regulariser = 0.5 * problem_.lambda * squared_norm(w_);
    const double mean_loss = sums.losses / problem_.m();
    report_.norm = std::sqrt(squared_norm(w_));
    current_primal_ = regulariser + mean_loss;
    if (current_primal_ < report_.primal.objective()) {
      const bool classifies = is_classification(problem_.loss.loss);
      report_.primal = {regulariser, mean_loss,
                        classifies ? static_cast<std::uint64_t>(sums.wrong) : 0};
      best_point_.w.assign(w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(d_));
      best_point_.b = side_ > d_ ? B_ * w_[d_] : 0.0;
    }
    current_dual_ = bound(sums.gains);
    if (current_dual_ > report_.dual) {
      report_.dual = current_dual_;
      best_a_ = rows_.a;
    }
    inner_gap_ = inner_gap(sums);
  }

  // g = lambda (w(a) - w): minus the gradient of the inner objective.
  void find_gradient(double sum_of_duals) {
    if (sums_are_fresh_) {
      const std::vector<double> change = rows_.change_of_sums();
      for (std::size_t j = 0; j < d_; ++j) sums_[j] += change[j];
    } else {
      sums_ = combine(problem_.data, rows_.a, pool_);
      sums_are_fresh_ = true;
    }
    const double per_row = 1.0 / problem_.m();
    for (std::size_t j = 0; j < d_; ++j) g_[j] = per_row * sums_[j] - problem_.lambda * w_[j];
    if (side_ == d_) return;
    g_[d_] =
        per_row * B_ * sum_of_duals - (problem_.has_free_bias() ? 0.0 : problem_.lambda * w_[d_]);
  }

  // D(a), from the gradient: lambda w(a) = g + lambda w. With a free bias a has to be balanced
  // first, which takes passes of its own.
  double bound(double gains) {
    if (problem_.has_free_bias()) {
      balanced_ = rows_.a;
      return evaluate_dual(problem_, balanced_, pool_).objective();
    }
    double squares = 0;
    for (std::size_t j = 0; j < side_; ++j) {
      const double weight = g_[j] / problem_.lambda + w_[j];
      squares += weight * weight;
    }
    return gains / problem_.m() - 0.5 * problem_.lambda * squares;
  }

  double squared_norm(std::span<const double> w) const {
    double squares = 0;
    const std::size_t regularised = problem_.has_free_bias() ? d_ : side_;
    for (std::size_t j = 0; j < regularised; ++j) squares += w[j] * w[j];
    return squares;
  }

  bool inner_solved() const {
    double share = direction_.way() == Way::matrix ? kInnerShare : kInnerShareByGradients;
    if (smoothing_ && rows_.mu > least_mu_) share = kInnerShareOfSmoothing;
    return rows_.mu > 0.0 && inner_gap_ < share * (current_primal_ - current_dual_ - inner_gap_);
  }

  // The duality gap of the inner problem: |g|^2/(2 lambda). With a free bias the bound is that of
  // the balanced duals, and the gap is taken by its definition.
  double inner_gap(const Sums& sums) const {
    if (!problem_.has_free_bias()) return squared_norm(g_) / (2.0 * problem_.lambda);
    const double distances =
        sum_over_blocks(problem_.rows(), pool_, [&](std::size_t begin, std::size_t end) {
          double total = 0;
          for (std::size_t i = begin; i < end; ++i) {
            const double distance = balanced_[i] - rows_.centre[i];
            const double s = problem_.weight(i);
            total += s > 0.0 ? rows_.mu_of(s) * distance * distance : 0.0;
          }
          return total;
        });
    const double per_row = 1.0 / problem_.m();
    const double primal = 0.5 * problem_.lambda * squared_norm(w_) + per_row * sums.smoothed;
    return primal - (current_dual_ - 0.5 * per_row * distances);
  }

  void move_centre() {
    rows_.centre = rows_.a;
    if (smoothing_ || inner_steps_ <= kEasy) rows_.mu *= kMuStep;
    if (!smoothing_ && inner_steps_ > kHard) rows_.mu /= kMuStep;
    smoothing_ = false;
    inner_steps_ = 0;
    find_gradient(rows_.sweep(0.0).duals);
  }

  // Keeps the matrix definite when no row responds to a free bias: a millionth of what it would be
  // if all did.
  double free_ridge() const { return 1e-6 / (rows_.mu > 0.0 ? rows_.mu : 1.0); }

  // Solves for the Newton direction; leaves it in dw_ and its scores in dz. A matrix of some
  // thousand rows takes seconds: false if the watch did not have them.
  bool find_direction() {
    const CancelScope scope(pool_, watch_.hurry());
    try {
      ++inner_steps_;
      direction_.solve(rows_.response, g_, {.ridge = free_ridge(), .precision = forcing()}, dw_,
                       pool_);
      score(dw_, rows_.dz);
      return true;
    } catch (const Cancelled&) {
      return !watch_.asked_to_stop();
    }
  }

  // How exactly conjugate gradients have to solve. Rows change sides on the way, so a kink leaves
  // nothing to gain from many digits; without one they make the convergence superlinear.
  double forcing() const {
    if (rows_.mu > 0.0) return kForcing;
    const double gap = std::max(0.0, report_.primal.objective() - *report_.dual);
    return std::min(kForcing, std::sqrt(gap / std::abs(report_.primal.objective())));
  }

  // The slope of the inner objective along the direction at w + t dw; products: the sum of
  // a_i dz_i.
  double slope_from(double t, double products) const {
    double regulariser = 0;
    const std::size_t regularised = problem_.has_free_bias() ? d_ : side_;
    for (std::size_t j = 0; j < regularised; ++j) regulariser += (w_[j] + t * dw_[j]) * dw_[j];
    return problem_.lambda * regulariser - products / problem_.m();
  }

  // Moves w to the minimum along the direction, where the slope passes zero; a whole step if it
  // does not within one. Returns the step taken, 0 if the direction leads nowhere.
  double line_search() {
    double low = 0.0;
    double slope_low = 0.0;
    for (std::size_t j = 0; j < side_; ++j) slope_low -= g_[j] * dw_[j];
    if (!(slope_low < 0.0)) return 0.0;
    double t = 1.0;
    double high = 1.0;
    double slope_high = slope_from(1.0, rows_.slope_at_one());
    if (slope_high > 0.0) {
      const double enough = kLineSearchPrecision * std::abs(slope_low);
      for (int round = 0; round < kLineSearchRounds; ++round) {
        // The secant, kept away from the ends; bisection every third time.
        const double share = slope_low / (slope_low - slope_high);
        t = low + (high - low) * (round % 3 == 2 ? 0.5 : std::clamp(share, 0.05, 0.95));
        const double slope = slope_from(t, rows_.slope_at(t));
        if (std::abs(slope) <= enough) break;
        (slope > 0.0 ? high : low) = t;
        (slope > 0.0 ? slope_high : slope_low) = slope;
      }
    }
    for (std::size_t j = 0; j < side_; ++j) w_[j] += t * dw_[j];
    return t;
  }

  // The report follows scores and sums by additions, which is exact but for the last few digits: it
  // needs no fresh passes where the tolerance is far coarser, and not just met.
  void certify_if_close() {
    const bool is_clear =
        options_.tolerance >= kCoarse && report_.within(kClearly * options_.tolerance);
    if (is_clear && !problem_.has_free_bias()) {
      certified_ = true;
    } else {
      certify();
    }
  }

  // Objective and bound of the best point and duals, from fresh passes.
  void certify() {
    if (certified_) return;
    report_.primal = evaluate_primal_at_best_bias(problem_, best_point_, pool_);
    report_.dual = evaluate_dual(problem_, best_a_, pool_).objective();
    certified_ = true;
  }

  const LinearProblem& problem_;
  const NewtonOptions& options_;
  Watched watch_;
  ThreadPool& pool_;
  LossType loss_;
  std::size_t d_;
  std::size_t side_;  // features, and one for a bias
  double B_;          // the constant feature of the bias

  SmoothedRows<LossType> rows_;
  std::vector<double> w_, dw_;  // the last is the weight of the constant feature
  std::vector<double> sums_;    // X' a of all rows
  std::vector<double> g_;
  std::vector<double> balanced_;
  NewtonDirection direction_;

  bool smoothing_ = false;  // around the middle of the kinks, with a falling mu
  double least_mu_ = 0.0;
  int inner_steps_ = 0;
  double current_primal_ = 0.0;
  double current_dual_ = 0.0;
  double inner_gap_ = 0.0;
  double primal_when_scored_ = 0.0;
  int steps_since_scored_ = 0;
  bool sums_are_fresh_ = false;  // made from all rows since the scores were
  TrainingReport report_;
  LinearPoint best_point_;
  std::vector<double> best_a_;
  bool certified_ = false;  // the report holds
  bool stuck_ = false;      // the last direction led nowhere
  bool resumed_ = false;
};

}  // namespace

SolverResult train_newton(const LinearProblem& problem, WarmStart start,
                          const NewtonOptions& options, const Watch& watch, ThreadPool& pool) {
  return with_loss(problem.loss, [&](const auto& loss) {
    return Newton(problem, std::move(start), options, watch, pool, loss).run();
  });
}

}  // namespace pegasos
