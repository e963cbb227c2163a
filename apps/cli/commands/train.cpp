// pegasos train: a data file in, a model with its certificate out.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "command.h"
#include "commands/commands.h"
#include "data/file_list.h"
#include "feature_names_option.h"
#include "kernel_options.h"
#include "options.h"
#include "output_file.h"
#include "reading.h"
#include "session.h"
#include "table_options.h"
#include "train_run.h"
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
  const auto begin = std::chrono::steady_clock::now();
  const ReadResult read = read_training_data(session, arguments);
  arguments.seconds_reading =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return train_on(session, arguments, read);
}

}  // namespace

void define_train(Command& command, Session& session) {
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
      "Minimises lambda/2 |w|^2 + mean loss. An epoch of Pegasos (stochastic sub-gradient "
      "descent with step size 1/(lambda t)) or a run on a sample of the rows gives a starting "
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
  add_on_error(command, arguments->reading);
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
