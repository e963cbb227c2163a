// pegasos train: a data file in, a model with its certificate out.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

#include "base/atomic_file.h"
#include "base/quantity_text.h"
#include "commands/commands.h"
#include "data/file_list.h"
#include "exit_codes.h"
#include "feature_names_option.h"
#include "kernel_options.h"
#include "math/passes.h"
#include "model/model_words.h"
#include "model_files.h"
#include "options.h"
#include "output_file.h"
#include "pegasos/report_contents.h"
#include "pegasos/weights.h"
#include "program.h"
#include "reading.h"
#include "report_file.h"
#include "scoring.h"
#include "shortfall.h"
#include "signals.h"
#include "spelling.h"
#include "symptoms.h"
#include "table_options.h"
#include "terminal.h"
#include "train_run.h"
#include "training_report.h"
#include "training_watch.h"
#include "tuning.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

// The data's name plus ".model".
std::string default_model_name(const std::string& data) {
  if (data == "-") {
    throw UsageError("training from standard input needs a model name",
                     "for example: pegasos train - my.model");
  }
  if (files_named(data).size() > 1 || data.starts_with('@')) {
    throw UsageError("training from several files needs a model name",
                     fmt::format("for example: pegasos train {} my.model", file_word(data)));
  }
  return plain_name(data) + ".model";
}

std::string default_checkpoint_name(const Session& session, const TrainArguments& arguments) {
  if (arguments.training.folds) {
    if (session.ranks) return "";
    return arguments.data == "-" ? "" : plain_name(arguments.data) + ".folds.checkpoint";
  }
  return arguments.model.empty() || arguments.model == "-" ? "" : arguments.model + ".checkpoint";
}

// How evenly the rows are divided.
std::string said_of_ranks(const RankShares& shares) {
  if (shares.rows.size() == 1) return "";
  const auto range = [](const std::vector<std::uint64_t>& counts) {
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    return fmt::format("{} to {}", with_separators(*least), with_separators(*most));
  };
  return fmt::format(
      "{} ranks, each with {} rows and {} non-zeros; the largest share is {:.2f} times the mean\n",
      shares.rows.size(), range(shares.rows), range(shares.non_zeros), shares.skew());
}

