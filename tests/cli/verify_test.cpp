// pegasos verify on the command line: what it says, and that its exit code is the verdict.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/pegasos_program.h"
#include "pegasos/model.h"

namespace pegasos::testing {
namespace {

using nlohmann::json;

class Verify : public ::testing::Test {
 protected:
  Verify() {
    run({"generate", "--kind", "text", "--rows", "600", "--features", "900", "--seed", "3", "-o",
         path("t.svm")});
    run({"generate", "--kind", "friedman", "--rows", "300", "--seed", "3", "-o", path("f.svm")});
  }

  std::string path(const std::string& name) const { return folder_.path(name); }

  RunResult run(const std::vector<std::string>& arguments, int expected = 0) const {
    const RunResult result = pegasos(arguments);
    EXPECT_EXIT_CODE(expected, result);
    return result;
  }

  // The model of a file with these options, and what verify says of the two.
  RunResult verified(const std::string& data, const std::vector<std::string>& options) const {
    std::vector<std::string> line = {"train", path(data), path("m"), "-q"};
    line.insert(line.end(), options.begin(), options.end());
    run(line);
    return run({"verify", path(data), path("m")});
  }

  // After something in the model became other than it was.
  RunResult after(const std::function<void(LinearModel&)>& change, int expected) const {
    LinearModel model = std::get<LinearModel>(load_model(path("m")));
    change(model);
    save_model(model, path("changed"));
    return run({"verify", path("t.svm"), path("changed")}, expected);
  }

