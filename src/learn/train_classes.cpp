// Multiclass training: which binary classifiers there are, how they are trained, and how they
// become a model.
#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "certify/certificate.h"
#include "certify/joint_certificate.h"
#include "learn/classifier_rows.h"
#include "learn/classifiers.h"
#include "learn/gram_matrix.h"
#include "learn/joint.h"
#include "learn/kernel_proof.h"
#include "learn/shared_support.h"
#include "learn/trained_classifier.h"
#include "learn/training_job.h"
#include "learn/warm_start.h"
#include "model/class_labels.h"
#include "pegasos/error.h"
#include "solver/joint.h"
#include "solver/solve.h"
#include "solver/solve_kernel.h"
#include "solver/state.h"

namespace pegasos {
namespace {

class Team {
 public:
  Team(const TrainingJob& job, const Watch& watch, const RunPart& part)
      : job_(job),
        part_(part),
        labels_(job.classes()),
        begin_from_(model_to_begin_from(job.options)),
        announcer_(watch, classifiers_for(*job.options.strategy, labels_.classes().size())) {
    model_.strategy = *job.options.strategy;
    model_.classes = labels_.classes();
    model_.multilabel = labels_.multilabel();
    describe(job, model_);
  }

  TrainedKind train() {
    check_beginning();
    if (model_.strategy == Strategy::joint) {
      train_joint();
    } else if (job_.options.is_kernel_machine()) {
      train_kernels();
      take_classifiers();
    } else {
      train_linear_classifiers();
      take_classifiers();
    }
    result_.model = std::move(model_);
    return std::move(result_);
  }

 private:
  std::size_t classifiers() const {
    return classifiers_for(model_.strategy, labels_.classes().size());
  }
  const Dataset& rows() const { return job_.scaled.rows; }
  std::string name(std::size_t k) const { return model_.classifier_name(k); }

  // Classifiers side by side, each on its share of the threads.
  template <typename Train>
  void in_parallel(Train&& train_one) {
    const int threads = job_.threads();
    // Ranks train the classifiers one after the other, all of them together.
    const bool divided = job_.ranks().size() > 1;
    const int outer =
        divided
            ? 1
            : std::min<int>(threads, static_cast<int>(std::min<std::size_t>(classifiers(), 1024)));
    trained_.resize(classifiers());
    ThreadPool pool(outer);
    pool.for_each(classifiers(), [&](std::size_t k) {
      if (const auto before = part_of(k).find()) {
        trained_[k] = classifier_from(*before, k);
      } else {
        ThreadPool own(std::max(1, threads / outer), job_.ranks());
        trained_[k] = train_one(k, own);
        if (part_.is_kept() && !trained_[k].interrupted) part_of(k).keep(bytes_of(trained_[k]));
      }
      announcer_.finished();
    });
  }

  RunPart part_of(std::size_t k) const { return part_.inner("classifier " + std::to_string(k)); }

  // A classifier that an earlier run has finished.
  TrainedClassifier classifier_from(const std::string& bytes, std::size_t k) const {
    TrainedClassifier classifier;
    read_part(bytes, [&](ArchiveReader& reader) { reader(classifier); });
    const std::size_t own =
        model_.strategy == Strategy::one_against_rest ? rows().rows() : rows_of_pair(k);
    const bool kernel = job_.options.is_kernel_machine();
    const bool fits =
        classifier.classifier.rows == own && classifier.coefficients.size() == (kernel ? own : 0) &&
        (kernel == classifier.w.empty()) &&
        (classifier.duals.empty() || classifier.duals.size() == own) &&
        classifier.report.solver >= Solver::automatic && classifier.report.solver <= Solver::newton;
    if (!fits)
      throw InvalidOption("resume", "a classifier in the checkpoint was trained on different rows");
    return classifier;
  }

