// LIBLINEAR models: written as its own programs read them, read strictly, and agreed upon by
// liblinear-train and liblinear-predict where these are installed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "pegasos/error.h"
#include "pegasos/model.h"
#include "pegasos/read.h"
#include "support/models.h"
#include "support/temporary_folder.h"
#include "support/trained.h"

namespace pegasos {
namespace {

using testing::contents_of;
using testing::plain_model;
using testing::predicted;
using testing::TemporaryFolder;

struct Export {
  std::string text;
  std::vector<std::string> notes;
};

Export exported(const LinearModel& model) {
  TemporaryFolder folder;
  const auto notes = save_liblinear(model, folder.path("model"));
  return {contents_of(folder.path("model")), notes};
}

LinearModel imported(const std::string& text) {
  return std::get<LinearModel>(load_liblinear_from_memory(text, "model.txt"));
}

void use_schema(LinearModel& model, const Schema& schema) {
  model.schema = std::make_shared<const Schema>(schema);
}

TEST(LiblinearFile, WritesWhatLiblinearWrites) {
  LinearModel model = plain_model({0.1, 0, -1e-20});
  model.b = 2.5;
  model.labels = {3, -4};
  const auto [text, notes] = exported(model);
  EXPECT_EQ(text,
            "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 3 -4\nnr_feature 3\nbias 1\nw\n"
            "0.10000000000000001\n0\n-9.9999999999999995e-21\n2.5\n");
  EXPECT_TRUE(notes.empty());
}

TEST(LiblinearFile, WritesEveryLossOrRefusesIt) {
  const std::pair<Loss, const char*> types[] = {
      {Loss::hinge, "L2R_L1LOSS_SVC_DUAL"},
      {Loss::squared_hinge, "L2R_L2LOSS_SVC"},
      {Loss::logistic, "L2R_LR"},
      {Loss::epsilon_insensitive, "L2R_L1LOSS_SVR_DUAL"},
      {Loss::squared_epsilon_insensitive, "L2R_L2LOSS_SVR"}};
  for (const auto& [loss, name] : types) {
    LinearModel model = plain_model({1});
    model.loss.loss = loss;
    if (!model.classifies()) model.labels.reset();
    model.bias = Bias::none;
    const std::string label = model.labels ? "label 1 -1\n" : "";
    EXPECT_EQ(exported(model).text, "solver_type " + std::string(name) + "\nnr_class 2\n" + label +
                                        "nr_feature 1\nbias -1\nw\n1\n");
  }
  LinearModel model = plain_model({1});
  model.loss.loss = Loss::huber;
  EXPECT_THROW(exported(model), Error);
  model.labels.reset();
  EXPECT_THROW(exported(model), Error);
}

TEST(LiblinearFile, WeightsStandAtTheIndicesOfTheFile) {
  LinearModel model = plain_model({5, 6});
  Schema schema;
  schema.indices = IndexMap::of_seen(1, {2, 5});
  use_schema(model, schema);
  auto result = exported(model);
  EXPECT_NE(result.text.find("nr_feature 5\nbias 1\nw\n0\n5\n0\n0\n6\n0\n"), std::string::npos);
  EXPECT_TRUE(result.notes.empty());

  schema.indices = IndexMap::of_seen(0, {0, 3});
  use_schema(model, schema);
  result = exported(model);
  EXPECT_NE(result.text.find("nr_feature 4\nbias 1\nw\n5\n0\n0\n6\n0\n"), std::string::npos);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("increased by one"), std::string::npos);

  schema.indices = IndexMap::contiguous(0, 2);
  use_schema(model, schema);
  result = exported(model);
  EXPECT_NE(result.text.find("nr_feature 2\nbias 1\nw\n5\n6\n0\n"), std::string::npos);
  EXPECT_EQ(result.notes.size(), 1u);
}

TEST(LiblinearFile, CsvFeaturesAreNumberedByColumn) {
  LinearModel model = plain_model({5, 6});
  Schema schema;
  schema.source = DataFormat::csv;
  schema.csv = CsvLayout{
      ',', true, MissingValues::refuse, {{"city", CsvColumn::Role::words, {"Oslo", "Rome"}, 0, 0}}};
  use_schema(model, schema);
  const auto result = exported(model);
  EXPECT_NE(result.text.find("nr_feature 2\nbias 1\nw\n5\n6\n0\n"), std::string::npos);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("that the model made of a table"), std::string::npos);
}

