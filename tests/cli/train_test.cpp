// train, predict, evaluate and models on the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/pegasos_program.h"
#include "support/run_program.h"

namespace pegasos::testing {
namespace {

using nlohmann::json;

// A folder with a data set of two classes, 800 rows to learn from and 400 to test on.
class Train : public ::testing::Test {
 protected:
  Train() {
    run({"generate", "--kind", "text", "--rows", "1200", "--features", "2000", "--seed", "7", "-o",
         path("all.svm")});
    const std::string all = contents_of(path("all.svm"));
    std::size_t cut = 0;
    for (int line = 0; line < 800; ++line) cut = all.find('\n', cut) + 1;
    folder_.file("train.svm", all.substr(0, cut));
    folder_.file("test.svm", all.substr(cut));
  }

  std::string path(const std::string& name) const { return folder_.path(name); }

  RunResult run(std::vector<std::string> arguments, int expected = 0) const {
    const RunResult result = pegasos(arguments, {});
    EXPECT_EXIT_CODE(expected, result);
    return result;
  }

  std::string trained(std::vector<std::string> more = {}) const {
    std::vector<std::string> line = {"train", path("train.svm"), path("m"), "--max-epochs", "20"};
    line.insert(line.end(), more.begin(), more.end());
    run(line);
    return path("m");
  }

