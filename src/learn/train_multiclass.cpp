// Training of many classes: which machines there are, who trains them, and what becomes the model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/cores.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "data/take_rows.h"
#include "learn/class_labels.h"
#include "learn/describe.h"
#include "learn/gram_matrix.h"
#include "learn/joint.h"
#include "learn/machines.h"
#include "learn/row_table.h"
#include "learn/weights.h"
#include "pegasos/error.h"
#include "pegasos/train.h"
#include "solver/joint.h"
#include "solver/solve.h"

namespace pegasos {
namespace {

bool is_kernel_machine(const TrainOptions& options) {
  return options.kernel && !options.approximation;
}

Strategy strategy_for(const TrainOptions& options, const ClassLabels& labels) {
  const bool precomputed = options.kernel && options.kernel->kind == KernelKind::precomputed;
  const Strategy usual = is_kernel_machine(options) && !labels.multilabel() && !precomputed
                             ? Strategy::one_against_one
                             : Strategy::one_against_rest;
  const Strategy strategy = options.strategy.value_or(usual);
  if (labels.multilabel() && strategy != Strategy::one_against_rest) {
    throw InvalidOption("strategy", "rows with several labels are trained one against the rest");
  }
  if (strategy == Strategy::one_against_one && precomputed) {
    throw InvalidOption("strategy", "a precomputed kernel is trained one against the rest");
  }
  if (strategy == Strategy::joint && is_kernel_machine(options)) {
    throw InvalidOption("strategy", "the joint loss is for linear models");
  }
  return strategy;
}

// Tells the watcher about all machines, from whichever thread they are on.
class Announcer {
 public:
  Announcer(const MulticlassWatch& watch, std::size_t machines)
      : watch_(watch), machines_(machines) {}

  Verdict tell(std::size_t machine, const std::string& name, std::uint64_t epoch,
               const PrimalValue& primal, std::optional<double> dual) {
    if (!watch_.progress) return Verdict::go_on;
    const std::lock_guard lock(mutex_);
    return watch_.progress({machines_, done_, machine, name, epoch, primal, dual});
  }
  void finished() {
    const std::lock_guard lock(mutex_);
    ++done_;
  }
  std::function<bool()> interrupted() const { return watch_.interrupted; }

 private:
  const MulticlassWatch& watch_;
  std::size_t machines_;
  std::size_t done_ = 0;
  std::mutex mutex_;
};

// What one machine's training leaves behind.
struct Trained {
  Machine machine = {};
  std::vector<double> w = {};             // of a linear machine
  std::vector<double> coefficients = {};  // of a kernel machine, one for each of its rows
  std::string solver = {};
  std::uint64_t violations = 0;
  bool interrupted = false;
};

class Team {
 public:
  Team(const Dataset& data, const TrainOptions& options, const MulticlassWatch& watch,
       const MulticlassModel* begin_from)
      : scaled_(scaled_rows(options, data)),
        data_(scaled_.rows),
        options_(options),
        labels_(ClassLabels::of(data)),
        strategy_(strategy_for(options, labels_)),
        label_weights_(label_weights_of(data, options)),
        weights_(row_weights(data, label_weights_)),
        begin_from_(begin_from),
        announcer_(watch, machines_for(strategy_, labels_.classes().size())) {
    model_.strategy = strategy_;
    model_.classes = labels_.classes();
    model_.multilabel = labels_.multilabel();
    model_.label_weights = label_weights_;
    describe_data(data, options, model_);
    model_.scaling = scaled_.scaling;
    model_.loss = loss_for(options, true);
    model_.lambda = lambda_for(options, data.rows());
    model_.bias_feature = options.bias_feature;
    model_.bias = options.bias.value_or(options.kernel ? Bias::none : Bias::regularised);
  }

  MulticlassTrainResult train() {
    begin_as_before();
    if (strategy_ == Strategy::joint) {
      train_joint();
      return {std::move(model_), std::move(reason_)};
    }
    if (is_kernel_machine(options_)) {
      train_kernels();
    } else {
      train_linear();
    }
    describe_machines();
    return {std::move(model_), std::move(reason_)};
  }

 private:
  std::size_t machines() const { return machines_for(strategy_, labels_.classes().size()); }

