#include "training.h"

#include <fmt/format.h>

#include <map>

#include "base/quantity_text.h"
#include "kernel_options.h"
#include "options.h"
#include "pegasos/options.h"
#include "probabilities.h"
#include "spelling.h"
#include "table_options.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr const char* kSolver = "Solver";
constexpr const char* kPegasos = "Pegasos";
constexpr const char* kStop = "Stopping";

const OptionEntry<TrainOptions>& entry_of(const char* name) {
  return *find_option(train_option_table(), name);
}

// LIBLINEAR's habit: a negative value means no bias.
void add_bias_feature(Command& command, TrainOptions& options) {
  OptionInfo info = entry_of("bias_feature").info;
  info.meaning += "; negative for no bias";
  add_described(command, info, [&options](const std::string& text) {
    const auto value = parse_real(text);
    if (!value) throw UsageError(fmt::format("-B: '{}' is not a number", printable(text)));
    if (*value < 0) {
      options.bias = Bias::none;
    } else {
      options.bias_feature = *value;
    }
  });
}

// Sets an option of the library from its word.
void set_from(const OptionEntry<TrainOptions>& entry, TrainOptions& options,
              const std::string& text) {
  try {
    entry.set(options, text);
  } catch (const InvalidOption& error) {
    throw usage_error_of(error);
  }
}

// Numbers of tables are scaled while they are read, features of other files before they are learned
// from; auto looks at the format first.
void add_scale(Command& command, TrainingFlags& flags) {
  const auto& entry = entry_of("scaling");
  OptionInfo info = entry.info;
  info.values = "auto|" + info.values;
  info.default_text = "auto: standard for tables, none for other files";
  add_described(command, info, [&entry, &flags](const std::string& text) {
    flags.scale_given = text != "auto";
    set_from(entry, flags.options, flags.scale_given ? text : "none");
  });
}

// As for --scale, auto looks at the format.
void add_target(Command& command, TrainingFlags& flags) {
  const auto& entry = entry_of("target");
  OptionInfo info = entry.info;
  info.values = "auto|scale|" + info.values;
  info.meaning +=
      ". scale trains as if the targets were standardised: C and the defaults of epsilon and delta "
      "are in units of their standard deviation, and the bias is unregularised; for tables, log "
      "and log1p do so too. none uses the targets as they are";
  info.default_text = "auto: scale for tables, none for other files";
  add_described(command, info, [&entry, &flags](const std::string& text) {
    flags.target_scale.reset();
    if (text == "scale" || text == "none") flags.target_scale = text == "scale";
    set_from(entry, flags.options, text == "auto" || text == "scale" ? "none" : text);
  });
}

void add_problem_options(Command& command, TrainingFlags& flags) {
  for (const auto& entry : train_option_table()) {
    if (entry.info.group != "Problem") continue;
    if (entry.info.name == "bias_feature") {
      add_bias_feature(command, flags.options);
    } else if (entry.info.name == "scaling") {
      add_scale(command, flags);
    } else if (entry.info.name == "target") {
      add_target(command, flags);
    } else if (entry.info.name == "class_weights") {
      OptionEntry<TrainOptions> with_short_form = entry;
      with_short_form.info.meaning += ", also as -wLABEL WEIGHT";
      static const auto kept = with_short_form;  // the command refers to it
      add_entry(command, kept, flags.options);
    } else {
      add_entry(command, entry, flags.options);
    }
  }
  add_file(command, "--weights", flags.weights, "File with row weights, one per line")
      ->group("Problem");
}

void add_solver_options(Command& command, TrainingFlags& flags) {
  add_entry(command, entry_of("solver"), flags.options);
  add_file(
      command, flags_of("start"), flags.start,
      "Start from this model and train to the optimum of these rows with the options of this "
      "command. Weights are matched by feature name. If the model was trained with --keep-dual "
      "on the first rows of this file, these rows keep their dual variables. Rows that are not "
      "in this file no longer count")
      ->group(kSolver);
  add_entry(command, entry_of("keep_duals"), flags.options);
  for (const auto& entry : train_option_table()) {
    if (entry.info.group == kPegasos) add_entry(command, entry, flags.options);
  }
}

void add_stop_options(Command& command, TrainingFlags& flags) {
  add_entry(command, entry_of("tolerance"), flags.options);
  add_entry(command, entry_of("max_epochs"), flags.options);
  add_entry(command, entry_of("max_seconds"), flags.options);
  command
      .add_flag("--strict", flags.strict,
                "Exit with code 6 if the tolerance was not reached; the model is still written")
      ->group(kStop);
}

