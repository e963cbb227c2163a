// A CSV reader written for clarity alone: one character at a time, strtof, std::map, the whole file
// at once. It shares no code with the real one and says what that must find: the same rows to the
// bit, or the same places to complain about.
//
// It knows files of a single block without a schema. Its sample of the columns is the whole records
// in the first MiB. Profiles of columns are none of its business:
// it says which columns it takes for words, and the real one is told so.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pegasos/read.h"

namespace pegasos::testing {

struct ReferenceCsv {
  // Line and column of each complaint; if there are any, the rest is of no interest.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> errors;

  std::vector<std::string> feature_names;
  std::vector<std::map<std::uint32_t, float>> rows;  // without zeros
  std::vector<double> labels;
  std::vector<std::string> label_words;
  std::vector<double> weights;
  std::map<std::string, double> means;  // of number columns, by name
  std::uint64_t values_filled = 0;
  std::uint64_t rows_unlabelled = 0;
  bool has_header = false;
  char delimiter = ',';
  std::vector<ColumnChoice> kinds;  // of the columns that are features
};

// Columns must be named in the options by names or numbers that exist.
ReferenceCsv read_reference_csv(const std::string& file, const ReadOptions& options);

}  // namespace pegasos::testing
