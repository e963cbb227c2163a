// MulticlassModel: several machines that share their data and decide together.
//
//   one_against_rest  a machine for each class; the highest score wins
//   one_against_one   a machine for each pair of classes c < d, above 0 for c, in the order
//                     (0,1) (0,2) … (1,2) …; each votes, and of equal votes the first class wins
//   joint             a weight vector for each class, trained together on
//                     max over r of  [r ≠ y] + <w_r, x> - <w_y, x>  (Crammer and Singer)
//
// Rows may have several labels ("1,3"): then one machine against the rest for each, and every class
// whose score is above 0, or whose probability is above 1/2, is predicted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/feature_map.h"
#include "pegasos/kernel.h"
#include "pegasos/model_base.h"

namespace pegasos {

enum class Strategy { one_against_rest, one_against_one, joint };

std::string name_of(Strategy strategy);  // "ovr", "ovo", "joint"

// What is a machine's own. One of one_against_one is of its own rows: those of its two classes,
// and lambda times all rows over these, so that C is the same for all machines.
struct Machine {
  double b = 0.0;
  std::uint64_t rows = 0;
  std::uint64_t epochs = 0;
  std::uint64_t steps = 0;
  std::optional<ModelCertificate> certificate = {};
  std::vector<double> duals = {};  // as in ModelBase, of its rows in their order

  // Of a kernel machine, as in KernelModel.
  std::uint64_t support_rows = 0;
  std::uint64_t bounded = 0;
  double norm = 0.0;

  friend bool operator==(const Machine&, const Machine&) = default;
};

// b, certificate and duals of the base are those of a joint model, and nothing of the others. The
// duals of a joint model are one for each row and class, those of a row side by side.
struct MulticlassModel : ModelBase {
  Strategy strategy = Strategy::one_against_rest;
  // Different label values, as in the training data, in the order of the scores.
  std::vector<double> classes = {};
  bool multilabel = false;
  std::vector<Machine> machines = {};

  // Linear machines: weights of the features (or of what the map makes of them), those of all
  // machines for one feature side by side, so that a row is scored for all in one walk.
  std::vector<double> w = {};
  std::optional<FeatureMap> map = {};

  // Kernel machines: all support vectors, and for each a row of coefficients. One against the rest
  // has one for each machine. One against one has one for each other class: a vector is of one
  // class (vector_class, ascending) and takes part in the machines of that class alone.
  std::optional<KernelOptions> kernel = {};
  Dataset support_vectors = {};
  std::vector<FeatureId> columns = {};  // instead, of a precomputed kernel
  std::vector<std::uint32_t> vector_class = {};
  std::vector<double> coefficients = {};

  std::size_t vectors() const { return columns.size() + support_vectors.rows(); }
  std::size_t coefficients_per_vector() const {
    return strategy == Strategy::one_against_one ? classes.size() - 1 : classes.size();
  }

  // The place in `classes` that scores of one row choose: the highest, or where there are
  // probabilities the likeliest; of equal ones (one against one: of equal votes, as in LIBSVM) the
  // first.
  std::size_t choose(std::span<const double> scores) const;
  // The label for the scores of one row. Not for rows of several labels.
  double label_of(std::span<const double> scores) const { return classes[choose(scores)]; }
  // The same in words: "7", or of several labels "1,3", where none is above 0 "".
  std::string prediction_text(std::span<const double> scores) const;

  // The certificate with the widest gap; none if a machine has none.
  std::optional<ModelCertificate> worst_certificate() const;
  // What a machine is called: "7", "7 against 9".
  std::string machine_name(std::size_t k) const;

  void validate() const;  // throws InvalidOption

  friend bool operator==(const MulticlassModel& a, const MulticlassModel& b);
};

// Machines of so many classes.
std::size_t machines_for(Strategy strategy, std::size_t classes);

// The two classes of machine k of one_against_one.
struct ClassPair {
  std::size_t first = 0;
  std::size_t second = 0;
};
ClassPair class_pair(std::size_t classes, std::size_t k);
std::vector<ClassPair> class_pairs(std::size_t classes);

}  // namespace pegasos
