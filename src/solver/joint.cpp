// Pegasos on the joint loss of many classes, and exact dual steps. certify/joint_objective.h has
// the problem.
//
// A sub-gradient of a row's loss moves two classes: its own and the one that comes nearest, r.
// Unwound as in pegasos_iterate.h, W = V/(lambda n) with V the plain sum of
//
//   + s x  to class y,   - s x  to class r,   for every row that was seen with a loss above 0
//
// and n the rows seen. The signs taken at each row are summed in dual_sums.h, whose means are
// feasible duals; after whole epochs W(a) is exactly W.
//
// A dual step (Keerthi et al., KDD 2008) takes one row and moves all its K duals to the maximum of
// D, the others fixed. With q = |x|^2/(lambda m) and B_r = z_r - [r = y] - q a_r that is
//
//   a_r = min(c_r, (beta - B_r)/q),   c_y = s, else 0,   beta such that the sum is zero,
//
// found by going through B_r + q c_r in descending order. Rows that did not move in several visits
// are left out until the next certificate.
#include "solver/joint.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/random.h"
#include "math/passes.h"
#include "pegasos/error.h"
#include "solver/dual_sums.h"
#include "solver/sampler.h"
#include "solver/state.h"
#include "solver/watched.h"

namespace pegasos {
namespace {

constexpr std::uint64_t kWarmUpEpochs = 2;
constexpr std::uint64_t kMostEpochs = 1000;
constexpr std::size_t kRowsBetweenPolls = 512;
constexpr std::uint8_t kPatience = 3;
constexpr std::uint64_t kMostEpochsBetweenCertificates = 20;

class JointSolver {
 public:
  JointSolver(const JointProblem& problem, const SolverOptions& options, const Watch& watch,
              ThreadPool& pool)
      : problem_(problem),
        options_(options),
        watch_(watch),
        pool_(pool),
        m_(problem.rows()),
        K_(problem.classes),
        B_(problem.bias_feature),
        lambda_of_rows_(problem.lambda * (problem.m() / static_cast<double>(m_))),
        z_(K_),
        duals_(m_, K_, DualSums::Divisor::visits) {
    current_.w.assign(problem.features() * K_, 0.0);
    current_.b.assign(K_, 0.0);
    best_ = current_;
    best_a_.assign(m_ * K_, 0.0);
  }

  JointResult run(JointStart start) {
    const bool resumed = !start.state.empty();
    bool ended = false;
    if (resumed) {
      resume_from(start.state);
      ended = announce();
    } else {
      report_.primal = evaluate_joint_primal(problem_, best_, pool_);
      report_.dual = evaluate_joint_dual(problem_, best_a_, pool_);
    }
    if (is_pegasos()) {
      if (!ended) run_pegasos(options_.max_epochs.value_or(options_.pegasos.epochs), true);
    } else {
      if (!resumed) ended = begin_ascent(std::move(start.a));
      if (!ended) ascend();
    }
    return {std::move(best_), std::move(best_a_), report_, watch_.interrupted()};
  }

  template <typename Archive>
  void archive(Archive& a) {
    for (auto* point : {&current_, &best_}) {
      a.fixed(point->w);
      a.fixed(point->b);
    }
    a.fixed(best_a_);
    a(report_);
    if (is_pegasos()) {
      a(duals_, rows_seen_, epoch_, position_, violations_before_);
      if (position_ >= m_) refuse_state("its position is past the last row");
    } else {
      a.fixed(a_);
    }
  }

 private:
  bool is_pegasos() const { return options_.kind == Solver::pegasos; }

  // ---- Pegasos ----

