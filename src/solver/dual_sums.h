// The dual variables that sub-gradient steps produce, for Pegasos on linear, joint and kernel
// problems.
//
// S_i sums the slopes u/R taken at row i, where u is minus a sub-gradient of the row's loss and R
// the product of the projection factors so far (of K classes: K sums per row). Every u is a
// feasible dual, hence so is their mean over the visits to the row,
//
//   a_i = R S_i / (visits to row i).
//
// Where a sampler visits every row once per epoch, the visits are the epochs, and w(a) is exactly
// the iterate w. A mean over the later epochs alone leaves the wild first ones out and is a tighter
// bound; for that the sums are remembered at epochs 1, 2, 4, …, so that there is always a memory
// of between a quarter and half of the way.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

class DualSums {
 public:
  enum class Divisor { epochs, visits };

  DualSums(std::size_t rows, std::size_t per_row, Divisor divisor)
      : per_row_(per_row), sums_(rows * per_row) {
    if (divisor == Divisor::visits) visits_.assign(rows, 0);
  }

  void visit(RowId i) {
    if (!visits_.empty()) ++visits_[i];
  }
  void add(RowId i, double c) { sums_[i] += c; }
  void add(RowId i, std::size_t of_class, double c) { sums_[i * per_row_ + of_class] += c; }
  void prefetch(RowId i) const { __builtin_prefetch(&sums_[i], 1); }

  // R is 1 from now on: it is multiplied into everything that is kept relative to it.
  void fold(double R) {
    for (auto* sums : {&sums_, &earlier_.sums, &later_.sums}) {
      for (auto& sum : *sums) sum *= R;
    }
  }

  // As if `a` were the mean of so many epochs before.
  void begin_with(std::span<const double> a, std::uint64_t epochs) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] = static_cast<double>(epochs) * a[i];
    std::fill(visits_.begin(), visits_.end(), static_cast<std::uint32_t>(epochs));
  }

  // To be called after every whole epoch.
  void epoch_done(std::uint64_t epoch) {
    if (!std::has_single_bit(epoch)) return;
    earlier_ = std::move(later_);
    later_ = {sums_, visits_, epoch};
  }

  std::span<const double> sums() const { return sums_; }

  // The mean of all slopes. `epochs` is the divisor where visits are not counted.
  std::vector<double> mean(double R, double epochs) const {
    std::vector<double> a(sums_.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      const double visits = visits_.empty() ? epochs : visits_[k / per_row_];
      if (visits > 0) a[k] = R * sums_[k] / visits;
    }
    return a;
  }

  // The mean of the slopes since the earlier memory, or nothing where there is none.
  std::vector<double> recent_mean(double R, double epochs) const {
    std::vector<double> a;
    if (earlier_.sums.empty()) return a;
    a.resize(sums_.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      const double visits = visits_.empty() ? epochs - static_cast<double>(earlier_.epoch)
                                            : visits_[k / per_row_] - earlier_.visits[k / per_row_];
      if (visits > 0) a[k] = R * (sums_[k] - earlier_.sums[k]) / visits;
    }
    return a;
  }

  template <typename Archive>
  void archive(Archive& a) {
    a.fixed(sums_);
    a.fixed(visits_);
    a(earlier_, later_);
  }

 private:
  struct Memory {
    std::vector<double> sums = {};
    std::vector<std::uint32_t> visits = {};
    std::uint64_t epoch = 0;

    template <typename Archive>
    void archive(Archive& a) {
      a(sums, visits, epoch);
    }
  };

  std::size_t per_row_;
  std::vector<double> sums_;
  std::vector<std::uint32_t> visits_;  // where they are counted
  Memory earlier_;
  Memory later_;
};

}  // namespace pegasos
