#include "pegasos/multiclass_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "model/checks.h"
#include "pegasos/model.h"
#include "pegasos/progress.h"

namespace pegasos {
namespace {

void check_classes(const MulticlassModel& model) {
  require(model.classifies(), "loss", "multiclass models need a classification loss");
  require(model.classes.size() >= (model.multilabel ? 1U : 2U), "classes",
          "there must be at least two");
  require(
      std::set<double>(model.classes.begin(), model.classes.end()).size() == model.classes.size(),
      "classes", "must differ");
  const auto words = static_cast<double>(model.schema->label_words.size());
  for (const double label : model.classes) {
    require(std::isfinite(label), "classes", "must be finite");
    require(words == 0 || (label >= 0 && label < words && label == std::trunc(label)), "classes",
            "must be among the label words");
  }
  require(!model.multilabel || (words > 0 && model.strategy == Strategy::one_against_rest),
          "multilabel", "needs label words and one one-against-rest classifier per label");
}

void check_linear(const MulticlassModel& model, const LinearClassifiers& linear) {
  require(!linear.map || linear.map->features() == model.schema->feature_count(), "map",
          "must have the same features as the schema");
  const std::uint64_t d = linear.map ? linear.map->components() : model.schema->feature_count();
  const std::size_t classifiers = model.classifiers.size();
  require(linear.w.size() % classifiers == 0 && linear.w.size() / classifiers == d, "w",
          "must have one weight per feature and classifier");
  for (const double weight : linear.w) require(std::isfinite(weight), "w", "must be finite");
}

void check_vector_classes(const MulticlassModel& model, const KernelClassifiers& kernels) {
  const auto& of = kernels.vector_class;
  if (model.strategy != Strategy::one_against_one) {
    require(of.empty(), "vector_class", "is only for one against one");
    return;
  }
  require(of.size() == kernels.vectors() && std::is_sorted(of.begin(), of.end()) &&
              (of.empty() || of.back() < model.classes.size()),
          "vector_class", "must be one class per support vector, in ascending order");
}

void check_kernel(const MulticlassModel& model, const KernelClassifiers& kernels) {
  const KernelOptions& kernel = kernels.kernel;
  kernel.validate();
  require(model.strategy != Strategy::joint, "strategy", "the joint strategy is for linear models");
  require(model.bias == Bias::none || model.bias == Bias::unregularised, "bias",
          "kernel models support only none and unregularised");
  const bool precomputed = kernel.kind == KernelKind::precomputed;
  require(precomputed ? kernels.support_vectors.rows() == 0 : kernels.columns.empty(), "columns",
          "are only for precomputed kernels, instead of vectors");
  require(kernels.support_vectors.rows() == 0 ||
              kernels.support_vectors.features() == model.schema->feature_count(),
          "support_vectors", "must have the same features as the schema");
  for (const FeatureId column : kernels.columns) {
    require(column < model.schema->feature_count(), "columns", "must be features of the schema");
  }
  if (!precomputed) check_kernel_data(kernel, kernels.support_vectors);
  check_vector_classes(model, kernels);
  require(kernels.coefficients.size() == kernels.vectors() * model.coefficients_per_vector(),
          "coefficients", "must have one row per support vector");
  for (const double coefficient : kernels.coefficients) {
    require(std::isfinite(coefficient), "coefficients", "must be finite");
  }
  require(kernels.support.size() == model.classifiers.size(), "support",
          "there must be one per classifier");
  for (const SupportCounts& support : kernels.support) check_support(support, model.record.rows);
}

void check_classifiers(const MulticlassModel& model) {
  require(model.classifiers.size() == classifiers_for(model.strategy, model.classes.size()),
          "machines", "their number does not match the classes");
  for (const Classifier& classifier : model.classifiers) {
    require(std::isfinite(classifier.b), "b", "must be finite");
    require(model.bias != Bias::none || classifier.b == 0, "b",
            "must be 0 in a model without a bias");
    require(classifier.rows <= model.record.rows, "rows", "must not exceed the number of rows");
    require(classifier.duals.empty() || classifier.duals.size() == classifier.rows, "duals",
            "there must be one per training row");
    for (const double dual : classifier.duals)
      require(std::isfinite(dual), "duals", "must be finite");
    require(!classifier.certificate || model.strategy != Strategy::joint, "certificate",
            "a joint model has a single certificate");
    if (classifier.certificate) check_certificate(*classifier.certificate, classifier.rows);
  }
}

}  // namespace

std::string name_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::one_against_rest:
      return "ovr";
    case Strategy::one_against_one:
      return "ovo";
    case Strategy::joint:
      break;
  }
  return "joint";
}