// The weights of the rows at hand, of a file with those of all.
std::vector<double> weights_for(const Session& session, const std::string& path,
                                const Dataset& data) {
  std::vector<double> weights = read_weights(path);
  if (!session.ranks) return weights;
  const RankShares shares = rank_shares(data, *session.ranks);
  const std::uint64_t rows = shares.rows_before(session.ranks->size());
  if (weights.size() != rows) {
    throw UsageError(fmt::format("--weights: '{}' has {} weights, but the data has {} rows",
                                 printable(path), weights.size(), rows));
  }
  const auto begin =
      weights.begin() + static_cast<std::ptrdiff_t>(shares.rows_before(session.ranks->rank()));
  return {begin, begin + static_cast<std::ptrdiff_t>(data.rows())};
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::string decided(const std::string& path, const ReadResult& read, const RankShares& shares) {
  const Dataset& data = read.data;
  std::string format = name_of(read.notes.format);
  if (!read.notes.compression.empty()) format += " in " + read.notes.compression;
  if (!data.schema().csv) format += fmt::format(", indices from {}", data.schema().indices.base());
  return fmt::format("{}: {}; {}, {}, {}\n", path == "-" ? "standard input" : printable(path),
                     format, counted(sum_of(shares.rows), "row"),
                     counted(data.features(), "feature"),
                     counted(sum_of(shares.non_zeros), "non-zero"));
}

// What the command line names, into the library's options.
TrainOptions options_for(const Session& session, const TrainArguments& arguments,
                         const std::optional<ReadResult>& test) {
  TrainOptions options = arguments.training.options;
  options.threads = session.threads;
  options.ranks = session.ranks;
  if (test) options.test = test->data;
  if (!arguments.training.start.empty()) {
    options.start = std::make_shared<const Model>(load_any_model(arguments.training.start));
  }
  return options;
}

std::optional<ReadResult> read_test_rows(const Session& session, const TrainArguments& arguments,
                                         const Dataset& data) {
  if (arguments.test.empty()) return std::nullopt;
  ReadOptions same_features = arguments.reading;
  same_features.schema = data.shared_schema();
  ReadResult test = read_data(session, arguments.test, same_features);
  refuse_without_labels(arguments.test, test.data);
  for (const auto& note : sentences_of(test.notes)) {
    say(session, fmt::format("note: in {}: {}\n", printable(arguments.test), note));
  }
  return test;
}

// As LIBLINEAR does: no model, but how well labels of held-out rows are predicted.
int cross_validate_on(const Session& session, TrainOptions options, std::size_t folds,
                      const Dataset& data, CheckpointFile checkpoint) {
  std::optional<ResultAtRisk> at_risk;
  if (checkpoint.is_kept()) at_risk.emplace();  // else there is nothing to lose
  options.resume = checkpoint.load();
  const CrossValidation found = checkpoint.resumable([&] {
    return cross_validate(
        data, options, folds, [] { return stop_requested(); }, checkpoint.watch());
  });
  checkpoint.remove();
  if (found.search) {
    say(session, fmt::format("lambda auto: {}\nnote: lambda was chosen on all rows, so the "
                             "cross-validation below is slightly optimistic\n",
                             choice_in_words(*found.search, TuneOptions{}.choice)));
  }
  if (session.writes_files()) {
    print(session.json ? cross_validation_json(found, folds) : cross_validation_in_words(found));
  }
  if (std::isfinite(found.gap)) {
    say(session, fmt::format("{}, each model within {} of the optimum, proven\n",
                             counted(folds, "fold"), in_percent(found.gap)));
  }
  return kDone;
}

// What repeats the run beside the library's options: files, and how the data is read.
void add_settings(const TrainArguments& arguments, std::vector<Setting>& settings) {
  for (Setting& one : settings_beside(arguments.training)) settings.push_back(std::move(one));
  for (Setting& one : reading_settings(arguments.reading)) settings.push_back(std::move(one));
  if (!arguments.memory) return;
  for (Setting& one : changed_settings(memory_option_table(), *arguments.memory)) {
    settings.push_back(std::move(one));
  }
}

void write_trace(const TrainArguments& arguments, const Trained& trained) {
  if (arguments.trace.empty()) return;
  AtomicFile file(arguments.trace);
  file.write(trace_as_csv(trained.trace));
  file.commit();
}

std::string rule_in_words(const TrainOptions& options) {
  if (!options.gamma_rule) return "";
  return *options.gamma_rule == GammaRule::scale ? " (scale: 1/(features · variance))"
                                                 : " (auto: 1/features)";
}

// What was decided, and what came of it.
void say_result(const Session& session, const TrainArguments& arguments, const Trained& trained,
                const std::optional<RanksUsed>& ranks) {
  const ModelBase& facts = base_of(trained.model);
  if (trained.search) {
    say(session,
        fmt::format("lambda auto: {}\n", choice_in_words(*trained.search, TuneOptions{}.choice)));
  }
  if (!trained.started_from.empty()) {
    say(session, fmt::format("warm start from {}: {}\n", printable(arguments.training.start),
                             trained.started_from));
  }
  if (const auto& kernel = trained.options.kernel) {
    say(session, fmt::format("kernel {}{}{}\n", kernel_in_words(*kernel),
                             kernel->uses_gamma() ? rule_in_words(arguments.training.options) : "",
                             trained.options.approximation
                                 ? ", approximated by " + name_of(*trained.options.approximation)
                                 : ""));
  }
  say(session, fmt::format("predicts {}\nequivalent command:\n  pegasos train {} {} {}\n\n",
                           printable(task_in_words(trained.model)), file_word(arguments.data),
                           file_word(arguments.model), spelled(facts.record.settings)));
  if (!trained.reason.empty()) {
    say(session, fmt::format("solver {}: {}\n", facts.record.solver, trained.reason));
  }
  say(session, training_summary(trained));
  if (ranks) say(session, ranks_in_words(*ranks, trained));
  say(session,
      fmt::format("model        {}\n",
                  arguments.model == "-" ? "standard output" : printable(arguments.model)));
  if (session.json) print(training_json(trained, arguments.model, ranks));
}

void write_page(const Session& session, const TrainArguments& arguments, const Trained& trained,
                const Dataset& data, std::vector<Symptom> symptoms) {
  if (arguments.report.empty()) return;
  const ReportNames names{
      .model = file_name(arguments.model),
      .data = file_name(arguments.data),
      .test = file_name(arguments.test),
      .command =
          fmt::format("pegasos train {} {} {}", file_word(arguments.data),
                      file_word(arguments.model), spelled(base_of(trained.model).record.settings))};
  ReportRun run = report_after_training(trained, data, names);
  if (arguments.tuned) run.tuning = arguments.tuned;
  run.symptoms = std::move(symptoms);
  write_report({.title = fmt::format("{}, trained on {}", names.model, names.data),
                .runs = {std::move(run)}},
               arguments.report);
  say(session, fmt::format("report       {}\n", printable(arguments.report)));
}

// Is what an interrupted run has worse than the model that its file holds: by its gap, or because
// probabilities are missing?
bool is_worse_than(const Model& before, const Model& now) {
  if (base_of(before).has_probabilities() && !base_of(now).has_probabilities()) return true;
  const auto old_proof = certificate_of(before);
  const auto proof = certificate_of(now);
  if (!old_proof || !old_proof->share()) return false;
  return !proof || !proof->share() || *proof->share() > *old_proof->share();
}

// Ctrl-C costs nobody the model that was there: a better one moves aside. Where to, or "".
std::string keep_better_model(const TrainArguments& arguments, const Trained& trained) {
  if (trained.ending != Ending::stopped_by_caller || !is_model_file(arguments.model)) return "";
  try {
    if (!is_worse_than(load_model(arguments.model), trained.model)) return "";
  } catch (const Error&) {
    return "";  // it was of no use
  }
  std::string aside = arguments.model + ".before";
  std::filesystem::copy_file(arguments.model, aside,
                             std::filesystem::copy_options::overwrite_existing);
  return aside;
}

// The exit code, and what is to be said about how it ended.
int conclude(const Session& session, const TrainArguments& arguments, const Trained& trained,
             const Dataset& data, const CheckpointFile& checkpoint) {
  const bool uncalibrated =
      trained.options.probabilities && !base_of(trained.model).has_probabilities();
  if (uncalibrated) {
    say(session, "note: training stopped before calibration, so the model has no probabilities\n");
  }
  if (trained.ending == Ending::stopped_by_caller) {
    say(session, "interrupted: the current model was saved\n");
    checkpoint.say_how_to_resume();
    return 128 + stop_signal();
  }
  const auto proof = certificate_of(trained.model);
  if (!proof || proof->within(trained.options.solver.tolerance)) return kDone;
  say(session, shortfall(arguments.training, trained, data, {arguments.data, arguments.model}));
  return arguments.training.strict ? kNotProven : kDone;
}

void refuse_on_ranks(const Session& session, const TrainArguments& arguments) {
  if (!session.ranks) return;
  if (!arguments.report.empty()) {
    throw UsageError("--report needs all rows in one process",
                     "leave it out under mpirun, and use pegasos report afterwards");
  }
  const CheckpointFlags& checkpoint = arguments.training.checkpoint;
  if (arguments.training.folds && (checkpoint.resume || !checkpoint.file.empty())) {
    throw UsageError("-v has no checkpoints under mpirun", "leave out --checkpoint and --resume");
  }
}

int train_command(Session& session, TrainArguments& arguments) {
  const bool writes = !arguments.training.folds;
  if (writes && arguments.model.empty()) arguments.model = default_model_name(arguments.data);
  if (!writes && !(arguments.model + arguments.test + arguments.trace + arguments.report).empty()) {
    throw UsageError("-v only cross-validates and writes no files",
                     "remove the model name, --test, --trace and --report");
  }
  if (!writes && arguments.training.options.probabilities) {
    throw UsageError("-v does not support --probability", "remove --probability");
  }
  refuse_on_ranks(session, arguments);
  if (!writes && *arguments.training.folds < 2) throw UsageError("-v: must be at least 2");
  if (arguments.training.options.tune_lambda && arguments.training.options.c) {
    throw UsageError("--lambda auto and -c cannot be combined");
  }
  if (arguments.stream.on) return train_on_stream(session, arguments);
  check_train_files(session, arguments);
  const ReadResult read = read_training_data(session, arguments);
  return train_on(session, arguments, read);
}

}  // namespace

