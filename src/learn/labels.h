// Converts labels to the targets of a loss: -1 and +1, or numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/class_labels.h"
#include "pegasos/collective.h"
#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/summary.h"

namespace pegasos {

struct Targets {
  std::vector<double> y = {};
  std::optional<BinaryLabels> labels = {};  // none: numbers to predict
};

// The value of a label that stands for itself in `text`, a word or a number. Throws InvalidOption
// of this field if no row has it.
double find_label(const Dataset& data, const std::string& text, const char* field);

// Two classes: the larger label is positive (+1 of -1 and +1, 1 of 0 and 1, the later word).
// `task` and `positive_label` as in TrainOptions. Throws InvalidOption with the way out.
Targets targets_of(const Dataset& data, std::optional<Task> task,
                   const std::optional<std::string>& positive_label,
                   TargetTransform transform = TargetTransform::none);

// log for targets that are all above 0, log1p where some are 0. Throws InvalidOption for others.
TargetTransform log_for(const Dataset& data, Collective& ranks = alone());

// The targets of rows whose two classes are known.
Targets targets_with(const Dataset& data, const BinaryLabels& labels);

// The same targets again for a model that was trained on them: +1 for its positive label, -1 for
// every other. Throws InvalidOption where labels are missing, or are not what the model predicts.
Targets targets_for(const Dataset& data, const SingleOutputModel& model);

}  // namespace pegasos
