// Profiles of the columns of a sample, with what the reader needs to know beside what is shown.
#pragma once

#include <cstddef>
#include <vector>

#include "data/csv_sample.h"
#include "pegasos/profile.h"
#include "pegasos/read.h"

namespace pegasos {

struct ColumnFindings {
  ColumnProfile profile = {};
  NumberStyle style = NumberStyle::plain;
  bool some_are_plain = false;  // of a column in another style: 950 beside 1,200
  DateOrder date_order = DateOrder::year_first;
  bool has_time = false;
  // Of numbers.
  double centre = 0.0;  // their mean
  double median = 0.0;
  bool is_exact = false;         // 32-bit floats would lose much of what tells them apart
  bool mostly_zeros = false;     // nine in ten or more
  double mean_text_bytes = 0.0;  // of words
};

// Of every column, from record `first` of the sample on.
std::vector<ColumnFindings> profile_sample(const CsvSample& sample, std::size_t first,
                                           const std::vector<std::string>& names,
                                           const ReadOptions& options);

// The profile of a column taken for `kind`, which it may not look like: how its cells would be
// read.
void take_for(ColumnFindings& findings, ColumnKind kind, const CsvSample& sample, std::size_t first,
              std::size_t column, const ReadOptions& options);

}  // namespace pegasos