std::string plain_name(const std::string& data) {
  std::filesystem::path name = std::filesystem::path(data).filename();
  for (const char* suffix : {".gz", ".bz2", ".xz", ".zst"}) {
    if (name.extension() == suffix) return name.stem().string();
  }
  return name.string();
}

void check_train_files(const Session& session, const TrainArguments& arguments) {
  refuse_json_beside_data(session, arguments.model);
  refuse_json_beside_data(session, arguments.trace);
  refuse_json_beside_data(session, arguments.report);
  // A stream goes on from a model in place: it is loaded before anything is written.
  const std::string start = arguments.stream.on ? "" : arguments.training.start;
  refuse_same_files(
      {arguments.data, arguments.test, start, arguments.training.weights},
      {arguments.model, arguments.trace, arguments.report, arguments.training.checkpoint.file});
  const CheckpointFile checkpoint(session, arguments.training.checkpoint,
                                  default_checkpoint_name(session, arguments));
  std::error_code absent;
  if (std::filesystem::is_regular_file(arguments.model, absent) &&
      std::filesystem::file_size(arguments.model, absent) > 0 &&
      !looks_like_model(arguments.model)) {
    throw UsageError(fmt::format("'{}' exists and is not a model", printable(arguments.model)),
                     "choose another name for the model, or remove this file first");
  }
}

