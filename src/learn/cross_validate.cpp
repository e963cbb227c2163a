// Cross-validation of one choice of options: every row is predicted by a model that did not see it.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/archive.h"
#include "base/cores.h"
#include "base/run_clock.h"
#include "base/thread_pool.h"
#include "learn/fit.h"
#include "learn/folds.h"
#include "learn/journal.h"
#include "learn/resolve.h"
#include "learn/training_job.h"
#include "learn/tune_part.h"
#include "pegasos/decision.h"
#include "pegasos/error.h"
#include "pegasos/evaluate.h"
#include "pegasos/options.h"
#include "pegasos/tune.h"

namespace pegasos {
namespace {

// Predicted between two looks at whether to stop: with a kernel, some tenths of a second's work.
constexpr std::size_t kRowsAtATime = 2048;

// The square of Pearson's correlation; NaN where one side is constant.
double squared_correlation(std::span<const double> x, std::span<const double> y,
                           Collective& ranks) {
  auto n = static_cast<double>(x.size());
  ranks.sum({&n, 1});
  std::array<double, 2> means = {};
  for (std::size_t i = 0; i < x.size(); ++i) {
    means[0] += x[i] / n;
    means[1] += y[i] / n;
  }
  ranks.sum(means);
  std::array<double, 3> sums = {};
  for (std::size_t i = 0; i < x.size(); ++i) {
    sums[0] += (x[i] - means[0]) * (x[i] - means[0]);
    sums[1] += (y[i] - means[1]) * (y[i] - means[1]);
    sums[2] += (x[i] - means[0]) * (y[i] - means[1]);
  }
  ranks.sum(sums);
  return sums[2] * sums[2] / (sums[0] * sums[1]);
}

struct OfFold {
  double gap = 0.0;
  ErrorTally errors = {};
  bool interrupted = false;
};

// ids: which rows these are of all.
OfFold predict_fold(const FoldSplit& rows, std::span<const RowId> ids, const TrainOptions& options,
                    const std::function<bool()>& interrupted, std::span<double> predicted,
                    const RunPart& part) {
  if (const auto before = part.find()) {
    OfFold result;
    std::vector<double> of_rows(ids.size());
    read_part(*before, [&](ArchiveReader& reader) {
      reader(result.gap, result.errors.error, result.errors.weight);
      reader.fixed(of_rows);
    });
    for (std::size_t k = 0; k < ids.size(); ++k) predicted[ids[k]] = of_rows[k];
    return result;
  }
  const Fitted fitted = fit(rows.train, options, {}, interrupted, part);
  const bool alone = ranks_of(options).size() == 1;  // ranks end in step
  std::vector<double> scores;
  for (std::size_t begin = 0; begin < ids.size(); begin += kRowsAtATime) {
    if (alone && (fitted.interrupted || interrupted())) return {fitted.gap, {}, true};
    const std::size_t count = std::min(kRowsAtATime, ids.size() - begin);
    const auto some = decisions(fitted.model, rows.held_out.slice(begin, count), options.threads);
    scores.insert(scores.end(), some.begin(), some.end());
  }
  OfFold result{fitted.gap, {}, fitted.interrupted};
  const Decision decision(fitted.model);
  const auto* many = std::get_if<MulticlassModel>(&fitted.model);
  const std::size_t width = decision.outputs();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const auto of_row = std::span(scores).subspan(k * width, width);
    predicted[ids[k]] = decision.kind() == AnswerKind::classes
                            ? many->classes[decision.class_of(of_row)]
                        : decision.kind() == AnswerKind::number ? decision.number(of_row.front())
                                                                : of_row.front();
  }
  result.errors.add(decision, rows.held_out, scores);
  if (part.is_kept() && !fitted.interrupted) {
    std::vector<double> of_rows;
    of_rows.reserve(ids.size());
    for (const RowId id : ids) of_rows.push_back(predicted[id]);
    ArchiveWriter writer;
    writer(result.gap, result.errors.error, result.errors.weight, of_rows);
    part.keep(std::move(writer).bytes());
  }
  return result;
}

CrossValidation cross_validate_part(const Dataset& data, const TrainOptions& wanted,
                                    std::size_t folds, const std::function<bool()>& interrupted,
                                    const RunPart& part) {
  if (!data.has_labels()) throw UnusableData("the data has no labels");
  if (wanted.kernel && wanted.kernel->kind == KernelKind::precomputed) {
    throw InvalidOption("kernel", "a precomputed kernel matrix cannot be split into folds");
  }
  const RunClock clock;
  const auto is_over = [&] {
    return clock.is_over(wanted.max_seconds) || (interrupted && interrupted());
  };
  TrainOptions options = with_task(wanted, data);
  if (options.kernel && options.gamma_rule) {
    options.kernel = kernel_for(options, scaled_rows(options.scaling, data).rows);
    options.gamma_rule.reset();
  }
  CrossValidation result;
  if (options.tune_lambda) {
    TuneOptions search;
    search.train = plain(options);
    search.train.max_seconds = wanted.max_seconds;
    result.search = tune_part(data, search, {.interrupted = interrupted}, part.inner("search"));
    if (interrupted && interrupted()) throw Cancelled();
    options.lambda = result.search->points[result.search->chosen].lambda;
    options.tune_lambda = false;
  }
  // A fold takes a lambda that is still open as training on its rows would.
  if (!options.lambda) options.scale_targets = wanted.scale_targets;
  result.classifies = options.task != Task::regression;
  const auto dealt =
      deal_folds(data.labels(), folds, result.classifies ? Dealing::stratified : Dealing::plain,
                 options.solver.pegasos.seed);
  const int threads = options.threads > 0 ? options.threads : available_cores();
  // Ranks take the same fold at the same time, with all their threads; and rows that are larger
  // than memory are not brought in for several folds at once.
  Collective& ranks = ranks_of(options);
  const bool one_by_one = ranks.size() > 1 || data.is_paged();
  const std::size_t at_once = one_by_one ? 1 : std::min<std::size_t>(folds, 1024);
  ThreadPool pool(std::min(threads, static_cast<int>(at_once)));
  options.threads = threads / pool.threads();
  result.predicted.assign(data.rows(), 0.0);
  std::vector<OfFold> parts(folds);
  const FoldedRows rows(data, dealt, folds);
  pool.for_each(folds, [&](std::size_t k) {
    const auto fold = static_cast<FoldId>(k);
    parts[k] = predict_fold(rows.split(fold), rows_in(dealt, fold), options, is_over,
                            result.predicted, part.inner("fold " + std::to_string(k)));
  });
  std::array<double, 4> sums = {};  // errors, weights, folds cut short, and those by the caller
  for (const OfFold& of : parts) {
    result.gap = std::max(result.gap, of.gap);
    sums[0] += of.errors.error;
    sums[1] += of.errors.weight;
    sums[2] += of.interrupted ? 1.0 : 0.0;
  }
  sums[3] = interrupted && interrupted() ? 1.0 : 0.0;
  ranks.sum(sums);
  const auto [error, weight, ended, by_caller] = sums;
  if (ended > 0 && by_caller > 0) throw Cancelled();
  if (ended > 0) throw Error("the time limit was reached before all folds were finished");
  if (result.classifies) {
    result.accuracy = 1.0 - error / weight;
    return result;
  }
  double squares = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const double away = result.predicted[i] - data.label(i);
    squares += data.weight(i) * away * away;
  }
  ranks.sum({&squares, 1});
  result.mean_squared_error = squares / weight;
  result.squared_correlation = squared_correlation(result.predicted, data.labels(), ranks);
  return result;
}

}  // namespace

CrossValidation cross_validate(const Dataset& data, const TrainOptions& options, std::size_t folds,
                               const std::function<bool()>& interrupted,
                               const CheckpointWatch& checkpoint) {
  options.validate();
  std::optional<Journal> journal;
  if (checkpoint.save || options.resume) {
    if (ranks_of(options).size() > 1) {
      throw InvalidOption("ranks", "checkpoints of searches and folds are for one process");
    }
    auto settings = settings_of(train_option_table(), options);
    settings.push_back({"folds", std::to_string(folds)});
    journal.emplace(
        checkpoint, options.resume, run_of("cross-validate", std::move(settings)),
        [&] { return fingerprint(data, options.threads); }, interrupted);
  }
  return saving_what_is_cancelled(journal, [&] {
    return cross_validate_part(data, options, folds, interrupted,
                               journal ? RunPart(*journal) : RunPart());
  });
}

}  // namespace pegasos