  void run_pegasos(std::uint64_t epochs, bool certifies) {
    const PegasosOptions& pegasos = options_.pegasos;
    const auto batch = static_cast<std::size_t>(std::min<std::uint64_t>(pegasos.batch, m_));
    Sampler sampler(pegasos.sampling, m_, batch, pegasos.seed, &problem_.data);
    bool ended = false;
    while (epoch_ < epochs && !ended) {
      const auto order = sampler.epoch(epoch_);
      if (position_ == 0) violations_before_ = report_.all_violations;
      while (position_ < m_ && !ended) {
        const std::size_t begin = position_;
        position_ = std::min(m_, begin + batch);
        step(order.subspan(begin, position_ - begin));
        ended = poll(begin, batch) || (pegasos.steps && report_.steps >= *pegasos.steps);
      }
      report_.epoch = epoch_ + 1;
      report_.violations = report_.all_violations - violations_before_;
      if (position_ == m_) {
        position_ = 0;
        ++epoch_;
        if (certifies) duals_.epoch_done(epoch_);
      }
      if (!certifies) continue;
      certify_pegasos();
      ended = announce() || ended;
    }
  }

  // One step on the batch A. current_ holds V, and W is V over lambda n.
  void step(std::span<const RowId> A) {
    const double scale =
        rows_seen_ > 0 ? 1.0 / (lambda_of_rows_ * static_cast<double>(rows_seen_)) : 0.0;
    nearest_.clear();
    for (const RowId i : A) {
      joint_scores(problem_, current_, i, z_);
      for (double& z : z_) z *= scale;
      nearest_.push_back(joint_loss(z_, problem_.y[i]).at);
    }
    for (std::size_t j = 0; j < A.size(); ++j) {
      duals_.visit(A[j]);
      const std::size_t y = problem_.y[A[j]];
      const double s = problem_.weight(A[j]);
      if (nearest_[j] == y || s == 0.0) continue;
      move(A[j], y, s);
      move(A[j], nearest_[j], -s);
      ++report_.all_violations;
    }
    rows_seen_ += A.size();
    ++report_.steps;
  }

  void move(RowId i, std::size_t of_class, double by) {
    const RowView x = problem_.data.row(i);
    for (std::size_t j = 0; j < x.values.size(); ++j) {
      current_.w[(x.dense ? j : x.ids[j]) * K_ + of_class] += by * double{x.values[j]};
    }
    current_.b[of_class] += by * B_ * B_;
    duals_.add(i, of_class, by);
  }

  void certify_pegasos() {
    report_.solver = Solver::pegasos;
    report_.rows_seen = rows_seen_;
    best_ = current_;
    const double scale = 1.0 / (lambda_of_rows_ * static_cast<double>(rows_seen_));
    for (double& weight : best_.w) weight *= scale;
    for (double& b : best_.b) b *= scale;
    report_.primal = evaluate_joint_primal(problem_, best_, pool_);
    report_.norm = std::sqrt(2.0 * report_.primal.regulariser / problem_.lambda);
    keep_if_better(duals_.mean(1.0, 0.0));
    if (auto a = duals_.recent_mean(1.0, 0.0); !a.empty()) keep_if_better(std::move(a));
  }

  void keep_if_better(std::vector<double> a) {
    const double dual = evaluate_joint_dual(problem_, a, pool_);
    if (dual <= report_.dual) return;
    report_.dual = dual;
    best_a_ = std::move(a);
  }

  // ---- dual ascent ----

  // From these duals, or from what two epochs of Pegasos leave. True if the run ends there.
  bool begin_ascent(std::vector<double> start) {
    if (start.empty()) {
      run_pegasos(kWarmUpEpochs, false);
      start = duals_.mean(1.0, 0.0);
    }
    report_.solver = Solver::sdca;
    report_.epoch = report_.steps = report_.all_violations = 0;
    a_ = std::move(start);
    prepare_rows();
    certify_ascent();
    return announce();
  }

  void ascend() {
    bool ended = false;
    const std::uint64_t epochs = options_.max_epochs.value_or(kMostEpochs);
    std::uint64_t since_certificate = 0;
    for (std::uint64_t epoch = report_.epoch; epoch < epochs && !ended; ++epoch) {
      const double estimate = ascend_epoch(epoch);
      report_.epoch = epoch + 1;
      const bool promising = estimate <= options_.tolerance * *report_.dual ||
                             ++since_certificate >= kMostEpochsBetweenCertificates;
      if (!promising && !watch_.interrupted() && epoch + 1 < epochs) continue;
      certify_ascent();
      since_certificate = 0;
      ended = announce();
    }
  }

