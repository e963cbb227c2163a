// Kernel models and linear models of mapped rows: what they decide, their files, and that no
// damaged or hostile file is loaded.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pegasos/error.h"
#include "pegasos/model.h"
#include "pegasos/read.h"
#include "support/kernel_problems.h"
#include "support/models.h"
#include "support/section_bytes.h"
#include "support/temporary_folder.h"

namespace pegasos {
namespace {

using testing::contents_of;
using testing::kernel_of;
using testing::naive_kernel;
using testing::TemporaryFolder;

constexpr std::string_view kMagic = "\x89PGM\r\n\x1a\n";

Dataset sparse_rows() {
  ReadOptions options;
  options.keep_sparse = true;
  const std::string text = "1 1:0.5 3:2\n-1 2:1\n1 1:1 2:0.25 3:0.125\n1 4:3\n";
  return read_dataset_from_memory(text, "memory", options).data;
}

// Densely, as the naive kernel wants them.
std::vector<float> dense(const RowView& row, std::size_t features) {
  std::vector<float> values(features, 0.0F);
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    values[row.dense ? k : row.ids[k]] = row.values[k];
  }
  return values;
}

Dataset as_dense(const Dataset& data) {
  const auto values = std::make_shared<std::vector<float>>();
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const auto row = dense(data.row(i), data.features());
    values->insert(values->end(), row.begin(), row.end());
  }
  DatasetParts parts = data.parts();
  parts.sparse.reset();
  parts.dense = DenseMatrix{*values, data.features()};
  parts.owner = values;
  parts.labels = {};
  return Dataset::from_parts(std::move(parts));
}

KernelModel kernel_model(const Dataset& vectors, const KernelOptions& kernel) {
  KernelModel model;
  model.kernel = kernel;
  model.support_vectors = vectors;
  model.schema = vectors.shared_schema();
  model.coefficients = {1.0 / 3, -0.75, 1e-300, 2.5};
  model.b = -0.25;
  model.bias = Bias::unregularised;
  model.lambda = 0.01;
  model.support = {.rows = 5, .bounded = 2, .norm = 1.25};
  model.record.rows = 10;
  model.record.solver = "dual ascent";
  if (kernel.is_positive_semidefinite()) {
    model.certificate = {
        .primal = 0.5, .dual = 0.49, .regulariser = 0.25, .mean_loss = 0.25, .wrong = 3};
  }
  return model;
}

KernelModel precomputed_model() {
  KernelModel model = kernel_model(sparse_rows(), kernel_of(KernelKind::rbf));
  model.kernel = {.kind = KernelKind::precomputed, .vouched_positive_semidefinite = true};
  model.support_vectors = {};
  model.columns = {3, 0, 1, 2};
  return model;
}

LinearModel mapped_model(Approximation approximation) {
  FeatureMapOptions options;
  options.approximation = approximation;
  options.kernel = kernel_of(approximation == Approximation::tensorsketch ? KernelKind::polynomial
                                                                          : KernelKind::rbf);
  options.components = 4;
  options.seed = 9;
  LinearModel model;
  model.map = FeatureMap::fit(sparse_rows(), options);
  model.schema = sparse_rows().shared_schema();
  model.w = {1, -2, 0.5, 4};
  model.lambda = 0.1;
  model.record.rows = 4;
  return model;
}

std::vector<Model> all_models() {
  return {kernel_model(sparse_rows(), kernel_of(KernelKind::rbf)),
          kernel_model(as_dense(sparse_rows()), kernel_of(KernelKind::polynomial)),
          kernel_model(sparse_rows(), kernel_of(KernelKind::sigmoid)),
          precomputed_model(),
          mapped_model(Approximation::rff),
          mapped_model(Approximation::nystroem),
          mapped_model(Approximation::tensorsketch)};
}

std::string saved(const Model& model) {
  TemporaryFolder folder;
  save_model(model, folder.path("model"));
  return contents_of(folder.path("model"));
}

bool refused(const std::string& bytes) {
  try {
    load_model_from_memory(bytes, "memory");
    return false;
  } catch (const CorruptModel&) {
    return true;
  }
}

TEST(KernelModelTest, DecidesByItsFormula) {
  for (const KernelKind kind : testing::kFormulaKernels) {
    for (const Dataset& vectors : {sparse_rows(), as_dense(sparse_rows())}) {
      const KernelModel model = kernel_model(vectors, kernel_of(kind));
      const Dataset rows = sparse_rows();
      const auto scores = decisions(model, rows);
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        double expected = model.b;
        for (std::size_t j = 0; j < vectors.rows(); ++j) {
          expected += model.coefficients[j] *
                      naive_kernel(model.kernel, dense(vectors.row(j), vectors.features()),
                                   dense(rows.row(i), rows.features()));
        }
        EXPECT_NEAR(scores[i], expected, 1e-12 * (1 + std::abs(expected))) << name_of(kind);
        EXPECT_NEAR(model.decision(rows.row(i)), expected, 1e-12 * (1 + std::abs(expected)));
      }
      EXPECT_EQ(decisions(model, rows, 1), decisions(model, rows, 3));
      EXPECT_EQ(decisions(model, rows.slice(1, 2), 1),
                std::vector<double>(scores.begin() + 1, scores.begin() + 3));
    }
  }
}

