// The table of TrainOptions: what stands in the struct itself, and the tables of its parts.
#include "base/option_builder.h"
#include "math/option_tables.h"
#include "pegasos/options.h"

namespace pegasos {
namespace {

using Entry = OptionEntry<TrainOptions>;
using Table = OptionTable<TrainOptions>;

OptionInfo problem(std::string name, std::string meaning) {
  return {.name = std::move(name), .group = kProblemGroup, .meaning = std::move(meaning)};
}

OptionInfo of_kernel(std::string name, std::string meaning) {
  return {.name = std::move(name), .group = kKernelGroup, .meaning = std::move(meaning)};
}

KernelOptions& kernel_of(TrainOptions& options) {
  if (!options.kernel) options.kernel.emplace();
  return *options.kernel;
}

Entry task_entry() {
  Entry entry = option::word(
      problem("task",
              "Classification or regression; by default words, two distinct numbers and up to 20 "
              "distinct whole numbers (100 if no class is rare) are classes, other labels are "
              "regression targets"),
      &TrainOptions::task,
      option::Words<Task>{{"classification", Task::binary}, {"regression", Task::regression}});
  entry.texts = [](const TrainOptions& options) -> std::vector<std::string> {
    if (!options.task || *options.task == Task::none) return {};
    return {*options.task == Task::regression ? "regression" : "classification"};
  };
  return entry;
}

// A number, or a search for one.
Entry lambda_entry() {
  Entry entry =
      option::number(problem("lambda",
                             "Regularisation strength, in lambda/2 |w|^2 + mean loss; auto chooses "
                             "it by cross-validation; by default derived from C"),
                     &TrainOptions::lambda, option::more_than(0));
  entry.info.values = "auto|X";
  entry.set = [info = entry.info](TrainOptions& options, const std::string& text) {
    options.tune_lambda = text == "auto";
    options.lambda.reset();
    if (options.tune_lambda) return;
    options.lambda = parse_real(text);
    if (!options.lambda) option::refuse(info, text, "auto or a number");
  };
  entry.texts = [texts = entry.texts](const TrainOptions& options) {
    return options.tune_lambda ? std::vector<std::string>{"auto"} : texts(options);
  };
  return entry;
}

Entry scaling_entry() {
  using Kind = std::optional<ScalingKind>;
  Entry entry =
      option::word(problem("scaling",
                           "Scale the features, or the rows to norm 1 (unit-row); the model "
                           "applies the same scaling when it predicts. Sparse data is not centred"),
                   &TrainOptions::scaling,
                   option::Words<Kind>{{"none", std::nullopt},
                                       {"maxabs", ScalingKind::max_abs},
                                       {"standard", ScalingKind::standard},
                                       {"minmax", ScalingKind::min_max},
                                       {"unit-row", ScalingKind::unit_row}});
  entry.matters = [](const TrainOptions& options) { return options.scaling.has_value(); };
  return entry;
}

// Beside the words for what the library calls scale_targets, which every front end has its own way
// to ask for.
Entry target_entry() {
  Entry entry = option::word(
      problem(
          "target",
          "Regression: log trains on log(target); log1p trains on log(1 + target), and so does log "
          "if some targets are 0. Predictions and errors are in the original units"),
      &TrainOptions::target,
      option::named({TargetTransform::none, TargetTransform::log, TargetTransform::log1p}));
  entry.matters = [](const TrainOptions& options) {
    return options.target != TargetTransform::none;
  };
  return entry;
}

Entry bias_entry() {
  OptionInfo info =
      problem("bias",
              "Bias term: none; regularised, as the weight of a constant feature; unregularised, "
              "trained by sub-gradient steps; or exact, unregularised and optimal for every batch");
  info.default_text = "regularised; none with a kernel";
  return option::word(
      std::move(info), &TrainOptions::bias,
      option::named({Bias::none, Bias::regularised, Bias::unregularised, Bias::exact}));
}

Entry bias_feature_entry() {
  Entry entry = option::number(
      problem("bias_feature", "Value of the constant feature for a regularised bias"),
      &TrainOptions::bias_feature, {.rule = "must be finite and not 0"});
  entry.matters = [](const TrainOptions& options) {
    return options.bias.value_or(options.kernel ? Bias::none : Bias::regularised) ==
           Bias::regularised;
  };
  entry.check = [](const TrainOptions& options) {
    const bool used = options.bias.value_or(Bias::regularised) == Bias::regularised;
    if (used && (!std::isfinite(options.bias_feature) || options.bias_feature == 0)) {
      throw InvalidOption("bias_feature", "must be finite and not 0");
    }
  };
  return entry;
}

// epsilon and delta, which stand in TrainOptions beside the loss.
void append_loss(Table& table) {
  for (const OptionEntry<LossOptions>& one : loss_option_table()) {
    const bool huber = one.info.name == "delta";
    const auto member = huber ? &TrainOptions::delta : &TrainOptions::epsilon;
    const auto of_loss = huber ? &LossOptions::delta : &LossOptions::epsilon;
    const auto loss_of = [member, of_loss](const TrainOptions& options) {
      LossOptions loss;
      loss.*of_loss = (options.*member).value_or(loss.*of_loss);
      return loss;
    };
    Entry entry;
    entry.info = one.info;
    entry.info.default_text = fmt::format("{}", LossOptions{}.*of_loss);
    entry.set = [set = one.set, member, of_loss](TrainOptions& options, const std::string& text) {
      LossOptions loss;
      set(loss, text);
      options.*member = loss.*of_loss;
    };
    entry.texts = [texts = one.texts, loss_of, member](const TrainOptions& options) {
      return options.*member ? texts(loss_of(options)) : std::vector<std::string>();
    };
    entry.check = [check = one.check, loss_of](const TrainOptions& options) {
      check(loss_of(options));
    };
    entry.matters = [huber](const TrainOptions& options) {
      if (!options.loss) return true;
      return huber ? options.loss == Loss::huber
                   : options.loss == Loss::epsilon_insensitive ||
                         options.loss == Loss::squared_epsilon_insensitive;
    };
    table.push_back(std::move(entry));
  }
}

Entry class_weights_entry() {
  Entry entry;
  entry.info = problem("class_weights", "Weight of a class; may be repeated");
  entry.info.kind = OptionKind::text;
  entry.info.values = "LABEL=WEIGHT";
  entry.info.repeatable = true;
  entry.set = [](TrainOptions& options, const std::string& text) {
    const std::size_t equals = text.rfind('=');
    const auto weight =
        equals == std::string::npos ? std::nullopt : parse_real(text.substr(equals + 1));
    if (!weight) {
      throw InvalidOption("class_weights",
                          fmt::format("'{}' is not of the form LABEL=WEIGHT", text),
                          {"for example {}", {{"class_weights", "spam=10"}}});
    }
    options.class_weights.push_back({text.substr(0, equals), *weight});
  };
  entry.texts = [](const TrainOptions& options) {
    std::vector<std::string> texts;
    texts.reserve(options.class_weights.size());
    for (const ClassWeight& one : options.class_weights) {
      texts.push_back(fmt::format("{}={}", one.label, one.weight));
    }
    return texts;
  };
  entry.check = [](const TrainOptions& options) {
    for (const ClassWeight& one : options.class_weights) {
      if (!(one.weight >= 0) || std::isinf(one.weight)) {
        throw InvalidOption("class_weights", "must be finite, 0 or more");
      }
    }
  };
  return entry;
}

Entry kernel_entry() {
  Entry entry;
  entry.info = of_kernel("kernel",
                         "Train a kernel SVM; precomputed expects the kernel matrix as data, with "
                         "or without LIBSVM's 0:serial column");
  entry.info.kind = OptionKind::word;
  for (const auto& [word, kind] : kernel_words()) {
    entry.info.values += (entry.info.values.empty() ? "" : "|") + word;
  }
  entry.set = [info = entry.info](TrainOptions& options, const std::string& text) {
    kernel_of(options).kind = option::value_of_word(info, kernel_words(), text);
  };
  entry.texts = [](const TrainOptions& options) -> std::vector<std::string> {
    if (!options.kernel) return {};
    return {name_of(options.kernel->kind)};
  };
  return entry;
}

// A number in the kernel, or a rule beside it.
Entry gamma_entry() {
  Entry entry;
  entry.info = of_kernel(
      "gamma",
      "Kernel coefficient: scale is 1/(features · variance of the values), auto is 1/features");
  entry.info.values = "scale|auto|X";
  entry.info.default_text = "scale";
  entry.set = [info = entry.info](TrainOptions& options, const std::string& text) {
    options.gamma_rule.reset();
    if (text == "scale") {
      options.gamma_rule = GammaRule::scale;
    } else if (text == "auto") {
      options.gamma_rule = GammaRule::automatic;
    } else if (const auto number = parse_real(text)) {
      kernel_of(options).gamma = *number;
    } else {
      option::refuse(info, text, "scale, auto or a number");
    }
  };
  const auto used = [](const TrainOptions& options) {
    return options.kernel && options.kernel->uses_gamma();
  };
  entry.matters = used;
  entry.texts = [used](const TrainOptions& options) -> std::vector<std::string> {
    if (!used(options)) return {};
    if (options.gamma_rule) return {options.gamma_rule == GammaRule::scale ? "scale" : "auto"};
    return {fmt::format("{}", options.kernel->gamma)};
  };
  const auto in_kernel = find_option(kernel_option_table(), "gamma")->check;
  entry.check = [used, in_kernel](const TrainOptions& options) {
    if (used(options) && !options.gamma_rule) in_kernel(*options.kernel);
  };
  return entry;
}

void append_kernel(Table& table) {
  table.push_back(kernel_entry());
  table.push_back(gamma_entry());
  OptionTable<KernelOptions> others;
  for (const auto& entry : kernel_option_table()) {
    if (entry.info.name != "gamma") others.push_back(entry);
  }
  option::append(table, others, kernel_of, [](const TrainOptions& options) {
    return options.kernel ? &*options.kernel : nullptr;
  });
  OptionInfo cache =
      of_kernel("cache_bytes",
                "Size of the kernel cache; by default half of the free memory, "
                "or 256 MB, at least 1,024 rows, where they are cheap (few values a row) and "
                "dual ascent trains");
  cache.kind = OptionKind::bytes;
  Entry cache_entry = option::with_unit(
      option::number(std::move(cache), &TrainOptions::cache_bytes, option::at_least(0)));
  cache_entry.texts = [](const TrainOptions& options) -> std::vector<std::string> {
    if (options.cache_bytes == 0) return {};
    return {std::to_string(options.cache_bytes)};
  };
  cache_entry.matters = [](const TrainOptions&) { return false; };  // changes no bit
  table.push_back(std::move(cache_entry));
  table.push_back(option::word(
      of_kernel("approximation",
                "Approximate the kernel by a feature map and train a linear model on it, in time "
                "and memory linear in the number of rows: random Fourier features (rbf, "
                "laplacian), Nyström (any kernel), tensor sketch (polynomial)"),
      &TrainOptions::approximation,
      option::named({Approximation::rff, Approximation::nystroem, Approximation::tensorsketch})));
  Entry components =
      option::number(of_kernel("components", "Number of components of the feature map"),
                     &TrainOptions::components, option::at_least(2));
  table.push_back(option::only_if<TrainOptions>(
      [](const TrainOptions& options) { return options.approximation.has_value(); },
      std::move(components)));
}

void append_problem(Table& table) {
  table.push_back(task_entry());
  table.push_back(option::text(
      [] {
        OptionInfo info = problem("positive_label",
                                  "The positive class; all other labels are the negative class. By "
                                  "default the larger of two labels");
        info.values = "LABEL";
        return info;
      }(),
      &TrainOptions::positive_label));
  OptionInfo strategy = problem("strategy",
                                "Strategy for more than two classes: one against the rest, one "
                                "against one, or a joint (Crammer-Singer) loss");
  strategy.default_text = "ovr; ovo with a kernel";
  table.push_back(option::word(
      std::move(strategy), &TrainOptions::strategy,
      option::named({Strategy::one_against_rest, Strategy::one_against_one, Strategy::joint})));
  table.push_back(option::word(
      problem(
          "loss",
          "Loss function; by default hinge for classification, epsilon-insensitive for regression"),
      &TrainOptions::loss,
      option::named({Loss::hinge, Loss::squared_hinge, Loss::logistic, Loss::epsilon_insensitive,
                     Loss::squared_epsilon_insensitive, Loss::huber})));
  table.push_back(lambda_entry());
  OptionInfo c = problem(
      "c", "Inverse regularisation strength as in LIBLINEAR and LIBSVM: lambda = 1/(C · rows)");
  c.default_text = "1";
  table.push_back(option::number(std::move(c), &TrainOptions::c, option::more_than(0)));
  table.push_back(scaling_entry());
  table.push_back(target_entry());
  table.push_back(bias_entry());
  table.push_back(bias_feature_entry());
  append_loss(table);
  table.push_back(class_weights_entry());
  table.push_back(
      option::flag(problem("balanced", "Weight each class by rows / (classes · rows of the class)"),
                   &TrainOptions::balanced));
}

void append_solver(Table& table) {
  option::append(
      table, solver_option_table(),
      [](TrainOptions& options) -> SolverOptions& { return options.solver; },
      [](const TrainOptions& options) { return &options.solver; });
  table.push_back(option::number({.name = "max_seconds",
                                  .group = kStoppingGroup,
                                  .meaning = "Time limit in seconds for the whole run"},
                                 &TrainOptions::max_seconds, option::more_than(0)));
  const std::size_t first = table.size();
  option::append(
      table, pegasos_option_table(),
      [](TrainOptions& options) -> PegasosOptions& { return options.solver.pegasos; },
      [](const TrainOptions& options) { return &options.solver.pegasos; });
  for (std::size_t k = first; k < table.size(); ++k) {
    if (table[k].info.group != kPegasosGroup) continue;
    table[k].matters = [](const TrainOptions& options) {
      return options.solver.kind == Solver::pegasos;
    };
  }
}

void append_products(Table& table) {
  table.push_back(option::word(
      {.name = "probabilities",
       .group = "Probabilities",
       .meaning = "Calibrate probabilities by 5-fold cross-validation: a sigmoid (Platt scaling), "
                  "or isotonic regression, which suits a few thousand rows or more"},
      &TrainOptions::probabilities,
      option::named({CalibrationKind::platt, CalibrationKind::isotonic})));
  table.push_back(option::flag({.name = "keep_duals",
                                .group = kSolverGroup,
                                .meaning = "Store the dual variables in the model (8 bytes per "
                                           "row), for fast verification and warm starts"},
                               &TrainOptions::keep_duals));
}

Table make_table() {
  Table table;
  append_problem(table);
  append_kernel(table);
  append_solver(table);
  append_products(table);
  Entry threads = option::number({.name = "threads",
                                  .group = "Options",
                                  .meaning = "Number of threads; 0 for all cores available to the "
                                             "process. Does not change the result"},
                                 &TrainOptions::threads, option::from_to(0, 1024));
  threads.matters = [](const TrainOptions&) { return false; };
  table.push_back(std::move(threads));
  return option::with_defaults(std::move(table));
}

}  // namespace

const OptionTable<TrainOptions>& train_option_table() {
  static const Table table = make_table();
  return table;
}

void TrainOptions::validate() const {
  if (lambda && c) throw InvalidOption("lambda", "give lambda or C, not both");
  if (tune_lambda && (lambda || c)) {
    throw InvalidOption("lambda", "lambda auto and C cannot be combined");
  }
  check_ranges(train_option_table(), *this);
  if (kernel && (!gamma_rule || !kernel->uses_gamma())) kernel->validate();
  if (scaling && kernel && kernel->kind == KernelKind::precomputed) {
    throw InvalidOption("scaling", "a precomputed kernel matrix cannot be scaled");
  }
  if (balanced && !class_weights.empty()) {
    throw InvalidOption("balanced", "class weights and balanced cannot be combined");
  }
  if (approximation && !kernel) {
    throw InvalidOption("approximation", "there is no kernel to approximate");
  }
  if (start && !start_duals.empty()) {
    throw InvalidOption("start", "start from a model or from dual variables, not both");
  }
  solver.validate();
}

}  // namespace pegasos
