// pegasos train: a data file in, a model with its certificate out.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "base/atomic_file.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "feature_names_option.h"
#include "kernel_options.h"
#include "model_files.h"
#include "model_text.h"
#include "multiclass_training.h"
#include "options.h"
#include "output_file.h"
#include "pegasos/weights.h"
#include "probabilities.h"
#include "program.h"
#include "progress.h"
#include "quantities.h"
#include "reading.h"
#include "report_contents.h"
#include "run_clock.h"
#include "scoring.h"
#include "shortfall.h"
#include "signals.h"
#include "symptoms.h"
#include "terminal.h"
#include "train_run.h"
#include "training_report.h"
#include "training_watch.h"
#include "tuning.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

// The data's file name in the current folder, compression suffix dropped, plus ".model".
std::string default_model_name(const std::string& data) {
  if (data == "-") {
    throw UsageError("data from standard input has no name to call the model by",
                     "name the model: pegasos train - my.model");
  }
  std::filesystem::path name = std::filesystem::path(data).filename();
  for (const char* suffix : {".gz", ".bz2", ".xz", ".zst"}) {
    if (name.extension() == suffix) return name.stem().string() + ".model";
  }
  return name.string() + ".model";
}

std::string decided(const std::string& path, const ReadResult& read) {
  const Dataset& data = read.data;
  std::string format = name_of(read.notes.format);
  if (!read.notes.compression.empty()) format += " in " + read.notes.compression;
  if (!data.schema().csv) format += fmt::format(", indices from {}", data.schema().indices.base());
  return fmt::format("{}: {}; {}, {}, {}\n", path == "-" ? "standard input" : printable(path),
                     format, counted(data.rows(), "row"), counted(data.features(), "feature"),
                     counted(data.non_zeros(), "non-zero"));
}

// What a run of either kind leaves behind.
struct Trained {
  Model model;
  std::vector<double> duals;
  std::string reason;
};

Trained run(const Dataset& data, const TrainOptions& options, TrainingWatch& watcher) {
  if (!options.kernel || options.approximation) {
    TrainResult result = train(data, options, watcher.watch());
    return {std::move(result.model), std::move(result.duals), std::move(result.reason)};
  }
  KernelTrainResult result = train_kernel(data, options, watcher.kernel_watch());
  watcher.add(result.report);
  return {std::move(result.model), std::move(result.duals), std::move(result.reason)};
}

void begin_from_model(const Session& session, TrainWish& wish, const Dataset& data) {
  const Model model = load_any_model(wish.training.start);
  const TrainOptions& options = wish.training.options;
  const bool kernel = options.kernel && !options.approximation;
  const auto* linear = std::get_if<LinearModel>(&model);
  if (std::holds_alternative<MulticlassModel>(model) || options.approximation ||
      (linear != nullptr && linear->map) || kernel != (linear == nullptr)) {
    throw UsageError(
        fmt::format("--warm-start: '{}' is no model that this one can begin from",
                    printable(wish.training.start)),
        "linear models begin from linear models, kernel machines from kernel machines; --approx "
        "cannot");
  }
  WarmStart& start = wish.training.options.solver.start;
  start = linear != nullptr ? warm_start_from(*linear, data, session.threads)
                            : warm_start_from(std::get<KernelModel>(model), data, session.threads);
  const char* const with = kernel            ? "the duals of its support vectors"
                           : start.a.empty() ? "its weights (it has no duals of these rows)"
                                             : "its weights and duals";
  say(session, fmt::format("begins from {}: {}\n", printable(wish.training.start), with));
}

void report(const Session& session, const TrainWish& wish, const Trained& result,
            const TracedEpoch& last) {
  const ModelBase& facts = base_of(result.model);
  say(session, fmt::format("{}; the same in full:\n  pegasos train {} {} {}\n\n",
                           printable(task_in_words(facts)), shell_word(wish.data),
                           shell_word(wish.model), facts.record.settings));
  if (!result.reason.empty()) {
    say(session, fmt::format("solver {}: {}\n", facts.record.solver, result.reason));
  }
  say(session, training_summary(result.model, last, true));
  say(session, fmt::format("model        {}\n",
                           wish.model == "-" ? "standard output" : printable(wish.model)));
  if (session.json) print(training_json(result.model, last, wish.model));
}

