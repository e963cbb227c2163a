// explain, doctor, and names of features, through the program.
#include <nlohmann/json.hpp>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

const char* const kTable =
    "age,income,city,label\n20,1,Rome,yes\n30,2,Paris,no\n40,3,Rome,yes\n50,4,Paris,no\n";

TEST(Explain, ContributionsOfATableAddUpToTheScore) {
  const TemporaryFolder folder;
  const auto data = folder.file("t.csv", kTable);
  const auto model = folder.path("m");
  EXPECT_EXIT_CODE(0, pegasos({"train", data, model, "-q"}));
  const auto result = pegasos({"explain", data, model, "--json", "--top", "2", "--rows", "3"});
  EXPECT_EXIT_CODE(0, result);
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(3U, json["rows"].size());
  for (const auto& row : json["rows"]) {
    double sum = row["base"].get<double>() + row["others"].get<double>();
    for (const auto& one : row["features"]) sum += one["contribution"].get<double>();
    EXPECT_NEAR(sum, row["score"].get<double>(), 1e-9);
    EXPECT_EQ(2U, row["features"].size());
  }
  const auto words = pegasos({"explain", data, model, "--row", "2"});
  EXPECT_TRUE(contains(words.out, "row 2 ")) << words.out;
  EXPECT_TRUE(contains(words.out, "city=Paris")) << words.out;
  EXPECT_FALSE(contains(words.out, "row 1 ")) << words.out;
  EXPECT_EXIT_CODE(2, pegasos({"explain", data, model, "--row", "0"}));
}

TEST(Explain, WordsAndFeaturesAreComparedWithTheMeanRow) {
  const TemporaryFolder folder;
  const auto model = folder.path("m");
  const auto table = folder.file("t.csv", kTable);
  EXPECT_EXIT_CODE(0, pegasos({"train", table, model, "-q"}));
  const auto base_of = [&](const std::string& data) {
    const auto all = nlohmann::json::parse(pegasos({"explain", data, model, "--json"}).out)["rows"];
    double mean = 0;
    for (const auto& row : all) {
      EXPECT_TRUE(row["centred"]);
      mean += row["score"].get<double>() / static_cast<double>(all.size());
    }
    EXPECT_NEAR(mean, all[0]["base"].get<double>(), 1e-6);
  };
  base_of(table);
  // A city that half of the rows have tells as much where it is missing.
  const auto words = pegasos({"explain", table, model, "--row", "2"});
  EXPECT_TRUE(contains(words.out, "city=Rome")) << words.out;
  EXPECT_TRUE(contains(words.out, "score of the mean row")) << words.out;
  const auto data = folder.file("a.svm", "+1 1:1\n-1 2:1\n+1 1:2 3:1\n-1 2:2 3:1\n");
  for (const char* scale : {"none", "maxabs", "unit-row", "standard"}) {
    EXPECT_EXIT_CODE(0, pegasos({"train", data, model, "--scale", scale, "-q"}));
    base_of(data);
  }
  EXPECT_EXIT_CODE(0, pegasos({"train", data, model, "--multiclass", "joint", "-q"}));
  EXPECT_TRUE(contains(pegasos({"explain", data, model}).err, "mean of the training rows"));
}

TEST(Explain, NamesFromAVocabularyStayInTheModel) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", "+1 1:1\n-1 2:1\n+1 1:2 3:1\n-1 2:2 3:1\n");
  const auto names = folder.file("words", "free\nhello\nthe\n");
  const auto model = folder.path("m");
  EXPECT_EXIT_CODE(0, pegasos({"train", data, model, "--feature-names", names, "-q"}));
  const auto result = pegasos({"explain", data, model});
  EXPECT_TRUE(contains(result.out, "free")) << result.out;
  const auto json = nlohmann::json::parse(pegasos({"inspect", model, "--json", "--top", "1"}).out);
  EXPECT_EQ("free", json["largest_weights"]["positive"][0]["feature"]);
  EXPECT_EQ("hello", json["largest_weights"]["negative"][0]["feature"]);
  EXPECT_EQ(1U, json["largest_weights"]["negative"].size());
  const auto few = folder.file("few", "free\n");
  EXPECT_EXIT_CODE(2, pegasos({"train", data, model, "--feature-names", few}));
}

