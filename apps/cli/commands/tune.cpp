// pegasos tune: chooses lambda and kernel parameters by cross-validation; --search wide also the
// scaling and the loss.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/quantity_text.h"
#include "base/run_clock.h"
#include "command.h"
#include "commands/commands.h"
#include "exit_codes.h"
#include "kernel_options.h"
#include "options.h"
#include "output_file.h"
#include "ranks.h"
#include "reading.h"
#include "report_file.h"
#include "session.h"
#include "signals.h"
#include "spelling.h"
#include "table_options.h"
#include "terminal.h"
#include "train_run.h"
#include "tuning.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

struct Arguments {
  TrainArguments train;  // whose model is "" if nothing is to be trained
  TuneOptions tuning;
};

// How the final training is asked for.
std::string final_command(const Arguments& arguments, const TuneOptions& tuning,
                          const TunePoint& point) {
  std::string line = "pegasos train " + file_word(arguments.train.data);
  if (!arguments.train.model.empty()) line += " " + file_word(arguments.train.model);
  line += options_of_choice(arguments.train.training, tuning, point);
  for (const Setting& one : reading_settings(arguments.train.reading)) line += " " + spelled(one);
  for (const Setting& one : changed_settings(memory_option_table(), *arguments.train.memory)) {
    line += " " + spelled(one);
  }
  return line;
}

// The page of a search after which nothing is trained.
Report report_of_search(const Arguments& arguments, const TuneResult& result, const Dataset& data,
                        const std::string& command) {
  ReportRun run;
  run.name = "search";
  run.facts = {{"data", arguments.train.data},
               {"rows", with_separators(data.rows())},
               {"features", with_separators(data.features())},
               {"chosen", choice_in_words(result, arguments.tuning.choice)}};
  run.command = command;
  run.tuning = result;
  return {.title = "Tuning on " + arguments.train.data, .runs = {std::move(run)}};
}

CheckpointFile checkpoint_of_search(const Session& session, const Arguments& arguments) {
  const std::string& data = arguments.train.data;
  if (session.ranks) {
    const CheckpointFlags& flags = arguments.train.training.checkpoint;
    if (flags.resume || !flags.file.empty()) {
      throw UsageError("tune has no checkpoints under mpirun",
                       "leave out --checkpoint and --resume");
    }
    return CheckpointFile(session, {}, "");
  }
  return CheckpointFile(session, arguments.train.training.checkpoint,
                        data == "-" ? "" : plain_name(data) + ".tune.checkpoint");
}

// Number columns of a table are scaled as it is read, so a wide search reads it again.
void settle_wide_search(const Session& session, const Arguments& arguments, const Dataset& data,
                        TuneOptions& tuning) {
  if (tuning.search != SearchKind::wide) return;
  const TrainingFlags& flags = arguments.train.training;
  tuning.keep_scaling = flags.scale_given;
  if (flags.table_scale.empty() || flags.scale_given) return;
  if (arguments.train.data == "-" || data.is_paged()) {
    say(session, fmt::format("note: {}, so no other scaling of the columns is tried\n",
                             data.is_paged() ? "the data is larger than the memory limit"
                                             : "standard input cannot be read again"));
    return;
  }
  tuning.table = {TableScaling::standard, [&session, &arguments](TableScaling scaling) {
                    return read_table_again(session, arguments.train, scaling);
                  }};
}

// Reads a table again if the search chose another scaling of its columns.
void take_scaling(const Session& session, Arguments& arguments, const TuneOptions& tuning,
                  const TunePoint& chosen, ReadResult& read) {
  if (!tuning.table || chosen.scaling == arguments.train.training.table_scale) return;
  arguments.train.training.table_scale = chosen.scaling;
  arguments.train.training.scale_given = true;
  if (arguments.train.model.empty()) return;
  read.data = read_table_again(session, arguments.train, *table_scaling_of_name(chosen.scaling));
}

// In what is left of the time after the search.
int train_choice(Session& session, Arguments& arguments, const TuneOptions& tuning,
                 const TuneResult& result, const ReadResult& read, const RunClock& searching) {
  const TunePoint& point = result.points[result.chosen];
  TrainOptions& options = arguments.train.training.options;
  const std::optional<double> limit = options.max_seconds;
  const SolverOptions solver = options.solver;
  options = options_at(tuning, point);
  options.solver = solver;
  options.max_seconds.reset();
  if (limit) options.max_seconds = std::max(*limit - searching.seconds(), *limit / 10);
  arguments.train.tuned = result;
  say(session, "\n");
  return train_on(session, arguments.train, read);
}

