// Block dual ascent on some rows of a kernel problem, the others being at rest.
//
// The scores f_i of these rows are kept up to date, so that what a step at any of them would gain,
// and the objective, cost no kernel value. One round:
//
//   1. the rows whose own step gains most become the block B, those seen before first
//   2. the dual climbs over a_B alone, on the small matrix K_BB (kernel_block.h), of which only the
//      rows that move are filled in: out of the rows of K, which are computed together or are in
//      the cache, or, where values are cheap, by themselves
//   3. the scores move by the rows of K whose a changed, in one sweep
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "data/take_rows.h"
#include "math/coordinate_steps.h"
#include "simd/panels.h"
#include "solver/active_rows.h"
#include "solver/kernel_block.h"
#include "solver/kernel_row_cache.h"
#include "solver/shortlist.h"

namespace pegasos {

// What a part knows of its rows.
struct KernelPartState {
  std::vector<double> a = {};
  std::vector<double> scores = {};  // f_i without the bias
  // Rows that were in a block, and so in the cache if it is large enough. The cache is not asked:
  // its size must not change what is done.
  std::vector<char> seen = {};

  template <typename Archive>
  void archive(Archive& archive) {
    archive.fixed(a);
    archive.fixed(scores);
    archive.fixed(seen);
  }
};

// Does a row have a say, or may it have one when its score has moved by `far`?
template <typename LossType>
bool matters(const LossType& loss, const DualRow& row, double far) {
  if (row.a != 0.0) return true;
  const DualSlopes slopes = slopes_of_row(loss, row);
  return slopes.right - row.z > -far || slopes.left - row.z < far;
}

template <typename LossType>
class KernelPart {
 public:
  // `of_all`: kernel values of all rows, which serve as long as no row is left out.
  KernelPart(const KernelProblem& whole, const KernelBlocks& of_all, std::vector<RowId> rows,
             std::uint64_t cache_bytes, KernelPartState at, ThreadPool& pool, LossType loss)
      : state(std::move(at)),
        active_(whole, std::move(rows)),
        unit_(1.0 / (whole.lambda * whole.m())),
        own_blocks_(active_.size() == whole.rows()
                        ? nullptr
                        : std::make_unique<KernelBlocks>(whole.kernel, problem().data, pool)),
        cache_(own_blocks_ ? *own_blocks_ : of_all, cache_bytes),
        pool_(pool),
        loss_(loss),
        diagonal_(active_.size()),
        inner_(loss) {
    const KernelBlocks& blocks = own_blocks_ ? *own_blocks_ : of_all;
    for (std::size_t i = 0; i < diagonal_.size(); ++i) diagonal_[i] = blocks.diagonal(i);
  }

  KernelPart(const KernelPart&) = delete;
  KernelPart& operator=(const KernelPart&) = delete;

  KernelPartState state;

  const KernelProblem& problem() const { return active_.problem(); }
  const ActiveRows& active() const { return active_; }
  const KernelRowCache& cache() const { return cache_; }

  double diagonal(std::size_t i) const { return diagonal_[i]; }
  DualRow row_at(std::size_t i, double b) const {
    return {state.a[i], state.scores[i] + b, problem().y[i], problem().weight(i),
            diagonal_[i] * unit_};
  }

  // Goes on without the other rows, which are at rest: places in active(), ascending.
  void keep(const KernelProblem& whole, std::span<const RowId> kept) {
    std::vector<RowId> rows;
    KernelPartState some;
    std::vector<double> diagonal;
    for (const RowId k : kept) {
      rows.push_back(active_.rows()[k]);
      some.a.push_back(state.a[k]);
      some.scores.push_back(state.scores[k]);
      some.seen.push_back(state.seen[k]);
      diagonal.push_back(diagonal_[k]);
    }
    active_ = ActiveRows(whole, std::move(rows));
    state = std::move(some);
    diagonal_ = std::move(diagonal);
    auto blocks = std::make_unique<KernelBlocks>(whole.kernel, problem().data, pool_);
    cache_.keep(kept, *blocks, pool_);
    own_blocks_ = std::move(blocks);
  }

  // How many rows were in the block, 0 if there is nothing to gain; b moves with the block.
  std::size_t round(double& b) {
    if (!choose_block(b)) return 0;
    solve_block(b);
    move_scores();
    return block_.size();
  }

