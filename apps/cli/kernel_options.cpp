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

constexpr const char* kKernelGroup = "Kernel";

bool was_given(const Command& command, const char* flag) {
  return command.was_given(flag);
}

}  // namespace

void add_kernel_options(Command& command, TrainOptions& options) {
  for (const auto& entry : train_option_table()) {
    if (entry.info.group != kKernelGroup) continue;
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
        "The kernel by its number in LIBSVM")
        ->group(kKernelGroup);
  }
}

void settle_kernel(const Command& command, TrainingFlags& flags) {
  TrainOptions& options = flags.options;
  const bool chosen = was_given(command, "--kernel") || was_given(command, "-t");
  for (const auto& option : command.options()) {
    if (chosen || option->view().group != kKernelGroup || option->count() == 0) continue;
    throw UsageError(fmt::format("{} needs a kernel", option->view().name),
                     "choose one, for example --kernel rbf");
  }
  if (!chosen) return;
  if (was_given(command, "--kernel") && was_given(command, "-t")) {
    throw UsageError("--kernel and -t mean the same", "use only one of them");
  }
  if (!was_given(command, "--gamma")) options.gamma_rule = GammaRule::scale;
  options.kernel->validate();
  if (was_given(command, "--components") && !options.approximation) {
    throw UsageError("--components needs --approx");
  }
  if (options.approximation) {
    FeatureMapOptions{*options.approximation, *options.kernel, options.components}.validate();
    return;
  }
  if (options.bias && *options.bias != Bias::none && *options.bias != Bias::unregularised) {
    throw UsageError(fmt::format("--bias {} is for linear models", name_of(*options.bias)),
                     "kernel models support --bias none and --bias unregularised");
  }
  const Solver solver = options.solver.kind;
  if (solver != Solver::automatic && solver != Solver::pegasos) {
    throw UsageError(fmt::format("--solver {} is for linear models", name_of(solver)),
                     "kernel models support --solver auto and --solver pegasos");
  }
  const KernelOptions& kernel = *options.kernel;
  if (flags.strict && !kernel.is_positive_semidefinite()) {
    throw UsageError(fmt::format("--strict needs a certificate, but the {} kernel is not known to "
                                 "be positive semidefinite",
                                 name_of(kernel.kind)),
                     kernel.kind == KernelKind::precomputed
                         ? "if you know that the matrix is positive semidefinite, add --psd"
                         : "remove --strict, or choose another kernel");
  }
}

}  // namespace pegasos::cli
