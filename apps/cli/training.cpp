#include "training.h"

#include <fmt/format.h>

#include "kernel_options.h"
#include "options.h"
#include "output_file.h"
#include "probabilities.h"
#include "quantities.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr const char* kProblem = "What is minimised";
constexpr const char* kSolver = "How it is minimised";
constexpr const char* kPegasos = "How Pegasos runs";
constexpr const char* kStop = "When to stop";

template <typename Value>
Choices<Value> named(std::initializer_list<Value> values) {
  Choices<Value> choices;
  for (const Value value : values) choices.emplace_back(name_of(value), value);
  return choices;
}

void read_lambda(TrainingWishes& wishes, const std::string& text) {
  wishes.tune_lambda = text == "auto";
  if (wishes.tune_lambda) return;
  const auto lambda = parse_real(text);
  if (!lambda) {
    throw UsageError(fmt::format("--lambda: '{}' is neither auto nor a number", printable(text)));
  }
  wishes.options.lambda = *lambda;
}

void add_problem_options(Command& command, TrainingWishes& wishes) {
  TrainOptions& options = wishes.options;
  add_choice<Task>(
      command, "--task", {{"classification", Task::binary}, {"regression", Task::regression}},
      [&options](Task task) { options.task = task; },
      "What the labels mean; by default words and whole numbers of up to 100 kinds are classes, "
      "other numbers are predicted")
      ->group(kProblem);
  command
      .add_option_function<std::string>(
          "--positive", [&options](const std::string& label) { options.positive_label = label; },
          "Train this label against all others; by default the larger of two")
      ->type_name("LABEL")
      ->group(kProblem);
  add_choice<Strategy>(
      command, "--multiclass",
      named({Strategy::one_against_rest, Strategy::one_against_one, Strategy::joint}),
      [&options](Strategy strategy) { options.strategy = strategy; },
      "More than two classes: each against the rest, each against each other, or all in one loss "
      "(ovr, ovo with a kernel)")
      ->group(kProblem);
  add_choice<Loss>(
      command, "--loss",
      named({Loss::hinge, Loss::squared_hinge, Loss::logistic, Loss::epsilon_insensitive,
             Loss::squared_epsilon_insensitive, Loss::huber}),
      [&options](Loss loss) { options.loss = loss; },
      "The loss; by default hinge for classes, epsilon-insensitive for numbers")
      ->group(kProblem);
  command
      .add_option_function<std::string>(
          "--lambda", [&wishes](const std::string& text) { read_lambda(wishes, text); },
          "Strength of the regulariser lambda/2 |w|^2 beside the mean loss; auto finds one by "
          "cross-validation, as pegasos tune does; by default from C")
      ->type_name("auto|X")
      ->group(kProblem);
  add_real(
      command, "-c", [&options](double c) { options.c = c; },
      "The same as LIBLINEAR and LIBSVM say it: lambda = 1/(C rows) (1)")
      ->group(kProblem);
  add_choice<std::optional<ScalingKind>>(
      command, "--scale",
      {{"none", std::nullopt},
       {"maxabs", ScalingKind::max_abs},
       {"standard", ScalingKind::standard},
       {"minmax", ScalingKind::min_max},
       {"unit-row", ScalingKind::unit_row}},
      [&options](std::optional<ScalingKind> kind) { options.scaling = kind; },
      "Scale features, or rows to norm 1, before anything else; the model does the same to what it "
      "predicts. Of sparse data zeros stay zeros (none)")
      ->group(kProblem);
  add_choice<Bias>(
      command, "--bias", named({Bias::none, Bias::regularised, Bias::unregularised, Bias::exact}),
      [&options](Bias bias) { options.bias = bias; },
      "The bias: none, a constant feature, free by its own sub-gradient, or free and exact on "
      "every batch (regularised, none with a kernel)")
      ->group(kProblem);
  add_real(
      command, "-B",
      [&options](double value) {
        // LIBLINEAR's habit: a negative value means no bias.
        if (value < 0) {
          options.bias = Bias::none;
        } else {
          options.bias_feature = value;
        }
      },
      "Value of the constant feature of a regularised bias; negative for none (1)")
      ->group(kProblem);
  add_real(
      command, "-p,--epsilon", [&options](double epsilon) { options.epsilon = epsilon; },
      "Half width of the tube of the epsilon losses (0.1)")
      ->group(kProblem);
  add_real(
      command, "--delta", [&options](double delta) { options.delta = delta; },
      "Where the Huber loss turns straight (1)")
      ->group(kProblem);
}

ClassWeight class_weight_of(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const auto weight =
      equals == std::string::npos ? std::nullopt : parse_real(text.substr(equals + 1));
  if (!weight) {
    throw UsageError(fmt::format("--class-weight: '{}' is not a label and a number", text),
                     "--class-weight spam=10, or as in LIBLINEAR -wspam 10");
  }
  return {text.substr(0, equals), *weight};
}

