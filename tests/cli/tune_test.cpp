// tune, train -v, train --lambda auto and --scale on the command line.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

using nlohmann::json;

class Tune : public ::testing::Test {
 protected:
  Tune() {
    pegasos({"generate", "--kind", "text", "--rows", "600", "--features", "500", "--seed", "7",
             "--label-noise", "0.1", "-o", path("a.svm")});
  }

  std::string path(const std::string& name) const { return folder_.path(name); }

  TemporaryFolder folder_;
};

TEST_F(Tune, NeedsNoFlagsAndEndsWithTheCommand) {
  const auto result = pegasos({"tune", path("a.svm")});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_TRUE(contains(result.out, "chosen")) << result.out;
  EXPECT_EQ(13, std::count(result.out.begin(), result.out.end(), '\n')) << result.out;
  const std::string last = result.out.substr(result.out.rfind('\n', result.out.size() - 2) + 1);
  EXPECT_EQ(0U, last.rfind("pegasos train " + path("a.svm") + " --lambda ", 0)) << last;
  EXPECT_TRUE(contains(result.err, "chosen: lambda ")) << result.err;
}

TEST_F(Tune, TrainsWhatItChose) {
  const auto result = pegasos({"tune", path("a.svm"), "--c-grid", "0.01:100:5", "--choose", "best",
                               "--scale", "maxabs", "--train", path("m"), "--folds", "3"});
  EXPECT_EXIT_CODE(0, result);
  const auto plain = pegasos({"tune", path("a.svm"), "--cs", "0.01,0.1,1,10,100", "--choose",
                              "best", "--scale", "maxabs", "--json", "--folds", "3"});
  EXPECT_EXIT_CODE(0, plain);
  const json found = json::parse(plain.out);
  EXPECT_EQ(5U, found["points"].size());
  const json model = json::parse(pegasos({"inspect", path("m"), "--json"}).out);
  EXPECT_NEAR(found["chosen"]["c"].get<double>(), model["c"].get<double>(), 1e-9);
  EXPECT_EQ("maxabs", model["scaling"]);
  EXPECT_EXIT_CODE(0, pegasos({"verify", path("a.svm"), path("m")}));
  EXPECT_TRUE(contains(pegasos({"inspect", path("m")}).out, "scaling")) << result.err;
  const std::string command = found["command"];
  EXPECT_TRUE(contains(command, " -c ")) << command;
  EXPECT_TRUE(contains(command, " --scale maxabs")) << command;
}

TEST_F(Tune, PrintsACommandThatForgetsNothing) {
  const auto result =
      pegasos({"tune", path("a.svm"), "--lambdas", "0.1,0.01", "--folds", "2", "--probability",
               "--keep-dual", "--strict", "--balanced", "--tol", "0.01", "--seed", "3"});
  EXPECT_EXIT_CODE(0, result);
  const std::string last = result.out.substr(result.out.rfind('\n', result.out.size() - 2) + 1);
  for (const char* part : {" --probability platt", " --keep-dual", " --strict", " --balanced",
                           " --tol 0.01", " --seed 3", " --lambda 0."}) {
    EXPECT_TRUE(contains(last, part)) << part << " in " << last;
  }
}

// Tables learn standardised targets unless told otherwise, and the command has to tell it, too.
TEST_F(Tune, PrintsWhetherTargetsAreScaled) {
  std::string text = "x,z,price\n";
  for (int i = 0; i < 90; ++i) {
    text += std::to_string(i % 13) + "," + std::to_string(i % 7) + "," +
            std::to_string(0.5 + 100 * (i % 13) + 17 * (i % 7) + i) + "\n";
  }
  const std::string data = folder_.file("prices.csv", text);
  const auto command_of = [&](const std::string& target) {
    const auto tuned = pegasos({"tune", data, "--label", "price", "--target", target, "--folds",
                                "2", "--lambdas", "0.1,0.01", "--json"});
    EXPECT_EXIT_CODE(0, tuned);
    return json::parse(tuned.out)["command"].get<std::string>();
  };
  EXPECT_TRUE(contains(command_of("none"), " --target none")) << command_of("none");
  EXPECT_TRUE(contains(command_of("log"), " --target log")) << command_of("log");
}

TEST_F(Tune, WideSearchesOfTablesPrintTheCommandThatRepeatsTheChoice) {
  std::string text = "wide,narrow,town,kind\n";
  for (int i = 0; i < 80; ++i) {
    text += std::to_string(i * i * 31 % 997) + "," + std::to_string(0.01 * (i * 7 % 13)) + "," +
            (i % 3 == 0 ? "Rome" : "Oslo") + "," + (i * i * 31 % 997 > 500 ? "yes" : "no") + "\n";
  }
  folder_.file("a.csv", text);
  const auto found = pegasos({"tune", path("a.csv"), "--search", "wide", "--json"});
  EXPECT_EXIT_CODE(0, found);
  const json wide = json::parse(found.out);
  EXPECT_EQ("standard", wide["points"].front()["scaling"]);
  const std::string command = wide["command"];
  const std::string scaling = wide["chosen"]["scaling"];
  EXPECT_TRUE(contains(command, " --scale " + scaling)) << command;
  EXPECT_TRUE(contains(command, " --loss ")) << command;
  const auto trained =
      pegasos({"tune", path("a.csv"), "--search", "wide", "--train", path("one.model")});
  EXPECT_EXIT_CODE(0, trained);
  std::vector<std::string> words;
  std::stringstream all(command);
  for (std::string word; all >> word;) words.push_back(word);
  words.erase(words.begin());
  words.insert(words.begin() + 2, path("two.model"));
  EXPECT_EXIT_CODE(0, pegasos(words));
  const auto weights = [&](const char* model) {
    return json::parse(pegasos({"inspect", path(model), "--json", "--top", "0"}).out)["top"];
  };
  EXPECT_EQ(weights("one.model"), weights("two.model"));
  // A table that says one line for each combination.
  const auto table = pegasos({"tune", path("a.csv"), "--search", "wide", "--choose", "best"});
  EXPECT_EQ(7, std::count(table.out.begin(), table.out.end(), '\n')) << table.out;
  const auto kept = pegasos({"tune", path("a.csv"), "--search", "wide", "--scale", "none"});
  EXPECT_FALSE(contains(kept.out, "standard")) << kept.out;
  const auto piped = pegasos({"tune", "-", "--search", "wide"}, {.input = text});
  EXPECT_TRUE(contains(piped.err, "standard input cannot be read again")) << piped.err;
}

