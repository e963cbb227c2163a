// Rows of a stream to the steps of one solver, or of one for each class; see pegasos/online.h.
#include "pegasos/online.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/memory.h"
#include "base/quantity_text.h"
#include "math/losses.h"
#include "model/class_labels.h"
#include "model/fingerprint.h"
#include "pegasos/error.h"
#include "solver/online.h"

namespace pegasos {
namespace {

// Weights and bias of classifier k, or nothing.
LinearPoint point_of(const Model* model, std::size_t k, std::size_t features) {
  LinearPoint point;
  if (model == nullptr) return point;
  const auto refuse = [](const char* why) { throw InvalidOption("start", why); };
  if (const auto* one = std::get_if<LinearModel>(model)) {
    if (one->map || one->scaling)
      refuse("a model with mapped or scaled features cannot be trained online");
    point = {one->w, one->b};
  } else {
    const auto* many = std::get_if<MulticlassModel>(model);
    if (many == nullptr || many->linear() == nullptr || many->linear()->map || many->scaling) {
      refuse("only linear models without a feature map or scaling can be trained online");
    }
    const std::size_t classifiers = many->classifiers.size();
    const std::vector<double>& w = many->linear()->w;
    for (std::size_t j = k; j < w.size(); j += classifiers) point.w.push_back(w[j]);
    point.b = many->classifiers[k].b;
  }
  if (point.w.size() != features) refuse("the features differ from those of the model");
  return point;
}

void check_start(const Model* model, const OnlineOptions& options) {
  if (model == nullptr) return;
  std::vector<double> classes;
  if (const auto* many = std::get_if<MulticlassModel>(model)) {
    if (many->strategy != Strategy::one_against_rest || many->multilabel) {
      throw InvalidOption("start", "only one-against-rest models can be trained online");
    }
    classes = many->classes;
  } else if (const auto& labels = single_output(*model)->labels) {
    classes = {labels->negative.value_or(NAN), labels->positive};
  }
  if (classes != options.classes)
    throw InvalidOption("start", "the classes differ from those of the model");
}

void check_labels(const Dataset& rows, const OnlineOptions& options) {
  check_labels_present(rows);
  for (const double label : rows.labels()) {
    const auto& classes = options.classes;
    if (!classes.empty() && !std::binary_search(classes.begin(), classes.end(), label)) {
      throw InvalidOption("classes", "a row has the label " + rows.schema().label_text(label) +
                                         ", which is not one of them");
    }
  }
}

// The features that the rows have, by their largest id.
std::size_t features_in(const Dataset& rows) {
  if (rows.is_dense()) return rows.features();
  std::size_t features = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const RowView row = rows.row(i);
    if (!row.ids.empty()) features = std::max(features, std::size_t{row.ids.back()} + 1);
  }
  return features;
}

// A stream has no rows to fall back on: weights for a feature index out of all proportion are
// refused before they are made.
void check_memory(std::size_t features, std::size_t classifiers) {
  const std::uint64_t bytes = std::uint64_t{features} * classifiers * sizeof(double);
  const std::uint64_t available = available_memory();
  // Growing holds the old weights beside the new ones, and saving makes a copy.
  if (available == 0 || 3 * bytes <= available) return;
  throw Error(fmt::format(
      "feature {} needs weights of {}, but only {} of memory are available; "
      "renumber the features, or read text with hashed features",
      features, in_bytes(static_cast<double>(bytes)), in_bytes(static_cast<double>(available))));
}

std::shared_ptr<const Schema> with_features(const std::shared_ptr<const Schema>& schema,
                                            std::size_t features) {
  if (schema->feature_count() == features) return schema;
  Schema grown = *schema;
  grown.indices = IndexMap::contiguous(schema->indices.base(), features);
  return std::make_shared<const Schema>(std::move(grown));
}

}  // namespace

void OnlineOptions::validate() const {
  if (classes.size() == 1) throw InvalidOption("classes", "there must be at least two");
  if (!std::is_sorted(classes.begin(), classes.end())) {
    throw InvalidOption("classes", "must be in ascending order");
  }
  if (!(lambda > 0) || std::isinf(lambda)) throw InvalidOption("lambda", "must be greater than 0");
  if (bias == Bias::exact)
    throw InvalidOption("bias", "an exact bias needs batches and is not available online");
  if (bias == Bias::regularised && (!std::isfinite(bias_feature) || bias_feature == 0)) {
    throw InvalidOption("bias_feature", "must be finite and not 0");
  }
  loss.validate();
  if (is_classification(loss.loss) == classes.empty()) {
    throw InvalidOption("loss", classes.empty() ? "is for classification, but there are no classes"
                                                : "is for regression, but there are classes");
  }
}

struct OnlineLearner::State {
  std::shared_ptr<const Schema> schema;
  OnlineOptions options;
  TrainingRecord record = {};
  // Of all rows; none if those before the model that it began with are not known.
  std::optional<RunningFingerprint> fingerprint = {};
  std::size_t features = 0;
  std::vector<OnlineSolver> solvers = {};  // one, or one for each class
  ProgressiveLoss progressive = {};
  std::vector<double> y = {};
  std::vector<double> losses = {};
  std::vector<std::vector<double>> scores = {};  // of each solver, for the rows of one call

  const double* positive_of(std::size_t k) const {
    if (options.classes.empty()) return nullptr;
    return solvers.size() == 1 ? &options.classes[1] : &options.classes[k];
  }

