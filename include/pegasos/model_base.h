// What every model has: labels, the schema of the features, how it was trained and what was proven
// about it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/calibration.h"
#include "pegasos/certificate.h"
#include "pegasos/loss.h"
#include "pegasos/problem.h"
#include "pegasos/scaling.h"
#include "pegasos/schema.h"
#include "pegasos/setting.h"

namespace pegasos {

// Where a stream of rows has led, and how well each row was predicted before it was learned from.
struct StreamRecord {
  double counted = 0.0;  // rows that the step size counts
  double weight = 0.0;   // of the rows that were predicted; the sums below are over them
  double loss = 0.0;
  double error = 0.0;  // rows predicted wrongly, or absolute errors

  friend bool operator==(const StreamRecord&, const StreamRecord&) = default;
};

// How a model came about. Texts and numbers for people; nothing here changes a prediction.
struct TrainingRecord {
  std::string solver = {};  // "pegasos"
  // The options in full as they turned out; a file of version 0.1 has them as one line, which is a
  // setting without a name.
  std::vector<Setting> settings = {};
  std::uint64_t rows = 0;
  std::uint64_t non_zeros = 0;
  std::uint64_t epochs = 0;
  std::uint64_t steps = 0;
  std::uint64_t violations = 0;
  std::uint64_t seed = 0;
  std::uint64_t data_fingerprint = 0;       // XXH3 of the training data, see fingerprint()
  bool interrupted = false;                 // stopped by the user before its end
  std::optional<StreamRecord> stream = {};  // of a model that learned from a stream

  friend bool operator==(const TrainingRecord&, const TrainingRecord&) = default;
};

// Of a kernel classifier: training rows with a coefficient, of which equal ones share a support
// vector; of these rows those whose dual is at the end of its range; and |f|.
struct SupportCounts {
  std::uint64_t rows = 0;
  std::uint64_t bounded = 0;
  double norm = 0.0;

  friend bool operator==(const SupportCounts&, const SupportCounts&) = default;
};

// The rows of a label count so much more than others, on top of their own weights.
struct LabelWeight {
  double label = 0.0;
  double weight = 1.0;  // ≥ 0

  friend bool operator==(const LabelWeight&, const LabelWeight&) = default;
};

// What every model has, whatever it predicts and however.
struct ModelBase {
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
  // The mean of every feature over the training rows, as the weights see them: scaled. For
  // explanations of linear models; none in other models and in older files.
  std::vector<float> feature_means = {};
  // From scores to probabilities: none, or one for each score of a row.
  std::vector<Calibration> calibrations = {};

  // Classes, or numbers: the loss tells.
  bool classifies() const { return is_classification(loss.loss); }
  bool has_probabilities() const { return !calibrations.empty(); }
  // A label value as text: its word, or the number in its shortest form.
  std::string label_text(double label) const;
  // C = 1/(lambda m), the name of the same thing in LIBLINEAR and LIBSVM; infinite if not known.
  double c() const { return 1.0 / (lambda * static_cast<double>(record.rows)); }

 protected:
  void validate_shared() const;  // throws InvalidOption
  // By value, the schema too.
  static bool same_shared(const ModelBase& a, const ModelBase& b);
};

// Two classes, as label values of the training data (indices into schema->label_words when those
// are words).
struct BinaryLabels {
  double positive = 1.0;
  // None: one label was trained against all others, which have no value in common.
  std::optional<double> negative = -1.0;

  friend bool operator==(const BinaryLabels&, const BinaryLabels&) = default;
};

// Where a classifier of two classes draws the line: the positive class is predicted above it.
struct ModelThreshold {
  double above = 0.0;
  bool of_probability = false;  // else of the score

  friend bool operator==(const ModelThreshold&, const ModelThreshold&) = default;
};

// What regression targets become before they are learned: themselves, ln y, or ln(1 + y), which
// zeros have too. Predictions come back in the units of the targets.
enum class TargetTransform { none, log, log1p };

std::string name_of(TargetTransform transform);  // "none", "log", "log1p"
double transformed(TargetTransform transform, double target);
double restored(TargetTransform transform, double score);

// A model with one score per row: a classifier of two classes, or a regression.
struct SingleOutputModel : ModelBase {
  double b = 0.0;
  std::optional<BinaryLabels> labels = BinaryLabels{};  // none: a regression
  TargetTransform transform = TargetTransform::none;    // of a regression
  // Kept with the model, for all who predict with it; none: what decision.h says.
  std::optional<ModelThreshold> threshold = {};
  std::optional<Certificate> certificate = {};
  std::vector<double> duals = {};  // those that prove the certificate's dual, one per row, or none

  // The names of the two classes; of one label against the rest the second is "not <positive>".
  std::string positive_text() const { return label_text(labels->positive); }
  std::string negative_text() const;

 protected:
  void validate_single() const;  // throws InvalidOption
  static bool same_single(const SingleOutputModel& a, const SingleOutputModel& b);
};

}  // namespace pegasos
