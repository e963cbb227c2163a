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
      total += (scores[i] > 0) != (label == meaning.positive_label) ? 1.0 : 0.0;
    } else {
      total += std::abs(label - scores[i]);
    }
  }
  return rows == 0 ? std::numeric_limits<double>::quiet_NaN() : total / static_cast<double>(rows);
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
