#include "learn/machines.h"

#include <utility>
#include <vector>

#include "data/take_rows.h"

namespace pegasos {
namespace {

void describe(const MulticlassModel& many, std::size_t k, SingleOutputModel& model) {
  const Machine& machine = many.machines[k];
  model.b = machine.b;
  model.loss = many.loss;
  model.bias = many.bias;
  model.bias_feature = many.bias_feature;
  model.record = many.record;
  model.record.rows = machine.rows;
  model.record.epochs = machine.epochs;
  // The same C for all machines.
  if (machine.rows > 0) {
    model.lambda =
        many.lambda * static_cast<double>(many.record.rows) / static_cast<double>(machine.rows);
  }
  model.certificate = machine.certificate;
  model.duals = machine.duals;
}

// The coefficient of a vector in machine k, 0 if it takes no part.
double coefficient_of(const MulticlassModel& model, const KernelMachines& kernels,
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

LinearModel linear_machine(const MulticlassModel& many, std::size_t k,
                           std::shared_ptr<const Schema> schema) {
  LinearModel model;
  describe(many, k, model);
  model.schema = std::move(schema);
  const std::size_t machines = many.machines.size();
  const std::vector<double>& w = many.linear()->w;
  model.w.reserve(w.size() / machines);
  for (std::size_t j = k; j < w.size(); j += machines) model.w.push_back(w[j]);
  return model;
}

KernelModel kernel_machine(const MulticlassModel& many, std::size_t k) {
  KernelModel model;
  describe(many, k, model);
  model.schema = without_labels(*many.schema);
  const KernelMachines& kernels = *many.kernels();
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
