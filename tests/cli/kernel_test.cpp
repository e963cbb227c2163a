// Kernel machines on the command line, from generated data to a verified model.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/pegasos_program.h"
#include "support/run_program.h"

namespace pegasos::testing {
namespace {

using nlohmann::json;

class Kernel : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }

  RunResult run(std::vector<std::string> arguments, int expected = 0) const {
    const RunResult result = pegasos(arguments, {});
    EXPECT_EXIT_CODE(expected, result);
    return result;
  }

  // Rows of a generated kind, and others to test on.
  void generate(const std::string& kind, const std::string& rows = "400") const {
    run({"generate", "--kind", kind, "--rows", rows, "--seed", "7", "-o", path("train.svm"), "-q"});
    run({"generate", "--kind", kind, "--rows", rows, "--seed", "8", "-o", path("test.svm"), "-q"});
  }

  RunResult train(std::vector<std::string> more, int expected = 0) const {
    std::vector<std::string> line = {"train", path("train.svm"), path("m")};
    line.insert(line.end(), more.begin(), more.end());
    return run(line, expected);
  }

  json inspected() const { return json::parse(run({"inspect", path("m"), "--json"}).out); }
  json evaluated() const {
    return json::parse(run({"evaluate", path("test.svm"), path("m"), "--json"}).out);
  }

  TemporaryFolder folder_;
};

TEST_F(Kernel, SolvesMoonsAndXorAndProvesIt) {
  for (const char* kind : {"moons", "xor"}) {
    generate(kind);
    const auto result = train({"--kernel", "rbf", "-c", "10", "--test", path("test.svm")});
    for (const char* part :
         {"kernel rbf, gamma", "(scale: 1/(features", "--kernel rbf --gamma ", "--bias none",
          "--solver auto", "of the optimum, proven", "support vectors", "bounded", "test error",
          "of dual ascent", "from the cache"}) {
      EXPECT_TRUE(contains(result.err, part)) << part << " in\n" << result.err;
    }
    EXPECT_GE(evaluated()["accuracy"], 0.95);
    EXPECT_TRUE(contains(run({"verify", path("train.svm"), path("m")}).out, "holds: within"));
    run({"verify", path("test.svm"), path("m")}, 6);
    const json model = inspected();
    EXPECT_EQ(model["kind"], "kernel");
    EXPECT_EQ(model["kernel"]["kind"], "rbf");
    EXPECT_LE(model["relative_gap"], 1e-3);
    EXPECT_GE(model["support_rows"], model["bounded"]);
    EXPECT_GE(model["support_rows"], model["support_vectors"]);
    EXPECT_GT(model["norm"], 0);
    const std::string words = run({"inspect", path("m")}).out;
    for (const char* part : {"kernel model", "rbf, gamma", "of 400 rows, "}) {
      EXPECT_TRUE(contains(words, part)) << part << " in\n" << words;
    }
  }
}

TEST_F(Kernel, TheExplicitLineGivesTheSameModel) {
  generate("moons");
  const auto first = train({"-t", "1", "-g", "0.5", "-r", "1", "-d", "4", "--cache", "1M"});
  const auto begin = first.err.find("  pegasos train ") + 10;
  std::string line = first.err.substr(begin, first.err.find('\n', begin) - begin);
  std::istringstream words(line);
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  arguments[2] = path("again");
  run(arguments);
  const json again = json::parse(run({"inspect", path("again"), "--json"}).out);
  EXPECT_EQ(again["kernel"], inspected()["kernel"]);
  EXPECT_EQ(again["objective"], inspected()["objective"]);
  EXPECT_EQ(again["norm"], inspected()["norm"]);
}

TEST_F(Kernel, PredictStreamsTheSameScoresOnAnyThreads) {
  generate("moons", "3000");
  train({"--kernel", "rbf"});
  const auto one =
      run({"predict", path("test.svm"), path("m"), "--scores", "--threads", "1", "-q"}).out;
  EXPECT_EQ(one,
            run({"predict", path("test.svm"), path("m"), "--scores", "--threads", "3", "-q"}).out);
  run({"convert", path("test.svm"), path("test.bin"), "-q"});
  EXPECT_EQ(one, run({"predict", path("test.bin"), path("m"), "--scores", "-q"}).out);
  const auto piped = pegasos({"predict", "-", path("m"), "--scores", "-q"},
                             {.input = contents_of(path("test.svm"))});
  EXPECT_EQ(one, piped.out);
  EXPECT_EQ(3000, std::count(one.begin(), one.end(), '\n'));
}

