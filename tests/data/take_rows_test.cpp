#include "data/take_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/small_problem.h"

namespace pegasos {
namespace {

TEST(TakeRows, KeepsValuesLabelsLayoutAndOrder) {
  for (const bool dense : {false, true}) {
    auto problem = testing::make_problem({.rows = 9, .features = 4, .density = 0.5});
    problem.dense = dense;
    const std::vector<RowId> wanted = {7, 0, 7, 3};
    Dataset copy;
    {
      const Dataset data = problem.linear().data;
      copy = take_rows(data, wanted);
    }
    ASSERT_EQ(copy.rows(), 4U);
    EXPECT_EQ(copy.features(), 4U);
    EXPECT_EQ(copy.is_dense(), dense);
    for (std::size_t r = 0; r < 4; ++r) {
      const RowView row = copy.row(r);
      std::vector<float> values(4, 0.0F);
      for (std::size_t k = 0; k < row.values.size(); ++k) {
        values[row.dense ? k : row.ids[k]] = row.values[k];
      }
      EXPECT_EQ(values, problem.x[wanted[r]]);
    }
    EXPECT_EQ(take_rows(copy, {}).rows(), 0U);
  }
}

}  // namespace
}  // namespace pegasos