TEST(Explain, KernelMachinesShowTheirVectors) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", "+1 1:1\n-1 2:1\n+1 1:2 3:1\n-1 2:2 3:1\n");
  const auto model = folder.path("m");
  EXPECT_EXIT_CODE(0, pegasos({"train", data, model, "--kernel", "rbf", "--gamma", "1", "-q"}));
  const auto result = pegasos({"explain", data, model, "--rows", "1"});
  EXPECT_TRUE(contains(result.out, "support vector")) << result.out;
  EXPECT_TRUE(contains(result.out, "score drop")) << result.out;
}

TEST(Doctor, SaysWhatAndWhereAndTrainSaysItToo) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", "+1 1:1 2:5e6\n-1 1:1 2:5e6\n+1 1:2 2:1e6 3:2\n-1 3:1\n");
  const auto test = folder.file("b.svm", "+1 3:1\n");
  const auto result = pegasos({"doctor", data, test, "--json"});
  EXPECT_EXIT_CODE(0, result);
  const auto json = nlohmann::json::parse(result.out);
  std::vector<std::string> found;
  for (const auto& symptom : json["symptoms"]) found.push_back(symptom["problem"]);
  EXPECT_EQ((std::vector<std::string>{"scale", "duplicate", "conflict", "overlap"}), found);
  const auto words = pegasos({"doctor", data});
  EXPECT_TRUE(contains(words.out, "row 2 = row 1")) << words.out;
  const auto train = pegasos({"train", data, folder.path("m")});
  EXPECT_TRUE(contains(train.err, "warning: 1 of 4 rows is equal to an earlier row but"))
      << train.err;
  EXPECT_TRUE(contains(train.err, "--scale standard")) << train.err;
  const auto healthy = folder.file("c.svm", "+1 1:1\n-1 1:2\n");
  EXPECT_EQ("no problems found\n", pegasos({"doctor", healthy}).out);
}

// What the label depends on matters, what it does not depend on does not.
TEST(ExplainColumns, FindWhatTheModelReliesOn) {
  const TemporaryFolder folder;
  std::string text = "size,city,noise,label\n";
  for (int i = 0; i < 300; ++i) {
    const int size = i * 37 % 100;
    const bool rome = i % 3 == 0;
    text += std::to_string(size) +
            (rome         ? ",Rome,"
             : i % 3 == 1 ? ",Oslo,"
                          : ",Kiev,") +
            std::to_string(i * 61 % 97) + (size + (rome ? 60 : 0) > 70 ? ",yes" : ",no") + "\n";
  }
  const auto data = folder.file("rows.csv", text);
  EXPECT_EXIT_CODE(0, pegasos({"train", data, folder.path("m"), "-q"}));
  const auto result = pegasos({"explain", data, folder.path("m"), "--importance", "--json"});
  EXPECT_EXIT_CODE(0, result);
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["columns"].size(), 3U);
  EXPECT_NE(json["columns"][0]["column"], "noise");
  EXPECT_NE(json["columns"][1]["column"], "noise");
  EXPECT_GT(json["columns"][1]["rise"], 0.1);
  EXPECT_LT(json["columns"][2]["rise"], 0.02);
  EXPECT_TRUE(result.out ==
              pegasos({"explain", data, folder.path("m"), "--importance", "--json"}).out);
  const auto people = pegasos({"explain", data, folder.path("m"), "--importance", "--top", "1"});
  EXPECT_TRUE(contains(people.out, "points")) << people.out;
  EXPECT_FALSE(contains(people.out, "noise")) << people.out;
}

}  // namespace
}  // namespace pegasos::testing