  void prepare_rows() {
    const double unit = 1.0 / (problem_.lambda * problem_.m());
    q_.resize(m_);
    for_row_blocks(m_, pool_, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        q_[i] = unit * (problem_.data.row(i).squared_norm() + B_ * B_);
      }
    });
    idle_visits_.assign(m_, 0);
  }

  // Returns the sum of the rows' gaps over m, each at the W of its visit.
  double ascend_epoch(std::uint64_t epoch) {
    Random(options_.pegasos.seed, epoch).shuffle(std::span(active_));
    double gaps = 0;
    std::size_t kept = 0;
    const std::uint64_t before = report_.all_violations;
    for (std::size_t j = 0; j < active_.size(); ++j) {
      const RowId i = active_[j];
      if (!watch_.interrupted()) {
        gaps += ascend_row(i);
        ++report_.steps;
        poll(j, 1);
      }
      if (idle_visits_[i] < kPatience) active_[kept++] = i;
    }
    active_.resize(kept);
    report_.violations = report_.all_violations - before;
    report_.rows_seen = report_.steps;
    return gaps / problem_.m();
  }

  double ascend_row(RowId i) {
    const std::size_t y = problem_.y[i];
    const double s = problem_.weight(i);
    const std::span<double> a = std::span(a_).subspan(i * K_, K_);
    joint_scores(problem_, current_, i, z_);
    double gap = s * joint_loss(z_, y).value - a[y];
    for (std::size_t r = 0; r < K_; ++r) gap += a[r] * z_[r];
    solve_row(a, y, s, q_[i]);
    double largest = 0;
    for (std::size_t r = 0; r < K_; ++r) {
      change_[r] -= a[r];
      largest = std::max(largest, std::abs(change_[r]));
    }
    if (largest <= kNothing * s) {
      ++idle_visits_[i];
      return gap;
    }
    idle_visits_[i] = 0;
    ++report_.all_violations;
    apply(i, a);
    return gap;
  }

  // Leaves the best duals of the row in change_.
  void solve_row(std::span<const double> a, std::size_t y, double s, double q) {
    change_.resize(K_);
    order_.resize(K_);
    for (std::size_t r = 0; r < K_; ++r) {
      change_[r] = z_[r] - (r == y ? 1.0 : 0.0) - q * a[r];
      order_[r] = change_[r] + (r == y ? q * s : 0.0);
    }
    std::sort(order_.begin(), order_.end(), std::greater<>());
    double beta = order_[0] - q * s;
    std::size_t count = 1;
    for (; count < K_ && beta < static_cast<double>(count) * order_[count]; ++count) {
      beta += order_[count];
    }
    beta /= static_cast<double>(count);
    for (std::size_t r = 0; r < K_; ++r) {
      change_[r] = std::min(r == y ? s : 0.0, (beta - change_[r]) / q);
    }
  }

  void apply(RowId i, std::span<double> a) {
    const double unit = 1.0 / (problem_.lambda * problem_.m());
    for (std::size_t r = 0; r < K_; ++r) {
      a[r] += change_[r];
      change_[r] *= unit;
    }
    const RowView x = problem_.data.row(i);
    for (std::size_t j = 0; j < x.values.size(); ++j) {
      double* w = current_.w.data() + (x.dense ? j : x.ids[j]) * K_;
      const double value = double{x.values[j]};
      for (std::size_t r = 0; r < K_; ++r) w[r] += value * change_[r];
    }
    for (std::size_t r = 0; r < K_; ++r) current_.b[r] += B_ * B_ * change_[r];
  }