TEST_F(Kernel, Regression) {
  generate("friedman");
  const auto result = train({"--kernel", "rbf", "-c", "100", "--bias", "unregularised", "--test",
                             path("test.svm"), "--json"});
  const json model = json::parse(result.out);
  EXPECT_EQ(model["task"], "regression");
  EXPECT_LE(model["test_mean_absolute_error"], 2.0);  // the noise alone is 0.8
  EXPECT_GT(model["kernel_rows"]["hit_rate"], 0.0);
  EXPECT_GE(evaluated()["r2"], 0.7);
  run({"verify", path("train.svm"), path("m")});
}

TEST_F(Kernel, PurePegasosAndItsTrace) {
  generate("moons");
  train({"--kernel", "rbf", "--solver", "pegasos", "--max-epochs", "5", "--trace", path("t.csv")});
  std::istringstream trace(contents_of(path("t.csv")));
  std::vector<std::string> lines;
  for (std::string line; std::getline(trace, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 7u);  // the last epoch again, in double precision
  EXPECT_TRUE(lines[0].starts_with("epoch,blocks,steps,"));
  EXPECT_TRUE(contains(lines[0], ",support_vectors,bounded,"));
  EXPECT_TRUE(lines[1].starts_with("1,0,400,400,"));
  EXPECT_TRUE(lines[6].starts_with("5,0,2000,2000,"));
  EXPECT_EQ(inspected()["training"]["solver"], "pegasos");
  const auto strict =
      train({"--kernel", "rbf", "--batch", "10", "--max-epochs", "1", "--strict"}, 6);
  EXPECT_TRUE(contains(strict.err, "--kernel rbf --gamma ")) << strict.err;
  EXPECT_TRUE(contains(strict.err, "to reach it:")) << strict.err;
}

TEST_F(Kernel, WithoutAProofItSaysSo) {
  generate("moons");
  const auto result = train({"--kernel", "sigmoid", "--gamma", "0.1"});
  EXPECT_TRUE(contains(result.err, "certificate  none")) << result.err;
  EXPECT_TRUE(contains(result.err, "not known to be positive semidefinite")) << result.err;
  EXPECT_EQ(inspected()["certifiable"], false);
  EXPECT_FALSE(inspected().contains("relative_gap"));
  EXPECT_TRUE(contains(run({"verify", path("train.svm"), path("m")}).out, "no claim"));
  const auto strict = train({"--kernel", "sigmoid", "--strict"}, 2);
  EXPECT_TRUE(contains(strict.err, "--strict")) << strict.err;
}

TEST_F(Kernel, KeptDualsProveAndStartTheNext) {
  generate("moons");
  train({"--kernel", "rbf", "--keep-dual"});
  const json verified = json::parse(run({"verify", path("train.svm"), path("m"), "--json"}).out);
  EXPECT_EQ(verified["duals_from"], "model");
  EXPECT_EQ(verified["holds"], true);
  const auto next = run({"train", path("train.svm"), path("n"), "--kernel", "rbf", "--warm-start",
                         path("m"), "--tol", "1e-5"});
  EXPECT_TRUE(contains(next.err, "warm start from")) << next.err;
  run({"train", path("train.svm"), path("n"), "--warm-start", path("m")}, 2);
}

TEST_F(Kernel, ApproximationsCarryTheirMap) {
  generate("moons");
  for (const char* kind : {"rff", "nystroem"}) {
    const auto result = train({"--kernel", "rbf", "--approx", kind, "--components", "100", "--test",
                               path("test.svm"), "-c", "10"});
    EXPECT_TRUE(contains(result.err, "for the approximate problem")) << result.err;
    EXPECT_GE(evaluated()["accuracy"], 0.95);
    const json model = inspected();
    EXPECT_EQ(model["kind"], "linear");
    EXPECT_EQ(model["map"]["approximation"], kind);
    EXPECT_EQ(model["map"]["components"], 100);
    EXPECT_EQ(model["features"], 2);
    EXPECT_TRUE(contains(run({"verify", path("train.svm"), path("m")}).out, "holds"));
    EXPECT_TRUE(contains(run({"inspect", path("m")}).out, "100 components"));
    run({"convert", path("m"), path("l"), "--to", "liblinear"}, 1);
  }
}

TEST_F(Kernel, LibsvmsPrecomputedForm) {
  // Two points of each class on a line, the linear kernel of 1, 2, -1, -2.
  folder_.file("gram.svm",
               "1 0:1 1:1 2:2 3:-1 4:-2\n1 0:2 1:2 2:4 3:-2 4:-4\n"
               "-1 0:3 1:-1 2:-2 3:1 4:2\n-1 0:4 1:-2 2:-4 3:2 4:4\n");
  const auto result =
      run({"train", path("gram.svm"), path("m"), "--kernel", "precomputed", "--psd", "--strict"});
  EXPECT_TRUE(contains(result.err, "of the optimum, proven")) << result.err;
  run({"verify", path("gram.svm"), path("m")});
  // Rows to predict have any serial number, and the values with the training rows.
  folder_.file("new.svm", "1 0:9 1:3 2:6 3:-3 4:-6\n-1 0:10 1:-0.5 2:-1 3:0.5 4:1\n");
  EXPECT_EQ("1\n-1\n", run({"predict", path("new.svm"), path("m"), "-q"}).out);
}

TEST_F(Kernel, MistakesAreNamed) {
  generate("moons", "50");
  const auto refused = [&](std::vector<std::string> more, const std::string& part, int code = 2) {
    const auto result = train(std::move(more), code);
    EXPECT_TRUE(contains(result.err, part)) << part << " in\n" << result.err;
    EXPECT_FALSE(std::filesystem::exists(path("m")));
  };
  refused({"--kernel", "rbf", "--gamma", "0"}, "--gamma: must be greater than 0");
  refused({"--kernel", "rbf", "--gamma", "wide"}, "'wide' is not scale, auto or a number");
  refused({"--kernel", "polynomial", "--degree", "0"}, "--degree: must be from 1 to 1000");
  refused({"--kernel", "polynomial", "--coef0", "-1"}, "--coef0: must be 0 or more");
  refused({"--kernel", "gauss"}, "is not one of linear, polynomial, rbf");
  refused({"--kernel", "rbf", "-t", "2"}, "mean the same");
  refused({"--gamma", "1"}, "--gamma needs a kernel");
  refused({"--kernel", "rbf", "--solver", "newton"}, "--solver newton is for linear models");
  refused({"--kernel", "rbf", "--bias", "exact"}, "--bias exact is for linear models");
  refused({"--kernel", "rbf", "--components", "64"}, "--components needs --approx");
  refused({"--kernel", "rbf", "--approx", "tensorsketch"}, "--approx: tensorsketch is for");
  refused({"--kernel", "chi-squared"}, "the chi-squared kernel needs non-negative values");
  refused({"--kernel", "rbf", "--cache", "1000T"}, "are free", 1);
  refused({"--kernel", "rbf", "--approx", "rff", "--components", "200G"}, "fewer components", 1);
}

TEST_F(Kernel, SwappedArgumentsAreExplained) {
  generate("moons", "50");
  train({"--kernel", "rbf"});
  const auto result = run({"predict", path("m"), path("train.svm")}, 2);
  EXPECT_TRUE(contains(result.err, "swap the two file names")) << result.err;
  const auto convert = run({"convert", path("m"), path("l"), "--to", "liblinear"}, 2);
  EXPECT_TRUE(contains(convert.err, "use --to libsvm")) << convert.err;
  run({"convert", path("m"), path("copy"), "--to", "pegasos"});
  EXPECT_EQ(contents_of(path("m")), contents_of(path("copy")));
}

TEST_F(Kernel, CtrlCKeepsTheModelAndProgressIsShown) {
  generate("moons", "2000");
  RunOptions options;
  options.terminal = RunOptions::Terminal::standard_error;
  const auto start = std::chrono::steady_clock::now();
  // Time for a progress line or two.
  const std::chrono::milliseconds enough(kIsSanitized ? 5000 : 700);
  options.signal_when = [=] { return std::chrono::steady_clock::now() - start > enough; };
  options.signals = {SIGINT};
  const auto result = pegasos({"train", path("train.svm"), path("m"), "--kernel", "rbf", "--solver",
                               "pegasos", "--max-epochs", "100000", "--tol", "0"},
                              options);
  EXPECT_EXIT_CODE(130, result);
  EXPECT_TRUE(contains(result.err, "the current model was saved")) << result.err;
  EXPECT_TRUE(contains(result.err, " vectors  cache ")) << result.err;
  EXPECT_TRUE(contains(result.err, " left")) << result.err;
  EXPECT_EQ(true, inspected()["training"]["interrupted"]);
  EXPECT_GE(evaluated()["accuracy"], 0.9);
}

}  // namespace
}  // namespace pegasos::testing