TEST(KernelModelTest, OfAPrecomputedKernelReadsColumns) {
  const KernelModel model = precomputed_model();
  const auto scores = decisions(model, sparse_rows());
  // Row 2 has 1, 0.25, 0.125 and 0 in columns 0 to 3.
  EXPECT_DOUBLE_EQ(scores[2], -0.75 * 1 + 1e-300 * 0.25 + 2.5 * 0.125 - 0.25);
  EXPECT_DOUBLE_EQ(model.decision(sparse_rows().row(2)), scores[2]);
}

// Memory follows the columns that are used, not those that are claimed.
TEST(KernelModelTest, OfTwoThousandMillionColumnsIsScored) {
  KernelModel model = precomputed_model();
  Schema schema;
  schema.indices = IndexMap::contiguous(0, std::uint64_t{1} << 31);
  model.schema = std::make_shared<const Schema>(std::move(schema));
  const double before = decisions(precomputed_model(), sparse_rows())[2];
  EXPECT_EQ(decisions(model, sparse_rows())[2], before);
  model.columns[0] = 0x7fffffff;
  EXPECT_EQ(decisions(model, sparse_rows())[2], before);  // a column that no row has
  MulticlassModel many;
  many.schema = model.schema;
  many.classes = {1, 2, 3};
  many.lambda = 1;
  many.classifiers.resize(3);
  KernelClassifiers& kernels = many.body.emplace<KernelClassifiers>();
  kernels.kernel = model.kernel;
  kernels.columns = {0x7fffffff, 2};
  kernels.coefficients = {1, 2, 3, 4, 5, 6};
  const auto scores = decisions(many, sparse_rows());
  EXPECT_EQ(scores[2 * 3 + 1], 5 * 0.125);
}

// Finite weights and values whose products are not: a reason instead of NaN.
TEST(Scores, ThatOverflowAreRefused) {
  LinearModel model = testing::plain_model({1e308, -1e308});
  const float values[] = {1, 1, 3e38F, 3e38F};
  DatasetParts parts;
  parts.rows = 2;
  parts.features = 2;
  parts.dense = DenseMatrix{values, 2};
  const Dataset rows = Dataset::from_parts(std::move(parts));
  EXPECT_EQ(decisions(Model(model), rows.slice(0, 1)).front(), 0.0);
  try {
    decisions(Model(model), rows);
    ADD_FAILURE() << "accepted";
  } catch (const UnusableData& refused) {
    EXPECT_NE(std::string(refused.what()).find("row 2 has no score"), std::string::npos);
  }
}

TEST(LinearModelWithAMap, DecidesOnMappedRows) {
  for (const auto kind :
       {Approximation::rff, Approximation::nystroem, Approximation::tensorsketch}) {
    const LinearModel model = mapped_model(kind);
    const Dataset rows = sparse_rows();
    const Dataset mapped = model.map->apply(rows);
    const auto scores = decisions(model, rows);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      EXPECT_EQ(scores[i], mapped.row(i).dot(model.w) + model.b);
      EXPECT_EQ(scores[i], model.decision(rows.row(i)));
    }
  }
}

TEST(KernelModelFile, RoundTrips) {
  for (const Model& model : all_models()) {
    const std::string bytes = saved(model);
    const Model back = load_model_from_memory(bytes, "memory");
    EXPECT_TRUE(back == model) << model.index();
    EXPECT_EQ(saved(back), bytes);
    EXPECT_EQ(decisions(back, sparse_rows()), decisions(model, sparse_rows()));
  }
}

TEST(KernelModelFile, DamageIsRefused) {
  for (const Model& model : all_models()) {
    const std::string good = saved(model);
    ASSERT_FALSE(refused(good));
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_TRUE(refused(good.substr(0, size))) << size;
    }
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
      std::string bytes = good;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      EXPECT_TRUE(refused(bytes)) << "bit " << bit;
    }
  }
}

TEST(KernelModelFile, AFunctionCannotBeSaved) {
  TemporaryFolder folder;
  const KernelModel model = kernel_model(sparse_rows(), kernel_of(KernelKind::callable));
  EXPECT_THROW(save_model(model, folder.path("model")), Error);
  EXPECT_FALSE(std::filesystem::exists(folder.path("model")));
}

