// What options leave open, decided for the data at hand.
#pragma once

#include <cstddef>
#include <optional>

#include "learn/whole_rows.h"
#include "pegasos/dataset.h"
#include "pegasos/train.h"

namespace pegasos {

// More than two classes and no positive label, rows with several labels, or the joint loss.
bool has_many_classes(const Dataset& data, const TrainOptions& options);

// The options with the task decided for all rows: parts of them could seem to be something else.
TrainOptions with_task(const TrainOptions& options, const Dataset& data);

// The options with epsilon, delta, bias and lambda as options.scale_targets wants them for
// regression on this data, and scale_targets off; others as they are.
TrainOptions with_targets_scaled(const TrainOptions& options, const Dataset& data);

// Where rows are divided among processes, how; alone() otherwise.
Collective& ranks_of(const TrainOptions& options);

double lambda_for(const TrainOptions& options, std::size_t rows);

// The loss of the options, or the usual one. Throws InvalidOption if it is not for these labels.
LossOptions loss_for(const TrainOptions& options, bool classifies);

// The kernel of the options with its gamma as the rule says, for rows that are scaled already.
KernelOptions kernel_for(const TrainOptions& options, const Dataset& scaled);

// Every choice made: task, loss, lambda, bias, gamma, strategy. Throws InvalidOption for options
// that do not fit the labels, or that ranks cannot do together.
TrainOptions resolve(const TrainOptions& options, const Dataset& data, const Dataset& scaled,
                     const WholeRows& whole);

// Throws Error, with what would help, for work that cannot fit into the memory that is free.
void refuse_what_cannot_fit(const TrainOptions& options, const Dataset& data);

// The options of a model that is trained on the way to another: no search, no probabilities, no
// clock, no test rows, no start.
TrainOptions plain(TrainOptions options);

}  // namespace pegasos