  // Machines side by side, each on its share of the threads.
  template <typename Train>
  void in_parallel(Train&& train_one) {
    const int threads = options_.threads > 0 ? options_.threads : available_cores();
    const int outer =
        std::min<int>(threads, static_cast<int>(std::min<std::size_t>(machines(), 1024)));
    trained_.resize(machines());
    ThreadPool pool(outer);
    pool.for_each(machines(), [&](std::size_t k) {
      ThreadPool own(std::max(1, threads / outer));
      trained_[k] = train_one(k, own);
      if (const auto& proof = trained_[k].machine.certificate;
          proof && !std::isfinite(proof->primal)) {
        throw Error(
            fmt::format("training diverged: lambda {} is too small for the size of the "
                        "features",
                        model_.lambda));
      }
      announcer_.finished();
    });
  }

  double lambda_of(const Dataset& rows) const {
    return model_.lambda * static_cast<double>(data_.rows()) / static_cast<double>(rows.rows());
  }

  // ---- linear machines ----

  void train_linear() {
    const Inputs inputs = inputs_for(options_, data_);
    model_.map = inputs.map;
    in_parallel([&](std::size_t k, ThreadPool& pool) {
      const Dataset rows = machine_rows(inputs.rows, weights_, labels_, strategy_, k);
      return train_linear_machine(rows, k, pool);
    });
    const std::size_t d = inputs.rows.features();
    model_.w.resize(d * machines());
    for (std::size_t k = 0; k < machines(); ++k) {
      for (std::size_t j = 0; j < d; ++j) model_.w[j * machines() + k] = trained_[k].w[j];
    }
  }

  Trained train_linear_machine(const Dataset& rows, std::size_t k, ThreadPool& pool) {
    LinearProblem problem;
    problem.data = rows;
    problem.y = rows.labels();
    problem.weights = rows.weights();
    problem.loss = model_.loss;
    problem.lambda = lambda_of(rows);
    problem.bias = model_.bias;
    problem.bias_feature = model_.bias_feature;
    SolverOptions solver = options_.solver;
    solver.start = start_of(k, rows);
    if (k == 0) reason_ = choose_solver(problem, solver.kind).reason;
    TrainWatch watch;
    watch.interrupted = announcer_.interrupted();
    watch.epoch = [&](const EpochReport& report, const LinearPoint&) {
      return announcer_.tell(k, name(k), report.epoch, report.primal, report.dual);
    };
    SolverResult result = solve_linear(problem, solver, watch, pool);
    Trained trained;
    trained.w = std::move(result.point.w);
    trained.solver = name_of(result.report.solver);
    trained.violations = result.report.all_violations;
    trained.interrupted = result.interrupted;
    trained.machine.b = result.point.b;
    trained.machine.rows = rows.rows();
    trained.machine.epochs = result.report.epoch;
    trained.machine.steps = result.report.steps;
    trained.machine.certificate = certificate_of(result.report.primal, result.report.dual, true);
    trained.machine.duals = std::move(result.a);
    return trained;
  }

  // ---- the joint loss ----

  void train_joint() {
    const Inputs inputs = inputs_for(options_, data_);
    model_.map = inputs.map;
    const JointInputs joint(inputs.rows, labels_, weights_, model_);
    JointWatch watch;
    watch.interrupted = announcer_.interrupted();
    watch.epoch = [&](const EpochReport& report) {
      return announcer_.tell(0, "", report.epoch, report.primal, report.dual);
    };
    ThreadPool pool(options_.threads > 0 ? options_.threads : available_cores());
    JointResult result = solve_joint(joint.problem(), options_.solver, watch, pool, joint_start());
    const EpochReport& report = result.report;
    if (!std::isfinite(report.primal.objective())) {
      throw Error(
          fmt::format("training diverged: lambda {} is too small for the size of the "
                      "features",
                      model_.lambda));
    }
    model_.w = std::move(result.point.w);
    for (const double b : result.point.b) model_.machines.push_back({.b = b});
    model_.certificate = certificate_of(report.primal, report.dual, true);
    model_.duals = std::move(result.a);
    model_.record.solver = report.solver == Solver::pegasos ? "pegasos" : "dual ascent";
    model_.record.epochs = report.epoch;
    model_.record.steps = report.steps;
    model_.record.violations = report.all_violations;
    model_.record.interrupted = result.interrupted;
  }