  std::size_t rows_of_pair(std::size_t k) const {
    const ClassPair pair = class_pair(labels_.classes().size(), k);
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows().rows(); ++i) {
      const std::size_t of = labels_.class_of(i);
      count += of == pair.first || of == pair.second ? 1 : 0;
    }
    return count;
  }

  // The same C for all classifiers.
  double lambda_of(const Dataset& own) const {
    if (job_.ranks().size() > 1) return model_.lambda;  // every classifier has all rows
    return model_.lambda * static_cast<double>(rows().rows()) / static_cast<double>(own.rows());
  }

  // ---- linear classifiers ----

  void train_linear_classifiers() {
    const Inputs inputs = inputs_for(job_, announcer_.hurry());
    in_parallel([&](std::size_t k, ThreadPool& pool) {
      const Dataset own = classifier_rows(inputs.rows, job_.weights, labels_, model_.strategy, k);
      return train_linear_classifier(own, k, pool);
    });
    LinearClassifiers& linear = model_.body.emplace<LinearClassifiers>();
    linear.map = inputs.map;
    result_.reason = trained_.front().reason;
    const std::size_t d = inputs.rows.features();
    linear.w.resize(d * classifiers());
    for (std::size_t k = 0; k < classifiers(); ++k) {
      if (trained_[k].w.size() != d) {
        throw InvalidOption("resume", "a classifier in the checkpoint has different features");
      }
      for (std::size_t j = 0; j < d; ++j) linear.w[j * classifiers() + k] = trained_[k].w[j];
    }
  }

  TrainedClassifier train_linear_classifier(const Dataset& own, std::size_t k, ThreadPool& pool) {
    LinearProblem problem;
    problem.data = own;
    problem.y = own.labels();
    problem.weights = own.weights();
    problem.loss = model_.loss;
    problem.lambda = lambda_of(own);
    problem.bias = model_.bias;
    problem.bias_feature = model_.bias_feature;
    of_all_ranks(job_, problem);
    const SolverOptions solver = aiming_lower(job_.options.solver);
    const SolverChoice choice = choose_solver(problem, solver.kind);
    WarmStart start = start_of(k, own);
    start.state = part_of(k).state();
    const Watch watch = announcer_.watch_for(k, name(k));
    SolverResult result =
        solve_linear(problem, solver, part_of(k).watching(watch), pool, std::move(start));
    TrainedClassifier trained;
    if (!result.unproven) {
      const Certificate certificate = certify(problem, result.point, result.a, pool).certificate;
      refuse_divergence(certificate, model_.lambda, own, own.weights());
      report_certified(certificate, result.report);
      trained.classifier.certificate = certificate;
    }
    trained.w = std::move(result.point.w);
    trained.classifier.b = result.point.b;
    trained.classifier.rows = problem.total_rows > 0 ? problem.total_rows : own.rows();
    trained.classifier.epochs = result.report.epoch;
    trained.classifier.steps = result.report.steps;
    trained.duals = std::move(result.a);
    trained.report = result.report;
    trained.chosen = choice.solver;
    trained.reason = choice.reason;
    trained.interrupted = result.interrupted;
    return trained;
  }

  // ---- the joint loss ----

  void train_joint() {
    const Inputs inputs = inputs_for(job_, announcer_.hurry());
    const JointInputs joint(inputs.rows, labels_, job_.weights, model_);
    ThreadPool pool(job_.threads());
    const Watch watch = announcer_.watch_for(0, "");
    JointResult result = solve_joint(joint.problem(), aiming_lower(job_.options.solver),
                                     part_.watching(watch), pool, {joint_start(), part_.state()});
    const Certificate certificate =
        certify_joint(joint.problem(), result.point, result.a, pool).certificate;
    refuse_divergence(certificate, model_.lambda, inputs.rows, job_.weights);
    report_certified(certificate, result.report);
    const TrainingReport& report = result.report;
    model_.body = LinearClassifiers{std::move(result.point.w), inputs.map};
    for (const double b : result.point.b) model_.classifiers.push_back({.b = b});
    model_.joint = JointProof{certificate, {}};
    model_.record.solver = report.solver == Solver::pegasos ? "pegasos" : "dual ascent";
    model_.record.epochs = report.epoch;
    model_.record.steps = report.steps;
    model_.record.violations = report.all_violations;
    result_.duals.push_back(std::move(result.a));
    result_.report = report;
    result_.interrupted = result.interrupted;
  }