// As LIBLINEAR does: no model, but what the labels of rows held out are predicted to be.
int cross_validate_on(const Session& session, const TrainWish& wish, const Dataset& data) {
  const ResultAtRisk at_risk;
  const TrainingWishes& training = wish.training;
  const auto start = std::chrono::steady_clock::now();
  const auto interrupted = [&] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    return stop_requested() || (training.max_seconds && passed.count() >= *training.max_seconds);
  };
  const CrossValidation found =
      cross_validate(data, training.options, *training.folds, interrupted);
  if (stop_requested()) throw Cancelled();
  if (found.interrupted) throw Error("--max-time was over before all folds were predicted");
  print(session.json ? cross_validation_json(found, *training.folds)
                     : cross_validation_in_words(found));
  if (std::isfinite(found.gap)) {
    say(session, fmt::format("{}, each model within {} of the optimum, proven\n",
                             counted(*training.folds, "fold"), in_percent(found.gap)));
  }
  return kDone;
}

void find_lambda(const Session& session, TrainOptions& options, const Dataset& data,
                 const std::optional<double>& max_seconds) {
  const ResultAtRisk at_risk;
  TuneOptions tuning;
  tuning.train = options;
  const TuneResult result = run_tuning(session, data, tuning, max_seconds);
  if (stop_requested()) throw Cancelled();
  options.lambda = result.points[result.chosen].lambda;
  say(session,
      fmt::format("lambda auto, of {} by {} folds: {}\n", counted(result.points.size(), "strength"),
                  tuning.folds, choice_in_words(result, tuning.choice)));
}

int train_command(Session& session, TrainWish& wish) {
  const bool writes = !wish.training.folds;
  if (writes && wish.model.empty()) wish.model = default_model_name(wish.data);
  if (!writes && !(wish.model + wish.test + wish.trace + wish.report).empty()) {
    throw UsageError("-v cross-validates and writes no model",
                     "leave the model's name, --test, --trace and --report out");
  }
  if (!writes && wish.training.probability) {
    throw UsageError("-v cross-validates labels, not probabilities", "leave --probability out");
  }
  if (!writes && *wish.training.folds < 2) throw UsageError("-v: must be at least 2");
  if (wish.training.tune_lambda && wish.training.options.c) {
    throw UsageError("--lambda auto and -c exclude each other");
  }
  check_train_files(session, wish);
  const ReadResult read = read_training_data(session, wish);
  return train_on(session, wish, read);
}

}  // namespace

void check_train_files(const Session& session, const TrainWish& wish) {
  if (wish.training.max_seconds && !(*wish.training.max_seconds > 0)) {
    throw UsageError("--max-time: must be more than 0");
  }
  refuse_json_beside_data(session, wish.model);
  refuse_json_beside_data(session, wish.trace);
  refuse_json_beside_data(session, wish.report);
  refuse_same_files({wish.data, wish.test, wish.training.start, wish.training.weights},
                    {wish.model, wish.trace, wish.report});
  std::error_code absent;
  if (std::filesystem::is_regular_file(wish.model, absent) &&
      std::filesystem::file_size(wish.model, absent) > 0 && !looks_like_model(wish.model)) {
    throw UsageError(fmt::format("'{}' exists and is not a model", printable(wish.model)),
                     "name another file for the model, or remove this one first");
  }
}

ReadResult read_training_data(const Session& session, const TrainWish& wish) {
  ReadResult read = read_data(session, wish.data, wish.reading);
  if (!wish.training.weights.empty()) {
    read.data = with_weights(read.data, read_weights(wish.training.weights));
  }
  read.data = name_features(wish.training.names, read.data);
  say(session, decided(wish.data, read));
  for (const auto& note : sentences_of(read.notes)) say(session, "note: " + note + "\n");
  return read;
}

