// Two classes. What a resample recomputes is one pass over the rows by score.
#include <algorithm>
#include <cmath>
#include <utility>

#include "eval/bootstrap.h"
#include "eval/ranking.h"
#include "eval/statistics.h"

namespace pegasos {
namespace {

constexpr std::uint32_t index_of(bool positive) {
  return positive ? 0 : 1;  // the positive class comes first
}

ConfusionMatrix confusion_of(const BinaryPredictions& predictions) {
  check_size(predictions.called.size(), predictions.positive.size(), "called");
  check_weights(predictions.weights, predictions.positive.size());
  const RowWeights weight{predictions.weights};
  ConfusionMatrix confusion(2);
  for (std::size_t i = 0; i < predictions.positive.size(); ++i) {
    confusion.add(index_of(predictions.positive[i]), index_of(predictions.called[i]), weight(i));
  }
  return confusion;
}

// The rows by score with all that a resample needs, so that it reads memory in order; or bins of
// rows with neighbouring scores, each with a unit for its negative and one for its positive rows.
struct RankedUnits {
  Ranking ranking;                  // of units: tied where they share a bin
  std::vector<std::uint32_t> rows;  // of each unit
  std::vector<std::uint8_t> cells;  // 2·truth + called
  std::vector<RowLosses> losses;    // of probabilities, mean of the unit; or none
  std::vector<double> weights;      // or none

  void add(bool positive, bool bin_ends, std::uint32_t count, bool called) {
    ranking.positive.push_back(positive ? 1 : 0);
    ranking.group_end.push_back(bin_ends ? 1 : 0);
    rows.push_back(count);
    cells.push_back(static_cast<std::uint8_t>(2 * index_of(positive) + index_of(called)));
  }
};

RowLosses losses_of(bool positive, double probability) {
  const double distance = (positive ? 1.0 : 0.0) - probability;
  return {-std::log(probability_of_outcome(positive ? probability : 1.0 - probability)),
          distance * distance};
}

RankedUnits single_rows(const BinaryPredictions& predictions, const Ranking& ranking) {
  RankedUnits units;
  for (std::size_t place = 0; place < ranking.rows(); ++place) {
    const std::uint32_t i = ranking.order[place];
    const bool positive = predictions.positive[i];
    units.add(positive, ranking.group_end[place] != 0, 1, predictions.called[i]);
    if (!predictions.weights.empty()) units.weights.push_back(predictions.weights[i]);
    if (predictions.probabilities.empty()) continue;
    units.losses.push_back(losses_of(positive, predictions.probabilities[i]));
  }
  return units;
}

// Rows of one bin, by class.
struct Bin {
  std::uint32_t rows[2] = {0, 0};
  LossSums losses[2];

  void add(bool positive, const RowLosses& row) {
    ++rows[positive ? 1 : 0];
    losses[positive ? 1 : 0].add(row, 1.0);
  }

  void finish(bool called, bool with_losses, RankedUnits& units) {
    for (const bool positive : {false, true}) {
      const std::size_t k = positive ? 1 : 0;
      if (rows[k] == 0) continue;
      units.add(positive, positive || rows[1] == 0, rows[k], called);
      if (with_losses) {
        units.losses.push_back({losses[k].log / rows[k], losses[k].brier / rows[k]});
      }
    }
    *this = Bin();
  }
};

// A bin ends with its share of the rows of either class, so that few positive rows among very many
// keep places of their own, and where the prediction changes.
RankedUnits binned_rows(const BinaryPredictions& predictions, const Ranking& ranking) {
  constexpr double kBins = 8192;
  double totals[2] = {0, 0};
  for (const std::uint8_t positive : ranking.positive) totals[positive] += 1;
  const double most[2] = {std::max(1.0, totals[0] / kBins), std::max(1.0, totals[1] / kBins)};
  RankedUnits units;
  Bin bin;
  const bool with_losses = !predictions.probabilities.empty();
  for (std::size_t place = 0; place < ranking.rows(); ++place) {
    const std::uint32_t i = ranking.order[place];
    const bool positive = predictions.positive[i];
    bin.add(positive,
            with_losses ? losses_of(positive, predictions.probabilities[i]) : RowLosses{});
    const bool last = place + 1 == ranking.rows();
    const bool full =
        ranking.group_end[place] != 0 && (bin.rows[0] >= most[0] || bin.rows[1] >= most[1]);
    const bool changes =
        !last && predictions.called[ranking.order[place + 1]] != predictions.called[i];
    if (last || full || changes) bin.finish(predictions.called[i], with_losses, units);
  }
  return units;
}

RankedUnits ranked_units(const BinaryPredictions& predictions) {
  const Ranking ranking = rank_rows(predictions.positive, predictions.scores);
  // Weights may differ much between rows of like scores.
  const bool single = ranking.rows() <= kMostSingleRows || !predictions.weights.empty();
  return single ? single_rows(predictions, ranking) : binned_rows(predictions, ranking);
}

void resample(const RankedUnits& units, std::span<const double> counts, std::span<double> out) {
  const RowWeights row_weight{units.weights};
  const auto weight = [&](std::size_t place) { return counts[place] * row_weight(place); };
  double cells[4] = {0, 0, 0, 0};
  for (std::size_t place = 0; place < counts.size(); ++place) {
    cells[units.cells[place]] += weight(place);
  }
  ConfusionMatrix confusion(2);
  for (std::size_t cell = 0; cell < 4; ++cell) confusion.add(cell / 2, cell % 2, cells[cell]);
  fill_from(confusion, out);
  LossSums sums;
  for (std::size_t place = 0; place < units.losses.size(); ++place) {
    sums.add(units.losses[place], weight(place));
  }
  sums.fill(out);
  const Areas areas = areas_under(units.ranking, weight);
  out[kRocAuc] = areas.roc;
  out[kPrAuc] = areas.precision_recall;
}

}  // namespace

Evaluation evaluate_binary(const BinaryPredictions& predictions, const EvaluationOptions& options) {
  Evaluation evaluation = started(predictions.positive.size(), predictions.weights, options);
  Classification result;
  result.binary = true;
  describe(confusion_of(predictions), {predictions.positive_name, predictions.negative_name},
           result);
  ClassEvaluation& positive = result.classes.front();
  positive.roc = roc_curve(predictions.positive, predictions.scores, predictions.weights,
                           options.curve_points);
  positive.precision_recall = precision_recall_curve(predictions.positive, predictions.scores,
                                                     predictions.weights, options.curve_points);
  result.roc_auc.value = positive.roc.area;
  result.pr_auc.value = positive.precision_recall.area;
  if (!predictions.probabilities.empty()) {
    ProbabilityEvaluation& found = result.probability.emplace();
    const auto& [flags, called, scores, probabilities, weights, yes, no] = predictions;
    found.log_loss.value = log_loss(flags, probabilities, weights);
    found.brier.value = brier_score(flags, probabilities, weights);
    found.reliability = reliability(flags, probabilities, weights);
  }
  if (options.bootstrap && evaluation.rows > 0) {
    const RankedUnits units = ranked_units(predictions);
    const auto statistics = [&units](std::span<const double> counts, std::span<double> out) {
      resample(units, counts, out);
    };
    take_intervals(bootstrap_intervals(*options.bootstrap, options.threads, units.rows, kStatistics,
                                       statistics),
                   result);
  }
  evaluation.result = std::move(result);
  return evaluation;
}

}  // namespace pegasos
