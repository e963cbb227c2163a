// The tables of the options of losses, kernels and solvers, of which that of training is made.
#pragma once

#include "pegasos/kernel.h"
#include "pegasos/loss.h"
#include "pegasos/option_table.h"
#include "pegasos/pegasos_options.h"
#include "pegasos/solver_options.h"

namespace pegasos {

// Headings.
inline constexpr const char* kProblemGroup = "Problem";
inline constexpr const char* kKernelGroup = "Kernel";
inline constexpr const char* kSolverGroup = "Solver";
inline constexpr const char* kPegasosGroup = "Pegasos";
inline constexpr const char* kStoppingGroup = "Stopping";

const OptionTable<LossOptions>& loss_option_table();      // epsilon, delta
const OptionTable<KernelOptions>& kernel_option_table();  // gamma, coef0, degree, …; not the kind
const OptionTable<SolverOptions>& solver_option_table();  // those of Pegasos not among them
const OptionTable<PegasosOptions>& pegasos_option_table();  // epochs is max_epochs of the solver

// Words for the kinds of kernel that need nothing but words.
const std::vector<std::pair<std::string, KernelKind>>& kernel_words();

}  // namespace pegasos
