#include "pegasos/calibrate.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/archive.h"
#include "learn/calibrate_part.h"
#include "learn/folds.h"
#include "learn/resolve.h"
#include "math/passes.h"
#include "pegasos/decision.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// The options that train the same kind of model on fewer rows: what was decided from all of them
// stays decided.
TrainOptions options_like(const Model& model, const TrainOptions& wanted) {
  TrainOptions options = plain(wanted);
  const ModelBase& facts = base_of(model);
  options.lambda = facts.lambda;
  options.c.reset();
  options.gamma_rule.reset();
  if (const auto* many = std::get_if<MulticlassModel>(&model)) {
    options.strategy = many->strategy;
    if (const KernelClassifiers* kernels = many->kernels()) options.kernel = kernels->kernel;
    if (many->linear() != nullptr && many->linear()->map) {
      options.kernel = many->linear()->map->options().kernel;
    }
    return options;
  }
  options.task = Task::binary;
  options.positive_label = single_output(model)->positive_text();
  if (const auto* kernel = std::get_if<KernelModel>(&model)) options.kernel = kernel->kernel;
  const auto* linear = std::get_if<LinearModel>(&model);
  if (linear != nullptr && linear->map) options.kernel = linear->map->options().kernel;
  return options;
}

// Which rows are positive for each score of a model.
class Positives {
 public:
  Positives(const Model& model, const Dataset& data) : decision_(model), truth_(decision_, data) {
    rows_ = data.rows();
  }

  bool is_positive(std::size_t row, std::size_t output) const {
    return truth_.class_of(row) == output;
  }

  std::size_t rows_of_smallest_class(Collective& ranks) const {
    std::vector<double> counts(decision_.outputs());
    for (std::size_t k = 0; k < counts.size(); ++k) {
      for (std::size_t i = 0; i < rows_; ++i) counts[k] += is_positive(i, k) ? 1 : 0;
    }
    counts.push_back(static_cast<double>(rows_));
    ranks.sum(counts);
    const double rows = counts.back();
    double smallest = rows;
    for (const double positive : std::span(counts).first(counts.size() - 1)) {
      smallest = std::min({smallest, positive, rows - positive});
    }
    return static_cast<std::size_t>(smallest);
  }

 private:
  Decision decision_;
  Truth truth_;
  std::size_t rows_ = 0;
};

// Folds of a model of one label per row keep its classes even.
std::vector<FoldId> folds_for(const Model& model, const Dataset& data, std::size_t folds,
                              std::uint64_t seed) {
  if (std::holds_alternative<MulticlassModel>(model)) {
    return deal_folds(data.labels(), folds, Dealing::stratified, seed);
  }
  std::vector<double> classes;
  const double positive = single_output(model)->labels->positive;
  for (const double label : data.labels()) classes.push_back(label == positive ? 1.0 : 0.0);
  return deal_folds(classes, folds, Dealing::stratified, seed);
}

// Rows × outputs; nothing if it was stopped.
std::optional<std::vector<double>> out_of_fold_scores(const Model& model, const Dataset& data,
                                                      const TrainOptions& options,
                                                      std::span<const FoldId> fold_of,
                                                      std::size_t folds,
                                                      const CalibrateWatch& watch,
                                                      const RunPart& part) {
  const auto over = [&] {
    double asked = watch.stop && watch.stop() ? 1.0 : 0.0;
    ranks_of(options).sum({&asked, 1});
    return asked > 0.0;
  };
  const std::size_t width = outputs(model);
  const TrainOptions alike = options_like(model, options);
  std::vector<double> scores(data.rows() * width);
  std::optional<FoldedRows> folded;
  for (FoldId fold = 0; fold < folds && !over(); ++fold) {
    if (watch.fold) watch.fold(fold, folds);
    const RunPart of_fold = part.inner("fold " + std::to_string(fold));
    const std::vector<RowId> rows = rows_in(fold_of, fold);
    std::vector<double> found;
    if (const auto before = of_fold.find()) {
      found.resize(rows.size() * width);
      read_part(*before, [&](ArchiveReader& reader) { reader.fixed(found); });
    } else {
      if (!folded) folded.emplace(data, fold_of, folds);
      const FoldSplit split = folded->split(fold);
      const Trained other = train_part(split.train, alike, {.stop = watch.stop}, of_fold);
      if (outputs(other.model) != width) {
        throw InvalidOption("probabilities", "a class has fewer rows than there are folds");
      }
      found = decisions(other.model, split.held_out, options.threads);
      if (other.ending != Ending::finished) return std::nullopt;  // on all ranks
      ArchiveWriter writer;
      writer(found);
      of_fold.keep(std::move(writer).bytes());
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                  scores.begin() + static_cast<std::ptrdiff_t>(rows[i] * width));
    }
  }
  if (over()) return std::nullopt;
  return scores;
}

}  // namespace

void CalibrateOptions::validate() const {
  if (folds < 2) throw InvalidOption("folds", "must be 2 or more");
}

std::optional<std::vector<Calibration>> calibrate(const Model& model, const Dataset& data,
                                                  const TrainOptions& options,
                                                  const CalibrateOptions& how,
                                                  const CalibrateWatch& watch) {
  return calibrate_part(model, data, options, how, watch, {});
}

std::optional<std::vector<Calibration>> calibrate_part(const Model& model, const Dataset& data,
                                                       const TrainOptions& options,
                                                       const CalibrateOptions& how,
                                                       const CalibrateWatch& watch,
                                                       const RunPart& part) {
  how.validate();
  if (!base_of(model).classifies()) {
    throw InvalidOption("probabilities", "regression models have no probabilities");
  }
  Collective& ranks = ranks_of(options);
  const Positives truth(model, data);
  const std::size_t width = outputs(model);
  const std::size_t folds = std::min(how.folds, truth.rows_of_smallest_class(ranks));
  if (folds < 2) {
    throw InvalidOption("probabilities", "calibration needs at least two rows of every class");
  }
  const auto fold_of = folds_for(model, data, folds, how.seed);
  const auto scores = out_of_fold_scores(model, data, options, fold_of, folds, watch, part);
  if (!scores) return std::nullopt;
  const auto fit = how.kind == CalibrationKind::platt ? fit_platt : fit_isotonic;
  // Every rank fits the same curve to the scores of all.
  std::vector<Calibration> calibrations;
  for (std::size_t k = 0; k < width; ++k) {
    std::vector<double> facts;  // score, truth and weight of each row
    for (std::size_t i = 0; i < data.rows(); ++i) {
      facts.insert(facts.end(),
                   {(*scores)[i * width + k], truth.is_positive(i, k) ? 1.0 : 0.0, data.weight(i)});
    }
    facts = gather_numbers(facts, ranks);
    const std::size_t rows = facts.size() / 3;
    const auto positive = std::make_unique<bool[]>(rows);
    std::vector<double> of_class(rows);
    std::vector<double> weights(data.has_weights() ? rows : 0);
    for (std::size_t i = 0; i < rows; ++i) {
      of_class[i] = facts[3 * i];
      positive[i] = facts[3 * i + 1] != 0.0;
      if (!weights.empty()) weights[i] = facts[3 * i + 2];
    }
    const std::span<const bool> flags(positive.get(), rows);
    calibrations.push_back(fit(flags, of_class, weights));
  }
  return calibrations;
}

}  // namespace pegasos
