// What is said about cells that cannot be used.
#pragma once

#include <string>
#include <string_view>

#include "data/csv_layout.h"
#include "data/number_parser.h"
#include "pegasos/error.h"

namespace pegasos {

struct CsvComplaint {
  std::string message;
  Hint hint = {};
};

// Of a cell that is no usable number in a column of numbers.
CsvComplaint not_a_usable_number(std::string_view cell, const CsvColumnName& column,
                                 NumberProblem problem, bool by_schema);
CsvComplaint not_a_date(std::string_view cell, const CsvColumnName& column, DateOrder order,
                        bool by_schema);
// Of a number with the decimal sign that the model was not trained with.
CsvComplaint other_decimal(std::string_view cell, const CsvColumnName& column,
                           bool model_has_comma);
// Of a missing cell, where none may be missing.
CsvComplaint missing_cell(const CsvColumnName& column, bool is_number);

}  // namespace pegasos
