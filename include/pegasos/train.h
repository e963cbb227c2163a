// Training: a Dataset and options in, a model with its certificate out.
//
//   train             a linear model; with an approximation one of mapped rows, which learns nearly
//                     what a kernel machine would
//   train_kernel      a kernel machine
//   train_multiclass  several of either, for more than two classes
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pegasos/dataset.h"
#include "pegasos/feature_map.h"
#include "pegasos/kernel.h"
#include "pegasos/kernel_problem.h"
#include "pegasos/loss.h"
#include "pegasos/model.h"
#include "pegasos/problem.h"
#include "pegasos/progress.h"
#include "pegasos/scaling.h"
#include "pegasos/solver_options.h"
#include "pegasos/summary.h"

namespace pegasos {

// Where gamma comes from: gamma_scale or gamma_auto of the data.
enum class GammaRule { scale, automatic };

struct ClassWeight {
  std::string label = {};
  double weight = 1.0;  // ≥ 0
};

struct TrainOptions {
  // What the labels mean. Default: words and up to 100 kinds of whole numbers are classes; other
  // numbers are regression. train and train_kernel take two classes, or a positive_label.
  std::optional<Task> task = {};

  // Train this label against all others. A word or a number, as in the file.
  std::optional<std::string> positive_label = {};

  // train_multiclass: how several machines make one decision. Default: one against one for kernel
  // machines on rows of one label, but for precomputed kernels; else one against the rest.
  std::optional<Strategy> strategy = {};

  // Weights of classes, each for a label as in the file: the rows of a class count so much more, as
  // if there were so many of them. Or balanced: rows / (classes · rows of the class). Not both.
  std::vector<ClassWeight> class_weights = {};
  bool balanced = false;

  // Default: hinge for classification, epsilon-insensitive for regression.
  std::optional<Loss> loss = {};
  double epsilon = 0.1;
  double delta = 1.0;

  // lambda > 0, or C > 0 with lambda = 1/(C m); not both. Default: C = 1.
  std::optional<double> lambda = {};
  std::optional<double> c = {};

  // Default: regularised for linear models, none with a kernel. Kernel machines have none or
  // unregularised.
  std::optional<Bias> bias = {};
  double bias_feature = 1.0;

  SolverOptions solver = {};

  // Rows are scaled first, as was fitted on them; the model keeps how and does the same to what it
  // predicts. Not for a precomputed kernel.
  std::optional<ScalingKind> scaling = {};

  // The kernel, and the rule for its gamma; without one gamma is what the kernel says.
  std::optional<KernelOptions> kernel = {};
  std::optional<GammaRule> gamma_rule = {};
  // train_kernel: bytes for rows of the kernel matrix; 0: half of the memory that is free.
  std::uint64_t cache_bytes = 0;
  // train: rows are mapped to so many components, with the seed of solver.pegasos.
  std::optional<Approximation> approximation = {};
  std::size_t components = 1024;

  // Threads for what runs in parallel, ≥ 1; 0: as many as the process may use. Changes no bit.
  int threads = 0;

  void validate() const;  // throws InvalidOption
};

struct TrainResult {
  LinearModel model = {};
  EpochReport report = {};
  std::vector<double> duals = {};  // feasible dual variables, one per row, that prove report.dual
  std::string reason = {};         // why this solver, where the choice was left open
};

// Throws InvalidOption for options that do not fit the data (a label that does not occur, one class
// only, classes where two are needed), and for a kernel without an approximation.
TrainResult train(const Dataset& data, const TrainOptions& options = {},
                  const TrainWatch& watch = {});

struct KernelTrainResult {
  KernelModel model = {};
  KernelReport report = {};
  std::vector<double> duals = {};  // as above; none where nothing is certified
  std::string reason = {};
};

// Solver::automatic is block dual ascent to the tolerance; Pegasos where the kernel is not known to
// be positive semidefinite, and then nothing is certified. Solver::pegasos is Pegasos. An epoch of
// max_epochs is as many rows as there are, drawn or in blocks. Throws InvalidOption as above, and
// for the solvers that only linear models have.
//
// A precomputed matrix may have LIBSVM's form: feature 0 of a row holds its serial number, and
// feature n the kernel value with the row of serial number n.
KernelTrainResult train_kernel(const Dataset& data, const TrainOptions& options,
                               const KernelWatch& watch = {});

// How far training of several machines has come.
struct MulticlassReport {
  std::size_t machines = 0;
  std::size_t done = 0;     // machines that are trained
  std::size_t machine = 0;  // the one this is about
  std::string name = {};    // what it is called: "7", "7 against 9"; of a joint model ""
  std::uint64_t epoch = 0;  // of this machine; of dual ascent with kernels blocks
  PrimalValue primal = {};
  std::optional<double> dual = {};
};

// Called from several threads, one at a time.
struct MulticlassWatch {
  std::function<Verdict(const MulticlassReport&)> progress = {};
  // Asked often, from several threads at once; true ends every machine where it is.
  std::function<bool()> interrupted = {};
};

struct MulticlassTrainResult {
  MulticlassModel model = {};  // with the duals of all machines
  std::string reason = {};     // as above
};

// Whether this data and options are for train_multiclass: more than two classes and no positive
// label, rows with several labels, or the joint loss was asked for.
bool has_many_classes(const Dataset& data, const TrainOptions& options);

// Machines are trained side by side over one copy of the data; threads change no bit. `begin_from`,
// if given, is a model of the same kind whose machines of the same classes are where these begin.
// Throws InvalidOption as train and train_kernel do.
MulticlassTrainResult train_multiclass(const Dataset& data, const TrainOptions& options,
                                       const MulticlassWatch& watch = {},
                                       const MulticlassModel* begin_from = nullptr);

// The kernel of the options with its gamma as the rule says, for rows that are scaled already.
KernelOptions kernel_for(const TrainOptions& options, const Dataset& data);

// Where training on `data` can begin after `model`: its weights, feature by feature of the same
// name and for rows as they are, unscaled, and its duals if it kept them and `data` is what it was
// trained on. Of a kernel machine the duals, kept or read off its coefficients. Throws
// InvalidOption for a model with a feature map, whose weights are not of features.
WarmStart warm_start_from(const KernelModel& model, const Dataset& data, int threads = 0);
WarmStart warm_start_from(const LinearModel& model, const Dataset& data, int threads = 0);

}  // namespace pegasos
