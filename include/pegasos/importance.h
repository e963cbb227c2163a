// Permutation importance: how much worse a model predicts when the values of one column are dealt
// to other rows (Breiman 2001). It asks what the model relies on, not what the world does: of two
// columns that say the same, the model may use either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pegasos/dataset.h"
#include "pegasos/model.h"

namespace pegasos {

struct ImportanceOptions {
  std::size_t repeats = 5;  // ≥ 1, permutations of each column
  std::uint64_t seed = 1;
  int threads = 0;  // 0: as many as the process may use

  void validate() const;  // throws InvalidOption
};

struct ColumnImportance {
  std::string name = {};
  // The rise of the error, the share of wrong rows or the mean absolute error, as a mean over the
  // permutations; below 0 where the model does better without.
  double rise = 0.0;
  double standard_error = 0.0;  // of the mean; 0 of one permutation
};

struct Importances {
  double error = 0.0;                          // with every value in its place
  std::vector<ColumnImportance> columns = {};  // the largest rise first
};

// All features of a column of a table, its words, terms or parts of a date, move together; of other
// data every feature is a column. Rows are labelled, with features of the model's schema. Throws
// InvalidOption for more than 10,000 columns, and for rows without labels.
Importances permutation_importance(const Model& model, const Dataset& rows,
                                   const ImportanceOptions& options = {});

}  // namespace pegasos
