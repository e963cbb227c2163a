#include "learn/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "data/take_rows.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// Of all streams of a seed, one that no solver draws from.
constexpr std::uint64_t kStream = 0x666f6c6473;  // "folds"

// NaN after all numbers.
bool before(double a, double b) {
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

// The rows in the order in which they are dealt.
std::vector<RowId> order_of(std::span<const double> labels, Dealing dealing, std::uint64_t seed) {
  std::vector<RowId> order(labels.size());
  std::iota(order.begin(), order.end(), RowId{0});
  Random(seed, kStream).shuffle(std::span<RowId>(order));
  if (dealing == Dealing::stratified) {
    std::stable_sort(order.begin(), order.end(),
                     [&](RowId i, RowId j) { return before(labels[i], labels[j]); });
  }
  return order;
}

}  // namespace

std::vector<FoldId> deal_folds(std::span<const double> labels, std::size_t k, Dealing dealing,
                               std::uint64_t seed) {
  if (k < 2) throw InvalidOption("folds", "must be at least 2");
  if (k > labels.size()) {
    throw InvalidOption("folds",
                        fmt::format("{} folds are too many for {} rows", k, labels.size()));
  }
  const std::vector<RowId> order = order_of(labels, dealing, seed);
  std::vector<FoldId> folds(labels.size());
  for (std::size_t n = 0; n < order.size(); ++n) folds[order[n]] = static_cast<FoldId>(n % k);
  return folds;
}

std::vector<FoldId> deal_holdout(std::span<const double> labels, double share, Dealing dealing,
                                 std::uint64_t seed) {
  if (!(share > 0) || !(share < 1)) throw InvalidOption("holdout", "must be between 0 and 1");
  const auto rows = static_cast<double>(labels.size());
  const double held_out = std::round(share * rows);
  if (held_out < 1 || held_out >= rows) {
    throw InvalidOption(
        "holdout",
        fmt::format("a share of {} of {} rows leaves no rows on one side", share, labels.size()));
  }
  const std::vector<RowId> order = order_of(labels, dealing, seed);
  std::vector<FoldId> folds(labels.size(), 1);
  // Row n is held out where the count of those due, floor((n + 1) exact + 1/2), goes up.
  const double exact = held_out / rows;
  const auto due = [exact](std::size_t n) {
    return std::floor(static_cast<double>(n) * exact + 0.5);
  };
  for (std::size_t n = 0; n < order.size(); ++n) {
    if (due(n + 1) > due(n)) folds[order[n]] = 0;
  }
  return folds;
}

std::vector<RowId> rows_in(std::span<const FoldId> folds, FoldId fold) {
  std::vector<RowId> rows;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (folds[i] == fold) rows.push_back(static_cast<RowId>(i));
  }
  return rows;
}

FoldedRows::FoldedRows(const Dataset& data, std::span<const FoldId> folds, std::size_t splits)
    : all_(data.rows()), begin_(splits + 1) {
  std::vector<RowId> order(all_);
  std::iota(order.begin(), order.end(), RowId{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](RowId i, RowId j) { return folds[i] < folds[j]; });
  for (std::size_t k = 0; k <= splits; ++k) {
    const auto end =
        std::partition_point(order.begin(), order.end(), [&](RowId i) { return folds[i] < k; });
    begin_[k] = static_cast<std::size_t>(end - order.begin());
  }
  const std::size_t again = splits > 0 ? begin_[splits - 1] : 0;
  order.resize(all_ + again);
  std::copy_n(order.begin(), again, order.begin() + static_cast<std::ptrdiff_t>(all_));
  rows_ = take_rows(data, order, data.parts().residency);
}

FoldSplit FoldedRows::split(FoldId fold) const {
  const std::size_t begin = begin_.at(fold);
  const std::size_t end = begin_.at(fold + 1);
  return {rows_.slice(end, all_ - (end - begin)), rows_.slice(begin, end - begin)};
}

}  // namespace pegasos
