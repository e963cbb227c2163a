// The rows that promise most, out of many that are added one by one.
//
// Now and then all but the best so far are dropped. From then on what promises less than the worst
// of those is not even listed, which is most rows. What is left does not depend on the order of
// additions, so that rows may be listed in pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

class Shortlist {
 public:
  struct Candidate {
    double promise;
    RowId row;
  };

  // For the best `most`, at least one. Among rows that promise the same, `names` decides: what they
  // are called in the whole data.
  void begin(std::size_t most, std::span<const RowId> names) {
    list_.clear();
    most_ = most;
    names_ = names;
    least_ = -std::numeric_limits<double>::infinity();
  }

  void add(double promise, RowId row) {
    if (promise < least_) return;
    list_.push_back({promise, row});
    if (list_.size() >= kLength * most_) shorten();
  }
  void add(const Shortlist& others) {
    for (const Candidate& other : others.list_) add(other.promise, other.row);
  }

  // In no order.
  std::span<const Candidate> best() {
    shorten();
    return list_;
  }

 private:
  // Dropped when it is so many times as long as asked for.
  static constexpr std::size_t kLength = 4;

  void shorten() {
    if (list_.size() <= most_) return;
    const auto last = list_.begin() + static_cast<std::ptrdiff_t>(most_) - 1;
    std::nth_element(list_.begin(), last, list_.end(),
                     [this](const Candidate& a, const Candidate& b) {
                       if (a.promise != b.promise) return a.promise > b.promise;
                       return mixed(a.row) < mixed(b.row);
                     });
    least_ = last->promise;
    list_.resize(most_);
  }

  // An order that does not follow that of the file, where the classes may be sorted.
  RowId mixed(RowId row) const { return names_[row] * 0x9e3779b1U; }

  std::vector<Candidate> list_;
  std::size_t most_ = 1;
  std::span<const RowId> names_;
  double least_ = -std::numeric_limits<double>::infinity();  // no less gets in
};

}  // namespace pegasos
