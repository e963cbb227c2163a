// Block dual ascent: coordinate ascent on the dual of a kernel machine, a block of rows at a time.
//
//   maximise over a:   1/m sum_i s_i gain(a_i/s_i)  -  lambda/2 |f(a)|^2,
//   f(a) = 1/(lambda m) sum_j a_j K(x_j, .),   and sum_i a_i = 0 with a free bias
//
// The scores f_i of all rows are kept up to date, so that what a step at any row would gain, and
// the primal objective, cost no kernel value. One round:
//
//   1. the rows whose own step gains most become the block B, those seen before first
//   2. their rows of the kernel matrix are computed together, or are in the cache
//   3. the dual is maximised over a_B alone, on the small matrix K_BB
//   4. the scores of all rows move by the rows of K whose a changed, in one sweep
//
// kernel_block.h has step 3.
//
// From zero this needs little more than the support vectors' rows of K. Beginning with Pegasos
// epochs was measured and needs more of them (one epoch on MNIST: 8,000 instead of 4,800 in all).
//
// The gap is looked at every few rounds. When it looks small enough, scores are recomputed in
// double precision from the support vectors alone, and only what then holds is claimed.
#include "solver/kernel_ascent.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "certify/kernel_certificate.h"
#include "certify/kernel_objective.h"
#include "math/coordinate_steps.h"
#include "pegasos/error.h"
#include "simd/panels.h"
#include "solver/kernel_block.h"
#include "solver/kernel_row_cache.h"
#include "solver/state.h"
#include "solver/watched.h"

namespace pegasos {
namespace {

// Two panels of rows. Larger blocks spend more of their rows on what their neighbours would have
// settled.
constexpr std::size_t kBlockRows = 2 * simd::kPanelWidth;
// Rows that were in a block before are enough for the next as long as the best of them gains this
// share of what the best of all would: to compute a row costs ten to thirty times what the use of
// one in the cache does.
constexpr double kGoodEnough = 0.3;
// The gap is looked at after so many blocks; it takes about as long as choosing one.
constexpr std::uint64_t kBlocksPerReport = 8;
// Ascent aims at a gap a little smaller than asked for, so that it also holds in double precision.
constexpr double kMargin = 0.97;
// A gap that is not smaller than this share of the last has not changed. After so many reports like
// that scores are recomputed in double, and after so many recomputations like that it ends.
constexpr double kSomethingGained = 0.9;
constexpr int kMostReportsInVain = 30;
// Wider gaps may take long to shrink without rounding being the reason.
constexpr double kNearRounding = 1e-5;
constexpr int kMostInVain = 5;
// Scores are moved in pieces of this size, one task each.
constexpr std::size_t kScoresPerTask = 4096;

template <typename LossType>
class Ascent {
 public:
  Ascent(const KernelProblem& problem, const KernelSolverOptions& options,
         const KernelBlocks& blocks, KernelRowCache& cache, KernelStart start, const Watch& watch,
         ThreadPool& pool, LossType loss)
      : problem_(problem),
        options_(options),
        blocks_(blocks),
        cache_(cache),
        watch_(watch),
        pool_(pool),
        loss_(loss),
        m_(problem.rows()),
        unit_(1.0 / (problem.lambda * problem.m())),
        target_(kMargin * options.tolerance),
        diagonal_(m_),
        a_(std::move(start.a)),
        seen_(m_, 0),
        inner_(loss) {
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
  }

  KernelResult run() {
    try {
      const CancelScope scope(pool_, watch_.hurry());
      climb();
      settle();
    } catch (const Cancelled&) {  // a block is computed, or fresh scores are: a is as it was
      watch_.asked_to_stop();
    }
    return finish();
  }

  template <typename Archive>
  void archive(Archive& a) {
    a.fixed(a_);
    a.fixed(scores_);
    a.fixed(seen_);
    a(b_, target_, report_, best_gap_, best_a_, in_vain_, kept_gap_, reports_in_vain_);
  }

 private:
  void climb() {
    if (resumed_) {
      ended_ = announce();
    } else {
      evaluate();
    }
    while (!ended_) {
      const bool looks_done = gap() <= target_;
      if ((looks_done || stands_still()) && report_.kernel->blocks % kBlocksPerReport == 0) {
        recompute();
        if (gap() <= options_.tolerance || in_vain_ == kMostInVain) break;
        if (looks_done) target_ *= 0.5;  // float32 promised too much
      }
      if (report_.kernel->blocks >= options_.most_blocks) break;
      if (!choose_block()) {  // nothing to gain, by scores kept up or by fresh ones
        if (report_.kernel->recomputed) break;
        recompute();
        if (gap() <= options_.tolerance || in_vain_ == kMostInVain) break;
        continue;
      }
      solve_block();
      move_scores();
      ++report_.kernel->blocks;
      report_.kernel->recomputed = false;
      if (watch_.asked_to_stop()) ended_ = true;
      if (report_.kernel->blocks % kBlocksPerReport != 0) continue;
      evaluate();
      if (announce()) ended_ = true;
    }
  }

