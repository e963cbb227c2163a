// Where training can begin after an earlier model.
#pragma once

#include <cstdint>
#include <string>

#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/solver_options.h"

namespace pegasos {

// A beginning, and what it is made of, in words: "its weights and the duals of its 900 rows".
struct Continuation {
  WarmStart start = {};
  std::string made_of = {};
};

// The weights of a linear model, feature by feature of the same name and for rows as they are,
// unscaled; numbers of tables whose scale differs are put right. And its duals, if it kept them and
// `data` begins with the rows it was trained on; rows behind them get duals of 0. Of a kernel
// machine the duals, kept or read off its coefficients. Rows of a table may look different because
// their scale was learned anew; then labels that fit the duals are enough, for a solver takes no
// duals that are worse than none. Throws InvalidOption for a model with a feature map, whose
// weights are not of features.
Continuation continue_from(const LinearModel& model, const Dataset& data, int threads = 0);
Continuation continue_from(const KernelModel& model, const Dataset& data, int threads = 0);

// A linear model to begin from as this rank sees it: with the duals of its rows, and zeros for new
// ones, if all ranks together begin with the rows of the model; else without duals.
Model start_for_rank(Model model, const Dataset& data, std::uint64_t rows_before, int threads,
                     Collective& ranks);

// Does the data begin with the very rows of this record?
bool begins_with_rows_of(const TrainingRecord& record, const Dataset& data, int threads);

}  // namespace pegasos
