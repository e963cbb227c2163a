// Writing data. Files are written atomically; "-" is standard output.
//
// Numbers are written with the fewest digits that read back to the same bits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "pegasos/dataset.h"

namespace pegasos {

struct WriteOptions {
  // Threads to format with, ≥ 1; 0: as many as the process may use. The bytes do not depend on it.
  int threads = 0;

  // Called now and then with the rows written so far; return false to stop with Cancelled. The
  // target is then as it was before.
  std::function<bool(std::uint64_t rows)> watch = {};

  void validate() const;  // throws InvalidOption
};

// LIBSVM/svmlight text with the index base and indices of the data's schema. Word labels are
// written as words; rows without a label without one. Zeros are left out, except in the first row
// where without them a reader would find another index base or fewer features. Throws Error for
// what svmlight cannot say: row weights, labels with blanks, a row with neither label nor feature.
void write_svmlight(const Dataset& data, const std::string& path, const WriteOptions& options = {});

// CSV with a header: "label", "weight" if there are weights, then one column per feature, named as
// in the schema; a row without a label has an empty first cell. Cells are quoted where RFC 4180
// asks for it. Throws Error beyond 2^20 features.
void write_csv(const Dataset& data, const std::string& path, const WriteOptions& options = {});

// Our binary form: opens at once, checksummed. docs/data-formats.md has its layout.
void write_binary(const Dataset& data, const std::string& path);

}  // namespace pegasos
