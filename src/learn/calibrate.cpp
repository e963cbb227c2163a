#include "pegasos/calibrate.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "learn/folds.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// The options that train the same kind of model on fewer rows: what was decided from all of them
// stays decided.
TrainOptions options_like(const Model& model, TrainOptions options) {
  const ModelBase& facts = base_of(model);
  options.task = Task::binary;
  options.positive_label = facts.label_text(facts.positive_label);
  options.lambda = facts.lambda;
  options.c.reset();
  options.solver.start = {};
  if (const auto* kernel = std::get_if<KernelModel>(&model)) {
    options.kernel = kernel->kernel;
    options.gamma_rule.reset();
  }
  return options;
}

// Scores of held-out rows; nothing if it was interrupted.
std::optional<std::vector<double>> scores_of(const FoldSplit& split, const TrainOptions& options,
                                             const std::function<bool()>& interrupted) {
  const auto over = [&interrupted] { return interrupted && interrupted(); };
  if (over()) return std::nullopt;
  std::vector<double> scores;
  if (options.kernel && !options.approximation) {
    KernelWatch watch;
    watch.interrupted = interrupted;
    scores =
        decisions(train_kernel(split.train, options, watch).model, split.held_out, options.threads);
  } else {
    TrainWatch watch;
    watch.interrupted = interrupted;
    scores = decisions(train(split.train, options, watch).model, split.held_out, options.threads);
  }
  if (over()) return std::nullopt;
  return scores;
}

std::size_t rows_of_smallest_class(const Dataset& data, const ModelBase& model) {
  std::size_t positive = 0;
  for (const double label : data.labels()) positive += label == model.positive_label ? 1 : 0;
  return std::min(positive, data.rows() - positive);
}

}  // namespace

void CalibrateOptions::validate() const {
  if (folds < 2) throw InvalidOption("folds", "must be 2 or more");
}

std::optional<std::vector<Calibration>> calibrate(const Model& model, const Dataset& data,
                                                  const TrainOptions& options,
                                                  const CalibrateOptions& how,
                                                  const std::function<bool()>& interrupted) {
  how.validate();
  const ModelBase& facts = base_of(model);
  if (!facts.classifies) {
    throw InvalidOption("probability", "regression predicts numbers, which have none");
  }
  const std::size_t folds = std::min(how.folds, rows_of_smallest_class(data, facts));
  if (folds < 2) {
    throw InvalidOption("probability",
                        "every class needs two rows: one to learn from, one to calibrate with");
  }
  const auto positive = std::make_unique<bool[]>(data.rows());
  std::vector<double> classes(data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    positive[i] = data.label(i) == facts.positive_label;
    classes[i] = positive[i] ? 1.0 : 0.0;
  }
  const std::vector<FoldId> fold_of = deal_folds(classes, folds, Dealing::stratified, how.seed);
  const TrainOptions alike = options_like(model, options);
  std::vector<double> scores(data.rows());
  for (FoldId fold = 0; fold < folds; ++fold) {
    const auto found = scores_of(split_at(data, fold_of, fold), alike, interrupted);
    if (!found) return std::nullopt;
    const std::vector<RowId> rows = rows_in(fold_of, fold);
    for (std::size_t i = 0; i < rows.size(); ++i) scores[rows[i]] = (*found)[i];
  }
  const auto fit = how.kind == CalibrationKind::platt ? fit_platt : fit_isotonic;
  return std::vector<Calibration>{
      fit(std::span<const bool>(positive.get(), data.rows()), scores, data.weights())};
}

}  // namespace pegasos
