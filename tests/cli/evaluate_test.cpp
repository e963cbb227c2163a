// evaluate, probabilities and thresholds, through the program.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

// Two overlapping classes on one feature: x from 0 to 19, positive from 8 on but for some.
std::string overlapping_rows() {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    const int x = i * 7 % 20;
    const bool positive = (x >= 8) != (i % 9 == 0);
    text += (positive ? "+1 1:" : "-1 1:") + std::to_string(x + 1) + "\n";
  }
  return text;
}

struct Trained {
  explicit Trained(const std::vector<std::string>& flags = {}) {
    data = folder.file("rows.svm", overlapping_rows());
    model = folder.path("model");
    std::vector<std::string> arguments = {"train", data, model};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    result = pegasos(arguments);
  }
  TemporaryFolder folder;
  std::string data;
  std::string model;
  RunResult result;
};

TEST(Evaluate, JsonHoldsEverything) {
  const Trained trained({"--probability"});
  EXPECT_EXIT_CODE(0, trained.result);
  const auto result = pegasos({"evaluate", trained.data, trained.model, "--json"});
  EXPECT_EXIT_CODE(0, result);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(200, json["rows"]);
  const auto& c = json["confusion"];
  const double right = c["true_positive"].get<double>() + c["true_negative"].get<double>();
  EXPECT_DOUBLE_EQ(right / 200, json["accuracy"]);
  for (const char* name : {"accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc",
                           "auc", "pr_auc", "log_loss", "brier"}) {
    EXPECT_TRUE(json[name].is_number()) << name;
    ASSERT_EQ(2U, json["intervals"][name].size()) << name;
    EXPECT_LE(json["intervals"][name][0], json[name]) << name;
    EXPECT_GE(json["intervals"][name][1], json[name]) << name;
  }
  EXPECT_EQ("probability", json["threshold"]["on"]);
  EXPECT_EQ(2U, json["classes"].size());
  EXPECT_EQ("1", json["classes"][0]["class"]);
  EXPECT_EQ(1.0, json["classes"][0]["roc_curve"].back()[0]);
  EXPECT_LT(json["calibration_error"], 0.2);
}

TEST(Evaluate, SeedsAndThreadsOfTheBootstrap) {
  const Trained trained;
  const auto run = [&](const std::string& seed, const std::string& threads) {
    return pegasos({"evaluate", trained.data, trained.model, "--json", "--bootstrap", "50",
                    "--seed", seed, "--threads", threads})
        .out;
  };
  EXPECT_EQ(run("1", "1"), run("1", "3"));
  EXPECT_NE(run("1", "1"), run("2", "1"));
  const auto none = pegasos({"evaluate", trained.data, trained.model, "--bootstrap", "0"});
  EXPECT_FALSE(contains(none.out, " to ")) << none.out;
}

TEST(Evaluate, ThresholdsMoveTheBalance) {
  const Trained trained({"--probability", "isotonic"});
  const auto recall = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"evaluate", trained.data, trained.model, "--json"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto result = pegasos(arguments);
    EXPECT_EXIT_CODE(0, result);
    return nlohmann::json::parse(result.out)["recall"].get<double>();
  };
  EXPECT_GT(recall({"--cost-false-negative", "50"}), recall({}));
  EXPECT_LT(recall({"--threshold", "0.95"}), recall({}));
  EXPECT_EQ(recall({"--cost-false-positive", "3", "--cost-false-negative", "1"}),
            recall({"--threshold", "0.75"}));
  const auto both = pegasos({"evaluate", trained.data, trained.model, "--threshold", "0.5",
                             "--cost-false-positive", "2"});
  EXPECT_EXIT_CODE(2, both);
  const auto beyond = pegasos({"evaluate", trained.data, trained.model, "--threshold", "2"});
  EXPECT_EXIT_CODE(2, beyond);
}

