#include "solver/merged_rows.h"

#include <map>
#include <utility>

#include "data/row_table.h"
#include "data/take_rows.h"

namespace pegasos {
namespace {

// Merging is worth its copy of the rows when it leaves at most this share of them.
constexpr double kWorthIt = 0.97;
constexpr std::size_t kRowsBetweenPolls = 256;

}  // namespace

std::optional<MergedRows> MergedRows::of(const KernelProblem& problem,
                                         const std::function<bool()>& stop) {
  if (problem.kernel.kind == KernelKind::precomputed) return std::nullopt;
  // The weights of groups are shares of these rows, not of a larger problem's.
  if (problem.total_rows > problem.rows()) return std::nullopt;
  MergedRows merged(problem);
  RowTable table;
  std::map<std::pair<std::size_t, double>, RowId> groups;  // by place in the table, and target
  std::vector<RowId> firsts;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    if (i % kRowsBetweenPolls == 0 && stop && stop()) return std::nullopt;
    const std::size_t place = table.add(problem.data.row(i));
    const auto [group, is_new] =
        groups.try_emplace({place, problem.y[i]}, static_cast<RowId>(firsts.size()));
    merged.group_of_.push_back(group->second);
    if (!is_new) continue;
    firsts.push_back(static_cast<RowId>(i));
    merged.y_.push_back(problem.y[i]);
  }
  const auto m = static_cast<double>(problem.rows());
  const auto n = static_cast<double>(firsts.size());
  if (n > kWorthIt * m) return std::nullopt;
  merged.weights_.assign(firsts.size(), 0.0);
  merged.copies_.assign(firsts.size(), 0);
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    merged.weights_[merged.group_of_[i]] += problem.weight(i) * n / m;
    ++merged.copies_[merged.group_of_[i]];
  }
  merged.data_ = take_rows(problem.data, firsts);
  merged.firsts_ = std::move(firsts);
  return merged;
}

KernelProblem MergedRows::problem() const {
  KernelProblem merged = original_;
  merged.data = data_;
  merged.y = y_;
  merged.weights = weights_;
  merged.copies = copies_;
  return merged;
}

std::vector<double> MergedRows::merged_duals(std::span<const double> a) const {
  std::vector<double> merged(y_.size(), 0.0);
  const double share = static_cast<double>(y_.size()) / static_cast<double>(group_of_.size());
  for (std::size_t i = 0; i < a.size(); ++i) merged[group_of_[i]] += share * a[i];
  return merged;
}

KernelScores MergedRows::scores_of_rows(const KernelScores& merged) const {
  KernelScores scores;
  if (merged.values.empty()) return scores;
  scores.coefficients.assign(group_of_.size(), 0.0);
  for (std::size_t g = 0; g < firsts_.size(); ++g) {
    scores.coefficients[firsts_[g]] = merged.coefficients[g];
  }
  for (const RowId group : group_of_) {
    scores.values.push_back(merged.values[group]);
    scores.errors.push_back(merged.errors[group]);
  }
  return scores;
}

std::vector<double> MergedRows::duals_of_rows(std::span<const double> merged) const {
  std::vector<double> a(group_of_.size(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const RowId group = group_of_[i];
    if (weights_[group] > 0) a[i] = original_.weight(i) * (merged[group] / weights_[group]);
  }
  return a;
}

}  // namespace pegasos
