#include "data/csv_complaints.h"

#include <fmt/format.h>

#include "data/cell_values.h"
#include "data/row_block.h"

namespace pegasos {
namespace {

// How a column could be read that has a cell of another kind.
Hint other_uses(std::string_view cell, const std::string& column) {
  return {
      "treat the word as a missing value ({}), treat the column as a category ({}), or ignore "
      "it ({})",
      {{"na", std::string(cell)},
       {"column_kinds", column + "=category"},
       {"ignored_columns", column}}};
}

// The same in a file read for a model, whose columns stay what they are.
Hint within_the_model(std::string_view cell, const char* what) {
  return {fmt::format("the model was trained on {} in this column; correct the cell, or treat it "
                      "as a missing value ({{}})",
                      what),
          {{"na", std::string(cell)}}};
}

}  // namespace

CsvComplaint not_a_usable_number(std::string_view cell, const CsvColumnName& column,
                                 NumberProblem problem, bool by_schema) {
  const std::string shown = printable(cell);
  if (problem == NumberProblem::not_finite) {
    return {fmt::format("value '{}' is not finite", shown),
            {"treat it as a missing value with {}, or replace it by a number",
             {{"na", std::string(cell)}}}};
  }
  if (problem == NumberProblem::too_large) {
    return {fmt::format("value '{}' is too large for a 32-bit float", shown),
            "scale the column down"};
  }
  return {fmt::format("value '{}' is not a number; {} holds numbers", shown, column.shown),
          by_schema ? within_the_model(cell, "numbers") : other_uses(cell, column.typed)};
}

CsvComplaint not_a_date(std::string_view cell, const CsvColumnName& column, DateOrder order,
                        bool by_schema) {
  const bool days_first = order == DateOrder::day_first;
  DateTime date;
  if (order != DateOrder::year_first &&
      read_date(cell, days_first ? DateOrder::month_first : DateOrder::day_first, date)) {
    return {fmt::format("value '{}' is not a date with the {}, as {} was read", printable(cell),
                        days_first ? "day before the month" : "month before the day", column.shown),
            {by_schema ? "correct the cell, or train a model with {}"
                       : "read the dates the other way round: {}",
             {{"date_order", days_first ? "mdy" : "dmy"}}}};
  }
  return {fmt::format("value '{}' is not a date; {} holds dates", printable(cell), column.shown),
          by_schema ? within_the_model(cell, "dates") : other_uses(cell, column.typed)};
}

CsvComplaint other_decimal(std::string_view cell, const CsvColumnName& column,
                           bool model_has_comma) {
  return {fmt::format("value '{}' is not a number with a decimal {}, as {} has them in the model",
                      printable(cell), model_has_comma ? "comma" : "point", column.shown),
          {fmt::format("if this file has decimal {}: {{}}", model_has_comma ? "points" : "commas"),
           {{"decimal", model_has_comma ? "point" : "comma"}}}};
}

CsvComplaint missing_cell(const CsvColumnName& column, bool is_number) {
  const char* advice = is_number ? "fill missing cells, for example with {}"
                                 : "treat missing cells as a category of their own with {}";
  return {fmt::format("{} is missing here", column.shown), Hint(advice, {{"missing", "median"}})};
}

}  // namespace pegasos
