// The one door to training; see pegasos/train.h.
#include "pegasos/train.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/archive.h"
#include "base/run_clock.h"
#include "learn/calibrate_part.h"
#include "learn/journal.h"
#include "learn/rank_checkpoint.h"
#include "learn/resolve.h"
#include "learn/training_job.h"
#include "learn/tune_part.h"
#include "math/passes.h"
#include "pegasos/calibrate.h"
#include "pegasos/decision.h"
#include "pegasos/error.h"
#include "pegasos/evaluate.h"
#include "pegasos/explain.h"
#include "pegasos/options.h"
#include "solver/state.h"

namespace pegasos {
namespace {

// Scores test rows while a linear solver runs. They are scaled and mapped once.
class TestRows {
 public:
  explicit TestRows(const TrainingJob& job) : job_(job) {}

  // Of the point of an event, where there is one: kernel machines and many classes are scored in
  // the end.
  std::optional<double> error_at(const TrainingEvent& event) {
    const TrainOptions& options = job_.options;
    if (!options.test || !event.linear_point || options.strategy || options.approximation) {
      return std::nullopt;
    }
    if (!model_) begin();
    LinearModel& model = std::get<LinearModel>(*model_);
    LinearPoint point = event.linear_point();
    model.w = std::move(point.w);
    model.b = point.b;
    ErrorTally tally;
    tally.add(Decision(*model_), rows_, decisions(*model_, rows_, options.threads));
    tally.add_other_ranks(job_.ranks());
    return tally.mean();
  }

 private:
  void begin() {
    const TrainOptions& options = job_.options;
    LinearModel model;
    model.schema = job_.data.shared_schema();
    model.loss.loss = *options.loss;
    model.labels = job_.targets().labels;
    model.transform = options.target;
    model_ = std::move(model);
    rows_ = job_.scaled.scaling ? apply(*job_.scaled.scaling, *options.test) : *options.test;
  }

  const TrainingJob& job_;
  std::optional<Model> model_;
  Dataset rows_;
};

constexpr const char* kTrace = "trace";

void archive(auto& a, TracedReport& told) {
  ClassifierProgress& part = told.report.classifier;
  a(told.report, part.index, part.count, part.finished, part.name, told.seconds, told.test_error);
}

std::string bytes_of_trace(std::vector<TracedReport>& trace) {
  ArchiveWriter writer;
  std::uint64_t count = trace.size();
  writer(count);
  for (TracedReport& told : trace) archive(writer, told);
  return std::move(writer).bytes();
}

std::vector<TracedReport> trace_from(const std::string& bytes) {
  std::vector<TracedReport> trace;
  read_part(bytes, [&](ArchiveReader& reader) {
    std::uint64_t count = 0;
    reader(count);
    for (std::uint64_t k = 0; k < count; ++k) {
      archive(reader, trace.emplace_back());
      const Solver solver = trace.back().report.solver;
      if (solver < Solver::automatic || solver > Solver::newton) throw Error("unknown solver");
    }
  });
  return trace;
}

// One call of train: its clock, its trace, and what of it the caller hears.
class Run {
 public:
  Run(const Dataset& data, const TrainOptions& options, const Watch& watch)
      : job_(data, options), watch_(watch), test_(job_) {}

  // A run of its own, which may have a journal.
  Trained train() {
    if (job_.ranks().size() > 1) return train_on_ranks();
    if (watch_.checkpoint.save || job_.options.resume) open_journal();
    return saving_what_is_cancelled(journal_, [this] {
      Trained trained = train_as(journal_ ? RunPart(*journal_) : RunPart());
      describe_rows(trained);
      if (journal_ && trained.ending == Ending::stopped_by_caller) journal_->save_now();
      return trained;
    });
  }

