// The end of reading a table without a schema: all rows are there with provisional features, and
// what they hold is known. Numbers the features, learns what stands in for missing numbers, the
// scales of columns and the vocabulary of texts, and makes the final values.
//
//   missing     the mean or median of the column; a feature of its own says so if at least five
//               cells are missing and five are not, of words if any is missing
//   numbers     (x - shift) · factor; see TableScaling
//   dates       the age is counted from the latest date
//   terms       those in too few rows are dropped; see TextRules
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "base/thread_pool.h"
#include "data/csv_layout.h"
#include "data/text_format.h"
#include "data/word_table.h"

namespace pegasos {

// Of all rows, also where they are divided among ranks, unless it says otherwise.
struct CsvGathered {
  TableScaling scaling = TableScaling::none;
  std::vector<RowBlock::NumberSums> sums;  // of provisional features, less their centres
  std::vector<std::uint64_t> missing;      // of columns
  std::vector<std::uint64_t> own_missing;  // of the rows at hand, where they are divided
  std::uint64_t rows = 0;
  WordTable words;
  std::unordered_set<std::uint64_t> hashed_terms;
};

// Changes the rows in place; values that became zero are dropped, the last offset says how many
// remain. The profile of the plan gets the number of features of each column.
CsvLayout finish_csv(CsvPlan& plan, const CsvGathered& gathered, TextFormat::Rows rows,
                     ThreadPool& pool);

}  // namespace pegasos
