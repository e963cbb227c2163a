#include "pegasos/dataset.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "pegasos/error.h"

namespace pegasos {
namespace {

std::string field_of_refusal(const std::function<void()>& make) {
  try {
    make();
  } catch (const InvalidOption& error) {
    return error.field();
  }
  return "";
}

TEST(Dataset, DefaultMadeHasNothingAndSaysSo) {
  const Dataset data;
  EXPECT_EQ(data.rows(), 0U);
  EXPECT_EQ(data.features(), 0U);
  EXPECT_EQ(data.schema().feature_count(), 0U);
  EXPECT_EQ(data.non_zeros(), 0U);
  EXPECT_EQ(data.memory_bytes(), 0U);
  ASSERT_NE(data.shared_schema(), nullptr);
}

TEST(Dataset, FromDenseBorrowsFloats) {
  const std::vector<float> values = {1, 0, 3, 4, 5, 6};
  const std::vector<double> labels = {1, -1};
  const Dataset data =
      Dataset::from_dense(values, 2, 3, {.labels = labels}, Dataset::Arrays::borrow);
  ASSERT_EQ(data.rows(), 2U);
  EXPECT_TRUE(data.is_dense());
  EXPECT_EQ(data.dense().values.data(), values.data());
  EXPECT_EQ(data.labels().data(), labels.data());
  EXPECT_EQ(data.row(1).values[2], 6.0F);
  EXPECT_EQ(data.schema().feature_name(0), "0");
}

TEST(Dataset, FromDenseCopiesAndConverts) {
  Dataset copy;
  Dataset converted;
  {
    std::vector<float> floats = {1, 2, 3, 4};
    std::vector<double> doubles = {0.1, 2, 3, 4};
    std::vector<double> weights = {1, 2};
    copy = Dataset::from_dense(floats, 2, 2, {.weights = weights});
    converted = Dataset::from_dense(doubles, 2, 2, {}, Dataset::Arrays::borrow);
    floats.assign(4, 9);
    doubles.assign(4, 9);
    weights.assign(2, 9);
  }
  EXPECT_EQ(copy.row(1).values[1], 4.0F);
  EXPECT_EQ(copy.weight(1), 2.0);
  EXPECT_EQ(converted.row(0).values[0], 0.1F);
}

TEST(Dataset, FromDenseRefusesWhatDoesNotFit) {
  const std::vector<float> five(5, 1.0F);
  const std::vector<double> huge = {1e300};
  const std::vector<double> one_label = {1};
  EXPECT_EQ(field_of_refusal([&] { Dataset::from_dense(five, 2, 3); }), "values");
  EXPECT_EQ(field_of_refusal([&] { Dataset::from_dense(huge, 1, 1); }), "values");
  EXPECT_EQ(field_of_refusal([&] { Dataset::from_dense(five, 5, 1, {.labels = one_label}); }),
            "labels");
  EXPECT_EQ(Dataset::from_dense(std::span<const float>(), 3, 0).rows(), 3U);
}

TEST(Dataset, FromCsrBorrowsWhatHasItsTypes) {
  const std::vector<std::int64_t> offsets = {0, 2, 2, 3};
  const std::vector<std::int32_t> features = {0, 4, 1};
  const std::vector<float> values = {1, 2, 3};
  const Dataset data = Dataset::from_csr(
      {.offsets = offsets, .features = features, .values = values}, 5, {}, Dataset::Arrays::borrow);
  ASSERT_EQ(data.rows(), 3U);
  EXPECT_EQ(static_cast<const void*>(data.sparse().offsets.data()), offsets.data());
  EXPECT_EQ(static_cast<const void*>(data.sparse().features.data()), features.data());
  EXPECT_EQ(data.sparse().values.data(), values.data());
  EXPECT_EQ(data.row(0).ids[1], 4U);
  EXPECT_EQ(data.row(1).ids.size(), 0U);
  EXPECT_EQ(data.non_zeros(), 3U);
}

TEST(Dataset, FromCsrConvertsOtherTypes) {
  Dataset data;
  {
    const std::vector<std::int32_t> offsets = {0, 1, 3};
    const std::vector<std::int64_t> features = {2, 0, 1};
    const std::vector<double> values = {1, 2, 0.5};
    data = Dataset::from_csr({.offsets = offsets, .features = features, .values = values}, 3, {},
                             Dataset::Arrays::borrow);
  }
  EXPECT_EQ(data.row(1).ids[1], 1U);
  EXPECT_EQ(data.row(1).values[1], 0.5F);
}

TEST(Dataset, FromCsrRefusesWhatIsNoMatrix) {
  const std::vector<float> values = {1, 2};
  const std::vector<std::int64_t> good_offsets = {0, 2};
  const std::vector<std::int64_t> features = {0, 1};
  const auto refused = [&](const std::vector<std::int64_t>& offsets,
                           const std::vector<std::int64_t>& ids, Dataset::Arrays arrays) {
    return field_of_refusal([&] {
      Dataset::from_csr({.offsets = offsets, .features = ids, .values = values}, 2, {}, arrays);
    });
  };
  for (const auto arrays : {Dataset::Arrays::copy, Dataset::Arrays::borrow}) {
    EXPECT_EQ(refused(good_offsets, features, arrays), "");
    EXPECT_EQ(refused({}, features, arrays), "offsets");
    EXPECT_EQ(refused({0, -1, 2}, features, arrays), "offsets");
    EXPECT_EQ(refused({0, 3}, features, arrays), "offsets");
    EXPECT_EQ(refused(good_offsets, {1, 0}, arrays), "features");
    EXPECT_EQ(refused(good_offsets, {0, 2}, arrays), "features");
    EXPECT_EQ(refused(good_offsets, {-1, 0}, arrays), "features");
    EXPECT_EQ(refused(good_offsets, {0, std::int64_t{1} << 32}, arrays), "features");
    EXPECT_EQ(refused(good_offsets, {0}, arrays), "values");
  }
}

// Rows are checked many at a time; a flaw in any of them has to be found and named.
TEST(Dataset, FromCsrNamesTheRowWithWrongIds) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> ids;
  for (std::size_t i = 0; i < 5000; ++i) {  // rows of 0 to 4 ids that begin above or below the last
    for (std::uint32_t k = 0; k < i % 5; ++k) {
      ids.push_back(static_cast<std::uint32_t>(i * 7 % 90) + 2 * k);
    }
    offsets.push_back(ids.size());
  }
  const std::vector<float> values(ids.size(), 1.0F);
  const auto message = [&] {
    try {
      Dataset::from_csr({.offsets = offsets, .features = ids, .values = values}, 100, {},
                        Dataset::Arrays::borrow);
    } catch (const InvalidOption& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(), "");
  for (const std::size_t row : {2UL, 4UL, 2047UL, 2048UL, 2049UL, 4999UL}) {
    const auto last = offsets[row + 1] - 1;
    const auto kept = ids[last];
    ids[last] = ids[last - 1];
    EXPECT_NE(message().find(fmt::format("row {} are not", row)), std::string::npos) << message();
    ids[last] = 100;
    EXPECT_NE(message().find(fmt::format("100 in row {}", row)), std::string::npos) << message();
    ids[last] = kept;
  }
}

TEST(Dataset, KeepsTheOwnerOfBorrowedArrays) {
  auto values = std::make_shared<std::vector<float>>(4, 2.0F);
  const std::weak_ptr<std::vector<float>> watched = values;
  Dataset slice;
  {
    const Dataset data = Dataset::from_dense(std::span<const float>(*values), 2, 2,
                                             {.owner = values}, Dataset::Arrays::borrow);
    values.reset();
    slice = data.slice(1, 1);
  }
  ASSERT_FALSE(watched.expired());
  EXPECT_EQ(slice.row(0).values[0], 2.0F);
  slice = Dataset();
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace pegasos