  Trained train_on_ranks() {
    double wanted = watch_.checkpoint.save || job_.options.resume ? 1.0 : 0.0;
    job_.ranks().sum({&wanted, 1});
    if (wanted > 0.0) {
      rank_checkpoint_.emplace(job_, watch_.checkpoint,
                               run_of("train", settings_of(train_option_table(), job_.options)));
      clock_ = RunClock(rank_checkpoint_->seconds());
    }
    Trained trained = train_as(RunPart());
    if (rank_checkpoint_ && trained.ending == Ending::stopped_by_caller) {
      rank_checkpoint_->save(trained.duals);
    }
    describe_rows(trained);
    return trained;
  }

  // What a model that may be saved knows of its rows; those of folds are not.
  void describe_rows(Trained& trained) const {
    base_of(trained.model).record.data_fingerprint =
        fingerprint(job_.data, job_.options.threads, job_.whole.rows_before, job_.ranks());
    add_feature_means(trained);
    trained.seconds = clock_.seconds();
  }

  // For explanations.
  void add_feature_means(Trained& trained) const {
    if (!has_additive_features(trained.model)) return;
    ThreadPool pool(job_.threads(), job_.ranks());
    const std::vector<double> ones(job_.scaled.rows.rows(), 1.0);
    const std::vector<double> sums = combine(job_.scaled.rows, ones, pool);
    if (std::all_of(sums.begin(), sums.end(), [](double sum) { return sum == 0.0; })) return;
    ModelBase& base = base_of(trained.model);
    base.feature_means.reserve(sums.size());
    for (const double sum : sums) {
      base.feature_means.push_back(static_cast<float>(sum / static_cast<double>(job_.whole.rows)));
    }
  }

  // A part of another run.
  Trained train_as(const RunPart& part) {
    part_ = part;
    refuse_what_cannot_fit(job_.options, job_.data);
    if (job_.options.tune_lambda) search_lambda();
    Watch watch;
    watch.event = [this](const TrainingEvent& event) { take(event); };
    const double share = job_.options.probabilities ? 0.5 : 1.0;
    const auto limit = limit_for(share);
    watch.stop = [this, limit] { return must_stop(limit); };
    if (job_.ranks().size() == 1) watch.hurry = watch_.hurry;  // ranks end in step
    TrainedKind kind = train_kind(watch);
    result_.model = std::move(kind.model);
    result_.duals = std::move(kind.duals);
    result_.reason = std::move(kind.reason);
    result_.started_from = std::move(kind.started_from);
    if (result_.trace.empty() || kind.report.kernel) {  // the last report is recomputed
      result_.trace.push_back({kind.report, clock_.seconds(), std::nullopt});
    } else if (!job_.options.strategy) {
      result_.trace.back().report = kind.report;  // certified
    }
    if (kind.interrupted) result_.ending = ending(limit);
    if (job_.options.keep_duals) keep_duals();
    if (job_.options.probabilities) add_probabilities();
    base_of(result_.model).record.interrupted = result_.ending == Ending::stopped_by_caller;
    if (!watch.hurry || !watch.hurry()) measure();
    result_.options = job_.options;
    if (!kind.changed_solver) settle_solver(result_.options);
    base_of(result_.model).record.settings = settings_of(train_option_table(), result_.options);
    result_.options.resume.reset();
    result_.seconds = clock_.seconds();
    return std::move(result_);
  }

 private:
  // The solver that ran, where an option names it: kernel machines and joint losses have their own.
  void settle_solver(TrainOptions& options) const {
    const std::string& ran = base_of(result_.model).record.solver;
    if (!options.is_kernel_machine() && options.strategy != Strategy::joint) {
      for (const Solver kind : {Solver::sdca, Solver::newton}) {
        if (ran == name_of(kind)) options.solver.kind = kind;
      }
    }
    if (options.solver.kind == Solver::pegasos && !options.solver.max_epochs) {
      options.solver.max_epochs = options.solver.pegasos.epochs;
    }
  }

