// Block dual ascent: coordinate ascent on the dual of a kernel machine, a block of rows at a time.
//
//   maximise over a:   1/m sum_i s_i gain(a_i/s_i)  -  lambda/2 |f(a)|^2,
//   f(a) = 1/(lambda m) sum_j a_j K(x_j, .),   and sum_i a_i = 0 with a free bias
//
// kernel_part.h has the rounds. They begin with all rows. As the gap shrinks, more and more rows
// are far on the right side of their margin with a dual of 0, and every kernel value with them
// would be wasted; so they are left out, by a guess how far their scores may still move. In the end
// scores of all rows are recomputed in double from the support vectors, and only what then holds is
// claimed; if rows were left out that matter after all, they come back. (Shrinking as in SVMlight,
// Joachims 1998, but early, and checked instead of bounded.)
//
// Beginning with a sample of the rows was measured and gains nothing: twice as many blocks follow.
// So was beginning with Pegasos epochs, which needs more rows of the kernel matrix (one epoch on
// MNIST: 8,000 instead of 4,800 in all).
#include "solver/kernel_ascent.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "certify/kernel_certificate.h"
#include "certify/kernel_objective.h"
#include "pegasos/error.h"
#include "solver/kernel_part.h"
#include "solver/state.h"
#include "solver/watched.h"

namespace pegasos {
namespace {

// The gap is looked at after so many rows in blocks, or so many blocks, however small; it takes
// about as long as choosing one.
constexpr std::uint64_t kVisitsPerReport = 1024;
constexpr std::uint64_t kMostBlocksPerReport = 8;
// Ascent aims at a gap a little smaller than asked for, so that it also holds in double precision.
constexpr double kMargin = 0.97;
// A gap that is not smaller than this share of the last has not changed. After so many reports like
// that scores are recomputed in double, and after so many recomputations like that it ends.
constexpr double kSomethingGained = 0.9;
constexpr int kMostReportsInVain = 30;
// Wider gaps may take long to shrink without rounding being the reason.
constexpr double kNearRounding = 1e-5;
constexpr int kMostInVain = 5;
// Rows at rest are left out from this gap on, down to that one, each time it has halved, if that
// leaves so small a share of them; which rest is told by so small a share of how far scores may be
// from their optima.
constexpr double kFirstNarrowing = 1.0;
constexpr double kLastNarrowing = 0.03;
constexpr double kWorthNarrowing = 0.7;
constexpr double kShareOfReach = 0.02;

template <typename LossType>
class Ascent {
 public:
  Ascent(const KernelProblem& problem, const KernelSolverOptions& options,
         const KernelBlocks& blocks, KernelStart start, const Watch& watch, ThreadPool& pool,
         LossType loss)
      : problem_(problem),
        options_(options),
        blocks_(blocks),
        watch_(watch),
        pool_(pool),
        loss_(loss),
        m_(problem.rows()),
        unit_(1.0 / (problem.lambda * problem.m())),
        target_(kMargin * options.tolerance),
        diagonal_(m_),
        a_(std::move(start.a)) {
    report_.solver = Solver::sdca;
    report_.kernel.emplace();
    for (std::size_t i = 0; i < m_; ++i) diagonal_[i] = blocks_.diagonal(i);
    if (!start.state.empty()) {
      resume_from(start.state);
      return;
    }
    const bool from_zero = a_.empty();
    a_.resize(m_, 0.0);
    make_kernel_duals_feasible(problem_, diagonal_, a_);
    if (from_zero) {
      scores_.assign(m_, 0.0);  // rows out of reach have duals, which no row sees
    } else {
      scores_ = kernel_scores(blocks_, coefficients(), pool_);
    }
    begin_part(all_rows(m_), scores_);
  }

  KernelResult run() {
    try {
      const CancelScope scope(pool_, watch_.hurry());
      climb();
      settle();
    } catch (const Cancelled&) {  // a block is computed, or fresh scores are: a is as it was
      watch_.asked_to_stop();
      collect();
    }
    return finish();
  }

  template <typename Archive>
  void archive(Archive& a) {
    a.fixed(a_);
    a(active_, b_, target_, share_of_reach_, report_, best_gap_, best_a_, in_vain_, kept_gap_,
      reports_in_vain_, narrow_at_);
  }

