// Rows of a stream to the steps of one solver, or of one for each class; see pegasos/online.h.
#include "pegasos/online.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/class_labels.h"
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

void describe(const Dataset& rows, const OnlineOptions& options, const Model* from,
              ModelBase& model) {
  model.schema = rows.shared_schema();
  model.loss = options.loss;
  model.lambda = options.lambda;
  model.bias = options.bias;
  model.bias_feature = options.bias_feature;
  if (from != nullptr) model.record = base_of(*from).record;
  model.record.solver = "pegasos";
  model.record.rows += rows.rows();
  model.record.steps += rows.rows();
  model.record.non_zeros += rows.non_zeros();
  model.record.epochs = 1;
  model.record.data_fingerprint = 0;
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

OnlineResult learn_online(const Dataset& rows, const OnlineOptions& options,
                          std::shared_ptr<const Model> from, double counted) {
  options.validate();
  check_start(from.get(), options);
  check_labels(rows, options);
  LinearProblem problem;
  problem.data = rows;
  problem.weights = rows.weights();
  problem.loss = options.loss;
  problem.lambda = options.lambda;
  problem.bias = options.bias;
  problem.bias_feature = options.bias_feature;
  OnlineResult result;
  std::vector<double> y(rows.labels().begin(), rows.labels().end());
  const auto learn = [&](std::size_t k, const double* positive) {
    if (positive != nullptr) {
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = rows.label(i) == *positive ? 1.0 : -1.0;
    }
    problem.y = y;
    OnlinePoint reached =
        learn_online(problem, {point_of(from.get(), k, rows.features()), counted});
    result.counted = reached.counted;
    return std::move(reached.point);
  };
  const std::vector<double>& classes = options.classes;
  if (classes.size() <= 2) {
    LinearModel model;
    describe(rows, options, from.get(), model);
    LinearPoint point = learn(0, classes.empty() ? nullptr : &classes[1]);
    model.w = std::move(point.w);
    model.b = point.b;
    model.labels.reset();
    if (!classes.empty()) model.labels = BinaryLabels{classes[1], classes[0]};
    result.model = std::move(model);
    return result;
  }
  MulticlassModel model;
  describe(rows, options, from.get(), model);
  model.classes = classes;
  LinearClassifiers& linear = model.body.emplace<LinearClassifiers>();
  linear.w.resize(rows.features() * classes.size());
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const LinearPoint point = learn(k, &classes[k]);
    for (std::size_t j = 0; j < point.w.size(); ++j) linear.w[j * classes.size() + k] = point.w[j];
    model.classifiers.push_back(
        {.b = point.b, .rows = model.record.rows, .epochs = 1, .steps = model.record.steps});
  }
  result.model = std::move(model);
  return result;
}

}  // namespace pegasos