TEST(LiblinearFile, RefusesIndicesThatAreMostlyAbsent) {
  LinearModel model = plain_model({5, 6});
  Schema schema;
  schema.indices = IndexMap::of_seen(1, {2, 9'999'999});
  use_schema(model, schema);
  EXPECT_EQ(imported(exported(model).text).w.size(), 9'999'999u);
  TemporaryFolder folder;
  for (const std::uint32_t largest : {10'000'000u, 4'000'000'000u}) {
    schema.indices = IndexMap::of_seen(1, {2, largest});
    use_schema(model, schema);
    EXPECT_THROW(save_liblinear(model, folder.path("model")), Error);
    EXPECT_FALSE(std::filesystem::exists(folder.path("model")));
  }
}

TEST(LiblinearFile, LabelsBecomeWholeNumbers) {
  const auto line_and_note = [](const LinearModel& model) {
    const auto [text, notes] = exported(model);
    const auto begin = text.find("label");
    return std::pair(text.substr(begin, text.find('\n', begin) - begin),
                     notes.empty() ? "" : notes.at(0));
  };
  using Answer = std::pair<std::string, std::string>;
  LinearModel model = plain_model({1});
  model.labels->positive = 0.5;
  EXPECT_EQ(
      line_and_note(model),
      Answer("label 1 -1",
             "labels were replaced by numbers, which the data needs too: 1 is 0.5, -1 is -1"));
  model.labels->positive = 3e9;
  EXPECT_EQ(line_and_note(model).first, "label 1 -1");
  model.labels->positive = 2147483647;
  EXPECT_EQ(line_and_note(model), Answer("label 2147483647 -1", ""));
  model.labels->positive = 4;
  model.labels->negative.reset();
  EXPECT_EQ(
      line_and_note(model),
      Answer("label 1 -1",
             "labels were replaced by numbers, which the data needs too: 1 is 4, -1 is not 4"));
  Schema words = *model.schema;
  words.label_words = {"ham", "spam"};
  use_schema(model, words);
  model.labels = {0, 1};
  EXPECT_EQ(
      line_and_note(model),
      Answer("label 1 -1",
             "labels were replaced by numbers, which the data needs too: 1 is ham, -1 is spam"));
}

TEST(LiblinearFile, RoundTripsWeightsBitForBit) {
  LinearModel model = plain_model(testing::any_weights(100'000));
  model.b = model.w.front();
  const LinearModel back = imported(exported(model).text);
  EXPECT_EQ(back.w, model.w);
  EXPECT_EQ(back.b, model.b);
  EXPECT_TRUE(imported(exported(plain_model({})).text).w.empty());
}

TEST(LiblinearFile, ReadsBackAllThatIsInTheFile) {
  LinearModel model = plain_model({0.5, -0.25});
  model.labels = {7, 3};
  model.loss.loss = Loss::logistic;
  LinearModel expected = model;
  expected.lambda = 0;
  expected.record = {.solver = "LIBLINEAR L2R_LR"};
  EXPECT_EQ(imported(exported(model).text), expected);
  // What was read can be kept as a model of ours.
  TemporaryFolder folder;
  save_model(expected, folder.path("ours"));
  EXPECT_EQ(std::get<LinearModel>(load_model(folder.path("ours"))), expected);
}

const std::string kGood =
    "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 2\nw\n1.5 \n-2 \n0.25 \n";

TEST(LiblinearFile, ReadsTheBiasFeature) {
  const LinearModel model = imported(kGood);
  EXPECT_EQ(model.w, (std::vector<double>{1.5, -2}));
  EXPECT_EQ(model.b, 0.5);
  EXPECT_EQ(model.bias, Bias::regularised);
  EXPECT_EQ(model.bias_feature, 2);
  EXPECT_EQ(model.schema->indices, IndexMap::contiguous(1, 2));
  // A bias feature of value 0 has a weight that means nothing.
  std::string zero = kGood;
  zero.replace(zero.find("bias 2"), 6, "bias 0");
  EXPECT_EQ(imported(zero).bias, Bias::none);
  EXPECT_EQ(imported(zero).b, 0);
}

TEST(LiblinearFile, ReadsWindowsLineEndsAndAnyOrder) {
  EXPECT_EQ(imported("solver_type L2R_LR\r\nbias -1\r\nnr_feature 1\r\nlabel 2 1\r\nnr_class 2\r\n"
                     "w\r\n+1e0\r\n")
                .w,
            std::vector<double>{1});
}

struct Refusal {
  std::string from, to;
  std::uint64_t line, column;
  std::string message;
};

TEST(LiblinearFile, ComplaintsNameLineAndColumn) {
  const Refusal cases[] = {
      {"solver_type", "solver", 1, 1, "a LIBLINEAR model begins with 'solver_type'"},
      {"L2R_LR", "ONECLASS_SVM", 1, 13, "solver type 'ONECLASS_SVM' is not supported"},
      {"L2R_LR", "L2R_L2LOSS_SVR", 6, 1, "a regression model has no labels"},
      {"nr_class 2", "nr_class 3", 4, 1,
       "label 'nr_feature' is not a whole number from -2147483648 to 2147483647"},
      {"nr_class 2", "nr_class x", 2, 10,
       "nr_class 'x' is not a whole number from 2 to 2147483647"},
      {"nr_class 2\n", "", 5, 1, "field 'nr_class' is missing"},
      {"label 1 -1\n", "", 5, 1, "field 'label' is missing"},
      {"label 1 -1", "label 1 1", 3, 9, "the two labels are the same"},
      {"label 1 -1", "label 1 0.5", 3, 9,
       "label '0.5' is not a whole number from -2147483648 to 2147483647"},
      {"label 1 -1", "label 1 -1 5", 3, 12, "unknown field '5'"},
      {"nr_feature 2", "nr_feature -2", 4, 12,
       "nr_feature '-2' is not a whole number from 0 to 2147483647"},
      {"nr_feature 2", "nr_feature 99999999999", 4, 12,
       "nr_feature '99999999999' is not a whole number from 0 to 2147483647"},
      {"nr_feature 2", "nr_feature 2147483647", 6, 1,
       "expected 2147483648 weights, but only 16 bytes follow"},
      {"bias 2", "bias nan", 5, 6, "bias 'nan' is not a finite number"},
      {"bias 2", "bias 2\nbias 2", 6, 1, "duplicate field"},
      {"bias 2", "bias -1", 9, 1, "more than the expected 2 weights"},
      {"bias 2", "bias 1e308\nrho 1", 6, 1, "unknown field 'rho'"},
      {"w\n", "", 6, 1, "unknown field '1.5'"},
      {"-2 ", "-2x", 8, 1, "weight '-2x' is not a number"},
      {"-2 ", "inf", 8, 1, "weight 'inf' is not a finite number"},
      {"-2 ", "1e400", 8, 1, "weight '1e400' is not a finite number"},
      {"-2 \n", "", 9, 1, "the file ends before weight"},
      {"0.25", "0.25 7", 9, 6, "more than the expected 3 weights"},
      {"bias 2\nw\n1.5 \n-2 \n0.25", "bias 1e308\nw\n1 1 1e308", 7, 5,
       "bias times this weight is not finite"}};
  for (const auto& [from, to, line, column, message] : cases) {
    std::string text = kGood;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    try {
      imported(text);
      ADD_FAILURE() << "accepted: " << to;
    } catch (const ParseError& problem) {
      EXPECT_EQ(problem.path(), "model.txt");
      EXPECT_EQ(problem.diagnostics()[0].message, message);
      EXPECT_EQ(problem.line(), line) << message;
      EXPECT_EQ(problem.column(), column) << message;
    }
  }
}

TEST(LiblinearFile, TruncationIsRefusedUnlessOnlyBlanksAreLost) {
  for (std::size_t size = 0; size < kGood.size(); ++size) {
    const std::string text = kGood.substr(0, size);
    // The last weight may be cut to another number, which no text format can know.
    if (text.find("\n0") != std::string::npos) continue;
    EXPECT_THROW(imported(text), ParseError) << text;
  }
}

TEST(LiblinearFile, IsKnownByItsFirstBytes) {
  TemporaryFolder folder;
  EXPECT_TRUE(is_liblinear_file(folder.file("model", kGood)));
  EXPECT_FALSE(is_model_file(folder.path("model")));
  EXPECT_FALSE(is_liblinear_file(folder.file("data", "1 1:1\n")));
  EXPECT_EQ(std::get<LinearModel>(load_liblinear(folder.path("model"))), imported(kGood));
  EXPECT_THROW(load_liblinear(folder.path("data")), ParseError);
  EXPECT_THROW(load_liblinear(folder.path("absent")), IoError);
}

// From here on with LIBLINEAR's own programs. Values are multiples of 1/8, the same as float and as
// double.
class WithLiblinear : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v liblinear-train liblinear-predict >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "liblinear-train and liblinear-predict (liblinear-tools) are not installed";
    }
  }

  std::string data_file(bool classes) const {
    Random random(classes ? 1 : 2, 0);
    std::string text;
    for (int i = 0; i < 200; ++i) {
      std::string row;
      double sum = 0;
      for (int j = 1; j <= 30; ++j) {
        if (random.below(3) != 0) continue;
        const double value = static_cast<double>(random.below(33)) / 8 - 2;
        row += " " + std::to_string(j) + ":" + std::to_string(value);
        sum += (j % 4 - 1.5) * value;
      }
      sum += random.normal();
      text += (classes ? std::string(sum > 0 ? "7" : "3") : std::to_string(sum)) + row + "\n";
    }
    return folder_.file("data.svm", text);
  }

  std::vector<double> liblinear_predicts(const std::string& data, const std::string& model) const {
    const std::string output = folder_.path("predicted");
    run("liblinear-predict '" + data + "' '" + model + "' '" + output + "'");
    std::istringstream in(contents_of(output));
    return {std::istream_iterator<double>(in), std::istream_iterator<double>()};
  }

  void expect_same_predictions(const LinearModel& model, const std::string& data_path,
                               const std::string& liblinear_model) const {
    const auto theirs = liblinear_predicts(data_path, liblinear_model);
    const Dataset data = read_dataset(data_path, {.schema = model.schema}).data;
    ASSERT_EQ(theirs.size(), data.rows());
    for (std::size_t i = 0; i < data.rows(); ++i) {
      const double ours = std::stod(predicted(model, model.decision(data.row(i))));
      // Regression is printed by LIBLINEAR with %.17g in new versions, %g in old ones.
      if (model.labels) {
        EXPECT_EQ(ours, theirs[i]) << "row " << i;
      } else {
        EXPECT_NEAR(ours, theirs[i], 1e-5 * (1 + std::abs(ours))) << "row " << i;
      }
    }
  }

  static void run(const std::string& command) {
    ASSERT_EQ(std::system((command + " >/dev/null").c_str()), 0) << command;
  }

  TemporaryFolder folder_;
};