  // Now and a share of the time that is left.
  std::optional<double> limit_for(double share) const {
    const auto& most = job_.options.max_seconds;
    if (!most) return std::nullopt;
    const double now = clock_.seconds();
    return now + share * (*most - now);
  }
  bool any_rank_stopped() const {
    double told = stopped_by_caller() ? 1.0 : 0.0;
    job_.ranks().sum({&told, 1});
    return told > 0.0;
  }
  bool stopped_by_caller() const { return watch_.stop && watch_.stop(); }
  bool must_stop(const std::optional<double>& limit) const {
    return clock_.is_over(limit) || stopped_by_caller();
  }
  Ending ending(const std::optional<double>& limit) const {
    // One rank that was told to stop is enough; clocks differ, so one whose time is over is, too.
    std::array<double, 2> of_any = {stopped_by_caller() ? 1.0 : 0.0,
                                    clock_.is_over(limit) ? 1.0 : 0.0};
    job_.ranks().sum(of_any);
    const auto [told, over] = of_any;
    return told > 0.0 || over == 0.0 ? Ending::stopped_by_caller : Ending::out_of_time;
  }

  // The events of one classifier at a time, from whichever thread it is on.
  void take(const TrainingEvent& event) {
    TracedReport told{event.report, clock_.seconds(), std::nullopt};
    if (!was_told(told)) {
      told.test_error = test_.error_at(event);
      const std::lock_guard lock(trace_mutex_);
      result_.trace.push_back(std::move(told));
    }
    if (watch_.event) watch_.event(event);
    if (rank_checkpoint_) rank_checkpoint_->take(event);
  }

  // A run that is resumed repeats what happened since the checkpoint.
  bool was_told(const TracedReport& told) const {
    const auto place = [](const TrainingReport& report) {
      return std::tuple(report.classifier.index, report.solver, report.epoch, report.steps,
                        report.kernel ? report.kernel->blocks : 0);
    };
    const auto end = result_.trace.begin() + static_cast<std::ptrdiff_t>(told_before_);
    return std::any_of(result_.trace.begin(), end, [&](const TracedReport& before) {
      return place(before.report) == place(told.report);
    });
  }

  void open_journal() {
    const TrainOptions& options = job_.options;
    journal_.emplace(
        watch_.checkpoint, options.resume,
        run_of("train", settings_of(train_option_table(), options)),
        [this] { return fingerprint(job_.data, job_.options.threads); }, watch_.stop);
    clock_ = RunClock(journal_->seconds());
    if (options.resume) {  // a run on ranks may go on in one process
      job_.options.start_duals = duals_in(*options.resume, job_.whole, job_.data.rows());
    }
    if (const auto bytes = journal_->find(kTrace)) result_.trace = trace_from(*bytes);
    told_before_ = result_.trace.size();
    journal_->add_before_saving(kTrace, [this] {
      const std::lock_guard lock(trace_mutex_);
      return bytes_of_trace(result_.trace);
    });
  }

  void tell_phase(TrainingPhase phase, std::size_t finished, std::size_t count,
                  const std::string& name) const {
    if (!watch_.event) return;
    TrainingEvent event;
    event.report.phase = phase;
    event.report.classifier = {finished, count, finished, name};
    watch_.event(event);
  }

  void search_lambda() {
    TuneOptions options;
    options.train = plain(job_.options);
    if (const auto& most = job_.options.max_seconds) options.train.max_seconds = 0.5 * *most;
    TuneWatch watch;
    watch.interrupted = watch_.stop;
    watch.progress = [this](const TuneProgress& progress) {
      tell_phase(TrainingPhase::search, progress.fits, progress.fits_planned, "");
    };
    TuneResult found = tune_part(job_.data, options, watch, part_.inner("search"));
    if (any_rank_stopped()) throw Cancelled();
    job_.options.lambda = found.points[found.chosen].lambda;
    job_.options.tune_lambda = false;
    result_.search = std::move(found);
  }

  TrainedKind train_kind(const Watch& watch) const {
    if (job_.options.strategy) return train_classes(job_, watch, part_);
    return job_.options.is_kernel_machine() ? train_kernel(job_, watch, part_)
                                            : train_linear(job_, watch, part_);
  }

