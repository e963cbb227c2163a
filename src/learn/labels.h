// Labels of a data set to what a loss wants: -1 and +1, or numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/summary.h"

namespace pegasos {

struct Targets {
  std::vector<double> y = {};
  bool classifies = true;
  double positive_label = 1.0;
  double negative_label = -1.0;
  bool one_against_rest = false;
};

// The value of a label that stands for itself in `text`, a word or a number. Throws InvalidOption
// of this field if no row has it.
double find_label(const Dataset& data, const std::string& text, const char* field);

// Throws InvalidOption where a label is missing.
void check_labels_present(const Dataset& data);

// Two classes: the larger label is positive (+1 of -1 and +1, 1 of 0 and 1, the later word).
// `task` and `positive_label` as in TrainOptions. Throws InvalidOption with the way out.
Targets targets_of(const Dataset& data, std::optional<Task> task,
                   const std::optional<std::string>& positive_label);

// The same targets again for a model that was trained on them: +1 for its positive label, -1 for
// every other. Throws InvalidOption where labels are missing, or are not what the model predicts.
Targets targets_for(const Dataset& data, const ModelBase& model);

}  // namespace pegasos