// Bad contents in a sound container.
class HostileKernelModel : public ::testing::Test {
 protected:
  void reset(const Model& model) { sections_ = testing::taken_apart(saved(model)); }
  std::string& section(std::uint32_t kind) { return testing::section_in(sections_, kind); }
  bool is_refused() const { return refused(testing::put_together(kMagic, 1, sections_)); }
  bool refused_with(const std::string& from, const std::string& to) {
    const auto before = sections_;
    std::string& text = section(1);
    const auto place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from << " is not in " << text;
    if (place != std::string::npos) text.replace(place, from.size(), to);
    const bool result = is_refused();
    sections_ = before;
    return result;
  }

  std::vector<testing::SectionBytes> sections_;
};

TEST_F(HostileKernelModel, OptionsOutOfRange) {
  reset(kernel_model(sparse_rows(), kernel_of(KernelKind::rbf)));
  EXPECT_FALSE(is_refused());
  EXPECT_TRUE(refused_with(R"("gamma":0.5)", R"("gamma":-0.5)"));
  EXPECT_TRUE(refused_with(R"("gamma":0.5)", R"("gamma":null)"));
  EXPECT_TRUE(refused_with(R"("kind":"rbf")", R"("kind":"callable")"));
  EXPECT_TRUE(refused_with(R"("kind":"rbf")", R"("kind":"sigmoid")"));  // with a certificate
  EXPECT_TRUE(refused_with(R"("kind":"rbf")", R"("kind":"precomputed")"));
  EXPECT_TRUE(refused_with(R"("bounded":2)", R"("bounded":6)"));
  EXPECT_TRUE(refused_with(R"("support_rows":5)", R"("support_rows":11)"));
  EXPECT_TRUE(refused_with(R"("norm":1.25)", R"("norm":-1)"));
  EXPECT_TRUE(refused_with(R"("bias":"unregularised")", R"("bias":"regularised")"));
  reset(kernel_model(as_dense(sparse_rows()), kernel_of(KernelKind::polynomial)));
  EXPECT_TRUE(refused_with(R"("degree":3)", R"("degree":0)"));
  EXPECT_TRUE(refused_with(R"("coef0":1.0)", R"("coef0":-1.0)"));
}

TEST_F(HostileKernelModel, VectorsThatAreNotRows) {
  reset(kernel_model(sparse_rows(), kernel_of(KernelKind::rbf)));
  const auto good = sections_;
  testing::put_value(section(7), 0, std::uint32_t{4});  // there are features 0 to 3
  EXPECT_TRUE(is_refused());
  sections_ = good;
  testing::put_value(section(7), 0, std::uint32_t{3});  // not ascending
  EXPECT_TRUE(is_refused());
  sections_ = good;
  testing::put_value(section(6), 8, std::uint64_t{1} << 60);
  EXPECT_TRUE(is_refused());
  sections_ = good;
  testing::put_value(section(8), 0, std::nanf(""));
  EXPECT_TRUE(is_refused());
  sections_ = good;
  testing::put_value(section(2), 0, 0.0);  // a coefficient
  EXPECT_TRUE(is_refused());
  sections_ = good;
  section(2).resize(24);  // one coefficient fewer
  EXPECT_TRUE(is_refused());
  sections_ = good;
  section(8) += std::string(4, '\0');
  EXPECT_TRUE(is_refused());
}

TEST_F(HostileKernelModel, ColumnsAndMaps) {
  reset(precomputed_model());
  testing::put_value(section(9), 0, std::uint32_t{4});
  EXPECT_TRUE(is_refused());
  reset(mapped_model(Approximation::nystroem));
  EXPECT_TRUE(refused_with(R"("components":4)", R"("components":3)"));
  EXPECT_TRUE(refused_with(R"("components":4)", R"("components":4000000000)"));
  EXPECT_TRUE(refused_with(R"("kind":"rbf")", R"("kind":"sigmoid")"));
  reset(mapped_model(Approximation::rff));
  EXPECT_TRUE(refused_with(R"("approximation":"rff")", R"("approximation":"fft")"));
  EXPECT_TRUE(refused_with(R"("kind":"rbf")", R"("kind":"polynomial")"));
  section(2).resize(16);
  EXPECT_TRUE(is_refused());
}

TEST(KernelModelTest, SaysWhatIsWrong) {
  const KernelModel good = kernel_model(sparse_rows(), kernel_of(KernelKind::rbf));
  const auto field = [](const KernelModel& model) {
    try {
      model.validate();
    } catch (const InvalidOption& error) {
      return error.field();
    }
    return std::string();
  };
  EXPECT_EQ(field(good), "");
  KernelModel model = good;
  model.coefficients.pop_back();
  EXPECT_EQ(field(model), "support_vectors");
  model = good;
  model.columns = {1};
  EXPECT_EQ(field(model), "columns");
  model = good;
  model.kernel.kind = KernelKind::sigmoid;
  EXPECT_EQ(field(model), "certificate");
  model = good;
  model.bias = Bias::exact;
  EXPECT_EQ(field(model), "bias");
}

}  // namespace
}  // namespace pegasos
