// Equal rows are found whatever their layout; rows are numbered in the order in which they came.
#include "data/row_table.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/random.h"

namespace pegasos {
namespace {

TEST(RowTable, LayoutsZerosAndSignsOfZeroDoNotMatter) {
  const std::vector<float> dense = {0.0F, 2.0F, -0.0F, 5.0F};
  const std::vector<FeatureId> ids = {1, 3};
  const std::vector<float> values = {2.0F, 5.0F};
  const std::vector<FeatureId> with_zero_ids = {0, 1, 3, 9};
  const std::vector<float> with_zeros = {-0.0F, 2.0F, 5.0F, 0.0F};
  const std::vector<FeatureId> other_ids = {1, 2};
  RowTable table;
  EXPECT_FALSE(table.find({{}, dense, true}).has_value());
  EXPECT_EQ(table.add({{}, dense, true}), 0U);
  EXPECT_EQ(table.add({ids, values, false}), 0U);
  EXPECT_EQ(table.add({with_zero_ids, with_zeros, false}), 0U);
  EXPECT_EQ(table.add({other_ids, values, false}), 1U);
  EXPECT_EQ(table.find({ids, values, false}), 0U);
  EXPECT_EQ(table.size(), 2U);
}

TEST(RowTable, ManyRowsAgainstAMap) {
  Random random(4, 0);
  std::vector<std::vector<float>> rows(5000, std::vector<float>(4));
  for (auto& row : rows) {
    for (float& value : row) value = static_cast<float>(random.below(6));
  }
  RowTable table;
  std::map<std::vector<float>, std::size_t> expected;
  for (const auto& row : rows) {
    const std::size_t place = expected.try_emplace(row, expected.size()).first->second;
    ASSERT_EQ(table.add({{}, row, true}), place);
  }
  EXPECT_EQ(table.size(), expected.size());
  for (const auto& row : rows) ASSERT_EQ(table.find({{}, row, true}), expected.at(row));
}

}  // namespace
}  // namespace pegasos