 private:
  using Part = KernelPart<LossType>;

  // ---- which rows matter ----

  // Has the loss a slope of 0 anywhere, and is a part of the data a problem of its kernel?
  bool rows_may_rest() const {
    const KernelKind kind = problem_.kernel.kind;
    if (kind == KernelKind::precomputed || kind == KernelKind::callable) return false;
    const DualSlopes at_zero = dual_slopes(loss_, 0.0, 1.0, 1.0);
    return at_zero.left - at_zero.right > 0.0;
  }

  // The optimal f* has |f - f*|^2 ≤ 2 (P - D)/lambda, so a score is within sqrt(K_ii) times the
  // root of that of its optimum. Hardly any moves so far: a small share of it is the guess.
  double reach() const {
    const double gap = std::max(0.0, report_.primal.objective() - report_.dual.value_or(0.0));
    return share_of_reach_ * std::sqrt(2.0 * gap / problem_.lambda);
  }

  // Scores are those of all rows.
  void begin_part(std::vector<RowId> rows, std::span<const double> scores) {
    KernelPartState state;
    for (const RowId row : rows) {
      state.a.push_back(a_[row]);
      state.scores.push_back(scores[row]);
      state.seen.push_back(a_[row] != 0.0 ? 1 : 0);
    }
    begin_part(std::move(rows), std::move(state));
  }

  void begin_part(std::vector<RowId> rows, KernelPartState state) {
    if (part_) {
      used_before_ += part_->cache().used();
      computed_before_ += part_->cache().computed();
    }
    part_.reset();  // its memory first
    part_ = std::make_unique<Part>(problem_, blocks_, std::move(rows), options_.cache_bytes,
                                   std::move(state), pool_, loss_);
  }

  void collect() { part_->active().put(part_->state.a, a_); }

  // Leaves out the rows at rest, if they are many.
  void narrow() {
    const double far = reach();
    const std::size_t rows = part_->active().size();
    std::vector<RowId> kept;
    for (std::size_t i = 0; i < rows; ++i) {
      if (matters(loss_, part_->row_at(i, b_), far * std::sqrt(part_->diagonal(i)))) {
        kept.push_back(static_cast<RowId>(i));
      }
    }
    if (static_cast<double>(kept.size()) > kWorthNarrowing * static_cast<double>(rows)) return;
    collect();
    part_->keep(problem_, kept);
  }

  // Of all rows, by fresh scores.
  std::vector<RowId> rows_that_matter(double far) const {
    std::vector<RowId> rows;
    for (std::size_t i = 0; i < m_; ++i) {
      const DualRow row = {a_[i], scores_[i] + b_, problem_.y[i], problem_.weight(i), 0.0};
      if (matters(loss_, row, far * std::sqrt(diagonal_[i]))) rows.push_back(static_cast<RowId>(i));
    }
    return rows;
  }

  // Goes on with fresh scores. True if rows were left out that have a say: the guess was too low.
  bool begin_again() {
    const std::vector<RowId>& active = part_->active().rows();
    const std::vector<RowId> due = rows_that_matter(0.0);
    if (std::includes(active.begin(), active.end(), due.begin(), due.end())) {
      part_->state.a = part_->active().take(a_);
      part_->state.scores = part_->active().take(scores_);
      return false;
    }
    share_of_reach_ *= 2.0;
    begin_part(rows_that_matter(reach()), scores_);
    return true;
  }

  // ---- the ascent ----

  void climb() {
    if (resumed_) {
      ended_ = announce();
    } else {
      evaluate();
    }
    while (!ended_) {
      const bool looks_done = gap() <= target_;
      if ((looks_done || stands_still()) && visits_since_report_ == 0) {
        if (!goes_on(looks_done)) break;
      }
      if (report_.rows_seen >= options_.most_visits) break;
      const std::size_t visits = part_->round(b_);
      if (visits == 0) {  // nothing to gain, by scores kept up or by fresh ones
        if (report_.kernel->recomputed) break;
        if (!goes_on(false)) break;
        continue;
      }
      ++report_.kernel->blocks;
      report_.rows_seen += visits;
      visits_since_report_ +=
          std::max<std::uint64_t>(visits, kVisitsPerReport / kMostBlocksPerReport);
      report_.kernel->recomputed = false;
      if (watch_.asked_to_stop()) ended_ = true;
      if (visits_since_report_ < kVisitsPerReport) continue;
      visits_since_report_ = 0;
      evaluate();
      if (gap() <= narrow_at_ && gap() > kLastNarrowing) {
        narrow_at_ = 0.5 * gap();
        narrow();
      }
      if (announce()) ended_ = true;
    }
  }

