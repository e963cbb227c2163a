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
// A row of weight s has mu/s: it then moves as s equal rows would.
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
#include "solver/state.h"
#include "solver/watched.h"

namespace pegasos {
namespace {

// The inner problem is solved well enough when its own gap is this share of the whole gap.
constexpr double kInnerShare = 0.5;
constexpr double kInnerShareByGradients =
    0.2;  // their products are cheaper than more such problems
constexpr double kForcing = 0.2;
constexpr double kFirstMu = 0.4;
constexpr double kMuStep = 0.5;
constexpr int kEasy = 4;  // inner steps up to which mu shrinks
constexpr int kHard = 8;  // inner steps beyond which it grows
constexpr int kStepsBetweenScores = 16;
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
        m_(problem.rows()),
        d_(problem.features()),
        side_(d_ + (problem.bias == Bias::none ? 0 : 1)),
        B_(problem.bias == Bias::regularised ? problem.bias_feature : 1.0),
        z_(m_),
        dz_(m_),
        a_(m_),
        response_(m_),
        g_(side_),
        direction_(problem, B_, way_for(problem)) {
    if (start.state.empty()) {
      begin(std::move(start));
    } else {
      resume_from(start.state);
    }
  }

  SolverResult run() {
    if (!resumed_) measure(sweep(0.0));
    bool ended = announce() || stuck_;
    for (std::uint64_t step = report_.epoch; step < options_.steps && !ended; ++step) {
      if (inner_solved()) move_centre();
      if (!find_direction()) break;
      const double t = line_search();
      report_.epoch = step + 1;
      ++report_.steps;
      ++steps_since_scored_;
      measure(sweep(t));
      if (scores_are_stale()) {
        rescore();
        measure(sweep(0.0));
      }
      stuck_ = !(t > 0.0);
      if (stuck_ || report_.within(options_.tolerance)) certify();
      ended = announce() || stuck_;
    }
    const bool hurried = watch_.hurried();
    if (!certified_ && !hurried) certify();
    return {std::move(best_point_), std::move(best_a_), report_, watch_.interrupted(), hurried};
  }

  template <typename Archive>
  void archive(Archive& a) {
    for (auto* of_features : {&w_, &g_}) a.fixed(*of_features);
    for (auto* of_rows : {&z_, &centre_, &a_, &response_, &best_a_}) a.fixed(*of_rows);
    a(mu_, inner_steps_, current_primal_, current_dual_, inner_gap_, primal_when_scored_,
      steps_since_scored_, report_, best_point_, certified_, stuck_);
  }

 private:
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
    centre_.resize(m_);
    best_a_.resize(m_);
    load_state(state, StateKind::newton, identity(), *this);
    resumed_ = true;
  }

  void begin(WarmStart start) {
    Beginning beginning = begin_from(problem_, std::move(start), pool_);
    w_.assign(side_, 0.0);
    std::copy(beginning.point.w.begin(), beginning.point.w.end(), w_.begin());
    if (side_ > d_) w_[d_] = beginning.point.b / B_;
    best_point_ = std::move(beginning.point);
    centre_ = beginning.a;
    best_a_ = std::move(beginning.a);
    report_.solver = Solver::newton;
    report_.epoch = options_.first;
    report_.primal = beginning.primal;
    report_.dual = beginning.dual;
    rescore();
    mu_ = has_kink(problem_.loss.loss) ? first_mu() : 0.0;
  }

  // Scores follow w by additions, and lose digits when they fall from far; so they are made anew
  // after a great fall and every few steps.
  void rescore() {
    score(w_, z_);
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
    const double residuals = sum_over_blocks(m_, pool_, [&](std::size_t begin, std::size_t end) {
      double total = 0;
      for (std::size_t i = begin; i < end; ++i) total += std::abs(problem_.y[i] - z_[i]);
      return total;
    });
    const double mean = residuals / problem_.m();
    return mean > 0 && std::isfinite(mean) ? kFirstMu * mean : kFirstMu;
  }