 private:
  // A block has a tenth of the rows that were ever in one, whole panels of them, within limits.
  // Larger blocks take fewer rounds, each of which looks at all rows, but spend more of their rows
  // on what their neighbours would have settled: with few support vectors, on most of them.
  static constexpr std::size_t kSeenPerBlockRow = 10;
  static constexpr std::size_t kFewestRows = 2 * simd::kPanelWidth;
  static constexpr std::size_t kMostRows = 8 * simd::kPanelWidth;
  // Rows that were in a block before are enough for the next as long as the best of them gains this
  // share of what the best of all would: to compute a row costs ten to thirty times what the use of
  // one in the cache does.
  static constexpr double kGoodEnough = 0.3;
  // Scores are moved, and rows listed, in pieces, one task each.
  static constexpr std::size_t kScoresPerTask = 4096;
  static constexpr std::size_t kRowsPerListing = 8192;

  // What some rows promise, by direction; "new" ones were in no block before. Pulls of a row that
  // moves alone are its gain and 0.
  struct Listing {
    Shortlist up, down, new_up, new_down;
    Pulls seen, all;

    void begin(std::size_t most, std::span<const RowId> names) {
      for (Shortlist* list : {&up, &down, &new_up, &new_down}) list->begin(most, names);
      seen = all = {};
    }
    void include(double row_up, double row_down, bool here) {
      all.include(row_up, row_down);
      if (here) seen.include(row_up, row_down);
    }
    void add(const Listing& others) {
      up.add(others.up);
      down.add(others.down);
      new_up.add(others.new_up);
      new_down.add(others.new_down);
      seen.include(others.seen.up, others.seen.down);
      all.include(others.all.up, others.all.down);
    }
  };

  std::size_t block_rows() const {
    const auto seen = static_cast<std::size_t>(std::count(state.seen.begin(), state.seen.end(), 1));
    const std::size_t rows = seen / kSeenPerBlockRow;
    return std::clamp(rows - rows % simd::kPanelWidth, kFewestRows, kMostRows);
  }

  // The rows that promise most, as many that go up as that go down: one class alone would
  // overshoot, and the other would have to bring it back. False if there is nothing to gain.
  bool choose_block(double b) {
    block_.clear();
    const bool in_pairs = problem().has_free_bias();
    Listing& listing = list_rows(b, block_rows() / 2, in_pairs);
    if (in_pairs && !(listing.all.violation() > KernelBlock<LossType>::kNoViolation)) return false;
    if (!(listing.seen.violation() > kGoodEnough * listing.all.violation())) {
      listing.up.add(listing.new_up);
      listing.down.add(listing.new_down);
    }
    for (Shortlist* list : {&listing.up, &listing.down}) {
      for (const Shortlist::Candidate& candidate : list->best()) block_.push_back(candidate.row);
    }
    std::sort(block_.begin(), block_.end());
    block_.erase(std::unique(block_.begin(), block_.end()), block_.end());
    for (const RowId row : block_) state.seen[row] = 1;
    return !block_.empty();
  }

  // The best of all rows; which ones these are does not depend on the tasks.
  Listing& list_rows(double b, std::size_t most, bool in_pairs) {
    const std::size_t tasks = (active_.size() + kRowsPerListing - 1) / kRowsPerListing;
    listings_.resize(std::max<std::size_t>(1, tasks));
    for (Listing& listing : listings_) listing.begin(most, active_.rows());
    pool_.for_each(tasks, [&](std::size_t task) {
      const std::size_t begin = task * kRowsPerListing;
      const std::size_t end = std::min(active_.size(), begin + kRowsPerListing);
      in_pairs ? list_pulls(b, begin, end, listings_[task])
               : list_gains(b, begin, end, listings_[task]);
    });
    for (std::size_t t = 1; t < tasks; ++t) listings_.front().add(listings_[t]);
    return listings_.front();
  }

  // Lists rows by what their own steps would gain.
  void list_gains(double b, std::size_t begin, std::size_t end, Listing& listing) const {
    for (std::size_t i = begin; i < end; ++i) {
      const DualRow row = row_at(i, b);
      const double to = best_dual_of_row(loss_, row);
      const double gain = dual_improvement(loss_, row, to);
      if (!(gain > 0)) continue;
      const bool here = state.seen[i] != 0;
      listing.include(gain, 0.0, here);
      auto& list = to > row.a ? (here ? listing.up : listing.new_up)
                              : (here ? listing.down : listing.new_down);
      list.add(gain, static_cast<RowId>(i));
    }
  }

