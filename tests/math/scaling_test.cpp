// Scaling, against the numbers of scikit-learn's MaxAbsScaler, StandardScaler, MinMaxScaler and
// Normalizer for the same rows.
#include "pegasos/scaling.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "pegasos/error.h"

namespace pegasos {
namespace {

using Rows = std::vector<std::vector<double>>;

// The last feature is constant.
const std::vector<float> kValues = {1, 0, -2.5, 3, 0, 4, 7, 3, -3, 0, 0.5, 3, 2, 1, 0, 3};
const std::vector<double> kLabels = {1, -1, 1, -1};
const std::vector<std::uint64_t> kOffsets = {0, 3, 6, 9, 12};
const std::vector<FeatureId> kIds = {0, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3};
const std::vector<float> kStored = {1, -2.5, 3, 4, 7, 3, -3, 0.5, 3, 2, 1, 3};

Dataset dense_rows() {
  return Dataset::from_parts({.rows = 4,
                              .features = 4,
                              .dense = DenseMatrix{.values = kValues, .columns = 4},
                              .labels = kLabels});
}

Dataset sparse_rows() {
  return Dataset::from_parts(
      {.rows = 4,
       .features = 4,
       .sparse = SparseMatrix{.offsets = kOffsets, .features = kIds, .values = kStored},
       .labels = kLabels});
}

const Rows kMaxAbs = {{0.3333333333333333, 0.0, -0.35714285714285715, 1.0},
                      {0.0, 1.0, 1.0, 1.0},
                      {-1.0, 0.0, 0.07142857142857142, 1.0},
                      {0.6666666666666666, 0.25, 0.0, 1.0}};
const Rows kStandard = {{0.5345224838248488, -0.7624928516630234, -1.0687057498186447, 0.0},
                        {0.0, 1.6774842736586515, 1.638682149721922, 0.0},
                        {-1.6035674514745464, -0.7624928516630234, -0.21374114996372895, 0.0},
                        {1.0690449676496976, -0.15249857033260467, -0.35623524993954825, 0.0}};
const Rows kStandardWithoutMean = {{0.5345224838248488, 0.0, -0.7124704998790965, 3.0},
                                   {0.0, 2.4399771253216747, 1.9949173996614702, 3.0},
                                   {-1.6035674514745464, 0.0, 0.1424940999758193, 3.0},
                                   {1.0690449676496976, 0.6099942813304187, 0.0, 3.0}};
const Rows kMinMax = {{0.8, 0.0, 0.0, 0.0},
                      {0.6, 1.0, 1.0, 0.0},
                      {0.0, 0.0, 0.3157894736842105, 0.0},
                      {1.0, 0.25, 0.2631578947368421, 0.0}};
// Divided by max - min alone: (x - min)/(max - min) without the subtraction.
const Rows kMinMaxSparse = {{0.2, 0.0, -2.5 / 9.5, 3.0},
                            {0.0, 1.0, 7 / 9.5, 3.0},
                            {-0.6, 0.0, 0.5 / 9.5, 3.0},
                            {0.4, 0.25, 0.0, 3.0}};
const Rows kUnitRow = {{0.24806946917841693, 0.0, -0.6201736729460423, 0.7442084075352507},
                       {0.0, 0.46499055497527714, 0.813733471206735, 0.34874291623145787},
                       {-0.7022468831767834, 0.0, 0.11704114719613057, 0.7022468831767834},
                       {0.5345224838248488, 0.2672612419124244, 0.0, 0.8017837257372732}};

void expect_rows(const Rows& expected, const Dataset& data, const std::string& what) {
  ASSERT_EQ(data.rows(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const RowView row = data.row(i);
    std::vector<double> values(expected[i].size(), 0.0);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      values[row.dense ? k : row.ids[k]] = row.values[k];
    }
    for (std::size_t j = 0; j < values.size(); ++j) {
      EXPECT_NEAR(values[j], expected[i][j], 2e-7) << what << ", row " << i << ", feature " << j;
    }
  }
}

struct Case {
  ScalingKind kind;
  const Rows& dense;
  const Rows& sparse;
};
const Case kCases[] = {{ScalingKind::max_abs, kMaxAbs, kMaxAbs},
                       {ScalingKind::standard, kStandard, kStandardWithoutMean},
                       {ScalingKind::min_max, kMinMax, kMinMaxSparse},
                       {ScalingKind::unit_row, kUnitRow, kUnitRow}};

TEST(Scaling, IsThatOfScikitLearn) {
  for (const Case& one : kCases) {
    const Scaling of_dense = fit_scaling(dense_rows(), one.kind);
    const Scaling of_sparse = fit_scaling(sparse_rows(), one.kind);
    of_dense.validate(4);
    of_sparse.validate(4);
    EXPECT_TRUE(of_sparse.shift.empty());
    expect_rows(one.dense, apply(of_dense, dense_rows()), name_of(one.kind) + ", dense");
    expect_rows(one.sparse, apply(of_sparse, sparse_rows()), name_of(one.kind) + ", sparse");
    // What was fitted on one layout means the same for rows of the other.
    expect_rows(one.dense, apply(of_dense, sparse_rows()), name_of(one.kind) + ", made dense");
    expect_rows(one.sparse, apply(of_sparse, dense_rows()), name_of(one.kind) + ", as sparse");
  }
}

TEST(Scaling, KeepsLabelsLayoutAndSlices) {
  const Scaling scaling = fit_scaling(sparse_rows(), ScalingKind::max_abs);
  const Dataset part = apply(scaling, sparse_rows().slice(2, 2));
  EXPECT_FALSE(part.is_dense());
  EXPECT_EQ(part.label(0), 1.0);
  EXPECT_EQ(part.label(1), -1.0);
  expect_rows({kMaxAbs[2], kMaxAbs[3]}, part, "slice");
  expect_rows({kStandard[1]},
              apply(fit_scaling(dense_rows(), ScalingKind::standard), dense_rows().slice(1, 1)),
              "dense slice");
}

TEST(Scaling, LeavesConstantFeaturesAndEmptyRows) {
  // A mean of thirds is not a third: its deviation is a little more than 0.
  const std::vector<float> values = {0.1F, 0, 0.1F, 0, 0.1F, 0};
  const Dataset data = Dataset::from_parts(
      {.rows = 3, .features = 2, .dense = DenseMatrix{.values = values, .columns = 2}});
  const Scaling scaling = fit_scaling(data, ScalingKind::standard);
  EXPECT_EQ(scaling.factor, (std::vector<double>{1, 1}));
  const std::vector<float> nothing = {0, 0};
  const Dataset empty = Dataset::from_parts(
      {.rows = 1, .features = 2, .dense = DenseMatrix{.values = nothing, .columns = 2}});
  expect_rows({{0, 0}}, apply({.kind = ScalingKind::unit_row}, empty), "empty row");
}

TEST(Scaling, OfWeightsUndoesItself) {
  const Scaling scaling = fit_scaling(dense_rows(), ScalingKind::standard);
  const std::vector<double> w = {0.5, -2, 1.25, 3};
  const Dataset scaled = apply(scaling, dense_rows());
  std::vector<double> plain = w;
  double b = 0.75;
  unscale_weights(scaling, plain, b);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(scaled.row(i).dot(w) + 0.75, dense_rows().row(i).dot(plain) + b, 1e-6);
  }
  scale_weights(scaling, plain, b);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(plain[j], w[j], 1e-14);
  EXPECT_NEAR(b, 0.75, 1e-14);
}

TEST(Scaling, RefusesWhatItCannotBe) {
  const auto refused = [](const Scaling& scaling) {
    try {
      scaling.validate(2);
    } catch (const InvalidOption&) {
      return true;
    }
    return false;
  };
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(refused({ScalingKind::standard, {1, 2}, {0, -1}}));
  EXPECT_TRUE(refused({ScalingKind::standard, {1}, {}}));
  EXPECT_TRUE(refused({ScalingKind::standard, {1, 0}, {}}));
  EXPECT_TRUE(refused({ScalingKind::standard, {1, kNone}, {}}));
  EXPECT_TRUE(refused({ScalingKind::standard, {1, 1}, {kNone, 0}}));
  EXPECT_TRUE(refused({ScalingKind::standard, {1, 1}, {0}}));
  EXPECT_TRUE(refused({ScalingKind::max_abs, {1, 1}, {0, 0}}));
  EXPECT_TRUE(refused({ScalingKind::unit_row, {1, 1}, {}}));
  EXPECT_FALSE(refused({ScalingKind::unit_row, {}, {}}));
}

}  // namespace
}  // namespace pegasos