  TemporaryFolder folder_;
};

TEST_F(Train, NeedsNoFlagsAndSaysWhatItDecided) {
  RunOptions options;
  options.folder = path("");
  const auto result = pegasos({"train", path("train.svm")}, options);
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ("", result.out);
  for (const char* part : {"svmlight, indices from 1", "800 rows", "1 (positive) against -1",
                           "--loss hinge", "--bias regularised", "objective", "lower bound",
                           "of the optimum, proven", "train error", "solver", "train.svm.model"}) {
    EXPECT_TRUE(contains(result.err, part)) << part << " in\n" << result.err;
  }
  EXPECT_TRUE(std::filesystem::exists(path("train.svm.model")));
}

TEST_F(Train, TheExplicitLineGivesTheSameModel) {
  const auto first = run({"train", path("train.svm"), path("a"), "--max-epochs", "7", "-c", "2"});
  const auto begin = first.err.find("  pegasos train ") + 2;
  std::string line = first.err.substr(begin, first.err.find('\n', begin) - begin);
  line.replace(line.find(path("a")), path("a").size(), path("b"));
  std::vector<std::string> words;
  for (std::size_t at = std::string("pegasos ").size(); at < line.size();) {
    const auto end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  run(words);
  const auto a = json::parse(run({"inspect", path("a"), "--json"}).out);
  const auto b = json::parse(run({"inspect", path("b"), "--json"}).out);
  EXPECT_EQ(a["norm"], b["norm"]);
  EXPECT_EQ(a["objective"], b["objective"]);
}

TEST_F(Train, SameSeedSameBytesOnAnyNumberOfThreads) {
  run({"train", path("train.svm"), path("one"), "--max-epochs", "5", "--threads", "1"});
  run({"train", path("train.svm"), path("four"), "--max-epochs", "5", "--threads", "4"});
  run({"train", path("train.svm"), path("other"), "--max-epochs", "5", "--seed", "2"});
  EXPECT_EQ(contents_of(path("one")), contents_of(path("four")));
  EXPECT_NE(contents_of(path("one")), contents_of(path("other")));
}

TEST_F(Train, EveryChoiceOfTheSolverRuns) {
  const std::vector<std::vector<std::string>> choices = {
      {"--loss", "squared-hinge"},
      {"--loss", "logistic"},
      {"--batch", "16"},
      {"--batch", "800"},
      {"--sampling", "iid"},
      {"--sampling", "without-replacement", "--batch", "8"},
      {"--sampling", "fixed"},
      {"--project"},
      {"--average", "mean"},
      {"--average", "suffix"},
      {"--average", "weighted"},
      {"--bias", "none"},
      {"--bias", "unregularised"},
      {"--bias", "exact", "--batch", "100"},
      {"-B", "0.5"},
      {"-B", "-1"},
      {"--lambda", "0.01"},
      {"--step-offset", "100"},
      {"--steps", "50"},
      {"--positive", "-1"}};
  for (const auto& choice : choices) {
    std::vector<std::string> line = {"train", path("train.svm"), path("m"), "--max-epochs",
                                     "3",     "--json",          "-q"};
    line.insert(line.end(), choice.begin(), choice.end());
    const auto result = run(line);
    const auto seen = json::parse(result.out);
    EXPECT_GE(seen["objective"].get<double>(), seen["dual"].get<double>()) << choice[0];
  }
}

TEST_F(Train, StopsWhenTheToleranceIsProven) {
  const auto seen = json::parse(run({"train", path("train.svm"), path("m"), "--lambda", "0.1",
                                     "--tol", "0.05", "--max-epochs", "500", "--json", "-q"})
                                    .out);
  EXPECT_LE(seen["relative_gap"].get<double>(), 0.05);
  EXPECT_LT(seen["training"]["epochs"].get<int>(), 500);
}

TEST_F(Train, SaysWhatToDoWhenItIsNot) {
  const auto result =
      run({"train", path("train.svm"), path("m"), "--solver", "sdca", "--max-epochs", "1"});
  EXPECT_TRUE(contains(result.err, "the tolerance 0.1 % was not reached")) << result.err;
  EXPECT_TRUE(contains(result.err, "to reach it:  pegasos train")) << result.err;
  EXPECT_TRUE(contains(result.err, "--max-epochs 1000")) << result.err;
  const auto pure = run({"train", path("train.svm"), path("m"), "--batch", "10", "--steps", "80"});
  EXPECT_TRUE(contains(pure.err, "decreases as 1/epochs")) << pure.err;
  EXPECT_TRUE(contains(pure.err, "--solver auto")) << pure.err;
  EXPECT_TRUE(contains(pure.err, "lemma")) << pure.err;
}

TEST_F(Train, StrictFailsWithItsOwnExitCodeAndStillWritesTheModel) {
  run({"train", path("train.svm"), path("m"), "--solver", "sdca", "--max-epochs", "1", "--strict"},
      6);
  run({"inspect", path("m")});
  run({"train", path("train.svm"), path("m"), "--strict"});
}

TEST_F(Train, FlagsOfPegasosMeanPegasos) {
  const auto seen =
      json::parse(run({"train", path("train.svm"), path("m"), "--batch", "5", "--json", "-q"}).out);
  EXPECT_GT(seen["seconds_reading"].get<double>(), 0.0);
  EXPECT_GT(seen["seconds"].get<double>(), 0.0);
  EXPECT_EQ(seen["training"]["solver"], "pegasos");
  const auto refused =
      run({"train", path("train.svm"), path("m"), "--batch", "5", "--solver", "sdca"}, 2);
  EXPECT_TRUE(contains(refused.err, "--batch is an option of Pegasos")) << refused.err;
}

TEST_F(Train, BeginsFromAModel) {
  run({"train", path("train.svm"), path("m"), "--tol", "1e-6", "--keep-dual"});
  for (const char* solver : {"sdca", "newton"}) {
    const auto result = run({"train", path("train.svm"), path("n"), "--solver", solver, "--tol",
                             "1e-5", "--continue", path("m")});
    EXPECT_TRUE(contains(result.err, "its weights and dual variables")) << result.err;
    const auto seen = json::parse(run({"inspect", path("n"), "--json"}).out);
    EXPECT_LE(seen["training"]["epochs"].get<int>(), 1) << solver;
  }
  run({"generate", "--kind", "text", "--rows", "300", "--seed", "5", "-o", path("other.svm")});
  const auto other = run({"train", path("other.svm"), path("n"), "--warm-start", path("m")});
  EXPECT_TRUE(contains(other.err, "not for the first rows of this file")) << other.err;
}

TEST_F(Train, TracesEveryEpochAndScoresTheTestRows) {
  run({"train", path("train.svm"), path("m"), "--solver", "pegasos", "--max-epochs", "4", "--tol",
       "1e-9", "--test", path("test.svm"), "--trace", path("trace.csv")});
  const std::string trace = contents_of(path("trace.csv"));
  EXPECT_EQ(5, std::count(trace.begin(), trace.end(), '\n'));
  EXPECT_TRUE(trace.starts_with("epoch,steps,rows_seen,seconds,violations,objective,"));
  const std::string last = trace.substr(trace.rfind('\n', trace.size() - 2) + 1);
  const double test_error = std::stod(last.substr(last.rfind(',') + 1));
  const auto seen = json::parse(run({"evaluate", path("test.svm"), path("m"), "--json"}).out);
  EXPECT_NEAR(1.0 - seen["accuracy"].get<double>(), test_error, 1e-12);
}

TEST_F(Train, LearnsWhatItShould) {
  const auto model = trained();
  const auto seen = json::parse(run({"evaluate", path("test.svm"), model, "--json"}).out);
  EXPECT_GT(seen["accuracy"].get<double>(), 0.85);
  EXPECT_GT(seen["auc"].get<double>(), 0.9);
  const auto& table = seen["confusion"];
  EXPECT_EQ(400, table["true_positive"].get<int>() + table["false_positive"].get<int>() +
                     table["true_negative"].get<int>() + table["false_negative"].get<int>());
}

TEST_F(Train, PredictsALineARowInOrder) {
  const auto model = trained();
  const auto to_stdout = run({"predict", path("test.svm"), model});
  run({"predict", path("test.svm"), model, path("labels")});
  EXPECT_EQ(to_stdout.out, contents_of(path("labels")));
  EXPECT_EQ(400, std::count(to_stdout.out.begin(), to_stdout.out.end(), '\n'));
  EXPECT_TRUE(contains(to_stdout.err, "accuracy")) << to_stdout.err;
  const auto scores = run({"predict", path("test.svm"), model, "--scores"}).out;
  std::istringstream labels(to_stdout.out);
  std::istringstream values(scores);
  std::string label;
  double value = 0;
  while (labels >> label && values >> value) EXPECT_EQ(value > 0 ? "1" : "-1", label);
  for (const char* threads : {"1", "2", "8"}) {
    EXPECT_EQ(to_stdout.out, run({"predict", path("test.svm"), model, "--threads", threads}).out);
  }
}

TEST_F(Train, PredictsTheSameFromEveryFormat) {
  const auto model = trained();
  const auto expected = run({"predict", path("test.svm"), model, "--scores"}).out;
  run({"convert", path("test.svm"), path("test.bin")});
  EXPECT_EQ(expected, run({"predict", path("test.bin"), model, "--scores"}).out);
  RunOptions options;
  options.input = contents_of(path("test.svm"));
  const auto piped = pegasos({"predict", "-", model, "--scores"}, options);
  EXPECT_EXIT_CODE(0, piped);
  EXPECT_EQ(expected, piped.out);
}

TEST_F(Train, IgnoresUnseenFeaturesWithANoteAndNeedsNoLabels) {
  const auto model = trained();
  const auto rows = folder_.file("new.svm", "1:0.5 999999:1\n+1 2:1\n3:1\n");
  const auto result = run({"predict", rows, model});
  EXPECT_EQ(3, std::count(result.out.begin(), result.out.end(), '\n'));
  EXPECT_TRUE(contains(result.err, "note:")) << result.err;
}

TEST_F(Train, UnderstandsThatDataAndModelWereSwapped) {
  const auto model = trained();
  const auto result = run({"predict", model, path("test.svm")}, 2);
  EXPECT_TRUE(contains(result.err, "the data file comes first")) << result.err;
  run({"evaluate", model, path("test.svm")}, 2);
}

TEST_F(Train, RefusesModelsItCannotTrust) {
  const auto model = trained();
  std::string bytes = contents_of(model);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  run({"predict", path("test.svm"), folder_.file("bent", bytes)}, 4);
  run({"inspect", folder_.file("cut", bytes.substr(0, 100))}, 4);
  run({"predict", path("test.svm"), folder_.file("text", "hello\n")}, 4);
  run({"predict", path("test.svm"), path("absent")}, 5);
}

TEST_F(Train, ConvertsModelsToLiblinearAndBack) {
  const auto model = trained();
  run({"convert", model, path("ll"), "--to", "liblinear"});
  EXPECT_TRUE(contents_of(path("ll")).starts_with("solver_type L2R_L1LOSS_SVC_DUAL"));
  EXPECT_EQ(run({"predict", path("test.svm"), model, "--scores"}).out,
            run({"predict", path("test.svm"), path("ll"), "--scores"}).out);
  run({"convert", path("ll"), path("back"), "--to", "pegasos"});
  EXPECT_EQ(run({"predict", path("test.svm"), model}).out,
            run({"predict", path("test.svm"), path("back")}).out);
  run({"convert", model, path("x"), "--to", "csv"}, 2);
  run({"convert", path("test.svm"), path("x"), "--to", "liblinear"}, 2);
}

TEST_F(Train, WordsTablesAndRegression) {
  const auto table =
      folder_.file("t.csv",
                   "size,city,label\n1,Rome,cheap\n2,Rome,cheap\n9,Oslo,dear\n8,Oslo,dear\n"
                   "7,Rome,dear\n1,Oslo,cheap\n");
  run({"train", table, path("m"), "--max-epochs", "200"});
  const auto rows = folder_.file("new.csv", "city,size\nOslo,9\nRome,1\nParis,1\n");
  EXPECT_EQ("dear\ncheap\ncheap\n", run({"predict", rows, path("m")}).out);

  run({"generate", "--kind", "linear", "--rows", "500", "--noise", "0.01", "-o", path("r.svm")});
  run({"train", path("r.svm"), path("r"), "-c", "10", "--average", "weighted"});
  const auto seen = json::parse(run({"evaluate", path("r.svm"), path("r"), "--json"}).out);
  EXPECT_GT(seen["r2"].get<double>(), 0.9);
}

TEST_F(Train, OneLabelAgainstTheRest) {
  run({"generate", "--kind", "blobs", "--rows", "300", "--classes", "3", "--noise", "0.3", "-o",
       path("b.svm")});
  const auto all = run({"train", path("b.svm"), path("m")});
  EXPECT_TRUE(contains(all.err, "1, 2, 3")) << all.err;
  run({"train", path("b.svm"), path("m"), "--positive", "2", "--max-epochs", "30"});
  const auto labels = run({"predict", path("b.svm"), path("m")}).out;
  EXPECT_TRUE(contains(labels, "not 2\n"));
  run({"train", path("b.svm"), path("m"), "--positive", "7"}, 2);
}

TEST_F(Train, AnswersHabitsFromLiblinear) {
  for (const auto& [flag, answer] : std::vector<std::pair<std::string, std::string>>{
           {"-s", "--loss"}, {"-e", "--tol"}, {"-m", "--threads"}}) {
    const auto result = run({"train", flag, "3", path("train.svm"), path("m")}, 2);
    EXPECT_TRUE(contains(result.err, answer)) << result.err;
  }
}

TEST_F(Train, RefusesWhatCannotBeLearned) {
  run({"train", folder_.file("one", "1 1:1\n1 2:1\n"), path("m")}, 3);
  run({"train", folder_.file("none", "1:1\n2:1\n"), path("m")}, 3);
  run({"train", path("train.svm"), path("m"), "--lambda", "-1"}, 2);
  run({"train", path("train.svm"), path("m"), "--lambda", "1", "-c", "1"}, 2);
  run({"train", path("train.svm"), path("m"), "--loss", "huber"}, 2);
  run({"train", path("train.svm"), path("m"), "--tol", "-1"}, 2);
  run({"train", "-"}, 2);
  EXPECT_FALSE(std::filesystem::exists(path("m")));
}

TEST_F(Train, AFullDiskCostsTheNewModelNotTheOld) {
  const auto model = trained();
  const std::string before = contents_of(model);
  RunOptions options;
  options.file_size_limit = 200;
  const auto result =
      pegasos({"train", path("train.svm"), model, "--max-epochs", "2", "--seed", "9"}, options);
  EXPECT_EXIT_CODE(5, result);
  EXPECT_EQ(before, contents_of(model));
}

TEST_F(Train, CtrlCKeepsTheModelSoFar) {
  RunOptions options;
  const auto start = std::chrono::steady_clock::now();
  options.signal_when = [start] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(700);
  };
  options.signals = {SIGINT};
  const auto result = pegasos({"train", path("train.svm"), path("m"), "--solver", "pegasos",
                               "--max-epochs", "100000000", "--tol", "1e-15"},
                              options);
  EXPECT_EXIT_CODE(130, result);
  EXPECT_TRUE(contains(result.err, "the current model was saved")) << result.err;
  EXPECT_EQ(true,
            json::parse(run({"inspect", path("m"), "--json"}).out)["training"]["interrupted"]);
}

TEST_F(Train, NeverWritesOverWhatItReads) {
  const auto model = trained();
  const std::string data = contents_of(path("train.svm"));
  run({"train", path("train.svm"), path("train.svm")}, 2);
  run({"train", path("train.svm"), path("x"), "--trace", path("train.svm")}, 2);
  run({"train", path("train.svm"), path("x"), "--trace", path("x")}, 2);
  run({"predict", path("train.svm"), model, path("train.svm")}, 2);
  run({"predict", path("train.svm"), model, model}, 2);
  run({"convert", path("train.svm"), path("train.svm"), "--to", "csv"}, 2);
  run({"train", path("train.svm"), path("test.svm")}, 2);  // exists and is no model
  EXPECT_EQ(data, contents_of(path("train.svm")));
  run({"train", path("train.svm"), model, "--max-epochs", "1"});  // a model may be replaced
}

TEST_F(Train, TheExplicitLineCarriesTheReadingOptions) {
  const auto table = folder_.file("t.csv", "id,a,y z\n1,2,not ok\n2,3,ok\n3,9,not ok\n4,1,ok\n");
  const auto result =
      run({"train", table, path("m"), "--ignore", "id", "--label", "y z", "--positive", "not ok"});
  EXPECT_TRUE(contains(result.err, "--ignore id")) << result.err;
  EXPECT_TRUE(contains(result.err, "--label 'y z'")) << result.err;
  EXPECT_TRUE(contains(result.err, "--positive 'not ok'")) << result.err;
}

TEST_F(Train, LabelsOfAnotherKindThanTheModelsAreRefused) {
  const auto model = trained();
  run({"evaluate", folder_.file("words", "yes 1:1\nno 2:1\n"), model}, 3);
  const auto words = folder_.file("w.svm", "yes 1:1\nno 2:1\n");
  run({"train", words, path("wm"), "--max-epochs", "2"});
  run({"evaluate", folder_.file("numbers", "1 1:1\n0 2:1\n"), path("wm")}, 3);
  run({"convert", path("numbers"), path("numbers.bin")});
  run({"evaluate", path("numbers.bin"), path("wm")}, 3);
  const auto odd = run({"evaluate", folder_.file("odd", "7 1:1\n1 2:1\n"), model});
  EXPECT_TRUE(contains(odd.err, "does not know, counted as errors")) << odd.err;
}

// The rows wait for their answers: if one were held back, nothing would ever come.
TEST_F(Train, RowsFromAPipeAreAnsweredAsTheyCome) {
  const auto model = trained();
  const std::string script =
      "cd '" + path("") + "' && mkfifo rows answers && { '" PEGASOS_PROGRAM "' predict - '" +
      model +
      "' < rows > answers 2>/dev/null & } && exec 3> rows 4< answers && "
      "for i in 1 2 3; do echo '1 1:1' >&3; read answer <&4; echo \"got $answer\"; done";
  const auto result = run_program("/bin/sh", {"-c", script}, {.timeout = std::chrono::seconds(20)});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ(3, std::count(result.out.begin(), result.out.end(), '\n')) << result.out;
}

TEST_F(Train, ABadLiblinearModelIsABadModel) {
  const auto text = folder_.file("ll",
                                 "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\n"
                                 "nr_feature 2\nbias -1\nw\n0.5\nabc\n");
  run({"predict", path("test.svm"), text}, 4);
}

}  // namespace
}  // namespace pegasos::testing