void add_weight_options(Command& command, TrainingWishes& wishes) {
  TrainOptions& options = wishes.options;
  command
      .add_option_function<std::vector<std::string>>(
          "--class-weight",
          [&options](const std::vector<std::string>& texts) {
            for (const auto& text : texts) options.class_weights.push_back(class_weight_of(text));
          },
          "Rows of this class count so much more; -wLABEL WEIGHT is the same, and both may be "
          "repeated")
      ->type_name("LABEL=WEIGHT")
      ->take_all()
      ->allow_extra_args(false)  // what follows may be the data
      ->group(kProblem);
  command
      .add_flag("--balanced", options.balanced,
                "Classes count alike: weights rows / (classes * rows of the class)")
      ->group(kProblem);
  add_file(command, "--weights", wishes.weights,
           "A number for each row: how much it counts, one a line")
      ->group(kProblem);
}

void add_solver_options(Command& command, TrainingWishes& wishes) {
  add_choice<Solver>(
      command, "--solver",
      {{"auto", Solver::automatic},
       {"pegasos", Solver::pegasos},
       {"sdca", Solver::sdca},
       {"newton", Solver::newton},
       {"ipm", Solver::newton}},
      [&wishes](Solver solver) { wishes.options.solver.kind = solver; },
      "Pure Pegasos; dual coordinate ascent, for many features; Newton steps, for few (ipm is "
      "another name for it); or what suits the data (auto)")
      ->group(kSolver);
  add_file(command, "--warm-start", wishes.start,
           "Begin from this model; best from one trained with --keep-dual on the same rows")
      ->group(kSolver);
  command
      .add_flag("--keep-dual", wishes.keep_dual,
                "Keep the dual variables in the model, 8 bytes a row: verify and --warm-start then "
                "need no search of their own")
      ->group(kSolver);
}

void add_pegasos_options(Command& command, TrainingWishes& wishes) {
  PegasosOptions& options = wishes.options.solver.pegasos;
  add_count(
      command, "--batch", [&options](std::uint64_t rows) { options.batch = rows; },
      "Rows a step (1); as many as there are is plain sub-gradient descent")
      ->group(kPegasos);
  add_choice<Sampling>(
      command, "--sampling",
      named({Sampling::shuffle, Sampling::iid, Sampling::without_replacement, Sampling::fixed}),
      [&options](Sampling sampling) { options.sampling = sampling; },
      "Order of the rows: a fresh permutation each epoch, drawn with replacement as in the paper, "
      "without inside a batch, or one permutation for all epochs (shuffle)")
      ->group(kPegasos);
  command
      .add_flag("--project", options.project,
                "After each step, back onto the ball that holds the optimum")
      ->group(kPegasos);
  add_choice<Average>(
      command, "--average",
      named({Average::last, Average::mean, Average::suffix, Average::weighted}),
      [&options](Average average) { options.average = average; },
      "The model: the last iterate, or the mean of all, of the second half of the planned epochs, "
      "or weighted by step (last)")
      ->group(kPegasos);
  add_real(
      command, "--step-offset", [&options](double offset) { options.step_offset = offset; },
      "Rows that count as seen before the first, which damps early steps; by default 0, and what "
      "the squared losses need")
      ->group(kPegasos);
  add_count(
      command, "--steps", [&options](std::uint64_t steps) { options.steps = steps; },
      "Stop after this many steps")
      ->group(kPegasos);
}

void add_stop_options(Command& command, TrainingWishes& wishes) {
  SolverOptions& solver = wishes.options.solver;
  add_real(
      command, "--tol", [&solver](double tolerance) { solver.tolerance = tolerance; },
      "Stop when proven within this share of the optimum (0.001)")
      ->group(kStop);
  add_count(
      command, "--max-epochs", [&solver](std::uint64_t epochs) { solver.max_epochs = epochs; },
      "Stop after this many passes over the data, or Newton steps (100 for Pegasos, else 1000)")
      ->group(kStop);
  add_real(
      command, "--max-time", [&wishes](double seconds) { wishes.max_seconds = seconds; },
      "Stop after this many seconds")
      ->group(kStop);
  command
      .add_flag("--strict", wishes.strict,
                "Exit with code 6 if the tolerance was not reached; the model is written all the "
                "same")
      ->group(kStop);
}

// Flags people know from LIBLINEAR and LIBSVM whose meaning here is another flag's.
void add_answers(Command& command) {
  const std::vector<std::pair<std::string, std::string>> answers = {
      {"-s",
       "choose the loss with --loss: -s 3 is --loss hinge, -s 1 and 2 --loss squared-hinge, "
       "-s 0 --loss logistic, -s 13 --loss epsilon-insensitive"},
      {"-e", "LIBLINEAR's -e is not a gap; say how close to the optimum with --tol 0.001"},
      {"-m", "LIBLINEAR's -m is --threads, LIBSVM's is --cache"}};
  for (const auto& [flag, answer] : answers) {
    command
        .add_option_function<std::string>(
            flag,
            [flag = flag, answer = answer](const std::string&) {
              throw UsageError(flag + " is a flag of LIBLINEAR or LIBSVM", answer);
            },
            "")
        ->group("");  // not shown
  }
}

