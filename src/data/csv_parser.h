// Parses blocks of CSV text into rows, as a plan of the columns says.
#pragma once

#include <cstddef>
#include <string_view>

#include "data/csv_layout.h"
#include "data/row_block.h"

namespace pegasos {

// Fills rows, and complaints about them, from whole records. The text must be followed by a line
// feed and kBlockPadding readable bytes. One complaint a record at most: about its quotes, else
// about the number of its cells, else about the first cell that cannot be used.
void parse_csv(std::string_view text, const CsvPlan& plan, std::size_t max_errors, RowBlock& rows);

}  // namespace pegasos
