#include "eval/ranking.h"

#include <algorithm>
#include <utility>

#include "pegasos/metrics.h"

namespace pegasos {
namespace {

// Points no closer to one another than the length allows; the first and the last always stay.
class Thinner {
 public:
  Thinner(std::size_t most_points, double length)
      : step_(length / static_cast<double>(std::max<std::size_t>(most_points, 3) - 2)) {}

  void add(const CurvePoint& point, double along) {
    last_ = point;
    pending_ = true;
    if (!points_.empty() && along - kept_at_ < step_) return;
    keep(along);
  }

  std::vector<CurvePoint> finish() {
    if (pending_) keep(0.0);
    return std::move(points_);
  }

 private:
  void keep(double along) {
    points_.push_back(last_);
    kept_at_ = along;
    pending_ = false;
  }

  double step_;
  double kept_at_ = 0.0;
  bool pending_ = false;
  CurvePoint last_;
  std::vector<CurvePoint> points_;
};

// Calls at_group(true_positive, false_positive, score) after every group of equal scores.
template <typename AtGroup>
void walk(const Ranking& ranking, std::span<const double> scores, const RowWeights& weight,
          const AtGroup& at_group) {
  double counts[2] = {0, 0};
  for (std::size_t place = 0; place < ranking.rows(); ++place) {
    const std::size_t row = ranking.order[place];
    counts[ranking.positive[place]] += weight(row);
    if (ranking.group_end[place] != 0) at_group(counts[1], counts[0], scores[row]);
  }
}

struct Totals {
  double positive = 0.0;
  double negative = 0.0;
};

Totals totals_of(std::span<const bool> positive, const RowWeights& weight) {
  Totals totals;
  for (std::size_t i = 0; i < positive.size(); ++i) {
    (positive[i] ? totals.positive : totals.negative) += weight(i);
  }
  return totals;
}

Areas areas_of(const Ranking& ranking, const RowWeights& weight) {
  return areas_under(ranking, [&](std::size_t place) { return weight(ranking.order[place]); });
}

Ranking checked_ranking(std::span<const bool> positive, std::span<const double> scores,
                        std::span<const double> weights) {
  check_weights(weights, positive.size());
  return rank_rows(positive, scores);
}

}  // namespace

Ranking rank_rows(std::span<const bool> positive, std::span<const double> scores) {
  check_numbers(scores, positive.size(), "scores");
  // Sorting pairs is kinder to the cache than sorting places.
  std::vector<std::pair<double, std::uint32_t>> ranked(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    ranked[i] = {-scores[i], static_cast<std::uint32_t>(i)};
  }
  std::sort(ranked.begin(), ranked.end());
  Ranking ranking;
  ranking.order.reserve(ranked.size());
  ranking.positive.reserve(ranked.size());
  ranking.group_end.reserve(ranked.size());
  for (std::size_t place = 0; place < ranked.size(); ++place) {
    const auto& [score, row] = ranked[place];
    const bool last = place + 1 == ranked.size() || ranked[place + 1].first != score;
    ranking.order.push_back(row);
    ranking.positive.push_back(positive[row] ? 1 : 0);
    ranking.group_end.push_back(last ? 1 : 0);
  }
  return ranking;
}

double area_under_roc(std::span<const bool> positive, std::span<const double> scores,
                      std::span<const double> weights) {
  return areas_of(checked_ranking(positive, scores, weights), RowWeights{weights}).roc;
}

double average_precision(std::span<const bool> positive, std::span<const double> scores,
                         std::span<const double> weights) {
  return areas_of(checked_ranking(positive, scores, weights), RowWeights{weights}).precision_recall;
}

Curve roc_curve(std::span<const bool> positive, std::span<const double> scores,
                std::span<const double> weights, std::size_t most_points) {
  const Ranking ranking = checked_ranking(positive, scores, weights);
  const RowWeights weight{weights};
  const Totals totals = totals_of(positive, weight);
  Curve curve;
  curve.area = areas_of(ranking, weight).roc;
  if (!(totals.positive > 0) || !(totals.negative > 0)) return curve;
  Thinner thinner(most_points, 2.0);
  thinner.add({0.0, 0.0, std::numeric_limits<double>::infinity()}, 0.0);
  walk(ranking, scores, weight, [&](double true_positive, double false_positive, double score) {
    const double x = false_positive / totals.negative;
    const double y = true_positive / totals.positive;
    thinner.add({x, y, score}, x + y);
  });
  curve.points = thinner.finish();
  return curve;
}

Curve precision_recall_curve(std::span<const bool> positive, std::span<const double> scores,
                             std::span<const double> weights, std::size_t most_points) {
  const Ranking ranking = checked_ranking(positive, scores, weights);
  const RowWeights weight{weights};
  const Totals totals = totals_of(positive, weight);
  Curve curve;
  curve.area = areas_of(ranking, weight).precision_recall;
  if (!(totals.positive > 0)) return curve;
  Thinner thinner(most_points, 1.0);
  walk(ranking, scores, weight, [&](double true_positive, double false_positive, double score) {
    if (!(true_positive + false_positive > 0)) return;
    const double recall = true_positive / totals.positive;
    thinner.add({recall, true_positive / (true_positive + false_positive), score}, recall);
  });
  curve.points = thinner.finish();
  return curve;
}

}  // namespace pegasos
