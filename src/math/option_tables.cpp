#include "math/option_tables.h"

#include "base/option_builder.h"

namespace pegasos {

const OptionTable<LossOptions>& loss_option_table() {
  static const OptionTable<LossOptions> table = option::with_defaults<LossOptions>({
      option::number({.name = "epsilon",
                      .group = kProblemGroup,
                      .meaning = "Half-width of the insensitive tube"},
                     &LossOptions::epsilon, option::at_least(0)),
      option::number(
          {.name = "delta",
           .group = kProblemGroup,
           .meaning = "Residual at which the Huber loss changes from quadratic to linear"},
          &LossOptions::delta, option::more_than(0)),
  });
  return table;
}

const std::vector<std::pair<std::string, KernelKind>>& kernel_words() {
  static const option::Words<KernelKind> words = option::named(
      {KernelKind::linear, KernelKind::polynomial, KernelKind::rbf, KernelKind::laplacian,
       KernelKind::sigmoid, KernelKind::chi_squared, KernelKind::precomputed});
  return words;
}

const OptionTable<KernelOptions>& kernel_option_table() {
  const auto uses_gamma = [](const KernelOptions& kernel) { return kernel.uses_gamma(); };
  const auto polynomial = [](const KernelOptions& kernel) {
    return kernel.kind == KernelKind::polynomial;
  };
  const auto has_constant = [](const KernelOptions& kernel) {
    return kernel.kind == KernelKind::polynomial || kernel.kind == KernelKind::sigmoid;
  };
  static const OptionTable<KernelOptions> table = option::with_defaults<KernelOptions>({
      option::only_if<KernelOptions>(
          uses_gamma,
          option::number({.name = "gamma", .group = kKernelGroup, .meaning = "Kernel coefficient"},
                         &KernelOptions::gamma, option::more_than(0))),
      option::only_if<KernelOptions>(
          has_constant,
          option::number({.name = "coef0",
                          .group = kKernelGroup,
                          .meaning = "Constant term of the polynomial and sigmoid kernels; 0 or "
                                     "more for polynomial"},
                         &KernelOptions::coef0, option::finite())),
      option::only_if<KernelOptions>(
          polynomial, option::number({.name = "degree",
                                      .group = kKernelGroup,
                                      .meaning = "Degree of the polynomial kernel"},
                                     &KernelOptions::degree, option::from_to(1, 1000))),
      option::flag({.name = "positive_semidefinite",
                    .group = kKernelGroup,
                    .meaning = "Assume that the precomputed matrix is positive semidefinite (not "
                               "checked), so that the model can be certified"},
                   &KernelOptions::vouched_positive_semidefinite),
  });
  return table;
}

const OptionTable<SolverOptions>& solver_option_table() {
  static const OptionTable<SolverOptions> table = option::with_defaults<SolverOptions>({
      option::word<SolverOptions, Solver, Solver>(
          {.name = "solver",
           .group = kSolverGroup,
           .meaning = "Solver: pegasos, the algorithm of the paper; sdca, dual coordinate ascent, "
                      "for many features; newton (or ipm), Newton steps, for few features; auto "
                      "chooses by the data"},
          &SolverOptions::kind,
          {{"auto", Solver::automatic},
           {"pegasos", Solver::pegasos},
           {"sdca", Solver::sdca},
           {"newton", Solver::newton},
           {"ipm", Solver::newton}}),
      option::number({.name = "tolerance",
                      .group = kStoppingGroup,
                      .meaning = "Stop when the objective is proven to be within this fraction of "
                                 "the optimum (relative duality gap)"},
                     &SolverOptions::tolerance, option::at_least(0)),
      option::number({.name = "max_epochs",
                      .group = kStoppingGroup,
                      .meaning = "Maximum number of epochs or Newton steps",
                      .default_text = "100 for Pegasos, otherwise 1000"},
                     &SolverOptions::max_epochs, option::at_least(1)),
  });
  return table;
}

const OptionTable<PegasosOptions>& pegasos_option_table() {
  static const OptionTable<PegasosOptions> table = option::with_defaults<PegasosOptions>({
      option::number(
          {.name = "batch", .group = kPegasosGroup, .meaning = "Rows per step (mini-batch size)"},
          &PegasosOptions::batch, option::at_least(1)),
      option::word({.name = "sampling",
                    .group = kPegasosGroup,
                    .meaning = "Order of the rows: shuffle, a new permutation each epoch; iid, "
                               "with replacement as in the paper; without-replacement, within each "
                               "batch; fixed, one permutation for all epochs"},
                   &PegasosOptions::sampling,
                   option::named({Sampling::shuffle, Sampling::iid, Sampling::without_replacement,
                                  Sampling::fixed})),
      option::flag({.name = "project",
                    .group = kPegasosGroup,
                    .meaning = "After each step, project onto the ball that contains the optimum"},
                   &PegasosOptions::project),
      option::word(
          {.name = "average",
           .group = kPegasosGroup,
           .meaning = "The iterate to return: the last one, the mean of all, the mean over the "
                      "second half of the epochs (suffix), or the mean weighted by step"},
          &PegasosOptions::average,
          option::named({Average::last, Average::mean, Average::suffix, Average::weighted})),
      option::number({.name = "step_offset",
                      .group = kPegasosGroup,
                      .meaning = "Offset of the step count, in rows, which damps the first steps; "
                                 "by default 0, or as much as the squared losses need"},
                     &PegasosOptions::step_offset, option::at_least(0)),
      option::number(
          {.name = "steps", .group = kPegasosGroup, .meaning = "Maximum number of steps"},
          &PegasosOptions::steps, option::at_least(1)),
      option::number({.name = "seed",
                      .group = "Options",
                      .meaning = "Random seed; the same seed gives the same result"},
                     &PegasosOptions::seed, option::at_least(0)),
  });
  return table;
}

}  // namespace pegasos
