// What training must know about the rows of all ranks before it begins. Where one process has all
// rows, that is what the data itself says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pegasos/collective.h"
#include "pegasos/dataset.h"

namespace pegasos {

struct WholeRows {
  // The data; or, where rows are divided, one row without features for every label that any rank
  // has: it has the same task, classes and label words. Beyond some hundred kinds of labels, which
  // are numbers to predict, only some of them.
  Dataset labels = {};
  std::uint64_t rows = 0;
  std::uint64_t non_zeros = 0;
  std::uint64_t rows_before = 0;  // on lower ranks

  // Throws Error on every rank where one has no rows, or where ranks have other features or label
  // words than rank 0.
  static WholeRows of(const Dataset& data, Collective& ranks);
};

}  // namespace pegasos
