// JSON Lines: an object on each line, whose names are columns.
//
//   {"age": 31, "city": "Rome", "label": "yes"}
//
// The lines are turned into CSV with a header, one record for a line, and read as such. The columns
// are the names in the first lines, up to 1 MiB of them, or with a schema those of its columns; an
// absent name and null are missing values. Objects within objects are flattened, "a.b"; lists are
// kept as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "data/byte_source.h"
#include "pegasos/read.h"

namespace pegasos {

// Asked for, or an object stands on the first line and nothing else was asked for.
bool looks_like_json_lines(std::string_view head, const ReadOptions& options);

// The source says "json-lines" as its form. Throws ParseError for a line that is no object.
std::unique_ptr<ByteSource> csv_from_json_lines(std::unique_ptr<ByteSource> source,
                                                const std::string& path, const ReadOptions& options,
                                                bool eager);

}  // namespace pegasos