namespace {

Dataset with_weights_and_names(const Session& session, const TrainingFlags& flags, Dataset data) {
  if (!flags.weights.empty()) {
    data = with_weights(data, weights_for(session, flags.weights, data));
  }
  return name_features(flags.names, data);
}

}  // namespace

Dataset read_table_again(const Session& session, const TrainArguments& arguments,
                         TableScaling scaling) {
  ReadOptions reading = arguments.reading;
  reading.table_scaling = scaling;
  return with_weights_and_names(session, arguments.training,
                                read_data(session, arguments.data, reading).data);
}

namespace {

// Within the limit of memory where there is one; says how the memory will be used if that was asked
// for, or if rows do not fit.
ReadResult read_rows(const Session& session, const TrainArguments& arguments) {
  if (!arguments.memory || session.ranks || arguments.training.folds) {
    return read_data(session, arguments.data, arguments.reading);
  }
  PlannedRead planned = read_data_within(session, arguments.data, arguments.reading,
                                         arguments.training.options, *arguments.memory);
  if (arguments.memory->limit > 0 || planned.plan.resident > 0) {
    say(session, fmt::format("memory: {}\n", printable(planned.plan.in_words())));
  }
  return std::move(planned.read);
}

}  // namespace

ReadResult read_training_data(const Session& session, TrainArguments& arguments) {
  arguments.reading.table_scaling = table_scaling_of(arguments.training);
  ReadResult read = read_rows(session, arguments);
  settle_scaling(arguments.training, read.notes.format);
  read.data = with_weights_and_names(session, arguments.training, read.data);
  Collective& ranks = session.ranks ? *session.ranks : alone();
  const RankShares shares = rank_shares(read.data, ranks);
  add_other_ranks(read.notes, ranks);
  say(session, decided(arguments.data, read, shares));
  say(session, said_of_ranks(shares));
  for (const auto& note : sentences_of(read.notes)) say(session, "note: " + note + "\n");
  if (session.quiet && read.notes.first_unlabelled) {  // no detail: nothing is learned from them
    say_always(fmt::format("{}:{}: row without a label ({} in total)\n", printable(arguments.data),
                           read.notes.first_unlabelled->line,
                           with_separators(read.notes.rows_unlabelled)));
  }
  const auto& columns =
      read.data.schema().csv ? read.data.schema().csv->columns : std::vector<CsvColumn>{};
  const bool scaled = std::any_of(columns.begin(), columns.end(),
                                  [](const CsvColumn& column) { return !column.scales.empty(); });
  if (!arguments.training.scale_given && scaled) {
    say(session, "note: numeric columns are standardised (--scale none turns this off)\n");
  }
  return read;
}