  // Looks at all rows, in double: false if the end is reached.
  bool goes_on(bool looked_done) {
    recompute();
    if (gap() <= options_.tolerance) return false;
    if (begin_again()) {
      in_vain_ = 0;
      evaluate();
      return true;
    }
    if (looked_done) target_ *= 0.5;  // float32 promised too much
    return in_vain_ < kMostInVain;
  }

  // Claims what holds in double, at the best of the points where that was looked at.
  void settle() {
    if (!report_.kernel->recomputed) recompute();
    if (best_gap_ < gap()) {
      a_ = best_a_;
      part_->state.a = part_->active().take(a_);
      recompute();
    }
  }

  // Tells the watch about this moment; true if it wants the run to end here.
  bool announce() {
    watch_.tell([this] {
      return TrainingEvent{.report = report_,
                           .kernel_point =
                               [this] {
                                 collect();
                                 return KernelPoint{coefficients(), b_};
                               },
                           .duals = [this] { return feasible_duals(); },
                           .state = [this] { return saved(); }};
    });
    return watch_.asked_to_stop();
  }

  std::uint64_t identity() const {
    ArchiveWriter facts;
    const std::uint64_t problem = identity_of(problem_);
    facts(problem, options_.tolerance);
    return identity_of(std::move(facts).bytes());
  }

  // The rows at hand follow the facts of the whole.
  SolverState saved() {
    collect();
    active_ = part_->active().rows();
    return save_state(StateKind::kernel_ascent, identity(), *this, part_->state);
  }

  void resume_from(const SolverState& state) {
    a_.resize(m_);
    ArchiveReader reader(opened(state, StateKind::kernel_ascent, identity()));
    try {
      reader(*this);
      check_active();
      KernelPartState of_part;
      of_part.a.resize(active_.size());
      of_part.scores.resize(active_.size());
      of_part.seen.resize(active_.size());
      reader(of_part);
      if (!reader.at_end()) refuse_state("it is too long");
      begin_part(active_, std::move(of_part));
    } catch (const InvalidOption&) {
      throw;
    } catch (const Error& error) {
      refuse_state(error.what());
    }
    if (!report_.kernel) refuse_state("it has no report of a kernel solver");
    if (!best_a_.empty()) best_a_.resize(m_);
    scores_.resize(m_);
    used_before_ = report_.kernel->rows_used;
    computed_before_ = report_.kernel->rows_computed;
    resumed_ = true;
  }

  void check_active() const {
    for (std::size_t k = 0; k < active_.size(); ++k) {
      if (active_[k] >= m_ || (k > 0 && active_[k] <= active_[k - 1])) {
        refuse_state("its rows are not those of the problem");
      }
    }
  }

  std::vector<double> feasible_duals() {
    collect();
    std::vector<double> a = a_;
    make_kernel_duals_feasible(problem_, diagonal_, a);
    return a;
  }

  // Scores of all rows afresh, in double.
  void recompute() {
    collect();
    make_kernel_duals_feasible(problem_, diagonal_, a_);
    fresh_ = enclose_scores(blocks_, coefficients(), pool_);
    scores_ = fresh_.values;
    evaluate(problem_, a_, scores_);
    report_.kernel->recomputed = true;
    kept_gap_ = kEndless;
    reports_in_vain_ = 0;
    in_vain_ = gap() < kSomethingGained * best_gap_ ? 0 : in_vain_ + 1;
    if (!(gap() < best_gap_)) return;
    best_gap_ = gap();
    best_a_ = a_;
  }

  double gap() const { return report_.certificate()->relative_gap(); }

  // Scores that are kept up in float32 lead no nearer than their rounding; fresh ones do.
  bool stands_still() const {
    return kept_gap_ < kNearRounding && reports_in_vain_ >= kMostReportsInVain;
  }

