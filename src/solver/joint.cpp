// Pegasos on the joint loss of many classes, and exact dual steps. certify/joint_objective.h has
// the problem.
//
// A sub-gradient of a row's loss moves two classes: its own and the one that comes nearest, r.
// Unwound as in pegasos.cpp, W = V/(lambda n) with V the plain sum of
//
//   + s x  to class y,   - s x  to class r,   for every row that was seen with a loss above 0
//
// and n the rows seen. S_i sums those signs for row i, so that S_i over its visits is a mean of
// feasible duals, hence feasible, and after whole epochs W(a) is exactly W. Memories of the sums at
// epochs 1, 2, 4, … leave the wild first epochs out of the mean.
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
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "base/random.h"
#include "pegasos/error.h"
#include "solver/sampler.h"

namespace pegasos {
namespace {

constexpr std::uint64_t kWarmUpEpochs = 2;
constexpr std::uint64_t kMostEpochs = 1000;
constexpr std::size_t kRowsBetweenPolls = 512;
constexpr std::uint8_t kPatience = 3;
constexpr std::uint64_t kMostEpochsBetweenCertificates = 20;

class JointSolver {
 public:
  JointSolver(const JointProblem& problem, const SolverOptions& options, const JointWatch& watch,
              ThreadPool& pool)
      : problem_(problem),
        options_(options),
        watch_(watch),
        pool_(pool),
        m_(problem.rows()),
        K_(problem.classes),
        B_(problem.bias_feature),
        z_(K_) {
    current_.w.assign(problem.features() * K_, 0.0);
    current_.b.assign(K_, 0.0);
    best_ = current_;
    report_.primal = evaluate_joint_primal(problem_, best_, pool_);
    best_a_.assign(m_ * K_, 0.0);
    report_.dual = evaluate_joint_dual(problem_, best_a_, pool_);
  }

  JointResult run(std::vector<double> start) {
    if (options_.kind == Solver::pegasos) {
      run_pegasos(options_.max_epochs.value_or(options_.pegasos.epochs), Certify::every_epoch);
    } else {
      if (start.empty()) {
        run_pegasos(kWarmUpEpochs, Certify::never);
        start = dual_point();
      }
      ascend(std::move(start));
    }
    return {std::move(best_), std::move(best_a_), report_, interrupted_};
  }

 private:
  enum class Certify { every_epoch, never };

  // ---- Pegasos ----

  void run_pegasos(std::uint64_t epochs, Certify certify) {
    const PegasosOptions& pegasos = options_.pegasos;
    const auto batch = static_cast<std::size_t>(std::min<std::uint64_t>(pegasos.batch, m_));
    Sampler sampler(pegasos.sampling, m_, batch, pegasos.seed);
    sums_.assign(m_ * K_, 0.0);
    visits_.assign(m_, 0);
    bool ended = false;
    for (std::uint64_t epoch = 0; epoch < epochs && !ended; ++epoch) {
      const auto order = sampler.epoch(epoch);
      const std::uint64_t before = report_.all_violations;
      for (std::size_t begin = 0; begin < m_ && !ended; begin += batch) {
        step(order.subspan(begin, std::min(batch, m_ - begin)));
        ended = poll(begin, batch) || (pegasos.steps && report_.steps >= *pegasos.steps);
      }
      report_.epoch = epoch + 1;
      report_.violations = report_.all_violations - before;
      if (certify == Certify::never) continue;
      if (!ended && std::has_single_bit(epoch + 1)) remember_sums();
      certify_pegasos();
      ended = ended || told_to_stop();
    }
  }

