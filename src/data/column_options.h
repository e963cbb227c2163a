// The part of the table of ReadOptions that is about columns of tables and about text.
#pragma once

#include "pegasos/read.h"

namespace pegasos {

inline constexpr const char* kTableGroup = "Tables and text";

void append_column_options(OptionTable<ReadOptions>& table);

}  // namespace pegasos