  std::vector<double> coefficients_of(std::span<const double> a) const {
    std::vector<double> c(a.begin(), a.end());
    for (auto& value : c) value *= unit_;
    return c;
  }
  std::vector<double> coefficients() const { return coefficients_of(a_); }

  void evaluate() { evaluate(part_->problem(), part_->state.a, part_->state.scores); }

  // Objective and bound of these rows from the scores as they are.
  void evaluate(const KernelProblem& rows, std::span<const double> a,
                std::span<const double> scores) {
    report_.primal = evaluate_kernel_primal(rows, coefficients_of(a), scores, b_);
    report_.dual = evaluate_kernel_dual(rows, a, scores).objective();
    report_.kernel->recomputed = false;
    report_.norm = std::sqrt(std::max(0.0, 2 * report_.primal.regulariser / rows.lambda));
    report_.kernel->support_vectors = report_.kernel->bounded = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == 0.0) continue;
      report_.kernel->support_vectors += rows.copies_of(i);
      if (is_at_bound(loss_, a[i], rows.y[i], rows.weight(i))) {
        report_.kernel->bounded += rows.copies_of(i);
      }
    }
    reports_in_vain_ = gap() < kSomethingGained * kept_gap_ ? 0 : reports_in_vain_ + 1;
    kept_gap_ = std::min(kept_gap_, gap());
    report_.kernel->rows_used = used_before_ + part_->cache().used();
    report_.kernel->rows_computed = computed_before_ + part_->cache().computed();
  }

  KernelResult finish() {
    KernelResult result;
    result.unproven = watch_.hurried();
    if (result.unproven) make_kernel_duals_feasible(problem_, diagonal_, a_);
    result.point = {coefficients(), b_};
    result.scores = std::move(fresh_);
    result.a = std::move(a_);
    result.report = report_;
    result.interrupted = watch_.interrupted();
    return result;
  }

  const KernelProblem& problem_;
  const KernelSolverOptions& options_;
  const KernelBlocks& blocks_;
  Watched watch_;
  ThreadPool& pool_;
  LossType loss_;
  std::size_t m_;
  double unit_;    // 1/(lambda m)
  double target_;  // the gap to reach by scores that are kept up
  std::vector<double> diagonal_;
  std::vector<double> a_;
  std::vector<double> scores_;  // f_i of all rows without the bias, as they were last recomputed
  KernelScores fresh_;          // as they were when last recomputed
  double b_ = 0.0;
  TrainingReport report_;
  double best_gap_ = kEndless;  // the smallest in double precision, and the duals it was of
  std::vector<double> best_a_;
  int in_vain_ = 0;             // recomputations since it shrank
  double kept_gap_ = kEndless;  // the smallest since the last of them, by scores kept up
  int reports_in_vain_ = 0;     // since that shrank

  std::unique_ptr<Part> part_;
  std::vector<RowId> active_;  // its rows, in a saved state
  double share_of_reach_ = kShareOfReach;
  double narrow_at_ = rows_may_rest() ? kFirstNarrowing : 0.0;  // the gap
  std::uint64_t used_before_ = 0;  // rows of K, by the run that this one goes on with
  std::uint64_t computed_before_ = 0;
  std::uint64_t visits_since_report_ = 0;  // states are saved when it is 0
  bool resumed_ = false;
  bool ended_ = false;
};

}  // namespace

KernelResult ascend_kernel_dual(const KernelProblem& problem, const KernelSolverOptions& options,
                                const Watch& watch, ThreadPool& pool, KernelStart start) {
  problem.validate();
  options.validate();
  if (!problem.kernel.is_positive_semidefinite()) {
    throw InvalidOption("kernel", name_of(problem.kernel.kind) +
                                      " is not known to be positive semidefinite, which dual "
                                      "ascent requires; Pegasos does not");
  }
  if (!start.a.empty() && start.a.size() != problem.rows()) {
    throw InvalidOption("start", "one dual variable per row is needed");
  }
  const KernelBlocks blocks(problem.kernel, problem.data, pool);
  return with_loss(problem.loss, [&](const auto& loss) {
    return Ascent(problem, options, blocks, std::move(start), watch, pool, loss).run();
  });
}

}  // namespace pegasos
