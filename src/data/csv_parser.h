// Parses blocks of CSV text into rows, as a plan of the columns says.
#pragma once

#include <cstddef>
#include <string_view>

#include "data/csv_layout.h"
#include "data/row_block.h"

namespace pegasos {

// Fills rows, and complaints about them, from whole records. The text must be followed by a line
// feed and kBlockPadding readable bytes. A record with wrong quotes or a wrong number of cells is
// one complaint; cells that cannot be used are counted by column in rows.bad_cells.
void parse_csv(std::string_view text, const CsvPlan& plan, std::size_t max_errors, BadRows bad_rows,
               RowBlock& rows);

}  // namespace pegasos
