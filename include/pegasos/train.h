// Training: a Dataset and options in, a model with its certificate out.
//
// One door for every kind of model: linear, linear on mapped rows (which learns nearly what a
// kernel machine would), kernel, many classes, label sets, regression. It also does what belongs to
// a training run: finds lambda by cross-validation, keeps a time limit, begins from an earlier
// model, checks that the work fits into memory, calibrates probabilities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pegasos/calibration.h"
#include "pegasos/collective.h"
#include "pegasos/dataset.h"
#include "pegasos/evaluation.h"
#include "pegasos/feature_map.h"
#include "pegasos/kernel.h"
#include "pegasos/loss.h"
#include "pegasos/model.h"
#include "pegasos/problem.h"
#include "pegasos/scaling.h"
#include "pegasos/solver_options.h"
#include "pegasos/summary.h"
#include "pegasos/tune_result.h"
#include "pegasos/watch.h"

namespace pegasos {

// Where gamma comes from: gamma_scale or gamma_auto of the data.
enum class GammaRule { scale, automatic };

struct ClassWeight {
  std::string label = {};
  double weight = 1.0;  // ≥ 0
};

struct TrainOptions {
  // What the labels mean. Default: words and few kinds of whole numbers are classes; other
  // numbers are regression.
  std::optional<Task> task = {};

  // Train this label against all others. A word or a number, as in the file.
  std::optional<std::string> positive_label = {};

  // More than two classes: how several binary classifiers make one decision. Default: one against
  // one for kernel machines on rows of one label, but for precomputed kernels; else one against the
  // rest.
  std::optional<Strategy> strategy = {};

  // Weights of classes, each for a label as in the file: the rows of a class count so much more, as
  // if there were so many of them. Or balanced: rows / (classes · rows of the class). Not both.
  std::vector<ClassWeight> class_weights = {};
  bool balanced = false;

  // Default: hinge for classification, epsilon-insensitive for regression.
  std::optional<Loss> loss = {};
  std::optional<double> epsilon = {};  // default 0.1
  std::optional<double> delta = {};    // default 1
  // Regression: the defaults of epsilon and delta, and C, are in units of s, the standard deviation
  // of the targets, and the bias is free unless said otherwise. This is the problem of targets that
  // were centred and divided by s, written in the user's units: so are the resolved options, the
  // model and its certificate.
  bool scale_targets = false;
  // Regression learns the logarithms of the targets, and predicts in their own units. log becomes
  // log1p where some targets are 0; negative ones are refused. epsilon, delta, the certificate and
  // the scores are those of the logarithms.
  TargetTransform target = TargetTransform::none;

  // lambda > 0, or C > 0 with lambda = 1/(C m), or tune_lambda: the lambda that predicts held-out
  // rows best in cross-validation. At most one of them. Default: C = 1.
  std::optional<double> lambda = {};
  std::optional<double> c = {};
  bool tune_lambda = false;

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
  // Kernel machines: bytes for rows of the kernel matrix; 0: half of the memory that is free,
  // or 256 MB where rows are cheap.
  std::uint64_t cache_bytes = 0;
  // A linear model of rows mapped to so many components, with the seed of solver.pegasos.
  std::optional<Approximation> approximation = {};
  std::size_t components = 1024;

  // Where training begins. A model of the same kind: its weights, feature by feature of the same
  // name, and its duals if it kept them and was trained on the same rows. Or dual variables, as
  // Trained::duals has them.
  std::shared_ptr<const Model> start = {};
  std::vector<std::vector<double>> start_duals = {};

  // Continue the run that was here, with the same data and options; see checkpoint.h.
  std::shared_ptr<const Checkpoint> resume = {};

  // Keep the dual variables in the model, so that its certificate can be proven without a search.
  bool keep_duals = false;
  // Learn probabilities too, on scores of 5 folds that the model of each has not seen.
  std::optional<CalibrationKind> probabilities = {};
  // Seconds > 0 for everything together: the search for lambda may use half of them, and where
  // probabilities are asked for training half of the rest.
  std::optional<double> max_seconds = {};
  // Rows to score after every event, and in the end; read with the schema of the training data.
  std::optional<Dataset> test = {};

  // Where rows are divided among processes, how these add up their sums: the data is then the rows
  // of this rank. All ranks get the same model. Linear models; not with probabilities or a search
  // for lambda. None: all rows are here.
  std::shared_ptr<Collective> ranks = {};

  // Threads for what runs in parallel, ≥ 1; 0: as many as the process may use. Changes no bit.
  int threads = 0;

  // A kernel without an approximation makes a kernel machine; anything else is linear.
  bool is_kernel_machine() const { return kernel && !approximation; }

  void validate() const;  // throws InvalidOption
};

// What the watch was told, and when.
struct TracedReport {
  TrainingReport report = {};
  double seconds = 0.0;
  // Of options.test: the weighted share of wrong rows, or the mean absolute error.
  std::optional<double> test_error = {};
};

enum class Ending { finished, stopped_by_caller, out_of_time };

struct Trained {
  Model model = {};
  std::vector<TracedReport> trace = {};  // of the training itself; the last is the end
  // Feasible dual variables that prove the bound: of each classifier one per row, in the order of
  // its rows; of the joint loss one for each row and class. None where nothing is certified.
  std::vector<std::vector<double>> duals = {};
  std::string reason = {};  // why this solver, where the choice was left open
  // The options with everything decided that was left open: task, loss, lambda, bias, gamma, …
  TrainOptions options = {};
  std::optional<TuneResult> search = {};  // of tune_lambda
  std::string started_from = {};          // what of the start was of use: "its weights and duals"
  std::optional<double> training_error = {};  // as test_error, where it costs little
  std::optional<double> test_error = {};
  std::optional<Regression> training_fit = {};  // of regression, with them
  std::optional<Regression> test_fit = {};
  Ending ending = Ending::finished;
  double seconds = 0.0;
};

// Throws InvalidOption for options that do not fit the data (a label that does not occur, one class
// only, a loss for other labels), and Error where the work cannot fit into memory or diverges.
//
// Kernel machines: Solver::automatic is block dual ascent to the tolerance; Pegasos where the
// kernel is not known to be positive semidefinite, and then nothing is certified. An epoch of
// max_epochs is as many rows as there are, drawn or in blocks. A precomputed matrix may have
// LIBSVM's form: feature 0 of a row holds its serial number, and feature n the kernel value with
// the row of serial number n.
//
// Throws InvalidOption "resume" for a checkpoint of other data, options or version.
//
// Many classes are trained side by side over one copy of the data; threads change no bit.
Trained train(const Dataset& data, const TrainOptions& options = {}, const Watch& watch = {});

}  // namespace pegasos