  TemporaryFolder folder_;
};

TEST_F(Verify, ClaimsOfTrainHold) {
  const std::vector<std::vector<std::string>> runs = {
      {},
      {"--keep-dual"},
      {"--solver", "pegasos", "--max-epochs", "3"},
      {"--solver", "sdca", "--tol", "1e-6", "--bias", "none"},
      {"--solver", "newton", "--tol", "1e-7", "--bias", "unregularised"},
      {"--loss", "logistic", "--bias", "exact", "--keep-dual", "--tol", "1e-5"},
      {"--loss", "squared-hinge", "-B", "2", "--positive", "-1"}};
  for (const auto& options : runs) {
    const RunResult result = verified("t.svm", options);
    EXPECT_TRUE(result.out.starts_with("holds: within ")) << result.out;
    EXPECT_TRUE(contains(result.out, "% of the optimum, proven (claimed ")) << result.out;
    EXPECT_FALSE(contains(result.out, "not the training data")) << result.out;
    EXPECT_EQ(result.err, "");
  }
  for (const char* loss : {"epsilon-insensitive", "squared-epsilon-insensitive", "huber"}) {
    for (const char* bias : {"none", "regularised", "unregularised"}) {
      const RunResult result =
          verified("f.svm", {"--loss", loss, "--bias", bias, "--task", "regression"});
      EXPECT_TRUE(result.out.starts_with("holds: within ")) << loss << bias << result.out;
    }
  }
}

TEST_F(Verify, ReadsTheSameRowsFromElsewhere) {
  verified("t.svm", {"--keep-dual"});
  run({"convert", path("t.svm"), path("t.bin")});
  EXPECT_FALSE(contains(run({"verify", path("t.bin"), path("m")}).out, "not the training data"));
  RunOptions options;
  options.input = contents_of(path("t.svm"));
  const auto piped = pegasos({"verify", "-", path("m")}, options);
  EXPECT_EXIT_CODE(0, piped);
}

TEST_F(Verify, WhatWasChangedIsRefuted) {
  verified("t.svm", {"--keep-dual", "--tol", "1e-4"});
  after([](LinearModel&) {}, 0);
  for (const auto& change : std::vector<std::function<void(LinearModel&)>>{
           [](LinearModel& model) { model.w[5] += 0.01; },
           [](LinearModel& model) { model.b -= 0.01; },
           [](LinearModel& model) { model.lambda *= 1.0001; },
           [](LinearModel& model) { model.certificate->primal *= 0.9999; },
           [](LinearModel& model) {
             std::swap(model.labels->positive, *model.labels->negative);
           }}) {
    const auto result = after(change, 6);
    EXPECT_TRUE(contains(result.out, "does not hold: the objective is")) << result.out;
  }
  for (const double value : {0.0, -9.0}) {
    const auto result = after(
        [&](LinearModel& model) {
          for (auto& dual : model.duals) {
            if (dual < 0.5) continue;
            dual = value;
            return;
          }
          FAIL();
        },
        6);
    EXPECT_TRUE(contains(result.out, "does not hold: the dual variables in the model only prove"))
        << result.out;
  }
  after([](LinearModel& model) { *model.certificate->dual *= 1 + 2e-5; }, 6);
}

TEST_F(Verify, WithoutDualsAClaimTooGoodIsDisproven) {
  verified("t.svm", {"--solver", "pegasos", "--max-epochs", "2"});
  const auto result = after(
      [](LinearModel& model) { model.certificate->dual = 0.999 * model.certificate->primal; }, 6);
  EXPECT_TRUE(contains(result.out, "does not hold: a better model has")) << result.out;
}

TEST_F(Verify, OtherDataIsNamedAsSuch) {
  verified("t.svm", {});
  const std::string rows = contents_of(path("t.svm"));
  folder_.file("fewer.svm", rows.substr(rows.find('\n') + 1));
  const auto fewer = run({"verify", path("fewer.svm"), path("m")}, 6);
  EXPECT_TRUE(contains(fewer.out, "it has 599 rows, the model was trained on 600")) << fewer.out;
  folder_.file("other.svm", rows.substr(rows.find('\n') + 1) + "1 1:1\n");
  const auto other = run({"verify", path("other.svm"), path("m")}, 6);
  EXPECT_TRUE(contains(other.out, "its fingerprint differs")) << other.out;
  // Every row twice has the same objective: the claim is true of it.
  folder_.file("twice.svm", rows + rows);
  const auto twice = run({"verify", path("twice.svm"), path("m")});
  EXPECT_TRUE(contains(twice.out, "holds: ") && contains(twice.out, "1,200 rows")) << twice.out;
}

TEST_F(Verify, JsonHasTheNumbers) {
  verified("t.svm", {"--keep-dual"});
  const auto kept = json::parse(run({"verify", path("t.svm"), path("m"), "--json"}).out);
  EXPECT_EQ(kept["holds"], true);
  EXPECT_EQ(kept["finding"], "holds");
  EXPECT_EQ(kept["duals_from"], "model");
  EXPECT_EQ(kept["same_data"], true);
  EXPECT_LE(kept["relative_gap"], kept["claimed"]["relative_gap"].get<double>() + 2e-9);
  EXPECT_EQ(kept["objective"], kept["claimed"]["objective"]);
  const auto model = json::parse(run({"inspect", path("m"), "--json"}).out);
  EXPECT_EQ(model["duals_kept"], true);
  EXPECT_EQ(model["dual"], kept["claimed"]["dual"]);
  EXPECT_TRUE(contains(run({"inspect", path("m")}).out, "proven, dual variables kept"));
  LinearModel changed = std::get<LinearModel>(load_model(path("m")));
  changed.w[0] += 1;
  changed.duals.clear();
  save_model(changed, path("changed"));
  const auto refuted =
      json::parse(run({"verify", path("t.svm"), path("changed"), "--json"}, 6).out);
  EXPECT_EQ(refuted["holds"], false);
  EXPECT_EQ(refuted["finding"], "objective-differs");
  EXPECT_TRUE(refuted["dual"].is_null());
}

TEST_F(Verify, ModelsWithoutAClaim) {
  verified("t.svm", {});
  LinearModel model = std::get<LinearModel>(load_model(path("m")));
  model.certificate.reset();
  save_model(model, path("silent"));
  const auto silent = run({"verify", path("t.svm"), path("silent")});
  EXPECT_TRUE(contains(silent.out, "no claim: ") && contains(silent.out, "proven")) << silent.out;
  run({"convert", path("m"), path("m.liblinear"), "--to", "liblinear", "-q"});
  const auto imported = run({"verify", path("t.svm"), path("m.liblinear")}, 2);
  EXPECT_TRUE(contains(imported.err, "lambda")) << imported.err;
}

TEST_F(Verify, MistakesAreExplained) {
  verified("t.svm", {});
  const auto swapped = run({"verify", path("m"), path("t.svm")}, 2);
  EXPECT_TRUE(contains(swapped.err, "swap the two file names")) << swapped.err;
  run({"verify", path("t.svm"), path("absent")}, 5);
  run({"verify", path("t.svm"), path("t.svm")}, 4);
  run({"verify", path("t.svm"), path("m"), "--max-epochs", "0"}, 2);
  run({"verify", folder_.file("unlabelled.svm", "1:1 2:1\n2:1\n"), path("m")}, 3);
}

TEST_F(Verify, ExactPrintsTheIntervalAndItsArithmetic) {
  run({"train", path("f.svm"), path("m"), "-q", "--keep-dual", "--tol", "1e-6"});
  const std::string out = run({"verify", path("f.svm"), path("m"), "--exact"}).out;
  EXPECT_NE(out.find("all digits certain"), std::string::npos) << out;
  EXPECT_NE(out.find("arithmetic   double-double"), std::string::npos) << out;
  double low = 0;
  double high = 0;
  const auto at = out.find("in [");
  ASSERT_NE(at, std::string::npos) << out;
  ASSERT_EQ(std::sscanf(out.c_str() + at, "in [%lf, %lf]", &low, &high), 2);
  EXPECT_LT(low, high);
  EXPECT_LE(high - low, 1e-6 * low);
  const json plain = json::parse(run({"verify", path("f.svm"), path("m"), "--json"}).out);
  EXPECT_EQ(plain["arithmetic"], "doubles");
  EXPECT_NEAR(plain["objective"], high, 1e-9 * high);
  EXPECT_LE(plain["objective_at_least"], plain["objective"]);
}

// The program that shares no code with this one, on models of every kind; and on a false claim.
TEST_F(Verify, TheIndependentCheckerAgrees) {
  const auto checked = [&](const std::string& data, const std::string& model) {
    const RunResult contents = run({"inspect", path(model), "--full"});
    std::ofstream(path("m.json")) << contents.out;
    return run_program(std::string(PEGASOS_SOURCE_DIR) + "/scripts/check_certificate",
                       {path(data), path("m.json")});
  };
  std::ofstream offset(path("o.svm"));
  offset.precision(15);
  for (int i = 0; i < 40; ++i) {
    offset << 1.6e9 + std::sin(i) + 0.01 * (i % 7) << " 1:" << std::sin(i) << " 2:" << i % 3
           << "\n";
  }
  offset.close();
  std::ofstream classes(path("c.svm"));
  for (int i = 0; i < 30; ++i) {
    classes << i % 3 << " 1:" << std::sin(i) << " 2:" << (i % 3) + 0.1 * std::cos(7 * i) << "\n";
  }
  classes.close();
  const std::vector<std::pair<std::string, std::vector<std::string>>> runs = {
      {"f.svm", {"--loss", "huber"}},
      {"o.svm", {"--loss", "epsilon-insensitive", "--bias", "unregularised", "--tol", "1e-6"}},
      {"o.svm", {"--kernel", "polynomial", "--bias", "unregularised"}},
      {"o.svm", {"--loss", "squared-epsilon-insensitive", "--bias", "exact"}},
      {"c.svm", {"--loss", "logistic", "--multiclass", "ovr", "--class-weight", "1=2.5"}},
      {"c.svm", {"--kernel", "rbf", "--multiclass", "ovo"}},
      {"c.svm", {"--kernel", "laplacian", "--positive", "2", "--loss", "squared-hinge"}},
      {"c.svm", {"--multiclass", "joint"}},
      {"c.svm", {"--multiclass", "joint", "--scale", "maxabs", "--bias", "none"}},
      {"o.svm", {"--scale", "standard"}},
      {"c.svm", {"--scale", "minmax", "--kernel", "rbf", "--positive", "1"}}};
  for (const auto& [data, options] : runs) {
    std::vector<std::string> line = {"train", path(data), path("m"), "-q", "--keep-dual"};
    line.insert(line.end(), options.begin(), options.end());
    run(line);
    const RunResult result = checked(data, "m");
    EXPECT_EQ(result.exit_code, 0) << data << " " << options[1] << result.out << result.err;
    EXPECT_NE(result.out.find("the claim holds"), std::string::npos);
  }
  run({"train", path("f.svm"), path("m"), "-q", "--keep-dual"});
  LinearModel model = std::get<LinearModel>(load_model(path("m")));
  *model.certificate->dual *= 1.0001;
  save_model(model, path("false"));
  EXPECT_EQ(checked("f.svm", "false").exit_code, 1);
}

}  // namespace
}  // namespace pegasos::testing
