// Rows ranked by score, and the areas under the ROC and precision-recall curves.
//
// Going down through the scores, more and more rows are called positive: `true_positive` and
// `false_positive` grow with every group of equal scores, and each group is a point of both curves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "eval/checks.h"

namespace pegasos {

struct Ranking {
  std::vector<std::uint32_t> order;     // rows by descending score; none of units of rows
  std::vector<std::uint8_t> positive;   // is the row at this place
  std::vector<std::uint8_t> group_end;  // is this place the last with its score

  std::size_t rows() const { return positive.size(); }
};

Ranking rank_rows(std::span<const bool> positive, std::span<const double> scores);

struct Areas {
  double roc = kUndefined;
  double precision_recall = kUndefined;
};

// weight(place): how much the row at this place of the order counts.
template <typename Weight>
Areas areas_under(const Ranking& ranking, const Weight& weight) {
  constexpr double kTiny = std::numeric_limits<double>::min();
  double true_positive = 0;
  double false_positive = 0;
  double true_before = 0;
  double false_before = 0;
  double pairs_won = 0;
  double precisions = 0;
  for (std::size_t place = 0; place < ranking.rows(); ++place) {
    const double w = weight(place);
    const double is_positive = ranking.positive[place];
    true_positive += w * is_positive;
    false_positive += w * (1.0 - is_positive);
    if (ranking.group_end[place] == 0) continue;
    // Negative rows lose against all positive ones above and against half of those beside them
    // (Mann and Whitney 1947).
    const double more = true_positive - true_before;
    pairs_won += (false_positive - false_before) * (true_before + 0.5 * more);
    precisions += more * true_positive / std::max(true_positive + false_positive, kTiny);
    true_before = true_positive;
    false_before = false_positive;
  }
  Areas areas;
  if (true_positive > 0) areas.precision_recall = precisions / true_positive;
  if (true_positive > 0 && false_positive > 0) {
    areas.roc = pairs_won / (true_positive * false_positive);
  }
  return areas;
}

}  // namespace pegasos
