#include "scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pegasos/error.h"
#include "quantities.h"
#include "terminal.h"

namespace pegasos::cli {

void refuse_without_labels(const std::string& path, const Dataset& data) {
  const auto labels = data.labels();
  const bool any =
      std::any_of(labels.begin(), labels.end(), [](double label) { return !std::isnan(label); });
  if (any) return;
  Diagnostic whole;
  whole.message = "no row has a label to compare with";
  throw ParseError(path, {std::move(whole)});
}

std::string note_on_unknown_labels(std::uint64_t rows, const ModelBase& model) {
  if (rows == 0) return "";
  return fmt::format("note: {} with a label that is neither {} nor {}; counted as not {}\n",
                     counted(rows, "row"), printable(model.label_text(model.positive_label)),
                     printable(model.label_text(model.negative_label)),
                     printable(model.label_text(model.positive_label)));
}

double error_of_point(const Dataset& data, const LinearPoint& point, const Meaning& meaning) {
  std::vector<double> scores(data.rows());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = data.row(i).dot(point.w) + point.b;
  return error_of_scores(data, scores, meaning);
}

double error_of_scores(const Dataset& data, std::span<const double> scores,
                       const Meaning& meaning) {
  double total = 0;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < data.rows() && data.has_labels(); ++i) {
    const double label = data.label(i);
    if (std::isnan(label)) continue;
    ++rows;
    if (meaning.classifies) {
      total += meaning.calls_positive(scores[i]) != (label == meaning.positive_label) ? 1.0 : 0.0;
    } else {
      total += std::abs(label - scores[i]);
    }
  }
  return rows == 0 ? std::numeric_limits<double>::quiet_NaN() : total / static_cast<double>(rows);
}

std::string note_on_unknown_classes(std::uint64_t rows) {
  if (rows == 0) return "";
  return fmt::format(
      "note: {} with a label that is none of the model's classes; counted as wrong\n",
      counted(rows, "row"));
}

ClassCheck::ClassCheck(const MulticlassModel& model)
    : model_(model), classes_(model.classes.begin(), model.classes.end()) {}

bool ClassCheck::is_right(const Dataset& rows, double label, std::span<const double> scores) const {
  if (!model_.multilabel) return model_.label_of(scores) == label;
  const std::string set = std::isnan(label) ? "" : rows.schema().label_text(label);
  return model_.prediction_text(scores) == set;
}

bool ClassCheck::is_unknown(double label) const {
  return !model_.multilabel && !std::isnan(label) && !classes_.contains(label);
}

double error_of_classes(const Dataset& data, const MulticlassModel& model, int threads) {
  const ClassCheck check(model);
  const std::vector<double> scores = decisions(model, data, threads);
  const std::size_t width = model.classes.size();
  std::uint64_t rows = 0;
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < data.rows() && data.has_labels(); ++i) {
    const double label = data.label(i);
    if (std::isnan(label) && !model.multilabel) continue;
    ++rows;
    wrong += check.is_right(data, label, std::span(scores).subspan(i * width, width)) ? 0 : 1;
  }
  return rows == 0 ? std::numeric_limits<double>::quiet_NaN()
                   : static_cast<double>(wrong) / static_cast<double>(rows);
}

ReadNotes score_file(const Model& model, const std::string& path, ReadOptions reading,
                     const std::function<void(const Dataset&, std::span<const double>)>& take) {
  reading.schema = base_of(model).schema;
  const auto* linear = std::get_if<LinearModel>(&model);
  if (linear != nullptr && !linear->map) {
    const LinearModel folded = with_scaling_in_weights(*linear);
    if (!folded.scaling) {
      return map_rows(
          path, reading, [&folded](const RowView& row) { return folded.decision(row); }, take);
    }
  }
  // Blocks are scored side by side, each on one thread.
  return map_blocks(
      path, reading, [&model](const Dataset& rows) { return decisions(model, rows, 1); }, take);
}

}  // namespace pegasos::cli
