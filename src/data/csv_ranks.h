// A table whose rows are divided among ranks: what each has gathered from its rows becomes what all
// have, so that every rank finishes the table (csv_finish.h) with the same columns. Alone, all of
// these change nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/csv_finish.h"
#include "pegasos/collective.h"

namespace pegasos {

// Sums, extremes, missing cells, words and hashed terms. Words that only others have come behind
// those of this rank.
void gather_table_over_ranks(CsvGathered& gathered, Collective& ranks);

// Counts of provisional features, which are the same on all ranks below `fixed`; those behind are
// the words in the order of `words`, which may differ.
void sum_counts_over_ranks(std::span<std::uint32_t> counts, std::size_t fixed,
                           const WordList& words, Collective& ranks);

// The median of the numbers of all ranks; of an even number of them the mean of the two in the
// middle; 0 of none. Changes their order.
double median_over_ranks(std::span<float> values, Collective& ranks);

}  // namespace pegasos