  void keep_duals() {
    if (result_.duals.empty()) return;
    if (auto* single = single_output(result_.model)) {
      single->duals = of_all_rows(result_.duals.front());
      return;
    }
    MulticlassModel& many = std::get<MulticlassModel>(result_.model);
    if (many.joint) {
      many.joint->duals = result_.duals.front();
      return;
    }
    for (std::size_t k = 0; k < result_.duals.size(); ++k) {
      many.classifiers[k].duals = of_all_rows(result_.duals[k]);
    }
  }

  // The duals of all ranks, in the order of their rows.
  std::vector<double> of_all_rows(const std::vector<double>& duals) const {
    return job_.ranks().size() == 1 ? duals : gather_numbers(duals, job_.ranks());
  }

  void add_probabilities() {
    CalibrateOptions how;
    how.kind = *job_.options.probabilities;
    how.seed = job_.options.solver.pegasos.seed;
    const auto limit = job_.options.max_seconds;
    CalibrateWatch watch;
    watch.stop = [&] { return must_stop(limit); };
    watch.fold = [&](std::size_t fold, std::size_t folds) {
      tell_phase(TrainingPhase::calibration, fold, folds, "");
    };
    const auto found = calibrate_part(result_.model, job_.data, plain(job_.options), how, watch,
                                      part_.inner("calibration"));
    if (found) {
      base_of(result_.model).calibrations = *found;
    } else {
      result_.ending = ending(limit);
    }
  }

  // Errors by the model as it is now. With a kernel that of the training rows would take as long as
  // predicting all of them, but for what its certificate says.
  void measure() {
    if (job_.options.test) {
      const auto& last = result_.trace.back().test_error;
      const bool known = last && !base_of(result_.model).has_probabilities();
      result_.test_error =
          known ? last
                : error_of(result_.model, *job_.options.test, job_.options.threads, job_.ranks());
      result_.test_fit = fit_on(*job_.options.test);
    }
    const auto* single = single_output(result_.model);
    const bool counted = single != nullptr && single->certificate && single->certificate->wrong &&
                         !single->has_probabilities() && !job_.data.has_weights();
    if (counted) {
      result_.training_error =
          static_cast<double>(*single->certificate->wrong) / static_cast<double>(job_.whole.rows);
    } else if (!job_.options.is_kernel_machine()) {
      result_.training_error =
          error_of(result_.model, job_.data, job_.options.threads, job_.ranks());
      result_.training_fit = fit_on(job_.data);
    }
  }

  // Regression has more to say than the mean absolute error.
  std::optional<Regression> fit_on(const Dataset& rows) const {
    if (base_of(result_.model).classifies() || job_.ranks().size() > 1) return std::nullopt;
    const Evaluation found = evaluate(result_.model, rows, {}, {.threads = job_.options.threads});
    return std::get<Regression>(found.result);
  }

  RunClock clock_;
  TrainingJob job_;
  const Watch& watch_;
  TestRows test_;
  std::optional<Journal> journal_;
  std::optional<RankCheckpoint> rank_checkpoint_;
  RunPart part_;
  std::size_t told_before_ = 0;  // so much of the trace is of the run that is resumed
  std::mutex trace_mutex_;
  Trained result_;
};

void check_probabilities(const Dataset& data, const TrainOptions& options) {
  if (options.probabilities && data.schema().multilabel) {
    throw InvalidOption("probabilities", "are not available for multilabel data");
  }
}

}  // namespace

Trained train(const Dataset& data, const TrainOptions& options, const Watch& watch) {
  options.validate();
  check_probabilities(data, options);
  return Run(data, options, watch).train();
}

Trained train_part(const Dataset& data, const TrainOptions& options, const Watch& watch,
                   const RunPart& part) {
  options.validate();
  check_probabilities(data, options);
  return Run(data, options, watch).train_as(part);
}

}  // namespace pegasos
