// The dual of a kernel machine over one block of rows, all others fixed: the inner problem of block
// dual ascent, on the small matrix K_BB/(lambda m).
//
// Without a bias it is climbed coordinate by coordinate; with one in pairs, the most violating row
// up and the one that gains most with it down, as SMO does (Platt 1998; the choice of the second by
// Fan, Chen, Lin 2005).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "math/coordinate_steps.h"
#include "simd/pairs.h"

namespace pegasos {

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

template <typename LossType>
DualSlopes slopes_of_row(const LossType& loss, const DualRow& row) {
  if (row.s == 0.0) return {kEndless, -kEndless};
  return dual_slopes(loss, row.a, row.y, row.s);
}

template <typename LossType>
class KernelBlock {
 public:
  // Pulls that differ by less are equal but for rounding.
  static constexpr double kNoViolation = 1e-12;

  explicit KernelBlock(LossType loss) : loss_(loss) {}

  // Begins with so many rows, whose values are to be filled in. Of the small matrix only the rows
  // that move are asked for, once each: to a block of hundreds that is few of them.
  using GramRow = std::function<void(std::size_t r, std::span<double> to)>;
  void begin(std::size_t rows, GramRow gram_row) {
    rows_.resize(rows);
    width_ = (rows + simd::kPairLanes - 1) / simd::kPairLanes * simd::kPairLanes;
    gram_.resize(rows * width_);
    is_known_.assign(rows, 0);
    gram_row_ = std::move(gram_row);
  }
  DualRow& row(std::size_t r) { return rows_[r]; }
  const DualRow& row(std::size_t r) const { return rows_[r]; }

  // Without a free bias every row moves alone, those that gain enough in turn.
  void move_coordinates() {
    double most = 0;
    for (const DualRow& row : rows_) {
      most = std::max(most, dual_improvement(loss_, row, best_dual_of_row(loss_, row)));
    }
    const double enough = kGainLeft * most;
    bool moved = most > 0;
    for (int pass = 0; moved && pass < kMostPasses; ++pass) {
      moved = false;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        DualRow& row = rows_[r];
        const double to = best_dual_of_row(loss_, row);
        if (!(dual_improvement(loss_, row, to) >= enough)) continue;
        const double step = to - row.a;
        row.a = to;
        shift(r, step);
        moved = true;
      }
    }
  }

  // With a free bias. Returns how far the bias has to move to be between the pulls that are left.
  double move_pairs() {
    list_pairs();
    double first_violation = -1;
    Pulls pulls;
    for (std::size_t moves = 0; moves < kMostPairsPerRow * rows_.size(); ++moves) {
      const simd::StrongestPulls strongest = simd::strongest_pulls(pull_rows());
      const std::size_t up = strongest.first_up;
      pulls = {strongest.up, strongest.down};
      if (up >= rows_.size() || !(pulls.violation() > kNoViolation)) break;
      // Gains that are endlessly steep at 0 have no violation to compare with until all have left.
      if (first_violation < 0 && std::isfinite(pulls.violation())) {
        first_violation = pulls.violation();
      }
      if (pulls.violation() <= kViolationLeft * first_violation && moves > 0) break;
      const std::size_t down = simd::best_partner(pull_rows(), {up, pulls.up, q_.data(), gram(up)});
      if (down >= rows_.size() || !move_pair(up, down)) break;
    }
    for (std::size_t r = 0; r < rows_.size(); ++r) rows_[r].z = z_[r];
    const double middle = 0.5 * (pulls.up + pulls.down);
    return std::isfinite(middle) ? middle : 0.0;
  }

 private:
  // The block is left when half of its first violation is left, which for a row that moves alone is
  // a quarter of the first gain: the next block changes the optimum anyway, and rows that pull less
  // are better left to it than moved now and moved back. At a tenth it takes twice the blocks.
  static constexpr double kViolationLeft = 0.5;
  static constexpr double kGainLeft = kViolationLeft * kViolationLeft;
  // Or after so many passes, or pairs for each row.
  static constexpr int kMostPasses = 100;
  static constexpr std::size_t kMostPairsPerRow = 10;

  // Row r of the small matrix.
  const double* gram(std::size_t r) {
    double* const row = gram_.data() + r * width_;
    if (is_known_[r] == 0) {
      gram_row_(r, {row, rows_.size()});
      std::fill(row + rows_.size(), row + width_, 0.0);
      is_known_[r] = 1;
    }
    return row;
  }

  // rows_[r].a has grown by step: the scores of the block follow.
  void shift(std::size_t r, double step) {
    const double* gram = this->gram(r);
    for (std::size_t c = 0; c < rows_.size(); ++c) rows_[c].z += step * gram[c];
  }

  // What the search for pairs goes through, one array a fact. What fills up the last vector is not
  // pulled.
  void list_pairs() {
    right_.assign(width_, -kEndless);
    left_.assign(width_, kEndless);
    z_.assign(width_, 0.0);
    q_.assign(width_, 0.0);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      z_[r] = rows_[r].z;
      q_[r] = rows_[r].q;
      list_slopes(r);
    }
  }
  void list_slopes(std::size_t r) {
    const DualSlopes slopes = slopes_of_row(loss_, rows_[r]);
    right_[r] = slopes.right;
    left_[r] = slopes.left;
  }
  simd::PullRows pull_rows() { return {right_.data(), left_.data(), z_.data(), width_}; }

  bool move_pair(std::size_t up, std::size_t down) {
    DualRow& of_up = rows_[up];
    DualRow& of_down = rows_[down];
    of_up.z = z_[up];
    of_down.z = z_[down];
    const double curvature = simd::curvature_of_pair(of_up.q, of_down.q, gram(up)[down]);
    const double step = best_pair_step(loss_, of_up, of_down, curvature);
    if (!(step > 0)) return false;
    const double a_up = snapped(of_up, of_up.a + step);
    const double a_down = snapped(of_down, of_down.a - step);
    const double* const gram_up = gram(up);
    const double* const gram_down = gram(down);
    simd::add_two(pull_rows(), a_up - of_up.a, gram_up, a_down - of_down.a, gram_down);
    of_up.a = a_up;
    of_down.a = a_down;
    list_slopes(up);
    list_slopes(down);
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

  LossType loss_;
  std::vector<DualRow> rows_;
  std::size_t width_ = 0;     // of the following arrays: rows_.size() or a little more
  std::vector<double> gram_;  // K_BB/(lambda m), as far as it is known
  std::vector<char> is_known_;
  GramRow gram_row_;
  std::vector<double> right_, left_, z_, q_;  // of pairs
};

}  // namespace pegasos