  // Only duals of the same rows and classes are a beginning.
  std::vector<double> joint_start() const {
    if (!job_.options.start_duals.empty()) return job_.options.start_duals.front();
    if (begin_from_ == nullptr || !begin_from_->joint || !same_rows_) return {};
    std::vector<double> duals = begin_from_->joint->duals;
    if (duals.empty() || begin_from_->classes != model_.classes) return {};
    duals.resize(rows().rows() * model_.classes.size(), 0.0);  // of new rows 0
    return duals;
  }

  // ---- kernel machines ----

  void train_kernels() {
    const TrainOptions& options = job_.options;
    KernelClassifiers kernels;
    kernels.kernel = *options.kernel;
    const KernelRows inputs = kernel_rows_of(kernels.kernel, rows());
    if (options.solver.kind == Solver::automatic && !kernels.kernel.is_positive_semidefinite()) {
      result_.reason = reason_for_pegasos(kernels.kernel);
    }
    const std::uint64_t cache =
        options.cache_bytes > 0 ? options.cache_bytes : available_memory() / 2;
    const std::uint64_t share = cache / static_cast<std::uint64_t>(job_.threads());
    in_parallel([&](std::size_t k, ThreadPool& pool) {
      const Dataset own = classifier_rows(inputs.rows, job_.weights, labels_, model_.strategy, k);
      return train_kernel_classifier(own, k, share, pool);
    });
    std::vector<std::span<const double>> coefficients;
    for (const TrainedClassifier& trained : trained_) {
      kernels.support.push_back(trained.support);
      coefficients.emplace_back(trained.coefficients);
    }
    share_support({rows(), inputs.columns, labels_, model_.strategy}, coefficients, kernels);
    model_.body = std::move(kernels);
  }

  TrainedClassifier train_kernel_classifier(const Dataset& own, std::size_t k, std::uint64_t cache,
                                            ThreadPool& pool) {
    KernelProblem problem;
    problem.data = own;
    problem.y = own.labels();
    problem.weights = own.weights();
    problem.loss = model_.loss;
    problem.lambda = lambda_of(own);
    problem.bias = model_.bias;
    problem.kernel = *job_.options.kernel;
    const Watch watch = announcer_.watch_for(k, name(k));
    if (watch.hurry && watch.hurry()) return nothing_learned(own);
    KernelResult result =
        solve_kernel(problem, aiming_lower(job_.options.solver), cache, part_of(k).watching(watch),
                     pool, start_of(k, own).a, part_of(k).state());
    const Together together = model_.strategy == Strategy::one_against_one
                                  ? Together::equal_rows_of_a_class
                                  : Together::equal_rows;
    const auto certificate = prove_unless_hurried(problem, together, result, pool, watch.hurry);
    if (certificate) {
      refuse_divergence(*certificate, model_.lambda, own, own.weights(), &problem.kernel);
    }
    const TrainingReport& report = result.report;
    TrainedClassifier trained;
    trained.coefficients = std::move(result.point.coefficients);
    trained.support = {report.kernel->support_vectors, report.kernel->bounded, report.norm};
    trained.classifier.b = result.point.b;
    trained.classifier.rows = own.rows();
    trained.classifier.epochs = report.epoch;
    trained.classifier.steps =
        report.solver == Solver::pegasos ? report.steps : report.kernel->blocks;
    if (report.dual) {
      trained.classifier.certificate = certificate;
      trained.duals = std::move(result.a);
    }
    trained.report = report;
    trained.interrupted = result.interrupted;
    return trained;
  }

