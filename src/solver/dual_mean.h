// A running mean of the dual variables of an ascent.
//
// Near the end of a run the weights swing around the optimum, which the objective feels far more
// than the bound: w(mean of a) is nearer to it than w(a). The mean is kept over the duals and not
// over the weights because an epoch then costs a few operations for each row it visits, however
// many features there are, and because the mean of feasible duals is feasible.
//
// All rows must be averaged over the same epochs, or their sum is no mean of weights at all: a row
// that the ascent leaves out settles here until its mean has arrived at its dual.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

class DualMean {
 public:
  void begin(std::vector<double> a) { values_ = std::move(a); }
  void resize(std::size_t rows) { values_.resize(rows); }

  // A row was visited; its dual is now a.
  void visit(RowId i, double a) { values_[i] += share_ * (a - values_[i]); }
  // The row will not be visited for a while, and its dual stays a.
  void leave_out(RowId i, double a) {
    if (values_[i] != a) settling_.push_back(i);
  }
  void prefetch(RowId i) const { __builtin_prefetch(&values_[i], 1); }

  // Other rows are visited from now on: none is left out but those that are named again.
  void restart_settling() { settling_.clear(); }

  // After an epoch. `estimate` is what its visits say about the gap: while it falls fast, old duals
  // only spoil the mean, which starts anew. Returns what is left of the last epoch's estimate.
  double end_epoch(const std::vector<double>& a, double estimate) {
    const auto settles = [&](RowId i) {
      visit(i, a[i]);
      const bool arrived = std::abs(values_[i] - a[i]) <= kArrived * std::abs(a[i]);
      if (arrived) values_[i] = a[i];
      return arrived;
    };
    settling_.erase(std::remove_if(settling_.begin(), settling_.end(), settles), settling_.end());
    const double last = std::exchange(last_estimate_, estimate);
    slow_epochs_ = estimate > kSlow * last ? slow_epochs_ + 1 : 0;
    share_ = std::max(kLeastShare, 1.0 / static_cast<double>(slow_epochs_ + 1));
    return std::isfinite(last) && last > 0.0 ? estimate / last : 1.0;
  }

  // Enough epochs are in it for the mean to be better than the last duals.
  bool is_ready() const { return slow_epochs_ >= kEnoughEpochs; }
  const std::vector<double>& values() const { return values_; }

  template <typename Archive>
  void archive(Archive& a) {
    a.fixed(values_);
    a(share_, last_estimate_, slow_epochs_);
  }

  static constexpr std::uint64_t kEnoughEpochs = 4;

 private:
  static constexpr double kSlow = 0.7;        // of the last epoch's estimate is left
  static constexpr double kLeastShare = 0.2;  // of the last duals in the mean
  static constexpr double kArrived = 1e-12;

  std::vector<double> values_;
  std::vector<RowId> settling_;
  double share_ = 1.0;
  double last_estimate_ = std::numeric_limits<double>::infinity();
  std::uint64_t slow_epochs_ = 0;
};

}  // namespace pegasos
