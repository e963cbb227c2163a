// The best of many candidates, against sorting all of them.
#include "solver/shortlist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/random.h"

namespace pegasos {
namespace {

std::set<RowId> rows_of(Shortlist& list) {
  std::set<RowId> rows;
  for (const Shortlist::Candidate& candidate : list.best()) rows.insert(candidate.row);
  return rows;
}

// Promises are whole numbers, many of them equal; rows with the same promise are told apart by
// names that have been shuffled.
TEST(Shortlist, IsWhatSortingFindsInAnyPieces) {
  Random random(11, 0);
  for (const std::size_t rows : {1U, 5U, 63U, 64U, 65U, 1000U}) {
    for (const std::size_t most : {1U, 2U, 16U, 64U}) {
      std::vector<RowId> names(rows);
      std::vector<double> promises(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        names[i] = static_cast<RowId>(i);
        promises[i] = static_cast<double>(random.below(20));
      }
      random.shuffle(std::span<RowId>(names));
      std::vector<RowId> sorted(rows);
      for (std::size_t i = 0; i < rows; ++i) sorted[i] = static_cast<RowId>(i);
      std::sort(sorted.begin(), sorted.end(), [&](RowId i, RowId j) {
        if (promises[i] != promises[j]) return promises[i] > promises[j];
        return names[i] * 0x9e3779b1U < names[j] * 0x9e3779b1U;
      });
      sorted.resize(std::min(rows, most));
      const std::set<RowId> expected(sorted.begin(), sorted.end());

      for (const std::size_t pieces : {1U, 3U}) {
        std::vector<Shortlist> lists(pieces);
        for (Shortlist& list : lists) list.begin(most, names);
        for (std::size_t i = 0; i < rows; ++i) {
          lists[i * pieces / rows].add(promises[i], static_cast<RowId>(i));
        }
        for (std::size_t k = 1; k < pieces; ++k) lists.front().add(lists[k]);
        ASSERT_EQ(rows_of(lists.front()), expected) << most << " of " << rows;
      }
    }
  }
}

TEST(Shortlist, BeginsAnew) {
  const std::vector<RowId> names = {0, 1, 2, 3, 4, 5, 6, 7};
  Shortlist list;
  list.begin(1, names);
  for (RowId row = 0; row < 8; ++row) list.add(100.0 + row, row);
  EXPECT_EQ(rows_of(list), std::set<RowId>{7});
  list.begin(2, names);
  list.add(-5.0, 3);
  EXPECT_EQ(rows_of(list), std::set<RowId>{3});
}

}  // namespace
}  // namespace pegasos
