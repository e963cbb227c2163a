#include "learn/classifiers.h"

#include <utility>
#include <vector>

#include "data/take_rows.h"

namespace pegasos {
namespace {

void describe(const MulticlassModel& many, std::size_t k, SingleOutputModel& model) {
  const Classifier& classifier = many.classifiers[k];
  model.b = classifier.b;
  model.loss = many.loss;
  model.bias = many.bias;
  model.bias_feature = many.bias_feature;
  model.record = many.record;
  model.record.rows = classifier.rows;
  model.record.epochs = classifier.epochs;
  // The same C for all classifiers.
  if (classifier.rows > 0) {
    model.lambda =
        many.lambda * static_cast<double>(many.record.rows) / static_cast<double>(classifier.rows);
  }
  model.certificate = classifier.certificate;
  model.duals = classifier.duals;
}

// The coefficient of a vector in classifier k, 0 if it takes no part.
double coefficient_of(const MulticlassModel& model, const KernelClassifiers& kernels,
                      std::size_t vector, std::size_t k, const ClassPair& pair) {
  const std::size_t width = model.coefficients_per_vector();
  const auto row = std::span(kernels.coefficients).subspan(vector * width, width);
  if (model.strategy != Strategy::one_against_one) return row[k];
  const std::size_t of = kernels.vector_class[vector];
  if (of == pair.first) return row[pair.second - 1];
  return of == pair.second ? row[pair.first] : 0.0;
}

}  // namespace

std::shared_ptr<const Schema> without_labels(const Schema& schema) {
  Schema plain = schema;
  plain.label_words.clear();
  plain.multilabel = false;
  return std::make_shared<const Schema>(std::move(plain));
}

LinearModel linear_classifier(const MulticlassModel& many, std::size_t k,
                              std::shared_ptr<const Schema> schema) {
  LinearModel model;
  describe(many, k, model);
  model.schema = std::move(schema);
  const std::size_t classifiers = many.classifiers.size();
  const std::vector<double>& w = many.linear()->w;
  model.w.reserve(w.size() / classifiers);
  for (std::size_t j = k; j < w.size(); j += classifiers) model.w.push_back(w[j]);
  return model;
}

KernelModel kernel_classifier(const MulticlassModel& many, std::size_t k) {
  KernelModel model;
  describe(many, k, model);
  model.schema = without_labels(*many.schema);
  const KernelClassifiers& kernels = *many.kernels();
  model.kernel = kernels.kernel;
  const ClassPair pair =
      many.strategy == Strategy::one_against_one ? class_pair(many.classes.size(), k) : ClassPair{};
  std::vector<RowId> kept;
  for (std::size_t j = 0; j < kernels.vectors(); ++j) {
    const double coefficient = coefficient_of(many, kernels, j, k, pair);
    if (coefficient == 0.0) continue;
    model.coefficients.push_back(coefficient);
    if (!kernels.columns.empty()) model.columns.push_back(kernels.columns[j]);
    kept.push_back(static_cast<RowId>(j));
  }
  if (kernels.columns.empty()) model.support_vectors = take_rows(kernels.support_vectors, kept);
  model.support = kernels.support[k];
  return model;
}

}  // namespace pegasos
