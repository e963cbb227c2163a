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
void settle_kernel(const Command& command, TrainingWishes& wishes);

// Puts the number in the place of the rule for gamma. What was decided, as a line to say; ""
// without a kernel.
std::string settle_gamma(TrainOptions& options, const Dataset& data);

// Throws Error, with ways out, if training would need more memory than is free.
void refuse_what_cannot_fit(const TrainOptions& options, const Dataset& data);

// " --kernel rbf --gamma 0.5", or "".
std::string explicit_kernel(const TrainOptions& options);

}  // namespace pegasos::cli
