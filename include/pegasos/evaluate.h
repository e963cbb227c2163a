// How good a model is on labelled rows: its scores gathered block by block, and everything that is
// known about them as one Evaluation. Answers are those of decision.h, and so is what an unknown
// label counts as.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pegasos/collective.h"
#include "pegasos/dataset.h"
#include "pegasos/decision.h"
#include "pegasos/evaluation.h"
#include "pegasos/model.h"

namespace pegasos {

// Errors of rows as they come, in constant memory.
struct ErrorTally {
  std::uint64_t rows = 0;      // seen
  std::uint64_t labelled = 0;  // with a label to compare with
  std::uint64_t right = 0;     // of them
  std::uint64_t foreign = 0;   // labels that the model cannot predict; their rows are wrong
  double weight = 0.0;         // of the labelled rows
  double error = 0.0;          // their weighted errors: 0 or 1, or of numbers the absolute error

  // `scores` has decision.outputs() for each of the rows.
  void add(const Decision& decision, const Dataset& rows, std::span<const double> scores);

  // Becomes the tally of the rows of all ranks.
  void add_other_ranks(Collective& ranks);

  // The weighted share of wrong rows, or the mean absolute error; NaN without labels.
  double mean() const;

 private:
  // Rows without labels, where rows have sets of them: they are of the empty set if any other row
  // has labels, and unlabelled data if none has.
  std::uint64_t empty_ = 0;
  std::uint64_t empty_right_ = 0;
  double empty_weight_ = 0.0;
  double empty_error_ = 0.0;
};

// Of the rows of all ranks.
double error_of(const Model& model, const Dataset& rows, int threads = 0,
                Collective& ranks = alone());

// Scores of the rows that have a label, and what they should have said.
struct ScoredRows {
  // Outputs of each row side by side; of a regression the predicted numbers.
  std::vector<double> scores = {};
  std::vector<std::uint32_t> truth = {};  // classes: a place among the names, or their number
  std::vector<std::uint8_t> sets = {};    // label sets: rows × labels of 0 and 1
  std::vector<double> numbers = {};       // regression
  std::vector<double> weights = {};       // none if no row says any
  std::uint64_t foreign = 0;              // rows with a label that the model cannot predict

  std::size_t rows = 0;

  void add(const Decision& decision, const Dataset& data, std::span<const double> of_rows);
  // The rows of all ranks, in their order.
  void add_other_ranks(Collective& ranks);
};

// A label that is none of the model's is one more class, which is never predicted.
Evaluation evaluate(const Decision& decision, const ScoredRows& scored,
                    const EvaluationOptions& options = {});
Evaluation evaluate(const Model& model, const Dataset& rows, const DecisionOptions& decision = {},
                    const EvaluationOptions& options = {});

// What a threshold is chosen for: the highest F1 of the positive class, the highest mean of the two
// classes' recalls, or the least cost of false positives and false negatives.
enum class ThresholdAim { f1, balanced, cost };

struct BestThreshold {
  double above = 0.0;  // a score
  double value = 0.0;  // F1, balanced accuracy, or the mean cost of a row
};

// Of all lines between scores of these rows, the best; of equals the one nearest the decision's own
// score threshold, or nearest 0. It knows these rows: judge it on others. Only of two classes, both
// of which must occur; throws InvalidOption.
BestThreshold best_threshold(const Decision& decision, const ScoredRows& scored, ThresholdAim aim,
                             double cost_false_positive = 1.0, double cost_false_negative = 1.0);

// With intervals where they cost about a second at most.
EvaluationOptions default_evaluation(const Decision& decision, std::size_t rows, int threads = 0);

}  // namespace pegasos
