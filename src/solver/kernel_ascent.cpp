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
// Without a bias step 3 goes through the block coordinate by coordinate; with one it moves pairs,
// the most violating row up and the one that gains most with it down, as SMO does (Platt 1998; the
// choice of the second by Fan, Chen, Lin 2005).
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

#include "certify/kernel_objective.h"
#include "math/coordinate_steps.h"
#include "pegasos/error.h"
#include "simd/panels.h"
#include "solver/kernel_row_cache.h"

namespace pegasos {
namespace {

// Two panels of rows. Larger blocks spend more of their rows on what their neighbours would have
// settled.
constexpr std::size_t kBlockRows = 2 * simd::kPanelWidth;
// Rows that were in a block before are enough for the next as long as the best of them gains this
// share of what the best of all would: to compute a row costs ten to thirty times what the use of
// one in the cache does.
constexpr double kGoodEnough = 0.3;
// A block is left when a pass over it gains this share of what the passes before did: the next
// block changes its optimum anyway.
constexpr double kPassNotWorthIt = 0.1;
constexpr int kMostPasses = 100;
// Pulls that differ by less are equal but for rounding.
constexpr double kNoViolation = 1e-12;
// A block of pairs is left when this share of its first violation is left, or after so many pairs
// for each row.
constexpr double kViolationLeft = 0.1;
constexpr std::size_t kMostPairsPerRow = 10;
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
         const KernelBlocks& blocks, KernelRowCache& cache, std::vector<double> start,
         const KernelWatch& watch, ThreadPool& pool, LossType loss)
      : problem_(problem),
        options_(options),
        blocks_(blocks),
        cache_(cache),
        watch_(watch),
        pool_(pool),
        loss_(loss),
        m_(problem.rows()),
        unit_(1.0 / (problem.lambda * static_cast<double>(m_))),
        diagonal_(m_),
        a_(std::move(start)),
        seen_(m_, 0) {
    for (std::size_t i = 0; i < m_; ++i) diagonal_[i] = blocks_.diagonal(i);
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
    double target = kMargin * options_.tolerance;
    evaluate();
    while (!ended_) {
      const bool looks_done = gap() <= target;
      if ((looks_done || stands_still()) && report_.blocks % kBlocksPerReport == 0) {
        recompute();
        if (gap() <= options_.tolerance || in_vain_ == kMostInVain) break;
        if (looks_done) target *= 0.5;  // float32 promised too much
      }
      if (report_.blocks >= options_.most_blocks) break;
      if (!choose_block()) {  // nothing to gain, by scores kept up or by fresh ones
        if (report_.recomputed) break;
        recompute();
        if (gap() <= options_.tolerance || in_vain_ == kMostInVain) break;
        continue;
      }
      solve_block();
      move_scores();
      ++report_.blocks;
      report_.recomputed = false;
      if (watch_.interrupted && watch_.interrupted()) ended_ = interrupted_ = true;
      if (report_.blocks % kBlocksPerReport != 0) continue;
      evaluate();
      if (watch_.progress && watch_.progress(report_) == Verdict::stop) ended_ = true;
    }
    if (!report_.recomputed) recompute();
    if (best_gap_ < gap()) {
      a_ = best_a_;
      recompute();
    }
    return finish();
  }

 private:
  struct Candidate {
    double promise;
    RowId row;
  };

  // The strongest pulls of some rows.
  struct Pulls {
    double up = -kEndless;
    double down = kEndless;