int train_on(Session& session, TrainWish& wish, const ReadResult& read) {
  std::optional<ReadResult> test;
  if (!wish.test.empty()) {
    ReadOptions same_features = wish.reading;
    same_features.schema = read.data.shared_schema();
    test = read_data(session, wish.test, same_features);
    refuse_without_labels(wish.test, test->data);
    for (const auto& note : sentences_of(test->notes)) {
      say(session, fmt::format("note: in {}: {}\n", printable(wish.test), note));
    }
  }
  if (!session.quiet) {
    const DoctorOptions doctor = {.examples = 1, .threads = session.threads};
    std::vector<Symptom> symptoms =
        test ? diagnose(read.data, test->data, doctor) : diagnose(read.data, doctor);
    if (wish.training.options.scaling) {  // which is what would be advised
      std::erase_if(symptoms, [](const Symptom& one) { return one.ailment == Ailment::scale; });
    }
    say_symptoms(session, symptoms, wish.data);
  }
  session.output = wish.model;
  wish.training.options.threads = session.threads;
  TrainOptions& options = wish.training.options;
  const bool many = has_many_classes(read.data, options);
  if (wish.training.probability && read.data.schema().multilabel) {
    throw UsageError("--probability is for one label a row, and rows here have several");
  }
  if (many && !wish.trace.empty()) {
    throw UsageError("--trace follows one machine, and many classes have several",
                     "train one of them with --positive LABEL");
  }
  if (wish.training.live && (many || !can_rewrite_lines(STDERR_FILENO))) {
    say(session, many ? "note: --live draws one machine, and many classes have several\n"
                      : "note: --live draws on terminals only\n");
  }
  say(session, note_on_scaling(options, read.data));
  say(session, settle_gamma(options, read.data));
  refuse_what_cannot_fit(options, read.data);
  if (wish.training.tune_lambda) {
    find_lambda(session, options, read.data, wish.training.max_seconds);
  }
  if (wish.training.folds && wish.training.tune_lambda) {
    say(session, "note: lambda was chosen on all rows, so the folds below know a little of it\n");
  }
  if (wish.training.folds) return cross_validate_on(session, wish, read.data);
  const FileAtRisk at_risk(wish.model);
  const auto show = [&](const Model& model, const std::vector<TracedEpoch>& trace) {
    if (wish.report.empty()) return;
    const Dataset* test_rows = test ? &test->data : nullptr;
    write_report(
        report_after_training(session, {model, wish.model, wish.data, read.data, wish.test,
                                        test_rows, trace, wish.tuned, options.solver.tolerance}),
        wish.report);
    say(session, fmt::format("report       {}\n", printable(wish.report)));
  };
  if (many) {
    return train_many(session,
                      {wish.data, wish.model, test ? &test->data : nullptr,
                       [&show](const Model& model) { show(model, {}); }},
                      read.data, wish.reading, wish.training);
  }
  options.strategy.reset();  // two classes need one machine
  const Meaning meaning = meaning_of(targets_of(read.data, options.task, options.positive_label));
  TrainingWatch watcher(session, wish.training, test ? &test->data : nullptr, meaning);
  if (!wish.training.start.empty()) begin_from_model(session, wish, read.data);
  Trained result = run(read.data, options, watcher);
  watcher.end();
  ModelBase& facts = base_of(result.model);
  if (wish.training.keep_dual) facts.duals = std::move(result.duals);
  if (wish.training.probability) {
    add_probabilities(session, *wish.training.probability, read.data, options, result.model);
  }
  facts.record.interrupted = stop_requested();
  facts.record.settings =
      explicit_options(wish.training, facts) + typed_reading_options(wish.reading);
  save_model(result.model, wish.model);
  TracedEpoch& last = watcher.trace().back();
  if (test && (!last.test_error || facts.has_probabilities())) {
    last.test_error = error_of_scores(
        test->data, decisions(result.model, test->data, session.threads), meaning_of(facts));
  }
  if (!wish.trace.empty()) {
    AtomicFile file(wish.trace);
    file.write(trace_as_csv(watcher.trace()));
    file.commit();
  }
  report(session, wish, result, last);
  show(result.model, watcher.trace());
  if (stop_requested()) {
    say(session, "interrupted: the model so far is saved\n");
    return 128 + stop_signal();
  }
  const auto certificate = last.certificate();
  if (!certificate || certificate->within(options.solver.tolerance)) return kDone;
  say(session,
      shortfall(wish.training, read.data, facts, {wish.data, wish.model, watcher.out_of_time()}));
  return wish.training.strict ? kNotProven : kDone;
}