// Balanced labels stay balanced with probabilities, and what train says of its own rows is what
// evaluate says of them.
TEST(Evaluate, BalancedLabelsDoNotFollowProbabilities) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 400; ++i) {
    const bool positive = i % 10 == 0;
    text +=
        (positive ? "+1 1:" : "-1 1:") + std::to_string((i * 7 % 20) + (positive ? 8 : 0)) + ".5\n";
  }
  const auto data = folder.file("rare.svm", text);
  const auto labels_of = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> train = {"train", data, folder.path("m"), "--balanced", "--json"};
    train.insert(train.end(), flags.begin(), flags.end());
    const auto trained = pegasos(train);
    EXPECT_EXIT_CODE(0, trained);
    const auto measured = pegasos({"evaluate", data, folder.path("m"), "--json"});
    EXPECT_NEAR(nlohmann::json::parse(trained.out)["training_error"].get<double>(),
                1.0 - nlohmann::json::parse(measured.out)["accuracy"].get<double>(), 1e-12);
    return pegasos({"predict", data, folder.path("m")}).out;
  };
  const std::string balanced = labels_of({});
  EXPECT_TRUE(contains(balanced, "\n1\n"));
  EXPECT_EQ(balanced, labels_of({"--probability"}));
  EXPECT_EQ(balanced, labels_of({"--probability", "isotonic"}));
  const auto seen = pegasos({"inspect", folder.path("m")});
  EXPECT_TRUE(contains(seen.out, "trained with class weights")) << seen.out;
  const auto even = pegasos({"predict", data, folder.path("m"), "--threshold", "0.5"});
  EXPECT_NE(balanced, even.out);
}

TEST(Evaluate, BestThresholdIsKeptInTheModel) {
  const Trained trained({"--probability"});
  const auto accuracy_of = [&](const std::vector<std::string>& flags, const char* name) {
    std::vector<std::string> arguments = {"evaluate", trained.data, trained.model, "--json"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto result = pegasos(arguments);
    EXPECT_EXIT_CODE(0, result);
    return nlohmann::json::parse(result.out)[name].get<double>();
  };
  const double usual = accuracy_of({}, "recall");
  const double best =
      accuracy_of({"--best-threshold", "cost", "--cost-false-negative", "30"}, "recall");
  EXPECT_GT(best, usual);
  EXPECT_EQ(accuracy_of({}, "recall"), usual);  // nothing was kept
  EXPECT_GE(accuracy_of({"--best-threshold", "f1"}, "f1"), accuracy_of({}, "f1"));
  const auto kept = pegasos({"evaluate", trained.data, trained.model, "--best-threshold", "cost",
                             "--cost-false-negative", "30", "--keep-threshold"});
  EXPECT_EXIT_CODE(0, kept);
  EXPECT_TRUE(contains(kept.err, "mean cost per row")) << kept.err;
  EXPECT_EQ(accuracy_of({}, "recall"), best);
  EXPECT_TRUE(contains(pegasos({"inspect", trained.model}).out, "(stored threshold)"));
  EXPECT_TRUE(contains(pegasos({"predict", trained.data, trained.model}).err, "a score above"));
  EXPECT_EQ(accuracy_of({"--threshold", "0.5"}, "recall"), usual);
  const auto which = pegasos({"evaluate", trained.data, trained.model, "--keep-threshold"});
  EXPECT_EXIT_CODE(2, which);
}

TEST(Evaluate, CostsNeedProbabilities) {
  const Trained trained;
  const auto result =
      pegasos({"evaluate", trained.data, trained.model, "--cost-false-negative", "2"});
  EXPECT_EXIT_CODE(2, result);
  EXPECT_TRUE(contains(result.err, "train it with probabilities")) << result.err;
}

TEST(Evaluate, Numbers) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 30; ++i) text += std::to_string(i) + ".5 1:" + std::to_string(i) + "\n";
  const auto data = folder.file("n.svm", text);
  EXPECT_EXIT_CODE(0, pegasos({"train", data, folder.path("m"), "-q"}));
  const auto result = pegasos({"evaluate", data, folder.path("m"), "--json"});
  const auto json = nlohmann::json::parse(result.out);
  for (const char* name : {"mae", "rmse", "r2", "median_error"}) {
    EXPECT_LE(json["intervals"][name][0], json[name]) << name;
  }
  EXPECT_LE(json["mae"], json["rmse"]);
  const auto words = pegasos({"evaluate", data, folder.path("m")});
  EXPECT_TRUE(contains(words.out, "median absolute error")) << words.out;
}

TEST(Probability, ProbabilitiesAgreeWithLabels) {
  for (const char* kind : {"platt", "isotonic"}) {
    const Trained trained({"--probability", kind});
    const auto result = pegasos({"predict", trained.data, trained.model, "--probabilities"});
    EXPECT_EXIT_CODE(0, result);
    std::istringstream lines(result.out);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ("labels 1 -1", line);
    int label = 0;
    double positive = 0;
    double negative = 0;
    int rows = 0;
    while (lines >> label >> positive >> negative) {
      ++rows;
      EXPECT_EQ(label, positive > 0.5 ? 1 : -1);
      EXPECT_NEAR(positive + negative, 1.0, 1e-5);
    }
    EXPECT_EQ(200, rows);
    const auto labels = pegasos({"predict", trained.data, trained.model});
    EXPECT_EQ(labels.out.substr(0, 2), result.out.substr(result.out.find('\n') + 1, 2));
  }
}

