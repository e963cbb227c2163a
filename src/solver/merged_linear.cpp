#include "solver/merged_linear.h"

#include <numeric>
#include <utility>
#include <vector>

#include "data/take_rows.h"

namespace pegasos {
namespace {

// Merging costs about a pass and a copy of the rows that are left.
constexpr double kMostLeft = 0.9;
constexpr std::size_t kFewestRows = 1000;

// Puts groups of equal length side by side: loops over rows of one length after another run without
// mispredicted ends, which cost short rows half of their time.
RowGroups by_length(const Dataset& data, RowGroups groups) {
  if (data.is_dense()) return groups;
  const auto length_of = [&](RowId first) { return data.row(first).values.size(); };
  std::vector<std::size_t> places;  // by length: where its next group goes
  for (const RowId first : groups.firsts) {
    const std::size_t length = length_of(first);
    if (places.size() <= length + 1) places.resize(length + 2);
    ++places[length + 1];
  }
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<RowId> number_of(groups.firsts.size());
  std::vector<RowId> firsts(groups.firsts.size());
  for (std::size_t group = 0; group < groups.firsts.size(); ++group) {
    const std::size_t place = places[length_of(groups.firsts[group])]++;
    number_of[group] = static_cast<RowId>(place);
    firsts[place] = groups.firsts[group];
  }
  for (RowId& group : groups.group_of) group = number_of[group];
  groups.firsts = std::move(firsts);
  return groups;
}

}  // namespace

std::optional<MergedLinear> MergedLinear::of(const LinearProblem& problem, ThreadPool& pool) {
  // Rows in a file are not copied.
  if (problem.rows() < kFewestRows || problem.data.is_paged()) return std::nullopt;
  auto groups = group_equal_rows(problem.data, problem.y, kMostLeft, pool);
  if (!groups) return std::nullopt;
  return MergedLinear(problem, by_length(problem.data, std::move(*groups)));
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
