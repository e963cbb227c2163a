// The option tables of training, tuning and reading; see pegasos/option_table.h.
#pragma once

#include "pegasos/option_table.h"
#include "pegasos/read.h"
#include "pegasos/train.h"
#include "pegasos/tune.h"

namespace pegasos {

const OptionTable<TrainOptions>& train_option_table();
const OptionTable<TuneOptions>& tune_option_table();  // without those of its `train`
// read_option_table() is in pegasos/read.h.

}  // namespace pegasos
