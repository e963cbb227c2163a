// What a model says about rows: decision values, classes, probabilities.
#include "scores.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "arrays.h"
#include "interrupts.h"
#include "pegasos/decision.h"
#include "pegasos/error.h"
#include "pegasos/model.h"

namespace pegasos::python {
namespace {

// Rows are scored in blocks, between which Ctrl-C is looked at; one takes a few hundredths of a
// second.
std::vector<double> unchecked_scores(const Model& model, const Dataset& rows, int threads) {
  constexpr std::size_t kAtOnce = 256;
  const auto* many = std::get_if<MulticlassModel>(&model);
  const bool kernel =
      std::holds_alternative<KernelModel>(model) || (many != nullptr && many->kernels() != nullptr);
  const std::size_t block_rows = kernel ? 1024 : 16384;
  if (rows.rows() <= kAtOnce) {
    const py::gil_scoped_release release;
    return decisions(model, rows, threads);
  }
  Interrupts interrupts;
  auto scores = interrupts.run([&] {
    if (rows.rows() <= block_rows) return decisions(model, rows, threads);
    std::vector<double> all;
    all.reserve(rows.rows() * outputs(model));
    for (std::size_t begin = 0; begin < rows.rows(); begin += block_rows) {
      if (interrupts.asked_to_stop()) break;
      const auto block =
          decisions(model, rows.slice(begin, std::min(block_rows, rows.rows() - begin)), threads);
      all.insert(all.end(), block.begin(), block.end());
    }
    return all;
  });
  if (interrupts.has_raised()) {
    const py::object raised = interrupts.raised();
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
    throw py::error_already_set();
  }
  return scores;
}

std::vector<double> scores_of(const Model& model, const Dataset& rows, int threads) {
  std::vector<double> scores = unchecked_scores(model, rows, threads);
  const bool good =
      std::all_of(scores.begin(), scores.end(), [](double z) { return std::isfinite(z); });
  if (!good && shows_bad_values(model)) {
    throw InvalidOption("values", "a value is infinite or not a number");
  }
  return scores;
}

}  // namespace

bool shows_bad_values(const Model& model) {
  if (base_of(model).scaling) return false;  // it sets constant columns to zero
  if (const auto* one = std::get_if<LinearModel>(&model)) return !one->map;
  const auto* many = std::get_if<MulticlassModel>(&model);
  return many != nullptr && many->strategy != Strategy::one_against_one &&
         many->linear() != nullptr && !many->linear()->map;
}

py::array decision_values(const ModelHandle& self, const Dataset& rows, int threads) {
  const auto width = static_cast<py::ssize_t>(outputs(*self.model));
  auto scores = scores_of(*self.model, rows, threads);
  const Decision decision(*self.model);
  if (decision.kind() == AnswerKind::number) {  // in the user's units, whatever was learned
    for (double& score : scores) score = decision.number(score);
  }
  if (width == 1) return to_numpy(std::move(scores));
  return to_numpy(std::move(scores), {static_cast<py::ssize_t>(rows.rows()), width});
}

// scikit-learn's probabilities count rows by their class weights, so that they agree with predict.
Decision decision_of(const ModelHandle& self) {
  return Decision(*self.model, {.probabilities_of = ProbabilitiesOf::weighted_rows});
}

// Places in classes().
py::array predict(const ModelHandle& self, const Dataset& rows, int threads) {
  const Decision decision = decision_of(self);
  const auto scores = scores_of(*self.model, rows, threads);
  std::vector<std::int64_t> answers(rows.rows());
  const bool two = decision.kind() == AnswerKind::two_classes;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::size_t place =
        decision.class_of(std::span(scores).subspan(i * decision.outputs(), decision.outputs()));
    answers[i] = static_cast<std::int64_t>(two ? 1 - place : place);
  }
  return to_numpy(std::move(answers));
}

py::object probabilities(const ModelHandle& self, const Dataset& rows, int threads) {
  const Decision decision = decision_of(self);
  if (!decision.has_probabilities()) return py::none();
  const auto scores = scores_of(*self.model, rows, threads);
  const std::size_t count = decision.names().size();
  std::vector<double> all(rows.rows() * count);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = std::span(all).subspan(i * count, count);
    decision.probabilities(std::span(scores).subspan(i * decision.outputs(), decision.outputs()),
                           row);
    if (decision.kind() == AnswerKind::two_classes) std::swap(row[0], row[1]);
  }
  return to_numpy(std::move(all),
                  {static_cast<py::ssize_t>(rows.rows()), static_cast<py::ssize_t>(count)});
}

// The decision values of each pair of classes, of kernel machines one against one: each is a kernel
// model of the vectors of its two classes.
py::object pair_decision_values(const ModelHandle& self, const Dataset& rows, int threads) {
  const auto* many = std::get_if<MulticlassModel>(self.model.get());
  if (many == nullptr || many->strategy != Strategy::one_against_one ||
      many->kernels() == nullptr) {
    return py::none();
  }
  const KernelClassifiers& kernels = *many->kernels();
  const std::size_t width = many->coefficients_per_vector();
  std::vector<double> all(rows.rows() * many->classifiers.size());
  for (std::size_t k = 0; k < many->classifiers.size(); ++k) {
    const ClassPair pair = class_pair(many->classes.size(), k);
    KernelModel one;
    static_cast<ModelBase&>(one) = *many;
    one.kernel = kernels.kernel;
    one.support_vectors = kernels.support_vectors;
    one.b = many->classifiers[k].b;
    for (std::size_t j = 0; j < kernels.vector_class.size(); ++j) {
      const std::size_t own = kernels.vector_class[j];
      const bool takes_part = own == pair.first || own == pair.second;
      const std::size_t other = own == pair.first ? pair.second : pair.first;
      const std::size_t column = other < own ? other : other - 1;
      one.coefficients.push_back(takes_part ? kernels.coefficients[j * width + column] : 0.0);
    }
    const auto scores = scores_of(Model(std::move(one)), rows, threads);
    for (std::size_t i = 0; i < rows.rows(); ++i) all[i * many->classifiers.size() + k] = scores[i];
  }
  return to_numpy(std::move(all), {static_cast<py::ssize_t>(rows.rows()),
                                   static_cast<py::ssize_t>(many->classifiers.size())});
}

}  // namespace pegasos::python
