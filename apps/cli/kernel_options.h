// The options of train that choose a kernel, and what follows from them.
#pragma once

#include <string>

#include "command.h"
#include "pegasos/train.h"
#include "training.h"

namespace pegasos::cli {

// Adds --kernel, --gamma, --approx … to a command.
void add_kernel_options(Command& command, TrainOptions& options);

// Refuses what does not go together: options of kernels without one, solvers of linear models,
// --strict where nothing can be certified. Throws UsageError.
void settle_kernel(const Command& command, TrainingFlags& flags);

}  // namespace pegasos::cli
