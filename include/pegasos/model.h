// LinearModel: what training leaves behind. Holds everything that is needed to predict, to explain
// itself, and to be checked: weights, labels, the schema of the features, how it was trained and
// what was proven about it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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

struct LinearModel {
  std::vector<double> w = {};
  double b = 0.0;

  // Classification: the labels as values of the training data (indices into schema->label_words
  // when those are words). Regression has none.
  bool classifies = true;
  double positive_label = 1.0;
  double negative_label = -1.0;
  // One label was trained against all others, which are called "not <positive>". They have no value
  // in common: negative_label means nothing then.
  bool one_against_rest = false;

  std::shared_ptr<const Schema> schema = {};
  LossOptions loss = {};
  double lambda = 0.0;  // > 0; 0 only in a model from elsewhere, whose record.rows is 0
  Bias bias = Bias::none;
  double bias_feature = 1.0;
  TrainingRecord record = {};
  std::optional<ModelCertificate> certificate = {};
  std::vector<double> duals = {};  // those that prove the certificate's dual, one a row, or none

  // <w, x> + b. Ids of the row are those of the model's schema.
  double decision(const RowView& row) const;
  // The label for a decision value: positive above 0, else negative (NaN, no value, for the others
  // of one_against_rest); for regression the decision value itself.
  double label_for(double decision) const;
  // A label as text: the word, or the number in its shortest form; of NaN "not <positive>".
  std::string label_text(double label) const;
  // C = 1/(lambda m), the name of the same thing in LIBLINEAR and LIBSVM; infinite if not known.
  double c() const { return 1.0 / (lambda * static_cast<double>(record.rows)); }

  // Whatever a model must satisfy to be saved, and was checked to satisfy when it was loaded: a
  // schema of w.size() features, everything finite, labels that exist, options in their ranges.
  void validate() const;  // throws InvalidOption

  // By value, the schema too; labels only where they mean something.
  friend bool operator==(const LinearModel& a, const LinearModel& b);
};

// Saved atomically; every byte is under a checksum or known. load_model checks everything and
// throws CorruptModel with the place of what is wrong. `name` stands in messages.
void save_model(const LinearModel& model, const std::string& path);
LinearModel load_model(const std::string& path);
LinearModel load_model_from_memory(std::span<const char> bytes, const std::string& name);

// By the first bytes of a regular file; false for anything that cannot be opened and for pipes,
// whose bytes would be gone.
bool is_model_file(const std::string& path);
bool is_liblinear_file(const std::string& path);

// LIBLINEAR's text model, for liblinear-predict. Weights are the same bits and stand where the
// user's svmlight file has its indices. What differs from this model comes back as sentences for a
// person, none if nothing does:
//
//   labels     LIBLINEAR has whole numbers only. Words, fractions and one label against the rest
//              are written as 1 (positive) and -1.
//   indices    LIBLINEAR counts from 1 and refuses data with an index 0. Features counted from 0
//              are written one higher, and data must be shifted alike before liblinear-predict
//              reads it. CSV features are numbered from 1 in the order of the columns.
//
// The record, lambda, epsilon and the certificate have no place in the format and are left out.
// Throws Error where LIBLINEAR has no such model: the Huber loss; indices of 10 million and more
// that are mostly absent, because all weights up to the largest would be written.
std::vector<std::string> save_liblinear(const LinearModel& model, const std::string& path);

// Two-class and regression models. Lambda, rows and epsilon are not in the file and stay at their
// defaults; a bias feature B with weight v becomes b = B v. Throws ParseError with line and column.
LinearModel load_liblinear(const std::string& path);
LinearModel load_liblinear_from_memory(std::span<const char> text, const std::string& name);

// XXH3 of the rows: label, weight, feature ids and values that are not 0; and of the label words.
// The same for the same data in any format and layout, and for any number of threads (0: as many
// as the process may use).
std::uint64_t fingerprint(const Dataset& data, int threads = 0);

}  // namespace pegasos