TEST_F(WithLiblinear, PredictsTheSameWithOurModels) {
  Random random(5, 0);
  for (const auto& name : loss_names()) {
    if (name == "huber") continue;
    const Loss loss = *loss_of_name(name);
    const std::string data = data_file(is_classification(loss));
    for (const Bias bias : {Bias::none, Bias::unregularised}) {
      LinearModel model = plain_model(std::vector<double>(30));
      for (double& weight : model.w) weight = random.normal();
      model.loss.loss = loss;
      model.bias = bias;
      model.b = bias == Bias::none ? 0 : 0.3;
      if (model.classifies()) {
        model.labels = {3, 7};
      } else {
        model.labels.reset();
      }
      EXPECT_TRUE(save_liblinear(model, folder_.path("model")).empty());
      expect_same_predictions(model, data, folder_.path("model"));
    }
  }
}

TEST_F(WithLiblinear, PredictsTheSameWithScatteredIndices) {
  LinearModel model = plain_model({1.25, -2, 0.5});
  Schema schema;
  schema.indices = IndexMap::of_seen(1, {3, 17, 29});
  use_schema(model, schema);
  model.labels = {7, 3};
  model.b = 0.1;
  save_liblinear(model, folder_.path("model"));
  expect_same_predictions(model, data_file(true), folder_.path("model"));
}

