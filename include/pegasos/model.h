// Models: what training leaves behind. A model holds everything that is needed to predict, to
// explain itself, and to be checked: weights or support vectors, labels, the schema of the
// features, how it was trained and what was proven about it.
//
//   LinearModel      <w, x> + b, or <w, z(x)> + b with a feature map z that it carries along
//   KernelModel      sum_j c_j K(s_j, x) + b over its support vectors s_j
//   MulticlassModel  several of either, for more than two classes
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pegasos/collective.h"
#include "pegasos/dataset.h"
#include "pegasos/feature_map.h"
#include "pegasos/kernel.h"
#include "pegasos/model_base.h"
#include "pegasos/multiclass_model.h"

namespace pegasos {

struct LinearModel : SingleOutputModel {
  std::vector<double> w = {};
  // Rows were mapped before the weights were learned, and are before a decision; the certificate is
  // of the problem of the mapped rows.
  std::optional<FeatureMap> map = {};

  // <w, x> + b. Ids of the row are those of the model's schema. With a map or a scaling decisions()
  // of many rows are much quicker.
  double decision(const RowView& row) const;

  // Whatever a model must satisfy to be saved, and was checked to satisfy when it was loaded: a
  // weight for each feature of the schema or the map, everything finite, labels that exist, options
  // in their ranges.
  void validate() const;  // throws InvalidOption

  friend bool operator==(const LinearModel& a, const LinearModel& b);
};

struct KernelModel : SingleOutputModel {
  KernelOptions kernel = {};
  // Different rows with features of the model's schema; of a precomputed kernel none.
  Dataset support_vectors = {};
  // Of a precomputed kernel, instead: the features, columns of the matrix, of the support vectors.
  std::vector<FeatureId> columns = {};
  std::vector<double> coefficients = {};  // one for each support vector, not 0
  SupportCounts support = {};

  double decision(const RowView& row) const;

  // As for linear models; a certificate only for kernels that are positive semidefinite.
  void validate() const;  // throws InvalidOption

  friend bool operator==(const KernelModel& a, const KernelModel& b);
};

using Model = std::variant<LinearModel, KernelModel, MulticlassModel>;

// What they have in common.
const ModelBase& base_of(const Model& model);
ModelBase& base_of(Model& model);

// What models of one score per row have in common; null for many classes.
const SingleOutputModel* single_output(const Model& model);
SingleOutputModel* single_output(Model& model);

// What is proven about a model: of several classifiers the certificate with the widest gap, and
// none if one of them has none.
std::optional<Certificate> certificate_of(const Model& model);

// Scores a row: one for each class of many, else 1.
std::size_t outputs(const Model& model);

// The decision values of rows whose features are those of the model's schema, all outputs of a row
// side by side. Rows are taken in blocks, on so many threads (0: as many as the process may use);
// no bit depends on either.
std::vector<double> decisions(const LinearModel& model, const Dataset& rows, int threads = 0);
std::vector<double> decisions(const KernelModel& model, const Dataset& rows, int threads = 0);
std::vector<double> decisions(const MulticlassModel& model, const Dataset& rows, int threads = 0);
std::vector<double> decisions(const Model& model, const Dataset& rows, int threads = 0);

// From scores to probabilities: the calibrations the model was trained with; for the logistic loss,
// whose scores are log odds, the logistic function; else none. One for each score of a row.
std::vector<Calibration> calibrations_of(const Model& model);

// Saved atomically; every byte is under a checksum or known. load_model checks everything and
// throws CorruptModel with the place of what is wrong. `name` stands in messages.
// A callable kernel has nothing to write down: such a model is refused with Error.
void save_model(const LinearModel& model, const std::string& path);
void save_model(const KernelModel& model, const std::string& path);
void save_model(const MulticlassModel& model, const std::string& path);
void save_model(const Model& model, const std::string& path);
// The bytes that save_model would write.
std::string save_model_to_memory(const Model& model);
Model load_model(const std::string& path);
Model load_model_from_memory(std::span<const char> bytes, const std::string& name);

// The same decisions from rows as they are: the scaling has become part of the weights. A model
// without a scaling, with one of rows (unit_row), or with a map comes back as it is.
LinearModel with_scaling_in_weights(const LinearModel& model);

// By the first bytes of a regular file; false for anything that cannot be opened and for pipes,
// whose bytes would be gone.
bool is_model_file(const std::string& path);
bool is_liblinear_file(const std::string& path);
bool is_libsvm_file(const std::string& path);

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
// A scaling of features becomes part of the weights. Throws Error where LIBLINEAR has no such
// model: the Huber loss; a feature map; a scaling of rows; indices of 10 million and more that are
// mostly absent, because all weights up to the largest would be written.
//
// Of many classes those one against the rest, and joint ones as MCSVM_CS.
std::vector<std::string> save_liblinear(const LinearModel& model, const std::string& path);
std::vector<std::string> save_liblinear(const MulticlassModel& model, const std::string& path);

// A LinearModel, or of more than two classes (and of the joint loss) a MulticlassModel. Lambda,
// rows and epsilon are not in the file and stay at their defaults; a bias feature B with weight v
// becomes b = B v. Throws ParseError with line and column.
Model load_liblinear(const std::string& path);
Model load_liblinear_from_memory(std::span<const char> text, const std::string& name);

// LIBSVM's text model, for svm-predict; what differs comes back as sentences, as above. Throws
// Error for kernels that LIBSVM does not have, laplacian, chi-squared, functions, and for scaled
// rows.
// Of many classes those one against one.
std::vector<std::string> save_libsvm(const KernelModel& model, const std::string& path);
std::vector<std::string> save_libsvm(const MulticlassModel& model, const std::string& path);

// A KernelModel, or of more than two classes a MulticlassModel: c_svc and epsilon_svr models
// without probabilities. Lambda and rows are not in the file. The features are those of the support
// vectors: values of others, which svm-predict would see, are unknown when rows are read. Throws
// ParseError with line and column.
Model load_libsvm(const std::string& path);
Model load_libsvm_from_memory(std::span<const char> text, const std::string& name);

// XXH3 of the rows: label, weight, feature ids and values that are not 0; and of the label words.
// The same for the same data in any format and layout, and for any number of threads (0: as many
// as the process may use).
// Where rows are divided among ranks: of all rows, of which so many are on lower ranks.
std::uint64_t fingerprint(const Dataset& data, int threads = 0, std::uint64_t rows_before = 0,
                          Collective& ranks = alone());

}  // namespace pegasos
