// Feature names from a vocabulary file, for data without a header.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/schema.h"

namespace pegasos {

// One name per line; the final newline is optional and trailing spaces are ignored. "-" is standard
// input. Throws ParseError for an empty line, and IoError.
std::vector<std::string> read_feature_names(const std::string& path);

// The schema with names: the first is that of index 0 or 1, whichever the indices begin with, or of
// the first feature of a table. There may be more names than indices. Throws InvalidOption if there
// are too few.
std::shared_ptr<const Schema> with_feature_names(const Schema& schema,
                                                 std::span<const std::string> names);

// The same rows under another schema of as many features.
Dataset with_schema(const Dataset& data, std::shared_ptr<const Schema> schema);

}  // namespace pegasos
