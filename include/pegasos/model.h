// LinearModel: what training leaves behind. Holds everything that is needed to predict, to explain
// itself, and to be checked: weights, labels, the schema of the features, how it was trained and
// what was proven about it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/problem.h"
#include "pegasos/schema.h"

namespace pegasos {

// How a model came about. Texts and numbers for people; nothing here changes a prediction.
struct TrainingRecord {
  std::string solver = {};    // "pegasos"
  std::string settings = {};  // the explicit command-line options that would do the same
  std::uint64_t rows = 0;
  std::uint64_t non_zeros = 0;
  std::uint64_t epochs = 0;
  std::uint64_t steps = 0;
  std::uint64_t violations = 0;
  std::uint64_t seed = 0;
  std::uint64_t data_fingerprint = 0;  // XXH3 of the training data, see fingerprint()
  bool interrupted = false;            // stopped by the user before its end
};

// What is known about the distance to the optimum.
struct ModelCertificate {
  double primal = 0.0;  // objective of this model on its training data
  double regulariser = 0.0;
  double mean_loss = 0.0;
  std::optional<double> dual = {};          // a lower bound of every model's objective
  std::optional<std::uint64_t> wrong = {};  // misclassified training rows

  std::optional<double> relative_gap() const;  // (primal - dual)/dual, if dual > 0
};

struct LinearModel {
  std::vector<double> w = {};
  double b = 0.0;

  // Classification: the labels as values of the training data (indices into schema->label_words
  // when those are words). Regression has none.
  bool classifies = true;
  double positive_label = 1.0;
  double negative_label = -1.0;
  // One label was trained against all others, which are called "not <positive>" and have no value.
  bool one_against_rest = false;

  std::shared_ptr<const Schema> schema = {};
  LossOptions loss = {};
  double lambda = 0.0;
  Bias bias = Bias::none;
  double bias_feature = 1.0;
  TrainingRecord record = {};
  std::optional<ModelCertificate> certificate = {};

  // <w, x> + b. Ids of the row are those of the model's schema.
  double decision(const RowView& row) const;
  // The label for a decision value: positive above 0, else negative; for regression the value
  // itself.
  double label_for(double decision) const;
  // A label as text: the word, or the number in its shortest form.
  std::string label_text(double label) const;
  // C = 1/(lambda m), the name of the same thing in LIBLINEAR and LIBSVM.
  double c() const { return 1.0 / (lambda * static_cast<double>(record.rows)); }

  friend bool operator==(const LinearModel&, const LinearModel&) = default;
};

// Saved atomically; every byte is under a checksum. load_model checks everything and throws
// CorruptModel with the place of what is wrong.
void save_model(const LinearModel& model, const std::string& path);
LinearModel load_model(const std::string& path);
bool is_model_file(const std::string& path);

// LIBLINEAR's text model. Writing drops what it cannot hold; word labels become 1 and -1
// (documented in the file's companion message to the caller). Reading accepts two-class and
// regression models.
void save_liblinear(const LinearModel& model, const std::string& path);
LinearModel load_liblinear(const std::string& path);
bool is_liblinear_file(const std::string& path);

// XXH3 of rows, features, labels and weights; the same for the same data in any format and layout.
std::uint64_t fingerprint(const Dataset& data);

}  // namespace pegasos