  // Claims what holds in double, at the best of the points where that was looked at.
  void settle() {
    if (!report_.kernel->recomputed) recompute();
    if (best_gap_ < gap()) {
      a_ = best_a_;
      recompute();
    }
  }

  // Tells the watch about this moment; true if it wants the run to end here.
  bool announce() {
    watch_.tell([this] {
      return TrainingEvent{
          .report = report_,
          .kernel_point =
              [this] {
                return KernelPoint{coefficients(), b_};
              },
          .duals = [this] { return feasible_duals(); },
          .state = [this] { return save_state(StateKind::kernel_ascent, identity(), *this); }};
    });
    return watch_.asked_to_stop();
  }

  std::uint64_t identity() const {
    ArchiveWriter facts;
    const std::uint64_t problem = identity_of(problem_);
    facts(problem, options_.tolerance);
    return identity_of(std::move(facts).bytes());
  }

  void resume_from(const SolverState& state) {
    a_.resize(m_);
    scores_.resize(m_);
    load_state(state, StateKind::kernel_ascent, identity(), *this);
    if (!report_.kernel) refuse_state("it has no report of a kernel solver");
    if (!best_a_.empty()) best_a_.resize(m_);
    used_before_ = report_.kernel->rows_used;
    computed_before_ = report_.kernel->rows_computed;
    resumed_ = true;
  }

  std::vector<double> feasible_duals() const {
    std::vector<double> a = a_;
    make_kernel_duals_feasible(problem_, diagonal_, a);
    return a;
  }

  struct Candidate {
    double promise;
    RowId row;
  };

  DualRow row_at(std::size_t i) const {
    return {a_[i], scores_[i] + b_, problem_.y[i], problem_.weight(i), diagonal_[i] * unit_};
  }

  // The rows that promise most, as many that go up as that go down: one class alone would
  // overshoot, and the other would have to bring it back. False if there is nothing to gain.
  bool choose_block() {
    for (auto* list : {&up_, &down_, &new_up_, &new_down_}) list->clear();
    const bool seen_will_do = problem_.has_free_bias() ? list_pulls() : list_gains();
    if (!seen_will_do) {
      up_.insert(up_.end(), new_up_.begin(), new_up_.end());
      down_.insert(down_.end(), new_down_.begin(), new_down_.end());
    }
    block_.clear();
    take_best(up_, kBlockRows / 2);
    take_best(down_, kBlockRows / 2);
    std::sort(block_.begin(), block_.end());
    block_.erase(std::unique(block_.begin(), block_.end()), block_.end());
    for (const RowId row : block_) seen_[row] = 1;
    return !block_.empty();
  }

  // Lists rows by what their own steps would gain. True if the best of those that were in a block
  // before are good enough.
  bool list_gains() {
    double most_here = 0;
    double most_new = 0;
    for (std::size_t i = 0; i < m_; ++i) {
      const DualRow row = row_at(i);
      const double to = best_dual_of_row(loss_, row);
      const double gain = dual_improvement(loss_, row, to);
      if (!(gain > 0)) continue;
      const bool here = seen_[i] != 0;
      auto& most = here ? most_here : most_new;
      most = std::max(most, gain);
      auto& list = to > row.a ? (here ? up_ : new_up_) : (here ? down_ : new_down_);
      list.push_back({gain, static_cast<RowId>(i)});
    }
    return most_here > kGoodEnough * most_new;
  }

  // With a free bias no row moves alone: lists rows by how strongly the dual pulls them up or down.
  // A pair gains if the pull on the one that goes up is the stronger.
  bool list_pulls() {
    Pulls seen;
    Pulls all;
    for (std::size_t i = 0; i < m_; ++i) {
      const DualRow row = row_at(i);
      const DualSlopes slopes = slopes_of_row(loss_, row);
      const double up = slopes.right - row.z;
      const double down = slopes.left - row.z;
      const auto id = static_cast<RowId>(i);
      const bool here = seen_[i] != 0;
      all.include(up, down);
      if (here) seen.include(up, down);
      if (up > -kEndless) (here ? up_ : new_up_).push_back({up, id});
      if (down < kEndless) (here ? down_ : new_down_).push_back({-down, id});
    }
    if (!(all.violation() > KernelBlock<LossType>::kNoViolation)) {
      for (auto* list : {&up_, &down_, &new_up_, &new_down_}) list->clear();
    }
    return seen.violation() > kGoodEnough * all.violation();
  }

  void take_best(std::vector<Candidate>& candidates, std::size_t count) {
    // Rows that promise the same come in an order that does not follow that of the file, where the
    // classes may be sorted.
    const auto better = [](const Candidate& a, const Candidate& b) {
      if (a.promise != b.promise) return a.promise > b.promise;
      const auto mixed = [](RowId row) { return row * 0x9e3779b1U; };
      return mixed(a.row) < mixed(b.row);
    };
    if (candidates.size() > count) {
      std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                       candidates.end(), better);
      candidates.resize(count);
    }
    for (const auto& candidate : candidates) block_.push_back(candidate.row);
  }