  // One step on the batch A. current_ holds V, and W is V over lambda n.
  void step(std::span<const RowId> A) {
    const double scale =
        rows_seen_ > 0 ? 1.0 / (problem_.lambda * static_cast<double>(rows_seen_)) : 0.0;
    nearest_.clear();
    for (const RowId i : A) {
      joint_scores(problem_, current_, i, z_);
      for (double& z : z_) z *= scale;
      nearest_.push_back(joint_loss(z_, problem_.y[i]).at);
    }
    for (std::size_t j = 0; j < A.size(); ++j) {
      ++visits_[A[j]];
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
    sums_[i * K_ + of_class] += by;
  }

  std::vector<double> dual_point() const {
    std::vector<double> a = sums_;
    for (std::size_t i = 0; i < m_; ++i) {
      const double visits = std::max<double>(1.0, visits_[i]);
      for (std::size_t r = 0; r < K_; ++r) a[i * K_ + r] /= visits;
    }
    return a;
  }

  void remember_sums() {
    earlier_ = std::move(later_);
    later_ = {sums_, visits_};
  }

  // The mean since the earlier memory, or nothing where there is none.
  std::vector<double> suffix_dual_point() const {
    std::vector<double> a;
    if (earlier_.sums.empty()) return a;
    a.resize(sums_.size());
    for (std::size_t i = 0; i < m_; ++i) {
      const double visits = std::max<double>(1.0, visits_[i] - earlier_.visits[i]);
      for (std::size_t r = 0; r < K_; ++r) {
        a[i * K_ + r] = (sums_[i * K_ + r] - earlier_.sums[i * K_ + r]) / visits;
      }
    }
    return a;
  }

  void certify_pegasos() {
    report_.solver = Solver::pegasos;
    report_.rows_seen = rows_seen_;
    best_ = current_;
    const double scale = 1.0 / (problem_.lambda * static_cast<double>(rows_seen_));
    for (double& weight : best_.w) weight *= scale;
    for (double& b : best_.b) b *= scale;
    report_.primal = evaluate_joint_primal(problem_, best_, pool_);
    report_.norm = std::sqrt(2.0 * report_.primal.regulariser / problem_.lambda);
    keep_if_better(dual_point());
    if (auto a = suffix_dual_point(); !a.empty()) keep_if_better(std::move(a));
  }

  void keep_if_better(std::vector<double> a) {
    const double dual = evaluate_joint_dual(problem_, a, pool_);
    if (dual <= report_.dual) return;
    report_.dual = dual;
    best_a_ = std::move(a);
  }

  // ---- dual ascent ----

  void ascend(std::vector<double> start) {
    report_.solver = Solver::sdca;
    report_.epoch = report_.steps = report_.all_violations = 0;
    a_ = std::move(start);
    prepare_rows();
    certify_ascent();
    bool ended = told_to_stop() || interrupted_;
    const std::uint64_t epochs = options_.max_epochs.value_or(kMostEpochs);
    std::uint64_t since_certificate = 0;
    for (std::uint64_t epoch = 0; epoch < epochs && !ended; ++epoch) {
      const double estimate = ascend_epoch(epoch);
      report_.epoch = epoch + 1;
      const bool promising = estimate <= options_.tolerance * report_.dual ||
                             ++since_certificate >= kMostEpochsBetweenCertificates;
      if (!promising && !interrupted_ && epoch + 1 < epochs) continue;
      certify_ascent();
      since_certificate = 0;
      ended = told_to_stop() || interrupted_;
    }
  }

  void prepare_rows() {
    const double unit = 1.0 / (problem_.lambda * static_cast<double>(m_));
    q_.resize(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      q_[i] = unit * (problem_.data.row(i).squared_norm() + B_ * B_);
    }
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
      if (!interrupted_) {
        gaps += ascend_row(i);
        ++report_.steps;
        poll(j, 1);
      }
      if (idle_visits_[i] < kPatience) active_[kept++] = i;
    }
    active_.resize(kept);
    report_.violations = report_.all_violations - before;
    report_.rows_seen = report_.steps;
    return gaps / static_cast<double>(m_);
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
    const double unit = 1.0 / (problem_.lambda * static_cast<double>(m_));
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
    active_.clear();
    for (std::size_t i = 0; i < m_; ++i) {
      if (problem_.weight(i) > 0 && q_[i] > 0) active_.push_back(static_cast<RowId>(i));
    }
    std::fill(idle_visits_.begin(), idle_visits_.end(), 0);
  }

  // ---- both ----

  bool told_to_stop() const {
    const bool told = watch_.epoch && watch_.epoch(report_) == Verdict::stop;
    return told || report_.certificate().within(options_.tolerance);
  }

  bool poll(std::size_t place, std::size_t rows) {
    const bool due = place % kRowsBetweenPolls < rows;
    if (due && watch_.interrupted && watch_.interrupted()) interrupted_ = true;
    return interrupted_;
  }

  // A move below this share of a row's weight is rounding.
  static constexpr double kNothing = 1e-14;

  const JointProblem& problem_;
  const SolverOptions& options_;
  const JointWatch& watch_;
  ThreadPool& pool_;
  std::size_t m_;
  std::size_t K_;
  double B_;
  JointPoint current_;  // V while Pegasos runs, then W(a)
  JointPoint best_;
  std::vector<double> best_a_;
  EpochReport report_;
  bool interrupted_ = false;
  std::vector<double> z_;

  struct Sums {
    std::vector<double> sums = {};
    std::vector<std::uint32_t> visits = {};
  };
  std::vector<double> sums_;
  std::vector<std::uint32_t> visits_;
  Sums earlier_;
  Sums later_;
  std::uint64_t rows_seen_ = 0;
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
    throw InvalidOption("solver",
                        "Newton steps are for two classes; the joint loss has pegasos "
                        "and dual ascent");
  }
  if (options.pegasos.project || options.pegasos.average != Average::last ||
      options.pegasos.step_offset) {
    throw InvalidOption("solver",
                        "Pegasos on the joint loss has no projection, averages or step offset");
  }
}

}  // namespace

JointResult solve_joint(const JointProblem& problem, const SolverOptions& options,
                        const JointWatch& watch, ThreadPool& pool, std::vector<double> start) {
  problem.validate();
  check(options);
  if (!start.empty() && start.size() != problem.rows() * problem.classes) {
    throw InvalidOption("start", "has duals of other rows or classes");
  }
  return JointSolver(problem, options, watch, pool).run(std::move(start));
}

}  // namespace pegasos