std::size_t classifiers_for(Strategy strategy, std::size_t classes) {
  return strategy == Strategy::one_against_one ? classes * (classes - 1) / 2 : classes;
}

ClassPair class_pair(std::size_t classes, std::size_t k) {
  std::size_t first = 0;
  for (std::size_t others = classes - 1; k >= others; --others) {
    k -= others;
    ++first;
  }
  return {first, first + 1 + k};
}

std::vector<ClassPair> class_pairs(std::size_t classes) {
  std::vector<ClassPair> pairs;
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t d = c + 1; d < classes; ++d) pairs.push_back({c, d});
  }
  return pairs;
}

std::optional<Certificate> MulticlassModel::worst_certificate() const {
  if (strategy == Strategy::joint) return joint ? std::optional(joint->certificate) : std::nullopt;
  std::optional<Certificate> worst;
  double widest = -1.0;
  for (const Classifier& classifier : classifiers) {
    if (!classifier.certificate) return std::nullopt;
    const Certificate& proof = *classifier.certificate;
    const double gap = proof.relative_gap();
    if (!(gap > widest)) continue;
    widest = gap;
    worst = proof;
  }
  return worst;
}

std::string MulticlassModel::classifier_name(std::size_t k) const {
  if (strategy != Strategy::one_against_one) return label_text(classes[k]);
  const ClassPair pair = class_pair(classes.size(), k);
  return label_text(classes[pair.first]) + " against " + label_text(classes[pair.second]);
}

std::vector<double> MulticlassModel::weights_of(std::size_t k) const {
  const std::vector<double>& all = linear()->w;
  const std::size_t count = classifiers.size();
  std::vector<double> own(all.size() / count);
  for (std::size_t j = 0; j < own.size(); ++j) own[j] = all[j * count + k];
  return own;
}

void MulticlassModel::validate() const {
  validate_shared();
  check_classes(*this);
  check_classifiers(*this);
  require(!multilabel || label_weights.empty(), "label_weights",
          "are not available for multilabel models");
  require(calibrations.empty() || calibrations.size() == classes.size(), "calibrations",
          "there must be one per class");
  require(!joint || strategy == Strategy::joint, "joint", "is only for the joint strategy");
  if (joint) {
    check_certificate(joint->certificate, record.rows);
    require(joint->duals.empty() || joint->duals.size() == record.rows * classes.size(), "duals",
            "there must be one per row and class of a joint model");
    for (const double dual : joint->duals) require(std::isfinite(dual), "duals", "must be finite");
  }
  if (const KernelClassifiers* of_kernel = kernels()) {
    check_kernel(*this, *of_kernel);
  } else {
    check_linear(*this, *linear());
  }
}

bool operator==(const LinearClassifiers& a, const LinearClassifiers& b) {
  const bool same_maps =
      a.map.has_value() == b.map.has_value() && (!a.map || same_map(*a.map, *b.map));
  return a.w == b.w && same_maps;
}

bool operator==(const KernelClassifiers& a, const KernelClassifiers& b) {
  return same_kernel(a.kernel, b.kernel) && same_rows(a.support_vectors, b.support_vectors) &&
         a.columns == b.columns && a.vector_class == b.vector_class &&
         a.coefficients == b.coefficients && a.support == b.support;
}

bool operator==(const MulticlassModel& a, const MulticlassModel& b) {
  return MulticlassModel::same_shared(a, b) && a.strategy == b.strategy && a.classes == b.classes &&
         a.multilabel == b.multilabel && a.classifiers == b.classifiers && a.body == b.body &&
         a.joint == b.joint;
}

}  // namespace pegasos
