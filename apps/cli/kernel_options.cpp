#include "kernel_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/memory.h"
#include "model_text.h"
#include "options.h"
#include "pegasos/error.h"
#include "quantities.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr const char* kGroup = "Kernels";

KernelOptions& kernel_of(TrainOptions& options) {
  if (!options.kernel) options.kernel.emplace();
  return *options.kernel;
}

void read_gamma(TrainOptions& options, const std::string& text) {
  if (text == "scale" || text == "auto") {
    options.gamma_rule = text == "scale" ? GammaRule::scale : GammaRule::automatic;
    return;
  }
  const auto number = parse_real(text);
  if (!number) {
    throw UsageError(
        fmt::format("--gamma: '{}' is neither scale nor auto nor a number", printable(text)));
  }
  options.gamma_rule.reset();
  kernel_of(options).gamma = *number;
}

void add_kernel_choice(Command& command, TrainOptions& options) {
  const auto choose = [&options](KernelKind kind) { kernel_of(options).kind = kind; };
  Choices<KernelKind> kinds;
  for (const KernelKind kind :
       {KernelKind::linear, KernelKind::polynomial, KernelKind::rbf, KernelKind::laplacian,
        KernelKind::sigmoid, KernelKind::chi_squared, KernelKind::precomputed}) {
    kinds.emplace_back(name_of(kind), kind);
  }
  add_choice<KernelKind>(
      command, "--kernel", kinds, choose,
      "Train a kernel machine; precomputed takes the kernel matrix as data, with "
      "or without LIBSVM's 0:serial")
      ->group(kGroup);
  add_choice<KernelKind>(command, "-t",
                         {{"0", KernelKind::linear},
                          {"1", KernelKind::polynomial},
                          {"2", KernelKind::rbf},
                          {"3", KernelKind::sigmoid},
                          {"4", KernelKind::precomputed}},
                         choose, "The same by LIBSVM's number")
      ->group(kGroup);
}

void add_parameters(Command& command, TrainOptions& options) {
  command
      .add_option_function<std::string>(
          "-g,--gamma", [&options](const std::string& text) { read_gamma(options, text); },
          "Width of the kernel: scale is 1/(features times the variance of the values), auto is "
          "1/features (scale)")
      ->type_name("scale|auto|X")
      ->group(kGroup);
  add_real(
      command, "-r,--coef0", [&options](double value) { kernel_of(options).coef0 = value; },
      "The constant of polynomial and sigmoid kernels (0)")
      ->group(kGroup);
  add_count(
      command, "-d,--degree",
      [&options](std::uint64_t degree) {
        constexpr std::uint64_t kMost = 1000;
        if (degree > kMost) throw UsageError(fmt::format("--degree: must be at most {}", kMost));
        kernel_of(options).degree = static_cast<unsigned>(degree);
      },
      "The degree of a polynomial kernel (3)")
      ->group(kGroup);
  command
      .add_flag_callback(
          "--psd", [&options] { kernel_of(options).vouched_positive_semidefinite = true; },
          "The precomputed matrix is positive semidefinite, which nobody checks: certify the model")
      ->group(kGroup);
  add_size(
      command, "--cache", [&options](std::uint64_t bytes) { options.cache_bytes = bytes; },
      "Memory for rows of the kernel matrix; by default half of what is free")
      ->group(kGroup);
}

void add_approximation(Command& command, TrainOptions& options) {
  add_choice<Approximation>(
      command, "--approx",
      {{"rff", Approximation::rff},
       {"nystroem", Approximation::nystroem},
       {"tensorsketch", Approximation::tensorsketch}},
      [&options](Approximation approximation) { options.approximation = approximation; },
      "Train a linear model on rows mapped so that it learns nearly what the kernel machine would, "
      "in time and memory linear in the rows: random Fourier features (rbf, laplacian), some rows "
      "of the data (any kernel), sketches (polynomial)")
      ->group(kGroup);
  add_count(
      command, "--components",
      [&options](std::uint64_t count) { options.components = static_cast<std::size_t>(count); },
      "Numbers that a row is mapped to (1024)")
      ->group(kGroup);
}

bool was_given(const Command& command, const char* flag) {
  return command.get_option(flag)->count() > 0;
}

}  // namespace

void add_kernel_options(Command& command, TrainOptions& options) {
  add_kernel_choice(command, options);
  add_parameters(command, options);
  add_approximation(command, options);
}

