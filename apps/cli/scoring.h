// Scores of labelled rows, for train --test and evaluate.
#pragma once

#include <cstdint>
#include <functional>
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
};

inline Meaning meaning_of(const Targets& targets) {
  return {targets.classifies, targets.positive_label};
}
inline Meaning meaning_of(const ModelBase& model) {
  return {model.classifies, model.positive_label};
}

// Throws ParseError if no row has a label.
void refuse_without_labels(const std::string& path, const Dataset& data);

// Labels that are neither of the model's two: they count as not positive, and deserve a note.
std::string note_on_unknown_labels(std::uint64_t rows, const ModelBase& model);
inline bool is_unknown_label(double label, const ModelBase& model) {
  return model.classifies && !model.one_against_rest && label != model.positive_label &&
         label != model.negative_label;
}

// The share of labelled rows on the wrong side, or the mean absolute error; NaN without labels.
double error_of_point(const Dataset& data, const LinearPoint& point, const Meaning& meaning);
double error_of_scores(const Dataset& data, std::span<const double> scores, const Meaning& meaning);

// The decision values of a file of any size, block by block, as map_rows hands them out.
ReadNotes score_file(const Model& model, const std::string& path, ReadOptions reading,
                     const std::function<void(const Dataset&, std::span<const double>)>& take);

}  // namespace pegasos::cli