// LIBLINEAR and LIBSVM number their problems differently; a number is answered for both.
std::string answer_to_s(const std::string& number) {
  static const std::map<std::string, std::string> liblinear = {
      {"0", "logistic loss: --loss logistic"},
      {"1", "squared hinge loss: --loss squared-hinge"},
      {"2", "squared hinge loss: --loss squared-hinge"},
      {"3", "hinge loss: --loss hinge, which is the default"},
      {"4", "Crammer-Singer loss: --multiclass joint"},
      {"5", "L1 regularisation, which is not supported"},
      {"6", "L1 regularisation, which is not supported"},
      {"7", "logistic loss: --loss logistic"},
      {"11", "regression: --task regression --loss squared-epsilon-insensitive"},
      {"12", "regression: --task regression --loss squared-epsilon-insensitive"},
      {"13", "regression: --task regression --loss epsilon-insensitive"},
      {"21", "one-class SVM, which is not supported"}};
  static const std::map<std::string, std::string> libsvm = {
      {"0", "C-SVC: --kernel rbf"},
      {"1", "nu-SVC, which is not supported; C-SVC is --kernel rbf -c C"},
      {"2", "one-class SVM, which is not supported"},
      {"3", "epsilon-SVR: --kernel rbf --task regression"},
      {"4", "nu-SVR, which is not supported; epsilon-SVR is --kernel rbf --task regression"}};
  std::string answer;
  if (const auto known = liblinear.find(number); known != liblinear.end()) {
    answer = "LIBLINEAR's -s " + number + " is its " + known->second;
  }
  if (const auto known = libsvm.find(number); known != libsvm.end()) {
    answer += (answer.empty() ? "" : "; ") + ("LIBSVM's -s " + number + " is its " + known->second);
  }
  return answer.empty() ? "choose the loss with --loss, a kernel with --kernel" : answer;
}

// Flags people know from LIBLINEAR and LIBSVM whose meaning here is another flag's.
void add_answers(Command& command) {
  const auto refuse = [](const std::string& flag, const std::string& answer) {
    throw UsageError(flag + " is an option of LIBLINEAR or LIBSVM", answer);
  };
  command
      .add_option(
          "-s", [refuse](const std::string& number) { refuse("-s", answer_to_s(number)); }, "")
      ->group("");  // not shown, as are the others
  const std::vector<std::pair<std::string, std::string>> with_value = {
      {"-e",
       "use --tol, for example --tol 0.001; it is a relative duality gap, unlike LIBLINEAR's -e"},
      {"-m", "LIBLINEAR's -m is --threads, LIBSVM's is --cache"},
      {"-n", "nu-SVMs are not supported; use -c for C"},
      {"-M", "use --multiclass ovr, ovo or joint"}};
  for (const auto& [flag, answer] : with_value) {
    command
        .add_option(
            flag,
            [refuse, flag = flag, answer = answer](const std::string&) { refuse(flag, answer); },
            "")
        ->group("");
  }
  const std::vector<std::pair<std::string, std::string>> alone = {
      {"-C", "to choose C by cross-validation, use --lambda auto or pegasos tune"},
      {"-R", "to exclude the bias from the regulariser, use --bias unregularised"}};
  for (const auto& [flag, answer] : alone) {
    command
        .add_flag(
            flag, [refuse, flag = flag, answer = answer] { refuse(flag, answer); }, "")
        ->group("");
  }
}

}  // namespace

void add_training_options(Command& command, TrainingFlags& flags) {
  add_problem_options(command, flags);
  add_kernel_options(command, flags.options);
  add_solver_options(command, flags);
  add_stop_options(command, flags);
  add_checkpoint_options(command, flags.checkpoint);
  add_probability_options(command, flags.options);
  add_answers(command);
}

void settle_solver(const Command& command, TrainingFlags& flags) {
  Solver& solver = flags.options.solver.kind;
  for (const auto& option : command.options()) {
    if (option->view().group != kPegasos || option->count() == 0) continue;
    if (!command.was_given("--solver")) solver = Solver::pegasos;
    if (solver == Solver::pegasos) continue;
    throw UsageError(fmt::format("{} is an option of Pegasos, not of --solver {}",
                                 option->view().name, name_of(solver)),
                     "remove it, or use --solver pegasos");
  }
}

TableScaling table_scaling_of(const TrainingFlags& flags) {
  if (!flags.scale_given) return TableScaling::standard;
  const auto kind = flags.options.scaling;
  if (kind == ScalingKind::standard) return TableScaling::standard;
  if (kind == ScalingKind::min_max) return TableScaling::min_max;
  if (kind == ScalingKind::max_abs) return TableScaling::max_abs;
  return TableScaling::none;
}

void settle_scaling(TrainingFlags& flags, DataFormat format) {
  const bool table = format == DataFormat::csv || format == DataFormat::json_lines;
  flags.options.scale_targets = flags.target_scale.value_or(table);
  if (!table || flags.options.scaling == ScalingKind::unit_row) return;
  flags.table_scale = !flags.scale_given      ? "standard"
                      : flags.options.scaling ? name_of(*flags.options.scaling)
                                              : "none";
  flags.options.scaling.reset();
}

std::string note_on_scaling(const TrainOptions& options, const Dataset& data) {
  const auto kind = options.scaling;
  if (data.is_dense() || (kind != ScalingKind::standard && kind != ScalingKind::min_max)) return "";
  return fmt::format(
      "note: the data is sparse, so --scale {} scales but does not centre the features\n",
      name_of(*kind));
}

std::vector<Setting> settings_beside(const TrainingFlags& flags) {
  std::vector<Setting> settings;
  const auto add = [&settings](const char* name, const std::string& value) {
    if (!value.empty()) settings.push_back({name, value});
  };
  add("scaling", flags.table_scale);
  add("weights", flags.weights);
  add("start", flags.start);
  add("feature_names", flags.names);
  add("strict", flags.strict ? "yes" : "");
  return settings;
}

}  // namespace pegasos::cli