  // Only duals of the same rows and classes are a beginning.
  std::vector<double> joint_start() const {
    const bool usable = begin_from_ != nullptr && same_data_ &&
                        begin_from_->classes == model_.classes &&
                        begin_from_->duals.size() == data_.rows() * model_.classes.size();
    return usable ? begin_from_->duals : std::vector<double>();
  }

  // ---- kernel machines ----

  void train_kernels() {
    model_.kernel = kernel_for(options_, data_);
    const KernelRows inputs = kernel_rows_of(*model_.kernel, data_);
    const bool pure = is_pure_pegasos(options_, *model_.kernel);
    if (pure && options_.solver.kind == Solver::automatic) {
      reason_ = name_of(model_.kernel->kind) +
                " is not known to be positive semidefinite, so that there is no dual to climb and "
                "nothing to certify";
    }
    const int threads = options_.threads > 0 ? options_.threads : available_cores();
    const std::uint64_t cache =
        options_.cache_bytes > 0 ? options_.cache_bytes : available_memory() / 2;
    const std::uint64_t share = cache / static_cast<std::uint64_t>(std::max(1, threads));
    in_parallel([&](std::size_t k, ThreadPool& pool) {
      const Dataset rows = machine_rows(inputs.rows, weights_, labels_, strategy_, k);
      return train_kernel_machine(rows, k, share, pure, pool);
    });
    take_support(inputs);
  }

  Trained train_kernel_machine(const Dataset& rows, std::size_t k, std::uint64_t cache, bool pure,
                               ThreadPool& pool) {
    KernelProblem problem;
    problem.data = rows;
    problem.y = rows.labels();
    problem.weights = rows.weights();
    problem.loss = model_.loss;
    problem.lambda = lambda_of(rows);
    problem.bias = model_.bias;
    problem.kernel = *model_.kernel;
    KernelSolverOptions solver;
    solver.cache_bytes = cache;
    solver.tolerance = options_.solver.tolerance;
    KernelWatch watch;
    watch.interrupted = announcer_.interrupted();
    watch.progress = [&](const KernelReport& report) {
      return announcer_.tell(k, name(k), report.blocks > 0 ? report.blocks : report.epoch,
                             report.primal, report.dual);
    };
    KernelResult result =
        pure ? run_kernel_pegasos(problem, options_, solver, watch, pool)
             : run_kernel_ascent(problem, options_, start_of(k, rows).a, solver, watch, pool);
    const KernelReport& report = result.report;
    Trained trained;
    trained.coefficients = std::move(result.point.coefficients);
    trained.solver = pure ? "pegasos" : "dual ascent";
    trained.violations = report.all_violations;
    trained.interrupted = result.interrupted;
    trained.machine.b = result.point.b;
    trained.machine.rows = rows.rows();
    trained.machine.epochs = report.epoch;
    trained.machine.steps = pure ? report.steps : report.blocks;
    trained.machine.support_rows = report.support_vectors;
    trained.machine.bounded = report.bounded;
    trained.machine.norm = report.norm;
    if (report.dual) {
      trained.machine.certificate = certificate_of(report.primal, *report.dual, true);
      trained.machine.duals = std::move(result.a);
    }
    return trained;
  }

  // Coefficients of all machines, for every row of the data in the order of `order`, of which those
  // without any are left out and equal ones (of one class, where that matters) put together.
  void take_support(const KernelRows& inputs) {
    const bool pairs = strategy_ == Strategy::one_against_one;
    const std::size_t width = model_.coefficients_per_vector();
    const std::vector<double> all = pairs ? coefficients_of_pairs() : coefficients_of_rest();
    const bool precomputed = model_.kernel->kind == KernelKind::precomputed;
    std::vector<RowId> kept;
    std::vector<std::vector<double>> sums;
    for (std::size_t c = 0; c < (pairs ? labels_.classes().size() : 1); ++c) {
      RowTable table;
      const std::size_t first = kept.size();
      for (std::size_t i = 0; i < data_.rows(); ++i) {
        const auto row = std::span(all).subspan(i * width, width);
        const bool used = std::any_of(row.begin(), row.end(), [](double v) { return v != 0.0; });
        if (!used || (pairs && labels_.class_of(i) != c)) continue;
        const std::size_t place =
            first + (precomputed ? kept.size() - first : table.add(data_.row(i)));
        if (place == kept.size()) {
          kept.push_back(static_cast<RowId>(i));
          sums.emplace_back(width, 0.0);
        }
        for (std::size_t t = 0; t < width; ++t) sums[place][t] += row[t];
      }
      if (pairs) model_.vector_class.resize(kept.size(), static_cast<std::uint32_t>(c));
    }
    for (const auto& row : sums) {
      model_.coefficients.insert(model_.coefficients.end(), row.begin(), row.end());
    }
    if (precomputed) {
      for (const RowId i : kept) model_.columns.push_back(inputs.columns[i]);
    } else {
      model_.support_vectors = take_rows(data_, kept);
    }
  }