  void set_targets(const Dataset& rows, std::size_t k) {
    y.assign(rows.labels().begin(), rows.labels().end());
    if (const double* positive = positive_of(k)) {
      for (double& label : y) label = label == *positive ? 1.0 : -1.0;
    }
  }

  // After the solvers: of their scores before each step. Row after row, so that no bit depends on
  // how rows are cut into calls.
  void count_losses(const Dataset& rows) {
    losses.assign(rows.rows(), 0.0);
    for (std::size_t k = 0; k < solvers.size(); ++k) {
      set_targets(rows, k);
      with_loss(options.loss, [&](const auto& loss) {
        for (std::size_t i = 0; i < y.size(); ++i) losses[i] += loss.value(scores[k][i], y[i]);
      });
    }
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const double weight = rows.weight(i);
      progressive.weight += weight;
      progressive.loss += weight * losses[i] / static_cast<double>(solvers.size());
      progressive.error += weight * error_of(rows.label(i), i);
    }
  }

  double error_of(double label, std::size_t i) const {
    if (options.classes.empty()) return std::abs(scores[0][i] - label);
    if (solvers.size() == 1) {
      return (scores[0][i] > 0.0 ? options.classes[1] : options.classes[0]) == label ? 0.0 : 1.0;
    }
    std::size_t best = 0;
    for (std::size_t k = 1; k < solvers.size(); ++k) {
      if (scores[k][i] > scores[best][i]) best = k;
    }
    return options.classes[best] == label ? 0.0 : 1.0;
  }

  void describe(ModelBase& model) const {
    model.schema = with_features(schema, features);
    model.loss = options.loss;
    model.lambda = options.lambda;
    model.bias = options.bias;
    model.bias_feature = options.bias_feature;
    model.record = record;
    if (fingerprint) model.record.data_fingerprint = fingerprint->value(*schema);
  }
};

OnlineLearner::OnlineLearner(std::shared_ptr<const Schema> schema, const OnlineOptions& options,
                             const std::shared_ptr<const Model>& from, double counted)
    : state_(std::make_unique<State>()) {
  options.validate();
  check_start(from.get(), options);
  State& state = *state_;
  state.schema = std::move(schema);
  state.options = options;
  state.features = static_cast<std::size_t>(state.schema->feature_count());
  if (from) state.record = base_of(*from).record;
  state.record.solver = "pegasos";
  state.record.epochs = 1;
  state.record.data_fingerprint = 0;
  if (!from) state.fingerprint.emplace();
  const std::size_t classifiers = options.classes.size() <= 2 ? 1 : options.classes.size();
  check_memory(state.features, classifiers);
  const OnlineProblem problem{options.loss, options.lambda, options.bias, options.bias_feature};
  for (std::size_t k = 0; k < classifiers; ++k) {
    LinearPoint point = point_of(from.get(), k, state.features);
    point.w.resize(state.features, 0.0);
    state.solvers.emplace_back(problem, OnlinePoint{std::move(point), counted});
  }
  state.scores.resize(classifiers);
}
OnlineLearner::OnlineLearner(OnlineLearner&&) noexcept = default;
OnlineLearner::~OnlineLearner() = default;

void OnlineLearner::learn(const Dataset& rows) {
  State& state = *state_;
  check_labels(rows, state.options);
  if (const std::size_t features = features_in(rows); features > state.features) {
    check_memory(features, state.solvers.size());
    for (OnlineSolver& solver : state.solvers) solver.grow(features);
    state.features = features;
  }
  for (std::size_t k = 0; k < state.solvers.size(); ++k) {
    state.set_targets(rows, k);
    state.scores[k].resize(rows.rows());
    state.solvers[k].learn(rows, state.y, rows.weights(), state.scores[k]);
  }
  state.count_losses(rows);
  state.record.rows += rows.rows();
  state.record.steps += rows.rows();
  state.record.non_zeros += rows.non_zeros();
  if (state.fingerprint) state.fingerprint->add(rows);
}

const ProgressiveLoss& OnlineLearner::progressive() const {
  return state_->progressive;
}
double OnlineLearner::counted() const {
  return state_->solvers.front().counted();
}
std::size_t OnlineLearner::features() const {
  return state_->features;
}

Model OnlineLearner::model() const {
  const State& state = *state_;
  const std::vector<double>& classes = state.options.classes;
  if (classes.size() <= 2) {
    LinearModel model;
    state.describe(model);
    LinearPoint point = state.solvers.front().reached().point;
    model.w = std::move(point.w);
    model.b = point.b;
    model.labels.reset();
    if (!classes.empty()) model.labels = BinaryLabels{classes[1], classes[0]};
    return model;
  }
  MulticlassModel model;
  state.describe(model);
  model.classes = classes;
  LinearClassifiers& linear = model.body.emplace<LinearClassifiers>();
  linear.w.resize(state.features * classes.size());
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const LinearPoint point = state.solvers[k].reached().point;
    for (std::size_t j = 0; j < point.w.size(); ++j) linear.w[j * classes.size() + k] = point.w[j];
    model.classifiers.push_back(
        {.b = point.b, .rows = model.record.rows, .epochs = 1, .steps = model.record.steps});
  }
  return model;
}

OnlineResult learn_online(const Dataset& rows, const OnlineOptions& options,
                          const std::shared_ptr<const Model>& from, double counted) {
  OnlineLearner learner(rows.shared_schema(), options, from, counted);
  learner.learn(rows);
  return {learner.model(), learner.counted()};
}

}  // namespace pegasos