std::string three_blobs(const TemporaryFolder& folder) {
  const auto data = folder.path("b.svm");
  pegasos({"generate", "--kind", "blobs", "--rows", "300", "--classes", "3", "--noise", "1", "-o",
           data, "-q"});
  return data;
}

TEST(Evaluate, ManyClasses) {
  const TemporaryFolder folder;
  const auto data = three_blobs(folder);
  const auto model = folder.path("m");
  EXPECT_EXIT_CODE(0, pegasos({"train", data, model, "--probability", "-q"}));
  const auto result = pegasos({"evaluate", data, model, "--json", "--bootstrap", "50"});
  EXPECT_EXIT_CODE(0, result);
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(3U, json["classes"].size());
  double right = 0;
  for (std::size_t k = 0; k < 3; ++k) right += json["confusion"][k][k].get<double>();
  EXPECT_DOUBLE_EQ(right / 300, json["accuracy"]);
  double area = 0;
  for (const auto& one : json["classes"]) area += one["roc_auc"].get<double>();
  EXPECT_NEAR(area / 3, json["auc"].get<double>(), 1e-12);
  EXPECT_TRUE(json["log_loss"].is_number());
  EXPECT_EXIT_CODE(2, pegasos({"evaluate", data, model, "--threshold", "0.3"}));
  // A label the model has not seen is one more class.
  const auto other = folder.file("o.svm", "9 1:1\n1 1:1\n");
  const auto words = pegasos({"evaluate", other, model});
  EXPECT_EXIT_CODE(0, words);
  EXPECT_TRUE(contains(words.out, "(other labels)")) << words.out;
}

TEST(Probability, ManyClassesHaveAColumnEach) {
  const TemporaryFolder folder;
  const auto data = three_blobs(folder);
  const auto model = folder.path("m");
  EXPECT_EXIT_CODE(0, pegasos({"train", data, model, "--probability", "-q"}));
  const auto result = pegasos({"predict", data, model, "--probabilities", "-q"});
  std::istringstream lines(result.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ("labels 1 2 3", line);
  int label = 0;
  double p[3] = {};
  while (lines >> label >> p[0] >> p[1] >> p[2]) {
    EXPECT_EQ(label - 1, std::max_element(p, p + 3) - p);
    EXPECT_NEAR(p[0] + p[1] + p[2], 1.0, 1e-9);
  }
  const auto why = pegasos({"explain", data, model, "--rows", "1"});
  EXPECT_TRUE(contains(why.out, "predicted ")) << why.out;
}

TEST(Probability, LibsvmsHabitWorks) {
  const Trained trained({"-b", "1"});
  EXPECT_EXIT_CODE(0, trained.result);
  const auto result = pegasos({"predict", trained.data, trained.model, "-b", "1"});
  EXPECT_TRUE(result.out.starts_with("labels ")) << result.out.substr(0, 100);
  EXPECT_EXIT_CODE(2, pegasos({"train", trained.data, trained.model, "-b", "2"}));
}

TEST(Probability, WithoutProbabilitiesItSaysHowToGetThem) {
  const Trained trained;
  const auto result = pegasos({"predict", trained.data, trained.model, "--probabilities"});
  EXPECT_EXIT_CODE(2, result);
  EXPECT_TRUE(contains(result.err, "--probability")) << result.err;
  // The scores of a logistic loss are log odds.
  const Trained logistic({"--loss", "logistic"});
  EXPECT_EXIT_CODE(0, pegasos({"predict", logistic.data, logistic.model, "--probabilities"}));
}

TEST(Probability, LibsvmsFlagTakesZeroAndOneOnly) {
  const Trained trained({"--probability"});
  EXPECT_TRUE(
      pegasos({"predict", trained.data, trained.model, "-b", "1"}).out.starts_with("labels"));
  EXPECT_FALSE(
      pegasos({"predict", trained.data, trained.model, "-b", "0"}).out.starts_with("labels"));
  EXPECT_EXIT_CODE(2, pegasos({"predict", trained.data, trained.model, "-b", "7"}));
}

TEST(Probability, WithoutAWordDoesNotEatTheData) {
  const TemporaryFolder folder;
  const auto data = folder.file("rows.svm", overlapping_rows());
  const auto result = pegasos({"train", "--probability", data, folder.path("m")});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_TRUE(contains(result.err, "--probability platt")) << result.err;
}

}  // namespace
}  // namespace pegasos::testing
