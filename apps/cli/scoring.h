// What is said about labels of rows that a model scores.
#pragma once

#include <cstdint>
#include <string>

#include "pegasos/dataset.h"

namespace pegasos::cli {

// Throws ParseError if no row has a label, with the way out.
void refuse_without_labels(const std::string& path, const Dataset& data, const std::string& hint);
[[noreturn]] void refuse_unlabelled(const std::string& path, const Schema& schema,
                                    const std::string& hint);

// Rows with a label that the model cannot predict; "" for none.
std::string note_on_foreign_labels(std::uint64_t rows);

}  // namespace pegasos::cli