TEST_F(WithLiblinear, ItsModelsLoadAndPredictTheSame) {
  for (const int solver : {0, 1, 2, 3, 5, 6, 7, 11, 12, 13}) {
    const std::string data = data_file(solver < 11);
    for (const std::string bias : {"-1", "1", "2.5"}) {
      const std::string path = folder_.path("theirs");
      run("liblinear-train -q -s " + std::to_string(solver) + " -B " + bias + " '" + data + "' '" +
          path + "'");
      const LinearModel model = std::get<LinearModel>(load_liblinear(path));
      EXPECT_EQ(model.w.size(), 30u);
      EXPECT_EQ(model.bias == Bias::none, bias == "-1");
      expect_same_predictions(model, data, path);
    }
  }
}

TEST_F(WithLiblinear, ItsManyClassModelsAreReadAndWritten) {
  const std::string data = folder_.file("three.svm", "1 1:1\n2 2:1\n3 3:1\n");
  run("liblinear-train -s 4 -q '" + data + "' '" + folder_.path("model") + "'");
  const auto model = std::get<MulticlassModel>(load_liblinear(folder_.path("model")));
  EXPECT_EQ((std::vector<double>{1, 2, 3}), model.classes);
  EXPECT_EQ(9U, model.linear()->w.size());
  save_liblinear(model, folder_.path("again"));
  EXPECT_EQ(model, std::get<MulticlassModel>(load_liblinear(folder_.path("again"))));
}

}  // namespace
}  // namespace pegasos