  // Fresh passes; brings everybody back.
  void certify_ascent() {
    const double dual = evaluate_joint_dual(problem_, a_, pool_, &current_);
    if (dual > report_.dual) {
      report_.dual = dual;
      best_a_ = a_;
    }
    const PrimalValue primal = evaluate_joint_primal(problem_, current_, pool_);
    if (primal.objective() < report_.primal.objective()) {
      report_.primal = primal;
      best_ = current_;
    }
    report_.norm = std::sqrt(2.0 * report_.primal.regulariser / problem_.lambda);
    activate_all();
  }

  void activate_all() {
    active_.clear();
    for (std::size_t i = 0; i < m_; ++i) {
      if (problem_.weight(i) > 0 && q_[i] > 0) active_.push_back(static_cast<RowId>(i));
    }
    std::fill(idle_visits_.begin(), idle_visits_.end(), 0);
  }

  // ---- both ----

  // Tells the watch about this moment; true if the run ends here: it is done, or asked to stop.
  bool announce() {
    watch_.tell([this] {
      return TrainingEvent{
          .report = report_,
          .duals = [this] { return best_a_; },
          .state = [this] { return save_state(StateKind::joint, identity(), *this); }};
    });
    return report_.within(options_.tolerance) || watch_.asked_to_stop();
  }

  std::uint64_t identity() const {
    ArchiveWriter facts;
    const std::uint64_t of_pegasos = identity_of(identity_of(problem_), options_.pegasos);
    const bool pegasos = is_pegasos();
    facts(of_pegasos, pegasos);
    return identity_of(std::move(facts).bytes());
  }

  // At an event of dual ascent all rows are active.
  void resume_from(const SolverState& state) {
    if (!is_pegasos()) a_.resize(m_ * K_);
    load_state(state, StateKind::joint, identity(), *this);
    if (is_pegasos()) return;
    prepare_rows();
    activate_all();
  }

  bool poll(std::size_t place, std::size_t rows) {
    const bool due = place % kRowsBetweenPolls < rows;
    return watch_.interrupted() || (due && watch_.asked_to_stop());
  }

  // A move below this share of a row's weight is rounding.
  static constexpr double kNothing = 1e-14;

  const JointProblem& problem_;
  const SolverOptions& options_;
  Watched watch_;
  ThreadPool& pool_;
  std::size_t m_;
  std::size_t K_;
  double B_;
  double lambda_of_rows_;  // see pegasos.cpp
  JointPoint current_;     // V while Pegasos runs, then W(a)
  JointPoint best_;
  std::vector<double> best_a_;
  TrainingReport report_;
  std::vector<double> z_;

  DualSums duals_;
  std::uint64_t rows_seen_ = 0;
  std::uint64_t epoch_ = 0;   // of Pegasos: the one that goes on, or begins
  std::size_t position_ = 0;  // rows of it that are done
  std::uint64_t violations_before_ = 0;
  std::vector<std::size_t> nearest_;  // of a batch

  std::vector<double> a_;
  std::vector<double> q_;
  std::vector<std::uint8_t> idle_visits_;
  std::vector<RowId> active_;
  std::vector<double> change_;
  std::vector<double> order_;
};

void check(const SolverOptions& options) {
  options.validate();
  if (options.kind == Solver::newton) {
    throw InvalidOption("solver", "the joint strategy supports only pegasos and dual ascent");
  }
  if (options.pegasos.project || options.pegasos.average != Average::last ||
      options.pegasos.step_offset) {
    throw InvalidOption(
        "solver",
        "Pegasos does not support projection, averaging or step offset with the joint strategy");
  }
}

}  // namespace

JointResult solve_joint(const JointProblem& problem, const SolverOptions& options,
                        const Watch& watch, ThreadPool& pool, JointStart start) {
  problem.validate();
  check(options);
  if (!start.a.empty() && start.a.size() != problem.rows() * problem.classes) {
    throw InvalidOption("start", "has dual variables for other rows or classes");
  }
  return JointSolver(problem, options, watch, pool).run(std::move(start));
}

}  // namespace pegasos
