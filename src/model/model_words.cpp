#include "model/model_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/quantity_text.h"
#include "pegasos/certificate.h"

namespace pegasos {
namespace {

constexpr std::size_t kClassesNamed = 8;
// A bound of a tenth of the objective or less says nothing that helps.
constexpr double kUsefulGap = 10.0;

std::string strategy_in_words(const MulticlassModel& model) {
  if (model.multilabel) return "any number of labels per row, one against the rest";
  switch (model.strategy) {
    case Strategy::one_against_rest:
      return "one against the rest";
    case Strategy::one_against_one:
      return "one against one";
    case Strategy::joint:
      break;
  }
  return "trained jointly";
}

std::string classes_in_words(const MulticlassModel& model) {
  std::string names;
  for (std::size_t k = 0; k < std::min(kClassesNamed, model.classes.size()); ++k) {
    names += (k > 0 ? ", " : "") + model.label_text(model.classes[k]);
  }
  if (model.classes.size() > kClassesNamed) names += ", ...";
  return fmt::format("{} classes ({}), {}", model.classes.size(), names, strategy_in_words(model));
}

}  // namespace

std::string task_in_words(const Model& model) {
  if (const auto* many = std::get_if<MulticlassModel>(&model)) return classes_in_words(*many);
  const SingleOutputModel& single = *single_output(model);
  if (!single.labels) {
    if (single.transform == TargetTransform::none) return "numbers (regression)";
    return fmt::format("numbers (regression on ln {})",
                       single.transform == TargetTransform::log ? "y" : "(1 + y)");
  }
  return fmt::format("{} (positive) against {}", single.positive_text(),
                     single.labels->negative ? single.negative_text() : "the rest");
}

std::string kernel_in_words(const KernelOptions& kernel) {
  std::string text = name_of(kernel.kind);
  if (kernel.uses_gamma()) text += fmt::format(", gamma {:.6g}", kernel.gamma);
  const bool polynomial = kernel.kind == KernelKind::polynomial;
  if (polynomial || kernel.kind == KernelKind::sigmoid) {
    text += fmt::format(", coef0 {:.6g}", kernel.coef0);
  }
  if (polynomial) text += fmt::format(", degree {}", kernel.degree);
  return text;
}

std::string vectors_in_words(const KernelModel& model) {
  if (model.record.rows == 0) return counted(model.coefficients.size(), "support vector");
  return fmt::format("{} from {} of {}, {} bounded",
                     counted(model.coefficients.size(), "support vector"),
                     with_separators(model.support.rows), counted(model.record.rows, "row"),
                     with_separators(model.support.bounded));
}

std::string size_in_words(const Model& model) {
  if (const auto* many = std::get_if<MulticlassModel>(&model)) {
    return many->kernels() != nullptr ? counted(many->kernels()->vectors(), "support vector")
                                      : counted(many->linear()->w.size(), "weight");
  }
  if (const auto* linear = std::get_if<LinearModel>(&model)) {
    return counted(linear->w.size(), "weight");
  }
  return counted(std::get<KernelModel>(model).coefficients.size(), "support vector");
}

std::string gap_in_words(const Certificate& proof) {
  const double gap = proof.relative_gap();
  if (gap <= kUsefulGap) return fmt::format("within {} of the optimum, proven", percent_above(gap));
  if (proof.primal == 0.0) return "the optimum, proven: no objective is below 0";
  return fmt::format("no useful bound yet: the optimum is between {} and {}",
                     digits_below(proof.dual.value_or(0.0), 3), digits_above(proof.primal, 3));
}

}  // namespace pegasos