void add_train(Program& program) {
  Session& session = program.session();
  Command& command = program.add("train", "learn a model from data");
  const auto wish = std::make_shared<TrainWish>();
  command.example("pegasos train train.svm",
                  "Finds out everything itself; writes train.svm.model.");
  command.example("pegasos train train.svm spam.model -c 0.1 --test test.svm",
                  "Scores held-out rows while it learns.");
  command.example("pegasos train house.csv --label price --loss huber --tol 1e-6",
                  "Regression on a table.");
  command.example("pegasos train digits.svm eight.model --positive 8 --trace run.csv",
                  "One label against the rest, and everything that happened per epoch.");
  command.example("pegasos train train.svm --test test.svm --report train.html",
                  "A page with the certificate, curves, and a slider for the threshold.");
  command.example("pegasos train spam.svm --probability",
                  "Learns how sure it may be; predict --probabilities then says it.");
  command.example("pegasos train letter.svm --test letter.t",
                  "Any number of classes, each against the rest, all at once.");
  command.example("pegasos train fraud.svm --balanced", "Rare classes count as much as others.");
  command.example("pegasos train train.svm --solver pegasos --batch 100 --sampling iid",
                  "The paper's algorithm and nothing else.");
  command.example("pegasos train digits.svm --positive 8 --kernel rbf --gamma 0.02 -c 1",
                  "A kernel machine, to the same kind of certificate.");
  command.example("pegasos train big.svm --kernel rbf --approx rff --components 4096",
                  "Nearly the same on any number of rows, by the linear solver.");
  command.example("pegasos train train.svm -v 5",
                  "No model, but the accuracy on rows held out, as LIBLINEAR and LIBSVM do it.");
  command.example("pegasos train train.svm --lambda auto --scale standard",
                  "Scaled features, and the strength that predicts held-out rows best.");
  command.describe(
      "Minimises lambda/2 |w|^2 + mean loss. Two epochs of Pegasos, stochastic sub-gradient "
      "descent "
      "with step 1/(lambda t), or a sample of the rows lead most of the way; dual coordinate "
      "ascent or "
      "Newton steps go on until the duality gap proves the model to be within --tol of the "
      "optimum. "
      "Objective, lower bound and gap are printed and kept in the model, and pegasos verify checks "
      "them. --solver pegasos runs the paper's algorithm alone. With --kernel the weights become "
      "coefficients of support vectors, and block dual ascent leads to --tol. Ctrl-C keeps the "
      "model so far.");
  add_file(command, "data", wish->data, "The file to learn from; - is standard input")->required();
  add_file(command, "model", wish->model,
           "The model to write; by default the data's name with .model behind, in this folder");
  add_training_options(command, wish->training);
  add_count(
      command, "-v",
      [wish](std::uint64_t folds) { wish->training.folds = static_cast<std::size_t>(folds); },
      "Cross-validate with so many folds, and write no model");
  add_file(command, "--test", wish->test, "Score these rows after every epoch");
  add_file(command, "--trace", wish->trace, "Write what happened in every epoch, as CSV");
  add_file(command, "--report", wish->report, "Write a page for the browser that shows all of it");
  command.add_flag("--live", wish->training.live,
                   "Draw objective and bounds while they close in on each other, on a terminal");
  add_feature_names(command, wish->training.names);
  add_seed(command, wish->training.options.solver.pegasos.seed);
  add_reading_options(command, wish->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, &command, wish] {
    settle_solver(command, wish->training);
    settle_kernel(command, wish->training);
    return train_command(session, *wish);
  });
}

}  // namespace pegasos::cli
