// What training of every kind of model has in common: the rows as a solver sees them, what becomes
// of its result, and the three kinds behind the one door of pegasos/train.h.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learn/journal.h"
#include "learn/labels.h"
#include "learn/whole_rows.h"
#include "pegasos/model.h"
#include "pegasos/train.h"
#include "pegasos/watch.h"

namespace pegasos {

// The rows as options.scaling wants them, or as they are.
struct ScaledRows {
  Dataset rows = {};
  std::optional<Scaling> scaling = {};
};
ScaledRows scaled_rows(const std::optional<ScalingKind>& scaling, const Dataset& data,
                       Collective& ranks = alone());

struct TrainingJob {
  Dataset data = {};          // as it was given
  WholeRows whole = {};       // with those of other ranks
  ScaledRows scaled = {};     // what is learned from
  TrainOptions options = {};  // resolved
  std::vector<LabelWeight> label_weights = {};
  std::vector<double> weights = {};  // of rows, or none

  TrainingJob(const Dataset& given, const TrainOptions& wanted);
  int threads() const;
  Collective& ranks() const;
  // Of the rows at hand, with the classes of all.
  Targets targets() const;
  ClassLabels classes() const;
};

// What training one kind of model leaves behind.
struct TrainedKind {
  Model model = {};
  std::vector<std::vector<double>> duals = {};
  std::string reason = {};
  // The automatic choice was left for another solver on the way: naming that one alone would not
  // repeat the run.
  bool changed_solver = false;
  std::string started_from = {};
  TrainingReport report = {};  // of the end; of several classifiers of one of them
  bool interrupted = false;
};

TrainedKind train_linear(const TrainingJob& job, const Watch& watch, const RunPart& part);
TrainedKind train_kernel(const TrainingJob& job, const Watch& watch, const RunPart& part);
TrainedKind train_classes(const TrainingJob& job, const Watch& watch, const RunPart& part);

// What a linear solver sees: the scaled rows, or what the map makes of them. Throws Cancelled where
// that takes longer than the caller can wait (Watch::hurry).
struct Inputs {
  Dataset rows = {};
  std::optional<FeatureMap> map = {};
};
Inputs inputs_for(const TrainingJob& job, const std::function<bool()>& hurry = {});

// The size of the whole problem, where the rows here are only those of one rank.
void of_all_ranks(const TrainingJob& job, LinearProblem& problem);

// What a kernel machine says where Pegasos runs because there is nothing to climb.
std::string reason_for_pegasos(const KernelOptions& kernel);

// Schema, scaling, options, and what the record says about the data.
void describe(const TrainingJob& job, ModelBase& model);

// The targets as a solver sees them. A free bias is given the median of regression targets first,
// so that their offset (years, prices, timestamps) does not drown their differences in rounding.
class CentredTargets {
 public:
  CentredTargets(std::span<const double> y, bool has_free_bias, bool classifies,
                 Collective& ranks = alone());

  std::span<const double> y() const { return centred_.empty() ? original_ : centred_; }
  void give_back(double& b) const { b += centre_; }
  void take_from(double& b) const { b -= centre_; }
  // Of the point of every event, too.
  Watch watch(const Watch& watch) const;

 private:
  std::span<const double> original_;
  std::vector<double> centred_;
  double centre_ = 0.0;
};

// What a solver is told to reach: a hair less than what was asked for, because certificates are
// rounded outward.
SolverOptions aiming_lower(const SolverOptions& options);

// Throws Error with the lambdas that are usable for a model whose objective is out of range.
// `lambda` is the one the user gave; rows and weights are those that were trained on, and with a
// kernel what counts is the values of rows with themselves.
void refuse_divergence(const Certificate& certificate, double lambda, const Dataset& rows,
                       std::span<const double> weights, const KernelOptions* kernel = nullptr);

// The report of a run's end says what was certified.
void report_certified(const Certificate& certificate, TrainingReport& report);

}  // namespace pegasos
