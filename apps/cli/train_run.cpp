// Training on data that was read: train, save, say.
#include "train_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/quantity_text.h"
#include "exit_codes.h"
#include "model/model_words.h"
#include "model_files.h"
#include "output_file.h"
#include "pegasos/report_contents.h"
#include "reading.h"
#include "report_file.h"
#include "scoring.h"
#include "shortfall.h"
#include "signals.h"
#include "spelling.h"
#include "symptoms.h"
#include "terminal.h"
#include "training_report.h"
#include "training_watch.h"
#include "tuning.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

std::string default_checkpoint_name(const Session& session, const TrainArguments& arguments) {
  if (arguments.training.folds) {
    if (session.ranks) return "";
    return arguments.data == "-" ? "" : plain_name(arguments.data) + ".folds.checkpoint";
  }
  return arguments.model.empty() || arguments.model == "-" ? "" : arguments.model + ".checkpoint";
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
  ReadResult test = read_data(session, arguments.test,
                              options_for_second(arguments.reading, data.shared_schema()));
  refuse_without_labels(arguments.test, test.data,
                        fmt::format("--test compares predictions with labels. To label these rows, "
                                    "train without it, then: pegasos predict {} {}",
                                    file_word(arguments.test), file_word(arguments.model)));
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
  if (session.json) print(training_json(trained, arguments, ranks));
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
  say(session, shortfall(arguments.training, trained, data,
                         {arguments.data, arguments.model, reading_settings(arguments.reading)}));
  return arguments.training.strict ? kNotProven : kDone;
}

}  // namespace

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

int train_on(Session& session, TrainArguments& arguments, const ReadResult& read) {
  const auto test = read_test_rows(session, arguments, read.data);
  TrainOptions options = options_for(session, arguments, test);
  std::vector<Symptom> symptoms;
  if (read.data.is_paged()) {
    say(session, "note: the data was not checked for common problems, which takes more memory\n");
  } else if (!session.ranks && (!session.quiet || !arguments.report.empty())) {
    // Columns of tables were scaled while they were read.
    const bool scaled =
        options.scaling ||
        (read.data.schema().csv && table_scaling_of(arguments.training) != TableScaling::none);
    const Untroubled untroubled = {.scaled = scaled,
                                   .regression = options.task == Task::regression};
    symptoms = symptoms_of(read.data, test ? &test->data : nullptr, untroubled, session);
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

}  // namespace pegasos::cli
