// Folds: which rows are held out together.
//
// The rows are shuffled; for classes they are then brought together class by class, in the order of
// the label values, and dealt round robin to the folds:
//
//   fold of the n-th row in that order = n mod k
//
// A class of c rows thus has floor(c/k) or ceil(c/k) of them in each fold, and the folds differ by
// at most one row. The order of the rows inside a fold is that of the data. The same labels, k and
// seed give the same folds on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pegasos/dataset.h"

namespace pegasos {

using FoldId = std::uint32_t;

enum class Dealing {
  stratified,  // labels are classes
  plain,       // labels are numbers to predict, or do not matter
};

// The fold of each row, below k. 2 ≤ k ≤ rows, or InvalidOption "folds". Labels may be any values;
// rows without a label (NaN) are a class of their own.
std::vector<FoldId> deal_folds(std::span<const double> labels, std::size_t k, Dealing dealing,
                               std::uint64_t seed);

// A single hold-out: fold 0 has about `share` of the rows, of each class when stratified, fold 1
// the others. 0 < share < 1 with at least one row on each side, or InvalidOption "holdout".
std::vector<FoldId> deal_holdout(std::span<const double> labels, double share, Dealing dealing,
                                 std::uint64_t seed);

// Row ids, ascending.
std::vector<RowId> rows_in(std::span<const FoldId> folds, FoldId fold);

struct FoldSplit {
  Dataset train;
  Dataset held_out;
};

// The rows in the order of their folds, and once more all but those of the last:
//
//   0 1 2 3 4 0 1 2 3      Without fold 2 they are 3 4 0 1.
//
// So every fold's rows, and all others, follow one another, and all splits share one copy of the
// rows, in memory or, if the rows are in a file, in files.
class FoldedRows {
 public:
  // To be split at the first `splits` folds.
  FoldedRows(const Dataset& data, std::span<const FoldId> folds, std::size_t splits);

  FoldSplit split(FoldId fold) const;

 private:
  std::size_t all_;                 // rows of all folds
  std::vector<std::size_t> begin_;  // of each fold that is split at, and the end of the last
  Dataset rows_;
};

}  // namespace pegasos
