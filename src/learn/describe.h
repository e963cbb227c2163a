// What training a linear and a kernel model have in common.
#pragma once

#include "learn/labels.h"
#include "pegasos/model.h"
#include "pegasos/progress.h"
#include "pegasos/train.h"

namespace pegasos {

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

// Labels, schema, and what the record says about the data.
void describe_shared(const Dataset& data, const Targets& targets, const TrainOptions& options,
                     ModelBase& model);

ModelCertificate certificate_of(const PrimalValue& primal, double dual, bool classifies);

}  // namespace pegasos