int train_on(Session& session, TrainArguments& arguments, const ReadResult& read) {
  const auto test = read_test_rows(session, arguments, read.data);
  TrainOptions options = options_for(session, arguments, test);
  std::vector<Symptom> symptoms;
  if (read.data.is_paged()) {
    say(session, "note: the data was not checked for common problems, which takes more memory\n");
  } else if (!session.ranks && (!session.quiet || !arguments.report.empty())) {
    symptoms =
        symptoms_of(read.data, test ? &test->data : nullptr, options.scaling.has_value(), session);
  }
  say_symptoms(session, symptoms, arguments.data);
  say(session, note_on_scaling(options, read.data));
  if (arguments.training.live && !can_rewrite_lines(STDERR_FILENO)) {
    say(session, "note: --live needs a terminal\n");
  }
  CheckpointFile checkpoint(session, arguments.training.checkpoint,
                            default_checkpoint_name(session, arguments));
  if (arguments.training.folds) {
    return cross_validate_on(session, options, *arguments.training.folds, read.data, checkpoint);
  }
  session.output = arguments.model;
  const FileAtRisk at_risk(arguments.model);
  TrainingWatch watcher(session, options, arguments.training.live);
  Watch watch = watcher.watch();
  watch.checkpoint = checkpoint.watch();
  options.resume = checkpoint.load();
  const MpiCollective::Traffic before =
      session.ranks ? session.ranks->traffic() : MpiCollective::Traffic{};
  Trained trained = checkpoint.resumable([&] { return train(read.data, options, watch); });
  std::optional<RanksUsed> ranks;
  if (session.ranks) {
    const auto now = session.ranks->traffic();
    ranks = RanksUsed{
        session.ranks->size(),
        {now.calls - before.calls, now.bytes - before.bytes, now.seconds - before.seconds}};
  }
  watcher.end();
  add_settings(arguments, base_of(trained.model).record.settings);
  std::string aside;
  if (session.writes_files()) {
    aside = keep_better_model(arguments, trained);
    save_model(trained.model, arguments.model);
    if (trained.ending != Ending::stopped_by_caller) checkpoint.remove();
    write_trace(arguments, trained);
  }
  say_result(session, arguments, trained, ranks);
  write_page(session, arguments, trained, read.data, std::move(symptoms));
  if (!aside.empty()) {
    say_always(fmt::format("the model that {} held was better; it is now {}\n",
                           printable(arguments.model), printable(aside)));
  }
  return conclude(session, arguments, trained, read.data, checkpoint);
}