  void score(std::span<const double> w, std::span<double> z) {
    multiply(problem_.data, w.first(d_), z, pool_);
    if (side_ == d_) return;
    const double b = w[d_] * B_;
    for_row_blocks(m_, pool_, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) z[i] += b;
    });
  }

  // Of a row with weight s: a row that stands for several equal ones is smoothed as they would be.
  double mu_of(double s) const { return problem_.weights.empty() ? mu_ : mu_ / s; }

  double ascend(std::size_t i, double z) const {
    const double s = problem_.weight(i);
    return s > 0.0 ? loss_.ascend(centre_[i], z, problem_.y[i], mu_of(s), s) : 0.0;
  }

  struct Sums {
    double losses;
    double gains;
    double duals;
    double smoothed;  // losses
    double wrong;     // rows
  };

  // Moves the scores by t dz and makes duals and responses anew: all that a row takes part in, in
  // one visit.
  Sums sweep(double t) {
    const auto [losses, gains, duals, smoothed, wrong] =
        sums_over_blocks<5>(m_, pool_, [&](std::size_t begin, std::size_t end) {
          Sums sums = {};
          for (std::size_t i = begin; i < end; ++i) {
            const double s = problem_.weight(i);
            const double y = problem_.y[i];
            const double z = t > 0.0 ? z_[i] + t * dz_[i] : z_[i];
            z_[i] = z;
            sums.losses += s * loss_.value(z, y);
            sums.wrong += (z > 0) != (y > 0) ? problem_.copies_of(i) : 0;
            if (!(s > 0.0)) continue;  // a and response stay zero
            const double mu = mu_of(s);
            const double a = loss_.ascend(centre_[i], z, y, mu, s);
            a_[i] = a;
            response_[i] = loss_.response(a, y, mu, s);
            const double gain = s * loss_.gain(a / s, y);
            const double distance = a - centre_[i];
            sums.gains += gain;
            sums.smoothed += gain - a * z - 0.5 * mu * distance * distance;
            sums.duals += a;
          }
          return RowSums<5>{sums.losses, sums.gains, sums.duals, sums.smoothed, sums.wrong};
        });
    return {losses, gains, duals, smoothed, wrong};
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
      best_a_ = a_;
    }
    inner_gap_ = inner_gap(sums);
  }

  // g = lambda (w(a) - w): minus the gradient of the inner objective.
  void find_gradient(double sum_of_duals) {
    const auto sums = combine(problem_.data, a_, pool_);
    const double per_row = 1.0 / problem_.m();
    for (std::size_t j = 0; j < d_; ++j) g_[j] = per_row * sums[j] - problem_.lambda * w_[j];
    if (side_ == d_) return;
    g_[d_] =
        per_row * B_ * sum_of_duals - (problem_.has_free_bias() ? 0.0 : problem_.lambda * w_[d_]);
  }

  // D(a), from the gradient: lambda w(a) = g + lambda w. With a free bias a has to be balanced
  // first, which takes passes of its own.
  double bound(double gains) {
    if (problem_.has_free_bias()) {
      balanced_ = a_;
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
    const double share = direction_.way() == Way::matrix ? kInnerShare : kInnerShareByGradients;
    return mu_ > 0.0 && inner_gap_ < share * (current_primal_ - current_dual_ - inner_gap_);
  }

  // The duality gap of the inner problem: |g|^2/(2 lambda). With a free bias the bound is that of
  // the balanced duals, and the gap is taken by its definition.
  double inner_gap(const Sums& sums) const {
    if (!problem_.has_free_bias()) return squared_norm(g_) / (2.0 * problem_.lambda);
    const double distances = sum_over_blocks(m_, pool_, [&](std::size_t begin, std::size_t end) {
      double total = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const double distance = balanced_[i] - centre_[i];
        total += problem_.weight(i) > 0.0 ? mu_of(problem_.weight(i)) * distance * distance : 0.0;
      }
      return total;
    });
    const double per_row = 1.0 / problem_.m();
    const double primal = 0.5 * problem_.lambda * squared_norm(w_) + per_row * sums.smoothed;
    return primal - (current_dual_ - 0.5 * per_row * distances);
  }

  void move_centre() {
    centre_ = a_;
    if (inner_steps_ <= kEasy) mu_ *= kMuStep;
    if (inner_steps_ > kHard) mu_ /= kMuStep;
    inner_steps_ = 0;
    find_gradient(sweep(0.0).duals);
  }

  // Keeps the matrix definite when no row responds to a free bias: a millionth of what it would be
  // if all did.
  double free_ridge() const { return 1e-6 / (mu_ > 0.0 ? mu_ : 1.0); }

  // Solves for the Newton direction; leaves it in dw_ and its scores in dz_. A matrix of some
  // thousand rows takes seconds: false if the watch did not have them.
  bool find_direction() {
    const CancelScope scope(pool_, watch_.hurry());
    try {
      solve_for_direction();
      return true;
    } catch (const Cancelled&) {
      return !watch_.asked_to_stop();
    }
  }

  void solve_for_direction() {
    ++inner_steps_;
    direction_.solve(response_, g_, {.ridge = free_ridge(), .precision = forcing()}, dw_, pool_);
    score(dw_, dz_);
  }

  // How exactly conjugate gradients have to solve. Rows change sides on the way, so a kink leaves
  // nothing to gain from many digits; without one they make the convergence superlinear.
  double forcing() const {
    if (mu_ > 0.0) return kForcing;
    const double gap = std::max(0.0, report_.primal.objective() - *report_.dual);
    return std::min(kForcing, std::sqrt(gap / std::abs(report_.primal.objective())));
  }

  // The slope of the inner objective along the direction, after the whole step. Remembers the rows
  // whose dual it changes: a falls as z grows, so all others keep theirs on the way.
  double slope_at_one() {
    movers_.resize(blocks_of(m_));
    const auto [fixed, all] =
        sums_over_blocks<2>(m_, pool_, [&](std::size_t begin, std::size_t end) {
          auto& movers = movers_[begin / kRowsPerBlock];
          movers.clear();
          double still = 0;
          double moving = 0;
          for (std::size_t i = begin; i < end; ++i) {
            const double a = ascend(i, z_[i] + dz_[i]);
            if (a == a_[i]) {
              still += a * dz_[i];
            } else {
              moving += a * dz_[i];
              movers.push_back(static_cast<RowId>(i));
            }
          }
          return RowSums<2>{still, still + moving};
        });
    fixed_slope_ = fixed;
    return slope_from(1.0, all);
  }

  double slope_at(double t) {
    const double moving = sum_over_blocks(m_, pool_, [&](std::size_t begin, std::size_t) {
      double total = 0;
      for (const RowId i : movers_[begin / kRowsPerBlock]) {
        total += ascend(i, z_[i] + t * dz_[i]) * dz_[i];
      }
      return total;
    });
    return slope_from(t, fixed_slope_ + moving);
  }

  // losses: the sum of a_i dz_i at w + t dw.
  double slope_from(double t, double losses) const {
    double regulariser = 0;
    const std::size_t regularised = problem_.has_free_bias() ? d_ : side_;
    for (std::size_t j = 0; j < regularised; ++j) regulariser += (w_[j] + t * dw_[j]) * dw_[j];
    return problem_.lambda * regulariser - losses / problem_.m();
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
    double slope_high = slope_at_one();
    if (slope_high > 0.0) {
      const double enough = kLineSearchPrecision * std::abs(slope_low);
      for (int round = 0; round < kLineSearchRounds; ++round) {
        // The secant, kept away from the ends; bisection every third time.
        const double share = slope_low / (slope_low - slope_high);
        t = low + (high - low) * (round % 3 == 2 ? 0.5 : std::clamp(share, 0.05, 0.95));
        const double slope = slope_at(t);
        if (std::abs(slope) <= enough) break;
        (slope > 0.0 ? high : low) = t;
        (slope > 0.0 ? slope_high : slope_low) = slope;
      }
    }
    for (std::size_t j = 0; j < side_; ++j) w_[j] += t * dw_[j];
    return t;
  }

  // Objective and bound of the best point and duals, from fresh passes.
  void certify() {
    report_.primal = evaluate_primal_at_best_bias(problem_, best_point_, pool_);
    report_.dual = evaluate_dual(problem_, best_a_, pool_).objective();
    certified_ = true;
  }

  const LinearProblem& problem_;
  const NewtonOptions& options_;
  Watched watch_;
  ThreadPool& pool_;
  LossType loss_;
  std::size_t m_;
  std::size_t d_;
  std::size_t side_;  // features, and one for a bias
  double B_;          // the constant feature of the bias

  std::vector<double> w_;  // the last is the weight of the constant feature
  std::vector<double> z_;  // scores of all rows
  std::vector<double> dw_, dz_;
  std::vector<double> centre_;
  std::vector<double> a_;
  std::vector<double> response_;
  std::vector<double> balanced_;
  std::vector<double> g_;
  NewtonDirection direction_;
  std::vector<std::vector<RowId>> movers_;  // by block
  double fixed_slope_ = 0.0;                // what all other rows add to the slope
  double mu_ = 0.0;
  int inner_steps_ = 0;
  double current_primal_ = 0.0;
  double current_dual_ = 0.0;
  double inner_gap_ = 0.0;
  double primal_when_scored_ = 0.0;
  int steps_since_scored_ = 0;
  TrainingReport report_;
  LinearPoint best_point_;
  std::vector<double> best_a_;
  bool certified_ = false;  // the report is from fresh passes
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