int tune_command(Session& session, Arguments& arguments) {
  if (session.ranks && !arguments.train.report.empty()) {
    throw UsageError("--report needs all rows in one process", "leave it out under mpirun");
  }
  if (!(arguments.train.model + arguments.train.report).empty())
    check_train_files(session, arguments.train);
  checkpoint_of_search(session, arguments);
  arguments.train.memory->copies = arguments.tuning.holdout ? 1 : arguments.tuning.folds;
  ReadResult read = read_training_data(session, arguments.train);
  if (arguments.train.model.empty()) {  // train says it too
    say(session, note_on_scaling(arguments.train.training.options, read.data));
  }
  TuneOptions tuning = arguments.tuning;
  tuning.train = arguments.train.training.options;
  tuning.train.threads = session.threads;
  tuning.train.ranks = session.ranks;
  settle_wide_search(session, arguments, read.data, tuning);
  const bool then_trains = !arguments.train.model.empty();
  if (then_trains && tuning.train.max_seconds) *tuning.train.max_seconds /= 2;
  const ResultAtRisk at_risk;
  const RunClock searching;
  CheckpointFile checkpoint = checkpoint_of_search(session, arguments);
  tuning.train.resume = checkpoint.load();
  const TuneResult result = checkpoint.resumable(
      [&] { return run_tuning(session, read.data, tuning, checkpoint.watch()); });
  tuning.train.resume.reset();
  const TunePoint& chosen = result.points[result.chosen];
  take_scaling(session, arguments, tuning, chosen, read);
  const std::string command = final_command(arguments, tuning, chosen);
  if (!session.writes_files()) {
    // rank 0 says it
  } else if (session.json && arguments.train.model.empty()) {
    print(tuning_json(result, command));
  } else if (!session.json) {
    print(tuning_table(result));
  }
  const bool stopped = on_any_rank(session, stop_requested());
  if (result.interrupted) {
    say(session,
        fmt::format("\n{}: {} of {} grid points were evaluated\n",
                    stopped ? "interrupted" : "out of time", result.points.size(), result.planned));
  }
  say(session, fmt::format("\nchosen: {}\n", choice_in_words(result, tuning.choice)));
  say(session, note_on_the_end(result));
  const bool trains = !arguments.train.model.empty() && !stopped;
  if (!session.json && !trains && session.writes_files()) print(command + "\n");
  if (!trains && !arguments.train.model.empty()) say(session, "no model was written\n");
  if (arguments.train.model.empty() && !arguments.train.report.empty()) {
    write_report(report_of_search(arguments, result, read.data, command), arguments.train.report);
    say(session, fmt::format("report: {}\n", printable(arguments.train.report)));
  }
  if (stopped) {
    checkpoint.say_how_to_resume();
    return 128 + stop_signal();
  }
  int code = kDone;
  if (!arguments.train.model.empty()) {
    CheckpointFlags& of_training = arguments.train.training.checkpoint;
    if (!of_training.file.empty()) of_training.file += ".train";
    code = train_choice(session, arguments, tuning, result, read, searching);
  }
  if (!stop_requested()) checkpoint.remove();  // else the search need not be repeated
  return code;
}

}  // namespace

void define_tune(Command& command, Session& session) {
  const auto arguments = std::make_shared<Arguments>();
  command.example(
      "pegasos tune train.svm",
      "Eleven values of lambda suited to the data, five folds; prints the train command.");
  command.example("pegasos tune train.svm --train spam.model --scale standard",
                  "Also trains the chosen model, without reading the data again.");
  command.example("pegasos tune train.svm --c-grid 0.01:100:20 --folds 10 --choose best",
                  "A grid of C as in LIBLINEAR; chooses the best mean score.");
  command.example("pegasos tune houses.csv --label price --search wide",
                  "Also compares scalings of the columns, and losses.");
  command.example("pegasos tune digits.svm --positive 8 --kernel rbf --gammas 0.01,0.03,0.1",
                  "A kernel SVM: one regularisation path per gamma.");
  command.example("pegasos tune big.csv --holdout 0.2 --max-time 60 --score auc",
                  "A single hold-out set and at most one minute.");
  command.describe(
      "Trains and scores models on cross-validation folds for decreasing values of lambda. Each "
      "model starts from the dual variables of the previous one, folds run in parallel, and a "
      "duality gap of 1 % is enough for the comparison, so a whole path costs little more than a "
      "few single runs. The table shows the mean score over the folds with its standard error. "
      "After Ctrl-C or --max-time, the choice is made among the points evaluated so far. All "
      "options of train apply to every model of the search; scaling is fitted on the training "
      "folds. --search wide then walks such a path for each of a few other scalings, and with the "
      "best of them for other losses; its table has the best point of each path.");
  add_file(command, "data", arguments->train.data, "The training data; - is standard input")
      ->required();
  add_file(command, "--train", arguments->train.model,
           "Train with the chosen parameters on all rows, and write this model");
  add_file(command, "--report", arguments->train.report,
           "Write an HTML report with the search, and with --train the model");
  add_tuning_options(command, arguments->tuning);
  add_training_options(command, arguments->train.training);
  arguments->train.memory.emplace();
  add_table(command, memory_option_table(), *arguments->train.memory);
  add_seed(command, arguments->train.training.options.solver.pegasos.seed);
  add_reading_options(command, arguments->train.reading);
  add_on_error(command, arguments->train.reading);
  add_json(command, session);
  add_quiet(command, session);
  add_threads(command, session);
  command.divides_rows();
  command.runs([&session, &command, arguments] {
    TrainingFlags& training = arguments->train.training;
    settle_solver(command, training);
    settle_kernel(command, training);
    settle_tuning(command, training);
    return tune_command(session, *arguments);
  });
}

}  // namespace pegasos::cli