  void solve_block() {
    const std::size_t n = block_.size();
    inner_.resize(n);
    cache_.for_parts(block_, pool_, [&](std::size_t first, std::span<const float* const> rows) {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const std::span<double> to = inner_.gram_row(first + r);
        for (std::size_t c = 0; c < n; ++c) to[c] = unit_ * double{rows[r][block_[c]]};
        to[first + r] = unit_ * diagonal_[block_[first + r]];
      }
    });
    for (std::size_t r = 0; r < n; ++r) inner_.row(r) = row_at(block_[r]);
    if (problem_.has_free_bias()) {
      b_ += inner_.move_pairs();
    } else {
      inner_.move_coordinates();
    }
  }

  void move_scores() {
    changed_.clear();
    steps_.clear();
    for (std::size_t r = 0; r < block_.size(); ++r) {
      const double a = inner_.row(r).a;
      const double step = a - a_[block_[r]];
      if (step == 0.0) continue;
      changed_.push_back(block_[r]);
      steps_.push_back(step * unit_);
      a_[block_[r]] = a;
    }
    cache_.for_parts(changed_, pool_, [&](std::size_t first, std::span<const float* const> rows) {
      pool_.for_each((m_ + kScoresPerTask - 1) / kScoresPerTask, [&](std::size_t task) {
        const std::size_t begin = task * kScoresPerTask;
        const std::size_t size = std::min(kScoresPerTask, m_ - begin);
        std::vector<const float*> parts(rows.begin(), rows.end());
        for (auto& part : parts) part += begin;
        simd::add_rows(std::span(scores_).subspan(begin, size), parts, steps_.data() + first);
      });
    });
  }

  // Scores afresh, in double.
  void recompute() {
    make_kernel_duals_feasible(problem_, diagonal_, a_);
    fresh_ = enclose_scores(blocks_, coefficients(), pool_);
    scores_ = fresh_.values;
    evaluate();
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

  std::vector<double> coefficients() const {
    std::vector<double> c(a_);
    for (auto& value : c) value *= unit_;
    return c;
  }

  // Objective and bound from the scores as they are.
  void evaluate() {
    report_.primal = evaluate_kernel_primal(problem_, coefficients(), scores_, b_);
    report_.dual = evaluate_kernel_dual(problem_, a_, scores_).objective();
    report_.kernel->recomputed = false;
    report_.norm = std::sqrt(std::max(0.0, 2 * report_.primal.regulariser / problem_.lambda));
    report_.kernel->support_vectors = report_.kernel->bounded = 0;
    for (std::size_t i = 0; i < m_; ++i) {
      if (a_[i] == 0.0) continue;
      report_.kernel->support_vectors += problem_.copies_of(i);
      if (is_at_bound(loss_, a_[i], problem_.y[i], problem_.weight(i))) {
        report_.kernel->bounded += problem_.copies_of(i);
      }
    }
    reports_in_vain_ = gap() < kSomethingGained * kept_gap_ ? 0 : reports_in_vain_ + 1;
    kept_gap_ = std::min(kept_gap_, gap());
    report_.kernel->rows_used = used_before_ + cache_.used();
    report_.kernel->rows_computed = computed_before_ + cache_.computed();
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
  KernelRowCache& cache_;
  Watched watch_;
  ThreadPool& pool_;
  LossType loss_;
  std::size_t m_;
  double unit_;    // 1/(lambda m)
  double target_;  // the gap to reach by scores that are kept up
  std::vector<double> diagonal_;
  std::vector<double> a_;
  std::vector<double> scores_;  // f_i without the bias
  KernelScores fresh_;          // as they were when last recomputed
  double b_ = 0.0;
  TrainingReport report_;
  double best_gap_ = kEndless;  // the smallest in double precision, and the duals it was of
  std::vector<double> best_a_;
  int in_vain_ = 0;             // recomputations since it shrank
  double kept_gap_ = kEndless;  // the smallest since the last of them, by scores kept up
  int reports_in_vain_ = 0;     // since that shrank

  // Rows that were in a block, and so in the cache if it is large enough. The cache is not asked:
  // its size must not change what is done.
  std::vector<char> seen_;
  // Candidates for the block, by direction; "new" ones were in none before.
  std::vector<Candidate> up_, down_, new_up_, new_down_;
  std::vector<RowId> block_;
  KernelBlock<LossType> inner_;  // the problem of the block
  std::vector<RowId> changed_;
  std::vector<double> steps_;
  std::uint64_t used_before_ = 0;  // rows of K, by the run that this one goes on with
  std::uint64_t computed_before_ = 0;
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
  KernelRowCache cache(blocks, options.cache_bytes);
  return with_loss(problem.loss, [&](const auto& loss) {
    return Ascent(problem, options, blocks, cache, std::move(start), watch, pool, loss).run();
  });
}

}  // namespace pegasos