  // With a free bias no row moves alone: lists rows by how strongly the dual pulls them up or down.
  // A pair gains if the pull on the one that goes up is the stronger.
  void list_pulls(double b, std::size_t begin, std::size_t end, Listing& listing) const {
    for (std::size_t i = begin; i < end; ++i) {
      const DualRow row = row_at(i, b);
      const DualSlopes slopes = slopes_of_row(loss_, row);
      const double up = slopes.right - row.z;
      const double down = slopes.left - row.z;
      const auto id = static_cast<RowId>(i);
      const bool here = state.seen[i] != 0;
      listing.include(up, down, here);
      if (up > -kEndless) (here ? listing.up : listing.new_up).add(up, id);
      if (down < kEndless) (here ? listing.down : listing.new_down).add(-down, id);
    }
  }

  void solve_block(double& b) {
    if (cache_.blocks().is_cheap()) {
      compute_gram_rows();
    } else {
      gather_gram_rows();
    }
    for (std::size_t r = 0; r < block_.size(); ++r) inner_.row(r) = row_at(block_[r], b);
    if (problem().has_free_bias()) {
      b += inner_.move_pairs();
    } else {
      inner_.move_coordinates();
    }
  }

  // Rows of K_BB by themselves. Only rows of K whose a changes are then computed whole.
  void compute_gram_rows() {
    among_block_ =
        std::make_unique<KernelBlocks>(problem().kernel, take_rows(problem().data, block_), pool_);
    among_block_->arrange();
    gram_row_.resize(block_.size());
    inner_.begin(block_.size(), [this](std::size_t r, std::span<double> to) {
      among_block_->arranged_row(r, gram_row_);
      for (std::size_t c = 0; c < to.size(); ++c) to[c] = unit_ * double{gram_row_[c]};
      to[r] = unit_ * diagonal_[block_[r]];
    });
  }

  // Rows of K_BB out of those of K, which are computed together if the cache holds so many.
  void gather_gram_rows() {
    if (block_.size() <= cache_.capacity()) cache_.prepare(block_, pool_);
    inner_.begin(block_.size(), [this](std::size_t r, std::span<double> to) {
      const float* row = nullptr;
      cache_.fetch({&block_[r], 1}, {&row, 1}, pool_);
      for (std::size_t c = 0; c < to.size(); ++c) to[c] = unit_ * double{row[block_[c]]};
      to[r] = unit_ * diagonal_[block_[r]];
    });
  }

  void move_scores() {
    changed_.clear();
    unchanged_.clear();
    steps_.clear();
    for (std::size_t r = 0; r < block_.size(); ++r) {
      const double a = inner_.row(r).a;
      const double step = a - state.a[block_[r]];
      if (step == 0.0) {
        unchanged_.push_back(block_[r]);
        continue;
      }
      changed_.push_back(block_[r]);
      steps_.push_back(step * unit_);
      state.a[block_[r]] = a;
    }
    cache_.prepare_panels(changed_, unchanged_, pool_);
    const std::size_t m = active_.size();
    cache_.for_parts(changed_, pool_, [&](std::size_t first, std::span<const float* const> rows) {
      pool_.for_each((m + kScoresPerTask - 1) / kScoresPerTask, [&](std::size_t task) {
        const std::size_t begin = task * kScoresPerTask;
        const std::size_t size = std::min(kScoresPerTask, m - begin);
        std::vector<const float*> parts(rows.begin(), rows.end());
        for (auto& part : parts) part += begin;
        simd::add_rows(std::span(state.scores).subspan(begin, size), parts, steps_.data() + first);
      });
    });
  }

  ActiveRows active_;
  double unit_;  // 1/(lambda m)
  std::unique_ptr<KernelBlocks> own_blocks_;
  KernelRowCache cache_;
  ThreadPool& pool_;
  LossType loss_;
  std::vector<double> diagonal_;
  std::vector<Listing> listings_;
  std::vector<RowId> block_;
  KernelBlock<LossType> inner_;  // the problem of the block
  std::unique_ptr<KernelBlocks> among_block_;
  std::vector<float> gram_row_;
  std::vector<RowId> changed_;
  std::vector<RowId> unchanged_;
  std::vector<double> steps_;
};

}  // namespace pegasos
