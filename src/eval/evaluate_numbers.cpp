// Numbers: errors by size, which a resample passes over.
#include <utility>

#include "eval/bootstrap.h"
#include "eval/errors.h"
#include "eval/statistics.h"

namespace pegasos {

Evaluation evaluate_numbers(const NumberPredictions& predictions,
                            const EvaluationOptions& options) {
  Evaluation evaluation = started(predictions.labels.size(), predictions.weights, options);
  check_weights(predictions.weights, predictions.labels.size());
  const Errors errors = errors_by_size(predictions.labels, predictions.predicted);
  const RowWeights row_weight{predictions.weights};
  const RegressionMetrics all =
      metrics_of(errors, [&](std::size_t place) { return row_weight(errors.order[place]); });
  Regression result = {{all.mae, {}}, {all.rmse, {}}, {all.r2, {}}, {all.median_error, {}}};
  if (options.bootstrap && evaluation.rows > 0) {
    const std::vector<std::uint32_t> single(evaluation.rows, 1);
    const auto statistics = [&](std::span<const double> counts, std::span<double> out) {
      const RegressionMetrics metrics = metrics_of(errors, [&](std::size_t place) {
        return counts[place] * row_weight(errors.order[place]);
      });
      out[0] = metrics.mae;
      out[1] = metrics.rmse;
      out[2] = metrics.r2;
      out[3] = metrics.median_error;
    };
    const auto intervals =
        bootstrap_intervals(*options.bootstrap, options.threads, single, 4, statistics);
    result.mae.interval = intervals[0];
    result.rmse.interval = intervals[1];
    result.r2.interval = intervals[2];
    result.median_error.interval = intervals[3];
  }
  evaluation.result = result;
  return evaluation;
}

}  // namespace pegasos