void settle_kernel(const Command& command, TrainingWishes& wishes) {
  TrainOptions& options = wishes.options;
  const bool chosen = was_given(command, "--kernel") || was_given(command, "-t");
  for (const CLI::Option* option : command.get_options()) {
    if (chosen || option->get_group() != kGroup || option->count() == 0) continue;
    throw UsageError(fmt::format("{} is for kernels, and there is none", option->get_name()),
                     "choose one, for instance --kernel rbf");
  }
  if (!chosen) return;
  if (was_given(command, "--kernel") && was_given(command, "-t")) {
    throw UsageError("--kernel and -t say the same thing", "leave one of them out");
  }
  if (!was_given(command, "--gamma")) options.gamma_rule = GammaRule::scale;
  options.kernel->validate();
  if (was_given(command, "--components") && !options.approximation) {
    throw UsageError("--components is for --approx, and there is none");
  }
  if (options.approximation) {
    FeatureMapOptions{*options.approximation, *options.kernel, options.components}.validate();
    return;
  }
  if (options.bias && *options.bias != Bias::none && *options.bias != Bias::unregularised) {
    throw UsageError(fmt::format("--bias {} is for linear models", name_of(*options.bias)),
                     "a kernel machine has --bias none and --bias unregularised");
  }
  const Solver solver = options.solver.kind;
  if (solver != Solver::automatic && solver != Solver::pegasos) {
    throw UsageError(fmt::format("--solver {} is for linear models", name_of(solver)),
                     "a kernel machine has --solver auto and --solver pegasos");
  }
  const KernelOptions& kernel = *options.kernel;
  if (wishes.strict && !kernel.is_positive_semidefinite()) {
    throw UsageError(
        fmt::format("--strict asks for a proof, which the kernel {} cannot have: it is not known "
                    "to be positive semidefinite",
                    name_of(kernel.kind)),
        kernel.kind == KernelKind::precomputed ? "if you know that it is, say --psd"
                                               : "leave --strict out, or choose another kernel");
  }
}

std::string settle_gamma(TrainOptions& options, const Dataset& data) {
  if (!options.kernel) return "";
  const auto rule = options.gamma_rule;
  const bool scales = options.scaling && rule && options.kernel->uses_gamma();
  options.kernel =
      kernel_for(options, scales ? apply(fit_scaling(data, *options.scaling), data) : data);
  options.gamma_rule.reset();
  std::string text = "kernel " + kernel_in_words(*options.kernel);
  if (rule && options.kernel->uses_gamma()) {
    text += *rule == GammaRule::scale ? " (scale: 1/(features · variance))" : " (auto: 1/features)";
  }
  if (options.approximation) {
    text += fmt::format(", approximated by {} with {}", name_of(*options.approximation),
                        counted(options.components, "component"));
  }
  return text + "\n";
}

void refuse_what_cannot_fit(const TrainOptions& options, const Dataset& data) {
  const std::uint64_t free = available_memory();
  if (!options.kernel || free == 0) return;
  const auto refuse = [free](const std::string& what, double bytes, const std::string& way_out) {
    if (bytes <= static_cast<double>(free)) return;
    throw Error(fmt::format("{} need {}, and {} are free; {}", what, in_bytes(bytes),
                            in_bytes(static_cast<double>(free)), way_out));
  };
  const auto rows = static_cast<double>(data.rows());
  const auto features = static_cast<double>(data.features());
  if (options.approximation) {
    refuse("the mapped rows", 4.0 * rows * static_cast<double>(options.components),
           "ask for fewer with --components, or train on fewer rows");
    return;
  }
  refuse("the rows of the kernel matrix that --cache asks for",
         static_cast<double>(options.cache_bytes), "ask for less, or leave --cache out");
  // A block of rows of the matrix, the same rows side by side, and a few numbers for each row.
  constexpr double kBlockRows = 128;
  refuse("the rows of the kernel matrix for one step",
         4.0 * kBlockRows * (rows + features) + 100.0 * rows,
         "train on fewer rows, or on mapped ones with --approx rff --components 1024");
}

std::string explicit_kernel(const TrainOptions& options) {
  if (!options.kernel) return "";
  const KernelOptions& kernel = *options.kernel;
  std::string line = " --kernel " + name_of(kernel.kind);
  if (kernel.uses_gamma()) line += fmt::format(" --gamma {}", kernel.gamma);
  const bool polynomial = kernel.kind == KernelKind::polynomial;
  if (polynomial || kernel.kind == KernelKind::sigmoid) {
    line += fmt::format(" --coef0 {}", kernel.coef0);
  }
  if (polynomial) line += fmt::format(" --degree {}", kernel.degree);
  if (kernel.vouched_positive_semidefinite) line += " --psd";
  if (options.cache_bytes > 0) line += fmt::format(" --cache {}", options.cache_bytes);
  if (options.approximation) {
    line += fmt::format(" --approx {} --components {}", name_of(*options.approximation),
                        options.components);
  }
  return line;
}

}  // namespace pegasos::cli
