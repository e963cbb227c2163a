#include "scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/quantity_text.h"
#include "pegasos/error.h"
#include "terminal.h"

namespace pegasos::cli {

namespace {

// The column of the label where the table that was learned from has names.
const CsvColumn* label_of(const Schema& schema) {
  if (!schema.csv || !schema.csv->has_header) return nullptr;
  const auto& columns = schema.csv->columns;
  const auto label = std::find_if(columns.begin(), columns.end(), [](const CsvColumn& column) {
    return column.role == CsvColumn::Role::label;
  });
  return label == columns.end() ? nullptr : &*label;
}

}  // namespace

void refuse_without_labels(const std::string& path, const Dataset& data, const std::string& hint) {
  const auto labels = data.labels();
  const bool any =
      std::any_of(labels.begin(), labels.end(), [](double label) { return !std::isnan(label); });
  if (!any) refuse_unlabelled(path, data.schema(), hint);
}

void refuse_unlabelled(const std::string& path, const Schema& schema, const std::string& hint) {
  Diagnostic whole;
  whole.message = "the data has no labels";
  if (const CsvColumn* label = label_of(schema)) {
    whole.message += fmt::format(": the column '{}' is absent or empty", printable(label->name));
  }
  whole.hint = hint;
  throw ParseError(path, {std::move(whole)});
}

std::string note_on_foreign_labels(std::uint64_t rows) {
  if (rows == 0) return "";
  return fmt::format("note: {} with a label that the model does not know, counted as errors\n",
                     counted(rows, "row"));
}

}  // namespace pegasos::cli
