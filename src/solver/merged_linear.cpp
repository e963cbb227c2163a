#include "solver/merged_linear.h"

#include <utility>

#include "data/take_rows.h"

namespace pegasos {
namespace {

// Merging costs about a pass and a copy of the rows that are left.
constexpr double kMostLeft = 0.9;
constexpr std::size_t kFewestRows = 1000;

}  // namespace

std::optional<MergedLinear> MergedLinear::of(const LinearProblem& problem, ThreadPool& pool) {
  if (problem.rows() < kFewestRows) return std::nullopt;
  auto groups = group_equal_rows(problem.data, problem.y, kMostLeft, pool);
  if (!groups) return std::nullopt;
  return MergedLinear(problem, std::move(*groups));
}

MergedLinear::MergedLinear(const LinearProblem& original, RowGroups groups)
    : original_(original),
      groups_(std::move(groups)),
      data_(take_rows(original.data, groups_.firsts)),
      weights_(groups_.firsts.size()),
      copies_(groups_.firsts.size()) {
  y_.reserve(groups_.firsts.size());
  for (const RowId first : groups_.firsts) y_.push_back(original.y[first]);
  for (std::size_t i = 0; i < groups_.group_of.size(); ++i) {
    weights_[groups_.group_of[i]] += original.weight(i);
    ++copies_[groups_.group_of[i]];
  }
}

LinearProblem MergedLinear::problem() const {
  LinearProblem merged = original_;
  merged.data = data_;
  merged.y = y_;
  merged.weights = weights_;
  merged.copies = copies_;
  merged.total_rows = static_cast<std::uint64_t>(original_.m());
  return merged;
}

std::vector<double> MergedLinear::merged_duals(std::span<const double> a) const {
  std::vector<double> merged(y_.size());
  for (std::size_t i = 0; i < a.size(); ++i) merged[groups_.group_of[i]] += a[i];
  return merged;
}

std::vector<double> MergedLinear::duals_of_rows(std::span<const double> merged) const {
  std::vector<double> a(groups_.group_of.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const RowId group = groups_.group_of[i];
    if (weights_[group] > 0) a[i] = original_.weight(i) * (merged[group] / weights_[group]);
  }
  return a;
}

}  // namespace pegasos