void add_train(Program& program) {
  Session& session = program.session();
  Command& command = program.add("train", "train a model");
  const auto arguments = std::make_shared<TrainArguments>();
  command.example("pegasos train train.svm",
                  "Detects the format and the task; writes train.svm.model.");
  command.example("pegasos train train.svm spam.model -c 0.1 --test test.svm",
                  "Measures the error on held-out rows after every epoch.");
  command.example("pegasos train house.csv --label price --loss huber --tol 1e-6",
                  "Regression on a table.");
  command.example("pegasos train digits.svm eight.model --positive 8 --trace run.csv",
                  "One label against the rest, with a CSV trace of every epoch.");
  command.example("pegasos train train.svm --test test.svm --report train.html",
                  "Also writes an HTML report with certificate, curves and a threshold slider.");
  command.example("pegasos train spam.svm --probability",
                  "Calibrates probabilities, for predict --probabilities.");
  command.example("pegasos train letter.svm --test letter.t",
                  "Any number of classes, one against the rest.");
  command.example("pegasos train fraud.svm --balanced",
                  "Weights the classes so that each counts equally.");
  command.example("pegasos train train.svm --solver pegasos --batch 100 --sampling iid",
                  "The algorithm of the paper, without the other solvers.");
  command.example("pegasos train digits.svm --positive 8 --kernel rbf --gamma 0.02 -c 1",
                  "A kernel SVM, with the same kind of certificate.");
  command.example("pegasos train big.svm --kernel rbf --approx rff --components 4096",
                  "Kernel approximation for large data sets, trained with the linear solver.");
  command.example("pegasos train more.svm new.model --continue old.model --keep-dual",
                  "Continues training after rows were appended to the data.");
  command.example("tail -f clicks.svm | pegasos train - clicks.model --stream",
                  "Learns in one pass from rows as they arrive, in constant memory.");
  command.example("pegasos train train.svm -v 5",
                  "5-fold cross-validation without writing a model, as in LIBLINEAR and LIBSVM.");
  command.example("pegasos train train.svm --lambda auto --scale standard",
                  "Standardises features and chooses lambda by cross-validation.");
  command.divides_rows();
  command.describe(
      "Minimises lambda/2 |w|^2 + mean loss. Two epochs of Pegasos (stochastic sub-gradient "
      "descent with step size 1/(lambda t)) or a run on a sample of the rows give a starting "
      "point; dual coordinate ascent or Newton steps continue until the duality gap proves that "
      "the model is within --tol of the optimum. The objective, the lower bound and the gap are "
      "printed and stored in the model, and pegasos verify checks them. --solver pegasos runs only "
      "the algorithm of the paper. With --kernel, block dual ascent trains a kernel SVM to the "
      "same tolerance. Ctrl-C stops training and saves the current model.");
  add_file(command, "data", arguments->data, "The training data; - is standard input")->required();
  add_file(command, "model", arguments->model,
           "The model to write; by default the name of the data file with .model appended, in the "
           "current folder");
  add_training_options(command, arguments->training);
  add_count(
      command, "-v",
      [arguments](std::uint64_t folds) {
        arguments->training.folds = static_cast<std::size_t>(folds);
      },
      "N-fold cross-validation; no model is written");
  add_file(command, "--test", arguments->test,
           "Held-out rows; the error on them is measured after every epoch");
  add_file(command, "--trace", arguments->trace,
           "Write objective, bound, gap and errors of every epoch as CSV");
  add_file(command, "--report", arguments->report, "Write an HTML report");
  command.add_flag("--live", arguments->training.live,
                   "Plot the objective and its lower bound in the terminal during training");
  add_stream_options(command, arguments->stream);
  arguments->memory.emplace();
  add_table(command, memory_option_table(), *arguments->memory);
  add_feature_names(command, arguments->training.names);
  add_seed(command, arguments->training.options.solver.pegasos.seed);
  add_reading_options(command, arguments->reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.runs([&session, &command, arguments] {
    check_stream_flags(command, arguments->stream);
    settle_solver(command, arguments->training);
    settle_kernel(command, arguments->training);
    return train_command(session, *arguments);
  });
}

}  // namespace pegasos::cli
