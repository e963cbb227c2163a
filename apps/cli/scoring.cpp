#include "scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/quantity_text.h"
#include "pegasos/error.h"

namespace pegasos::cli {

void refuse_without_labels(const std::string& path, const Dataset& data) {
  const auto labels = data.labels();
  const bool any =
      std::any_of(labels.begin(), labels.end(), [](double label) { return !std::isnan(label); });
  if (!any) refuse_unlabelled(path);
}

void refuse_unlabelled(const std::string& path) {
  Diagnostic whole;
  whole.message = "the data has no labels to compare with";
  throw ParseError(path, {std::move(whole)});
}

std::string note_on_foreign_labels(std::uint64_t rows) {
  if (rows == 0) return "";
  return fmt::format("note: {} with a label that the model does not know, counted as errors\n",
                     counted(rows, "row"));
}

}  // namespace pegasos::cli