TEST_F(Tune, EndsInTime) {
  const auto result = pegasos({"tune", path("a.svm"), "--max-time", "1e-9"});
  EXPECT_EXIT_CODE(1, result);
  EXPECT_TRUE(contains(result.err, "the time limit was reached")) << result.err;
}

TEST_F(Tune, HasTheBestSoFarAfterASignal) {
  const auto start = std::chrono::steady_clock::now();
  // Every strength takes a while to be met to 1e-9: far more of them than a second has room for.
  const auto result = pegasos(
      {"tune", path("a.svm"), "--c-grid", "1e-4:1:5000", "--search-tol", "1e-9", "--checkpoint",
       path("c"), "--json"},
      {.signal_when =
           [start] { return std::chrono::steady_clock::now() - start > std::chrono::seconds(1); },
       .signals = {SIGINT},
       .timeout = std::chrono::seconds(30)});
  EXPECT_EXIT_CODE(130, result);
  const json found = json::parse(result.out);
  EXPECT_TRUE(found["interrupted"]);
  EXPECT_GE(found["points"].size(), 1U);
  EXPECT_LT(found["points"].size(), 5000U);
}

TEST_F(Tune, RefusesWhatExcludesItself) {
  EXPECT_EXIT_CODE(2, pegasos({"tune", path("a.svm"), "--lambdas", "1", "--cs", "1"}));
  EXPECT_EXIT_CODE(2, pegasos({"tune", path("a.svm"), "--lambda-grid", "1:2"}));
  EXPECT_EXIT_CODE(2, pegasos({"tune", path("a.svm"), "--folds", "3", "--holdout", "0.5"}));
  EXPECT_EXIT_CODE(2, pegasos({"tune", path("a.svm"), "--lambdas", "0"}));
  EXPECT_EXIT_CODE(2, pegasos({"tune", path("a.svm"), "--gammas", "1"}));
  EXPECT_EXIT_CODE(2, pegasos({"tune", path("a.svm"), "--warm-start", "m"}));
  EXPECT_EXIT_CODE(2, pegasos({"train", path("a.svm"), "--lambda", "auto", "-c", "1"}));
  EXPECT_EXIT_CODE(2, pegasos({"train", path("a.svm"), path("m"), "-v", "5"}));
}

TEST_F(Tune, CrossValidatesAsLiblinearDoes) {
  RunOptions here;
  here.folder = path("");
  const auto result = pegasos({"train", "a.svm", "-v", "5"}, here);
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ(0U, result.out.rfind("Cross Validation Accuracy = ", 0)) << result.out;
  EXPECT_EQ(std::vector<std::string>{"a.svm"}, files_in(path("")));
  const json found = json::parse(pegasos({"train", "a.svm", "-v", "5", "--json"}, here).out);
  EXPECT_GT(found["accuracy"], 0.5);
  EXPECT_LE(found["relative_gap"], 1e-3);
}

TEST_F(Tune, FindsLambdaForTrain) {
  const auto result =
      pegasos({"train", path("a.svm"), path("m"), "--lambda", "auto", "--scale", "standard"});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_TRUE(contains(result.err, "lambda auto: lambda 607")) << result.err;
  EXPECT_TRUE(contains(result.err, "does not centre")) << result.err;
  const auto predicted = pegasos({"predict", path("a.svm"), path("m"), path("out")});
  EXPECT_EXIT_CODE(0, predicted);
  EXPECT_TRUE(contains(predicted.err, "accuracy")) << predicted.err;
}

TEST_F(Tune, ScaledModelsLoseNothingInLiblinearsFormat) {
  EXPECT_EXIT_CODE(0, pegasos({"train", path("a.svm"), path("m"), "--scale", "maxabs"}));
  EXPECT_EXIT_CODE(0, pegasos({"convert", path("m"), path("l"), "--to", "liblinear"}));
  const auto ours = pegasos({"predict", path("a.svm"), path("m"), "-"});
  const auto theirs = pegasos({"predict", path("a.svm"), path("l"), "-"});
  EXPECT_EQ(ours.out, theirs.out);
  EXPECT_EXIT_CODE(0, pegasos({"train", path("a.svm"), path("m"), "--scale", "unit-row"}));
  const auto refused = pegasos({"convert", path("m"), path("l"), "--to", "liblinear"});
  EXPECT_EXIT_CODE(1, refused);
  EXPECT_TRUE(contains(refused.err, "unit-row")) << refused.err;
}

}  // namespace
}  // namespace pegasos::testing
