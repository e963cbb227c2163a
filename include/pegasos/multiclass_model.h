// MulticlassModel: several binary classifiers that share their data.
//
//   one_against_rest  a classifier for each class
//   one_against_one   one for each pair of classes c < d, above 0 for c, in the order
//                     (0,1) (0,2) … (1,2) …
//   joint             a weight vector for each class, trained together on
//                     max over r of  [r ≠ y] + <w_r, x> - <w_y, x>  (Crammer and Singer)
//
// Rows may have several labels ("1,3"): then there is one classifier against the rest for each
// label. How scores become labels is in decision.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/feature_map.h"
#include "pegasos/kernel.h"
#include "pegasos/model_base.h"

namespace pegasos {

enum class Strategy { one_against_rest, one_against_one, joint };

std::string name_of(Strategy strategy);  // "ovr", "ovo", "joint"

// One of the binary classifiers. Of one_against_one it is trained on the rows of its two classes
// alone, with lambda times all rows over these, so that C is the same for all of them.
struct Classifier {
  double b = 0.0;
  std::uint64_t rows = 0;
  std::uint64_t epochs = 0;
  std::uint64_t steps = 0;
  std::optional<Certificate> certificate = {};  // none in a joint model, which has one in all
  std::vector<double> duals = {};               // of its rows in their order, or none

  friend bool operator==(const Classifier&, const Classifier&) = default;
};

// Weights of the features (or of what the map makes of them), those of all classifiers for one
// feature side by side, so that a row is scored for all in one walk.
struct LinearClassifiers {
  std::vector<double> w = {};
  std::optional<FeatureMap> map = {};

  friend bool operator==(const LinearClassifiers& a, const LinearClassifiers& b);
};

// All support vectors, and for each a row of coefficients. One against the rest has one for each
// classifier. One against one has one for each other class: a vector is of one class (vector_class,
// ascending) and takes part in the classifiers of that class alone.
struct KernelClassifiers {
  KernelOptions kernel = {};
  Dataset support_vectors = {};
  std::vector<FeatureId> columns = {};  // instead, of a precomputed kernel
  std::vector<std::uint32_t> vector_class = {};
  std::vector<double> coefficients = {};
  std::vector<SupportCounts> support = {};  // one for each classifier

  std::size_t vectors() const { return columns.size() + support_vectors.rows(); }

  friend bool operator==(const KernelClassifiers& a, const KernelClassifiers& b);
};

// What is proven of all weights of a joint model together. The duals are one for each row and
// class, those of a row side by side, or none.
struct JointProof {
  Certificate certificate = {};
  std::vector<double> duals = {};

  friend bool operator==(const JointProof&, const JointProof&) = default;
};

struct MulticlassModel : ModelBase {
  Strategy strategy = Strategy::one_against_rest;
  // Different label values, as in the training data, in the order of the scores.
  std::vector<double> classes = {};
  bool multilabel = false;
  std::vector<Classifier> classifiers = {};
  std::variant<LinearClassifiers, KernelClassifiers> body = {};
  std::optional<JointProof> joint = {};  // of Strategy::joint alone

  // The body as what it is, or null.
  const LinearClassifiers* linear() const { return std::get_if<LinearClassifiers>(&body); }
  LinearClassifiers* linear() { return std::get_if<LinearClassifiers>(&body); }
  const KernelClassifiers* kernels() const { return std::get_if<KernelClassifiers>(&body); }
  KernelClassifiers* kernels() { return std::get_if<KernelClassifiers>(&body); }

  std::size_t coefficients_per_vector() const {
    return strategy == Strategy::one_against_one ? classes.size() - 1 : classes.size();
  }

  // The certificate with the widest gap; none if a classifier has none.
  std::optional<Certificate> worst_certificate() const;
  // What a classifier is called: "7", "7 against 9".
  std::string classifier_name(std::size_t k) const;
  // The weights of classifier k of linear ones, which are stored side by side with the others'.
  std::vector<double> weights_of(std::size_t k) const;

  void validate() const;  // throws InvalidOption

  friend bool operator==(const MulticlassModel& a, const MulticlassModel& b);
};

// Machines of so many classes.
std::size_t classifiers_for(Strategy strategy, std::size_t classes);

// The two classes of classifier k of one_against_one.
struct ClassPair {
  std::size_t first = 0;
  std::size_t second = 0;
};
ClassPair class_pair(std::size_t classes, std::size_t k);
std::vector<ClassPair> class_pairs(std::size_t classes);

}  // namespace pegasos
