#include "kernel_options.h"

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "options.h"
#include "pegasos/error.h"
#include "pegasos/options.h"
#include "table_options.h"
#include "terminal.h"
#include "usage_error.h"

namespace pegasos::cli {
namespace {

constexpr const char* kGroup = "Kernel";

bool was_given(const Command& command, const char* flag) {
  return command.was_given(flag);
}

}  // namespace

void add_kernel_options(Command& command, TrainOptions& options) {
  for (const auto& entry : train_option_table()) {
    if (entry.info.group != kGroup) continue;
    add_entry(command, entry, options);
    if (entry.info.name != "kernel") continue;
    add_choice<std::string>(
        command, "-t",
        {{"0", "linear"},
         {"1", "polynomial"},
         {"2", "rbf"},
         {"3", "sigmoid"},
         {"4", "precomputed"}},
        [&entry, &options](const std::string& kind) { entry.set(options, kind); },
        "The same by LIBSVM's number")
        ->group(kGroup);
  }
}

void settle_kernel(const Command& command, TrainingWishes& wishes) {
  TrainOptions& options = wishes.options;
  const bool chosen = was_given(command, "--kernel") || was_given(command, "-t");
  for (const auto& option : command.options()) {
    if (chosen || option->view().group != kGroup || option->count() == 0) continue;
    throw UsageError(fmt::format("{} is for kernels, and there is none", option->view().name),
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

}  // namespace pegasos::cli