// What was chosen, where it can be asked for by name.
std::string solver_flag(const TrainOptions& options, const ModelBase& model) {
  const bool kernel_machine = options.kernel && !options.approximation;
  if (kernel_machine || options.strategy == Strategy::joint) return name_of(options.solver.kind);
  return options.solver.kind == Solver::automatic && model.record.solver == "pegasos"
             ? name_of(Solver::automatic)
             : model.record.solver;
}

}  // namespace

void add_training_options(Command& command, TrainingWishes& wishes) {
  add_problem_options(command, wishes);
  add_weight_options(command, wishes);
  add_kernel_options(command, wishes.options);
  add_solver_options(command, wishes);
  add_pegasos_options(command, wishes);
  add_stop_options(command, wishes);
  add_probability_options(command, wishes.probability);
  add_answers(command);
}

void settle_solver(const Command& command, TrainingWishes& wishes) {
  Solver& solver = wishes.options.solver.kind;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() != kPegasos || option->count() == 0) continue;
    if (command.get_option("--solver")->count() == 0) solver = Solver::pegasos;
    if (solver == Solver::pegasos) continue;
    throw UsageError(
        fmt::format("{} is for Pegasos, not for --solver {}", option->get_name(), name_of(solver)),
        "leave it out, or ask for --solver pegasos");
  }
}

std::string note_on_scaling(const TrainOptions& options, const Dataset& data) {
  const auto kind = options.scaling;
  if (data.is_dense() || (kind != ScalingKind::standard && kind != ScalingKind::min_max)) return "";
  return fmt::format(
      "note: the data is sparse, so --scale {} divides and subtracts nothing: zeros stay zeros\n",
      name_of(*kind));
}

std::string explicit_pegasos(const TrainOptions& options) {
  const PegasosOptions& pegasos = options.solver.pegasos;
  if (options.solver.kind != Solver::pegasos) {
    const auto epochs = options.solver.max_epochs;
    return epochs ? fmt::format(" --max-epochs {}", *epochs) : "";
  }
  std::string line =
      fmt::format(" --batch {} --sampling {}{} --average {} --max-epochs {}", pegasos.batch,
                  name_of(pegasos.sampling), pegasos.project ? " --project" : "",
                  name_of(pegasos.average), options.solver.max_epochs.value_or(pegasos.epochs));
  if (pegasos.step_offset) line += fmt::format(" --step-offset {}", *pegasos.step_offset);
  if (pegasos.steps) line += fmt::format(" --steps {}", *pegasos.steps);
  return line;
}

std::string explicit_options(const TrainingWishes& wishes, const ModelBase& model) {
  const TrainOptions& options = wishes.options;
  std::string line = fmt::format("--task {} --loss {} --lambda {}",
                                 model.classifies ? "classification" : "regression",
                                 name_of(model.loss.loss), model.lambda);
  if (options.strategy) {
    line += " --multiclass " + name_of(*options.strategy);
  } else if (model.classifies) {
    line += " --positive " + shell_word(model.label_text(model.positive_label));
  }
  if (model.loss.loss == Loss::huber) line += fmt::format(" --delta {}", model.loss.delta);
  if (model.loss.loss == Loss::epsilon_insensitive ||
      model.loss.loss == Loss::squared_epsilon_insensitive) {
    line += fmt::format(" --epsilon {}", model.loss.epsilon);
  }
  line += " --bias " + name_of(model.bias);
  if (model.bias == Bias::regularised) line += fmt::format(" -B {}", model.bias_feature);
  if (options.scaling) line += " --scale " + name_of(*options.scaling);
  line += explicit_kernel(options);
  for (const ClassWeight& one : options.class_weights) {
    line += " --class-weight " + shell_word(fmt::format("{}={}", one.label, one.weight));
  }
  if (options.balanced) line += " --balanced";
  if (!wishes.weights.empty()) line += " --weights " + shell_word(wishes.weights);
  const PegasosOptions& pegasos = options.solver.pegasos;
  line += " --solver " + solver_flag(options, model);
  line += explicit_pegasos(options);
  line += fmt::format(" --seed {} --tol {}", pegasos.seed, options.solver.tolerance);
  if (!wishes.start.empty()) line += " --warm-start " + shell_word(wishes.start);
  if (wishes.probability) line += " --probability " + name_of(*wishes.probability);
  if (!wishes.names.empty()) line += " --feature-names " + shell_word(wishes.names);
  if (wishes.keep_dual) line += " --keep-dual";
  if (wishes.strict) line += " --strict";
  if (wishes.max_seconds) line += fmt::format(" --max-time {}", *wishes.max_seconds);
  return line;
}

}  // namespace pegasos::cli
