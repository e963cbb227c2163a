#include "pegasos/calibrate.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "learn/class_labels.h"
#include "learn/folds.h"
#include "pegasos/error.h"

namespace pegasos {
namespace {

// The options that train the same kind of model on fewer rows: what was decided from all of them
// stays decided.
TrainOptions options_like(const Model& model, TrainOptions options) {
  const ModelBase& facts = base_of(model);
  options.lambda = facts.lambda;
  options.c.reset();
  options.solver.start = {};
  if (const auto* many = std::get_if<MulticlassModel>(&model)) {
    options.strategy = many->strategy;
    if (many->kernel) {
      options.kernel = many->kernel;
      options.gamma_rule.reset();
    }
    return options;
  }
  options.task = Task::binary;
  options.positive_label = facts.label_text(facts.positive_label);
  if (const auto* kernel = std::get_if<KernelModel>(&model)) {
    options.kernel = kernel->kernel;
    options.gamma_rule.reset();
  }
  return options;
}

// A model like `model` of fewer rows.
Model train_alike(const Model& model, const Dataset& data, const TrainOptions& options,
                  const std::function<bool()>& interrupted) {
  if (std::holds_alternative<MulticlassModel>(model)) {
    MulticlassWatch watch;
    watch.interrupted = interrupted;
    return train_multiclass(data, options, watch).model;
  }
  if (std::holds_alternative<KernelModel>(model)) {
    KernelWatch watch;
    watch.interrupted = interrupted;
    return train_kernel(data, options, watch).model;
  }
  TrainWatch watch;
  watch.interrupted = interrupted;
  return train(data, options, watch).model;
}

// Which rows are positive for each score of a model.
class Truth {
 public:
  Truth(const Model& model, const Dataset& data)
      : many_(std::get_if<MulticlassModel>(&model)), facts_(base_of(model)), data_(data) {
    if (many_ != nullptr) labels_.emplace(data, many_->classes);
  }

  bool is_positive(std::size_t row, std::size_t output) const {
    return many_ != nullptr ? labels_->has(row, output) : data_.label(row) == facts_.positive_label;
  }

  std::size_t rows_of_smallest_class(std::size_t outputs) const {
    std::size_t smallest = data_.rows();
    for (std::size_t k = 0; k < outputs; ++k) {
      std::size_t positive = 0;
      for (std::size_t i = 0; i < data_.rows(); ++i) positive += is_positive(i, k) ? 1 : 0;
      smallest = std::min({smallest, positive, data_.rows() - positive});
    }
    return smallest;
  }

 private:
  const MulticlassModel* many_;
  const ModelBase& facts_;
  const Dataset& data_;
  std::optional<ClassLabels> labels_;
};

// Folds of a model of one label a row keep its classes even.
std::vector<FoldId> folds_for(const Model& model, const Dataset& data, std::size_t folds,
                              std::uint64_t seed) {
  if (std::holds_alternative<MulticlassModel>(model)) {
    return deal_folds(data.labels(), folds, Dealing::stratified, seed);
  }
  std::vector<double> classes;
  for (const double label : data.labels()) {
    classes.push_back(label == base_of(model).positive_label ? 1.0 : 0.0);
  }
  return deal_folds(classes, folds, Dealing::stratified, seed);
}

// Rows × outputs; nothing if it was interrupted.
std::optional<std::vector<double>> out_of_fold_scores(const Model& model, const Dataset& data,
                                                      const TrainOptions& options,
                                                      std::span<const FoldId> fold_of,
                                                      std::size_t folds,
                                                      const std::function<bool()>& interrupted) {
  const auto over = [&interrupted] { return interrupted && interrupted(); };
  const std::size_t width = outputs(model);
  const TrainOptions alike = options_like(model, options);
  std::vector<double> scores(data.rows() * width);
  for (FoldId fold = 0; fold < folds && !over(); ++fold) {
    const FoldSplit split = split_at(data, fold_of, fold);
    const Model other = train_alike(model, split.train, alike, interrupted);
    if (outputs(other) != width) {
      throw InvalidOption("probability", "a class has too few rows for every fold to have some");
    }
    const std::vector<double> found = decisions(other, split.held_out, options.threads);
    const std::vector<RowId> rows = rows_in(fold_of, fold);
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
                                                  const std::function<bool()>& interrupted) {
  how.validate();
  const ModelBase& facts = base_of(model);
  if (!facts.classifies) {
    throw InvalidOption("probability", "regression predicts numbers, which have none");
  }
  const Truth truth(model, data);
  const std::size_t width = outputs(model);
  const std::size_t folds = std::min(how.folds, truth.rows_of_smallest_class(width));
  if (folds < 2) {
    throw InvalidOption("probability",
                        "every class needs two rows: one to learn from, one to calibrate with");
  }
  const auto fold_of = folds_for(model, data, folds, how.seed);
  const auto scores = out_of_fold_scores(model, data, options, fold_of, folds, interrupted);
  if (!scores) return std::nullopt;
  const auto fit = how.kind == CalibrationKind::platt ? fit_platt : fit_isotonic;
  const auto positive = std::make_unique<bool[]>(data.rows());
  std::vector<double> of_class(data.rows());
  std::vector<Calibration> calibrations;
  for (std::size_t k = 0; k < width; ++k) {
    for (std::size_t i = 0; i < data.rows(); ++i) {
      positive[i] = truth.is_positive(i, k);
      of_class[i] = (*scores)[i * width + k];
    }
    const std::span<const bool> flags(positive.get(), data.rows());
    calibrations.push_back(fit(flags, of_class, data.weights()));
  }
  return calibrations;
}

}  // namespace pegasos
