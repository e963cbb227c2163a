// What every model has: labels, the schema of the features, how it was trained and what was proven
// about it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/calibration.h"
#include "pegasos/loss.h"
#include "pegasos/problem.h"
#include "pegasos/scaling.h"
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

  friend bool operator==(const TrainingRecord&, const TrainingRecord&) = default;
};

// What is known about the distance to the optimum.
struct ModelCertificate {
  double primal = 0.0;  // objective of this model on its training data
  double regulariser = 0.0;
  double mean_loss = 0.0;
  std::optional<double> dual = {};          // a lower bound of every model's objective
  std::optional<std::uint64_t> wrong = {};  // misclassified training rows

  std::optional<double> relative_gap() const;  // (primal - dual)/dual, if dual > 0

  friend bool operator==(const ModelCertificate&, const ModelCertificate&) = default;
};

// The rows of a label count so much more than others, on top of their own weights.
struct LabelWeight {
  double label = 0.0;
  double weight = 1.0;  // ≥ 0

  friend bool operator==(const LabelWeight&, const LabelWeight&) = default;
};

struct ModelBase {
  double b = 0.0;

  // Two classes: the labels as values of the training data (indices into schema->label_words
  // when those are words). Regression has none.
  bool classifies = true;
  double positive_label = 1.0;
  double negative_label = -1.0;
  // One label was trained against all others, which are called "not <positive>". They have no value
  // in common: negative_label means nothing then.
  bool one_against_rest = false;

  std::shared_ptr<const Schema> schema = {};  // of the rows as they are in files
  // What is done to rows first: weights, maps and support vectors are those of scaled rows.
  std::optional<Scaling> scaling = {};
  LossOptions loss = {};
  double lambda = 0.0;  // > 0; 0 only in a model from elsewhere, whose record.rows is 0
  Bias bias = Bias::none;
  double bias_feature = 1.0;
  // Labels whose rows were trained with a weight other than 1, ascending.
  std::vector<LabelWeight> label_weights = {};
  TrainingRecord record = {};
  std::optional<ModelCertificate> certificate = {};
  std::vector<double> duals = {};  // those that prove the certificate's dual, one a row, or none
  // From scores to probabilities: none, or one for each score of a row.
  std::vector<Calibration> calibrations = {};

  bool has_probabilities() const { return !calibrations.empty(); }
  // Of two classes: does this decision value mean the positive one? The probability decides where
  // there is one, above 1/2, so that label and probability agree; else the sign.
  bool is_positive(double decision) const {
    return calibrations.empty() ? decision > 0 : calibrations.front().probability(decision) > 0.5;
  }

  // The label for a decision value: positive or negative (NaN, no value, for the others of
  // one_against_rest) by is_positive; for regression the decision value itself.
  double label_for(double decision) const;
  // A label as text: the word, or the number in its shortest form; of NaN "not <positive>".
  std::string label_text(double label) const;
  // C = 1/(lambda m), the name of the same thing in LIBLINEAR and LIBSVM; infinite if not known.
  double c() const { return 1.0 / (lambda * static_cast<double>(record.rows)); }

 protected:
  // What must hold for every model; and for the labels of those that have at most two.
  void validate_shared() const;      // throws InvalidOption
  void validate_two_labels() const;  // throws InvalidOption
  // By value, the schema too; labels only where they mean something.
  static bool same_shared(const ModelBase& a, const ModelBase& b);
};

}  // namespace pegasos
