// From scores of rows to everything that is known about a model's predictions, for evaluate and for
// reports.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "decision_rule.h"
#include "pegasos/dataset.h"
#include "pegasos/evaluation.h"
#include "pegasos/model.h"
#include "session.h"

namespace pegasos::cli {

// Scores, labels and weights of the rows that have a label, however wide the rows are.
struct Scored {
  std::vector<double> scores;  // outputs of each row side by side
  std::vector<double> labels;
  std::vector<double> weights;    // none if no row says any
  std::vector<std::string> sets;  // "1,3", of rows with several labels: then no row is without

  // Row i of some rows, unless it has no label; a set of none is one.
  void add(const Dataset& rows, std::size_t i, std::span<const double> of_row);
};

// With intervals where they cost little.
EvaluationOptions default_options(const Session& session, const Model& model, std::size_t rows);

// Labels that are none of the model's classes become one more class, which is never called.
Evaluation evaluated(const Model& model, const DecisionRule& rule, const Scored& scored,
                     const EvaluationOptions& options);

}  // namespace pegasos::cli