  std::vector<double> coefficients_of_rest() const {
    std::vector<double> all(data_.rows() * machines());
    for (std::size_t k = 0; k < machines(); ++k) {
      for (std::size_t i = 0; i < data_.rows(); ++i) {
        all[i * machines() + k] = trained_[k].coefficients[i];
      }
    }
    return all;
  }

  std::vector<double> coefficients_of_pairs() const {
    const std::size_t width = labels_.classes().size() - 1;
    std::vector<double> all(data_.rows() * width);
    const auto pairs = class_pairs(labels_.classes().size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < data_.rows(); ++i) {
        const std::size_t of = labels_.class_of(i);
        if (of != pairs[k].first && of != pairs[k].second) continue;
        const std::size_t slot = of == pairs[k].first ? pairs[k].second - 1 : pairs[k].first;
        all[i * width + slot] = trained_[k].coefficients[next++];
      }
    }
    return all;
  }

  // ---- beginning and end ----

  std::string name(std::size_t k) const { return model_.machine_name(k); }

  void begin_as_before() {
    if (begin_from_ == nullptr) return;
    const bool kernel = is_kernel_machine(options_);
    if (begin_from_->strategy != strategy_ || begin_from_->map || options_.approximation ||
        begin_from_->kernel.has_value() != kernel) {
      throw InvalidOption("start", "the model is of another kind; its machines are no beginning");
    }
    same_data_ = begin_from_->record.data_fingerprint == model_.record.data_fingerprint;
  }

  // From the machine of the same name.
  WarmStart start_of(std::size_t k, const Dataset& rows) const {
    if (begin_from_ == nullptr) return {};
    for (std::size_t other = 0; other < begin_from_->machines.size(); ++other) {
      if (begin_from_->machine_name(other) != name(k)) continue;
      const auto begin = [&](auto machine) {
        if (!same_data_) machine.duals.clear();
        machine.record.data_fingerprint = machine.duals.empty() ? 0 : fingerprint(rows, 1);
        return warm_start_from(machine, rows, 1);
      };
      return model_.kernel
                 ? begin(kernel_machine(*begin_from_, other))
                 : begin(linear_machine(*begin_from_, other, without_labels(*begin_from_->schema)));
    }
    return {};
  }

  void describe_machines() {
    TrainingRecord& record = model_.record;
    record.solver = trained_.front().solver;
    for (Trained& trained : trained_) {
      record.epochs = std::max(record.epochs, trained.machine.epochs);
      record.steps += trained.machine.steps;
      record.violations += trained.violations;
      record.interrupted = record.interrupted || trained.interrupted;
      model_.machines.push_back(std::move(trained.machine));
    }
  }

  const ScaledRows scaled_;
  const Dataset& data_;  // scaled
  const TrainOptions& options_;
  ClassLabels labels_;
  Strategy strategy_;
  std::vector<LabelWeight> label_weights_;
  std::vector<double> weights_;
  const MulticlassModel* begin_from_;
  bool same_data_ = false;
  Announcer announcer_;
  MulticlassModel model_;
  std::vector<Trained> trained_;
  std::string reason_;
};

}  // namespace

bool has_many_classes(const Dataset& data, const TrainOptions& options) {
  if (options.positive_label || options.task == Task::regression || !data.has_labels()) {
    return false;
  }
  if (data.schema().multilabel) return true;
  const Task suggested = suggest_task(data);
  if (suggested == Task::binary) return options.strategy == Strategy::joint;
  return suggested == Task::multiclass || (suggested == Task::regression && options.task);
}

MulticlassTrainResult train_multiclass(const Dataset& data, const TrainOptions& options,
                                       const MulticlassWatch& watch,
                                       const MulticlassModel* begin_from) {
  options.validate();
  if (!has_many_classes(data, options)) {
    throw InvalidOption("labels", "are not of more than two classes");
  }
  return Team(data, options, watch, begin_from).train();
}

}  // namespace pegasos