  // A classifier that was not begun.
  static TrainedClassifier nothing_learned(const Dataset& own) {
    TrainedClassifier trained;
    trained.coefficients.assign(own.rows(), 0.0);
    trained.duals.assign(own.rows(), 0.0);
    trained.classifier.rows = own.rows();
    trained.report.kernel.emplace();
    trained.interrupted = true;
    return trained;
  }

  // ---- beginning and end ----

  static const MulticlassModel* model_to_begin_from(const TrainOptions& options) {
    if (!options.start) return nullptr;
    const auto* many = std::get_if<MulticlassModel>(options.start.get());
    if (many == nullptr) {
      throw InvalidOption("start", "a multiclass model can only start from a multiclass model");
    }
    return many;
  }

  void check_beginning() {
    if (begin_from_ == nullptr) return;
    const bool kernel = job_.options.is_kernel_machine();
    const bool other_kind = (begin_from_->kernels() != nullptr) != kernel;
    const bool maps = job_.options.approximation ||
                      (begin_from_->linear() != nullptr && begin_from_->linear()->map);
    if (begin_from_->strategy != model_.strategy || maps || other_kind) {
      throw InvalidOption("start",
                          "the model has a different strategy and cannot be used as a start");
    }
    same_rows_ = begins_with_rows_of(begin_from_->record, job_.data, job_.options.threads);
    result_.started_from = "its classifiers";
  }

  // From given duals, or the classifier of the same name.
  WarmStart start_of(std::size_t k, const Dataset& own) const {
    const auto& given = job_.options.start_duals;
    if (k < given.size()) return {.a = given[k]};
    if (begin_from_ == nullptr) return {};
    for (std::size_t other = 0; other < begin_from_->classifiers.size(); ++other) {
      if (begin_from_->classifier_name(other) != name(k)) continue;
      const auto begin = [&](auto classifier) {
        if (!same_rows_) classifier.duals.clear();
        if (!classifier.duals.empty()) {  // of the first rows here
          classifier.record.rows = classifier.duals.size();
          classifier.record.data_fingerprint =
              fingerprint(own.slice(0, classifier.duals.size()), 1);
        }
        return continue_from(classifier, own, 1).start;
      };
      if (begin_from_->kernels() != nullptr) return begin(kernel_classifier(*begin_from_, other));
      return begin(linear_classifier(*begin_from_, other, without_labels(*begin_from_->schema)));
    }
    return {};
  }

  void take_classifiers() {
    TrainingRecord& record = model_.record;
    const TrainingReport& first = trained_.front().report;
    record.solver = !first.kernel                     ? name_of(first.solver)
                    : first.solver == Solver::pegasos ? "pegasos"
                                                      : "dual ascent";
    result_.report = first;
    for (TrainedClassifier& trained : trained_) {
      record.epochs = std::max(record.epochs, trained.classifier.epochs);
      record.steps += trained.classifier.steps;
      record.violations += trained.report.all_violations;
      result_.interrupted = result_.interrupted || trained.interrupted;
      const bool as_first = trained.report.solver == trained_.front().chosen;
      if (!first.kernel && !as_first) result_.changed_solver = true;
      model_.classifiers.push_back(std::move(trained.classifier));
      if (!trained.duals.empty()) result_.duals.push_back(std::move(trained.duals));
    }
  }

  const TrainingJob& job_;
  RunPart part_;
  ClassLabels labels_;
  const MulticlassModel* begin_from_;
  bool same_rows_ = false;  // the first rows here are those of the model to begin from
  Announcer announcer_;
  MulticlassModel model_;
  std::vector<TrainedClassifier> trained_;
  TrainedKind result_;
};

}  // namespace

TrainedKind train_classes(const TrainingJob& job, const Watch& watch, const RunPart& part) {
  return Team(job, watch, part).train();
}

}  // namespace pegasos
