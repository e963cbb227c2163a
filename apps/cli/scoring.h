// Scores of labelled rows, for train --test and evaluate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "learn/labels.h"
#include "pegasos/dataset.h"
#include "pegasos/model.h"
#include "pegasos/read.h"

namespace pegasos::cli {

// What a score is compared with.
struct Meaning {
  bool classifies = true;
  double positive_label = 1.0;
  std::optional<Calibration> calibration = {};  // tells the label, else the sign of the score

  bool calls_positive(double score) const {
    return calibration ? calibration->probability(score) > 0.5 : score > 0;
  }
};

inline Meaning meaning_of(const Targets& targets) {
  return {targets.classifies, targets.positive_label, {}};
}
inline Meaning meaning_of(const ModelBase& model) {
  Meaning meaning = {model.classifies, model.positive_label, {}};
  if (model.has_probabilities()) meaning.calibration = model.calibrations.front();
  return meaning;
}

// Throws ParseError if no row has a label.
void refuse_without_labels(const std::string& path, const Dataset& data);

// Labels that are neither of the model's two: they count as not positive, and deserve a note.
std::string note_on_unknown_labels(std::uint64_t rows, const ModelBase& model);
std::string note_on_unknown_classes(std::uint64_t rows);
inline bool is_unknown_label(double label, const ModelBase& model) {
  return model.classifies && !model.one_against_rest && label != model.positive_label &&
         label != model.negative_label;
}

// The share of labelled rows on the wrong side, or the mean absolute error; NaN without labels.
double error_of_point(const Dataset& data, const LinearPoint& point, const Meaning& meaning);
double error_of_scores(const Dataset& data, std::span<const double> scores, const Meaning& meaning);

// Which predictions of a model of many classes are right.
class ClassCheck {
 public:
  explicit ClassCheck(const MulticlassModel& model);

  // A row with this label, of data that was read with the model's schema, or with that of its
  // training data: is the prediction from these scores right? Of sets of labels all of it.
  bool is_right(const Dataset& rows, double label, std::span<const double> scores) const;
  // None of the classes of the model.
  bool is_unknown(double label) const;

 private:
  const MulticlassModel& model_;
  std::set<double> classes_;
};

// The share of labelled rows that are predicted wrong. Rows without a label count where rows have
// sets of labels: theirs is empty.
double error_of_classes(const Dataset& data, const MulticlassModel& model, int threads);

// The decision values of a file of any size, block by block, as map_rows hands them out;
// outputs(model) of them for each row.
ReadNotes score_file(const Model& model, const std::string& path, ReadOptions reading,
                     const std::function<void(const Dataset&, std::span<const double>)>& take);

}  // namespace pegasos::cli
