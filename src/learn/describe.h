// What training a linear and a kernel model have in common.
#pragma once

#include <optional>

#include "base/thread_pool.h"
#include "learn/labels.h"
#include "pegasos/model.h"
#include "pegasos/progress.h"
#include "pegasos/train.h"

namespace pegasos {

// What a linear solver sees: the rows, or what the map makes of them.
struct Inputs {
  Dataset rows = {};
  std::optional<FeatureMap> map = {};
};
Inputs inputs_for(const TrainOptions& options, const Dataset& data);

// True for Pegasos alone; throws InvalidOption for solvers that kernel machines do not have.
bool is_pure_pegasos(const TrainOptions& options, const KernelOptions& kernel);
KernelResult run_kernel_pegasos(const KernelProblem& problem, const TrainOptions& options,
                                const KernelSolverOptions& solver, const KernelWatch& watch,
                                ThreadPool& pool);
inline constexpr std::uint64_t kMostEpochsOfAscent = 1000;
// Block dual ascent from these duals, or none, over merged rows where there are equal ones.
KernelResult run_kernel_ascent(const KernelProblem& problem, const TrainOptions& options,
                               const std::vector<double>& start, KernelSolverOptions solver,
                               const KernelWatch& watch, ThreadPool& pool);

// The loss of the options, or the usual one. Throws InvalidOption if it is not for these labels.
LossOptions loss_for(const TrainOptions& options, bool classifies);

// The rows as options.scaling wants them, or as they are.
struct ScaledRows {
  Dataset rows;
  std::optional<Scaling> scaling;
};
ScaledRows scaled_rows(const TrainOptions& options, const Dataset& data);

double lambda_for(const TrainOptions& options, std::size_t rows);

// Blocks of dual ascent that have as many rows in them as so many epochs.
std::uint64_t blocks_of_epochs(std::uint64_t epochs, std::size_t rows);

// Schema, and what the record says about the data.
void describe_data(const Dataset& data, const TrainOptions& options, ModelBase& model);
// The same, and the two labels.
void describe_shared(const Dataset& data, const Targets& targets, const TrainOptions& options,
                     ModelBase& model);

ModelCertificate certificate_of(const PrimalValue& primal, double dual, bool classifies);

}  // namespace pegasos
