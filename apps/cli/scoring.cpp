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

std::string note_on_unknown_labels(std::uint64_t rows, const LinearModel& model) {
  if (rows == 0) return "";
  return fmt::format("note: {} with a label that is neither {} nor {}; counted as not {}\n",
                     counted(rows, "row"), printable(model.label_text(model.positive_label)),
                     printable(model.label_text(model.negative_label)),
                     printable(model.label_text(model.positive_label)));
}

double error_of_point(const Dataset& data, const LinearPoint& point, const Meaning& meaning) {
  double total = 0;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < data.rows() && data.has_labels(); ++i) {
    const double label = data.label(i);
    if (std::isnan(label)) continue;
    const double z = data.row(i).dot(point.w) + point.b;
    ++rows;
    if (meaning.classifies) {
      total += (z > 0) != (label == meaning.positive_label) ? 1.0 : 0.0;
    } else {
      total += std::abs(label - z);
    }
  }
  return rows == 0 ? std::numeric_limits<double>::quiet_NaN() : total / static_cast<double>(rows);
}

}  // namespace pegasos::cli