    void include(double row_up, double row_down) {
      up = std::max(up, row_up);
      down = std::min(down, row_down);
    }
    double violation() const { return up - down; }
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
      const DualSlopes slopes = slopes_of(row);
      const double up = slopes.right - row.z;
      const double down = slopes.left - row.z;
      const auto id = static_cast<RowId>(i);
      const bool here = seen_[i] != 0;
      all.include(up, down);
      if (here) seen.include(up, down);
      if (up > -kEndless) (here ? up_ : new_up_).push_back({up, id});
      if (down < kEndless) (here ? down_ : new_down_).push_back({-down, id});
    }
    if (!(all.violation() > kNoViolation)) {
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
    gram_.resize(n * n);
    cache_.for_parts(block_, pool_, [&](std::size_t first, std::span<const float* const> rows) {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        double* to = gram_.data() + (first + r) * n;
        for (std::size_t c = 0; c < n; ++c) to[c] = unit_ * double{rows[r][block_[c]]};
        to[first + r] = unit_ * diagonal_[block_[first + r]];
      }
    });
    rows_.resize(n);
    for (std::size_t r = 0; r < n; ++r) rows_[r] = row_at(block_[r]);
    if (problem_.has_free_bias()) {
      move_pairs();
    } else {
      move_coordinates();
    }
  }

  // rows_[r].a has grown by step: the scores of the block follow.
  void shift_block(std::size_t r, double step) {
    const double* gram = gram_.data() + r * block_.size();
    for (std::size_t c = 0; c < block_.size(); ++c) rows_[c].z += step * gram[c];
  }

  void move_coordinates() {
    double gained = 0;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      double gained_now = 0;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        DualRow& row = rows_[r];
        const double to = best_dual_of_row(loss_, row);
        const double gain = dual_improvement(loss_, row, to);
        if (!(gain > 0)) continue;
        gained_now += gain;
        const double step = to - row.a;
        row.a = to;
        shift_block(r, step);
      }
      gained += gained_now;
      if (gained_now <= kPassNotWorthIt * gained) break;
    }
  }

  // Ends with the bias between the pulls that are left in this block.
  void move_pairs() {
    double first_violation = -1;
    Pulls pulls;
    for (std::size_t moves = 0; moves < kMostPairsPerRow * rows_.size(); ++moves) {
      std::size_t up = rows_.size();
      pulls = {};
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const DualSlopes slopes = slopes_of(rows_[r]);
        if (slopes.right - rows_[r].z > pulls.up) up = r;
        pulls.include(slopes.right - rows_[r].z, slopes.left - rows_[r].z);
      }
      if (up == rows_.size() || !(pulls.violation() > kNoViolation)) break;
      if (first_violation < 0) first_violation = pulls.violation();
      if (pulls.violation() <= kViolationLeft * first_violation && moves > 0) break;
      const std::size_t down = partner_of(up, pulls.up);
      if (down == rows_.size() || !move_pair(up, down)) break;
    }
    const double middle = 0.5 * (pulls.up + pulls.down);
    if (std::isfinite(middle)) b_ += middle;
  }

  DualSlopes slopes_of(const DualRow& row) const {
    if (row.s == 0.0) return {kEndless, -kEndless};
    return dual_slopes(loss_, row.a, row.y, row.s);
  }

  double curvature(std::size_t r, std::size_t c) const {
    const std::size_t n = block_.size();
    const double sum = gram_[r * n + r] + gram_[c * n + c] - 2 * gram_[r * n + c];
    return std::max(sum, 1e-12 * (gram_[r * n + r] + gram_[c * n + c]) + 1e-300);
  }

  std::size_t partner_of(std::size_t up, double pull) const {
    std::size_t best = rows_.size();
    double best_gain = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const double difference = pull - (slopes_of(rows_[r]).left - rows_[r].z);
      if (r == up || !(difference > 0)) continue;
      const double gain = difference * difference / curvature(up, r);
      if (gain > best_gain) {
        best_gain = gain;
        best = r;
      }
    }
    return best;
  }

  bool move_pair(std::size_t up, std::size_t down) {
    const double step = best_pair_step(loss_, rows_[up], rows_[down], curvature(up, down));
    if (!(step > 0)) return false;
    const double before_up = rows_[up].a;
    const double before_down = rows_[down].a;
    rows_[up].a = snapped(rows_[up], before_up + step);
    rows_[down].a = snapped(rows_[down], before_down - step);
    shift_block(up, rows_[up].a - before_up);
    shift_block(down, rows_[down].a - before_down);
    return true;
  }

  // A variable that stops a rounding short of its bound, or of zero, would be moved for ever.
  double snapped(const DualRow& row, double a) const {
    const double near = 1e-12 * row.s;
    if (std::abs(a) <= near) return 0.0;
    const double further = row.s * loss_.clamp((a + std::copysign(near, a)) / row.s, row.y);
    const bool at_bound = std::abs(further - a) < 0.5 * near;
    return at_bound ? further : row.s * loss_.clamp(a / row.s, row.y);
  }

  void move_scores() {
    changed_.clear();
    steps_.clear();
    for (std::size_t r = 0; r < block_.size(); ++r) {
      const double step = rows_[r].a - a_[block_[r]];
      if (step == 0.0) continue;
      changed_.push_back(block_[r]);
      steps_.push_back(step * unit_);
      a_[block_[r]] = rows_[r].a;
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
    scores_ = kernel_scores(blocks_, coefficients(), pool_);
    evaluate();
    report_.recomputed = true;
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
    report_.recomputed = false;
    report_.norm = std::sqrt(std::max(0.0, 2 * report_.primal.regulariser / problem_.lambda));
    report_.support_vectors = report_.bounded = 0;
    for (std::size_t i = 0; i < m_; ++i) {
      if (a_[i] == 0.0) continue;
      report_.support_vectors += problem_.copies_of(i);
      if (is_at_bound(loss_, a_[i], problem_.y[i], problem_.weight(i))) {
        report_.bounded += problem_.copies_of(i);
      }
    }
    reports_in_vain_ = gap() < kSomethingGained * kept_gap_ ? 0 : reports_in_vain_ + 1;
    kept_gap_ = std::min(kept_gap_, gap());
    report_.kernel_rows_used = cache_.used();
    report_.kernel_rows_computed = cache_.computed();
  }

  KernelResult finish() {
    KernelResult result;
    result.point = {coefficients(), b_};
    result.a = std::move(a_);
    result.report = report_;
    result.interrupted = interrupted_;
    return result;
  }

  const KernelProblem& problem_;
  const KernelSolverOptions& options_;
  const KernelBlocks& blocks_;
  KernelRowCache& cache_;
  const KernelWatch& watch_;
  ThreadPool& pool_;
  LossType loss_;
  std::size_t m_;
  double unit_;  // 1/(lambda m)
  std::vector<double> diagonal_;
  std::vector<double> a_;
  std::vector<double> scores_;  // f_i without the bias
  double b_ = 0.0;
  KernelReport report_;
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
  std::vector<double> gram_;  // K_BB/(lambda m)
  std::vector<DualRow> rows_;
  std::vector<RowId> changed_;
  std::vector<double> steps_;
  bool ended_ = false;
  bool interrupted_ = false;
};

}  // namespace

KernelResult ascend_kernel_dual(const KernelProblem& problem, const KernelSolverOptions& options,
                                const KernelWatch& watch, ThreadPool& pool, KernelStart start) {
  problem.validate();
  options.validate();
  if (!problem.kernel.is_positive_semidefinite()) {
    throw InvalidOption("kernel", name_of(problem.kernel.kind) +
                                      " is not known to be positive semidefinite, which dual "
                                      "ascent needs; Pegasos does without");
  }
  if (!start.a.empty() && start.a.size() != problem.rows()) {
    throw InvalidOption("start", "one dual variable per row is needed");
  }
  const KernelBlocks blocks(problem.kernel, problem.data, pool);
  KernelRowCache cache(blocks, options.cache_bytes);
  return with_loss(problem.loss, [&](const auto& loss) {
    return Ascent(problem, options, blocks, cache, std::move(start.a), watch, pool, loss).run();
  });
}

}  // namespace pegasos
