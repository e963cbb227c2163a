// inspect: what it says of files whose contents are known by hand.
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

TEST(Inspect, JsonHoldsTheFactsOfTheFile) {
  const TemporaryFolder folder;
  const auto result = pegasos({"inspect", folder.file("a.svm", kSmallData), "--json"});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ("", result.err);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ("svmlight", json["format"]);
  EXPECT_EQ("none", json["compression"]);
  EXPECT_EQ(1, json["index_base"]);
  EXPECT_EQ(3, json["rows"]);
  EXPECT_EQ(3, json["features"]);
  EXPECT_EQ(5, json["non_zeros"]);
  EXPECT_DOUBLE_EQ(5.0 / 9.0, json["density"]);
  EXPECT_EQ(-4.0, json["values"]["smallest"]);
  EXPECT_EQ(2.0, json["values"]["largest"]);
  EXPECT_DOUBLE_EQ(1.0, json["row_norms"]["smallest"]);
  EXPECT_DOUBLE_EQ(std::sqrt(17.0), json["row_norms"]["largest"]);
  EXPECT_EQ("binary", json["task"]);
  ASSERT_EQ(2U, json["labels"].size());
  EXPECT_EQ(-1.0, json["labels"][0]["value"]);
  EXPECT_EQ(1, json["labels"][0]["rows"]);
  EXPECT_EQ(2, json["labels"][1]["rows"]);
  EXPECT_DOUBLE_EQ(2.0 / 3.0, json["labels"][1]["share"]);
}

TEST(Inspect, PeopleGetTheSameOnStandardOutput) {
  const TemporaryFolder folder;
  const auto result = pegasos({"inspect", folder.file("a.svm", kSmallData)});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ("", result.err);
  for (const char* part :
       {"svmlight, indices from 1", "\n  rows       3 ", "\n  features   3 ", "\n  non-zeros  5 ",
        "-4 to 2", "binary classification", " 66.7 %", "##############################\n"}) {
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  }
}

TEST(Inspect, BarsUseBlocksWhereTheLocaleIsUtf8) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", kSmallData);
  const auto result = pegasos({"inspect", data}, {.environment = {{"LC_ALL", "C.UTF-8"}}});
  EXPECT_TRUE(contains(result.out, "\u2588")) << result.out;
  EXPECT_FALSE(contains(result.out, "#"));
}

TEST(Inspect, ReadsStandardInput) {
  const auto result = pegasos({"inspect", "-", "--json"}, {.input = kSmallData});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ(3, nlohmann::json::parse(result.out)["rows"]);
}

TEST(Inspect, ReadingOptionsReachTheReader) {
  const auto zero_based =
      pegasos({"inspect", "-", "--json", "--index-base", "0"}, {.input = kSmallData});
  EXPECT_EQ(0, nlohmann::json::parse(zero_based.out)["index_base"]);
  const std::string table =
      "city;size;skip;price\nParis;1;7;10.5\nRome;2;8;20.25\nParis;3;9;30.75\n";
  const auto csv = pegasos({"inspect", "-", "--json", "--format", "csv", "--delimiter", "semicolon",
                            "--header", "yes", "--label", "price", "--ignore", "skip"},
                           {.input = table});
  EXPECT_EXIT_CODE(0, csv);
  const auto json = nlohmann::json::parse(csv.out);
  EXPECT_EQ("csv", json["format"]);
  EXPECT_EQ("semicolon", json["csv"]["delimiter"]);
  EXPECT_EQ("price", json["csv"]["label_column"]);
  EXPECT_EQ(1, json["csv"]["ignored_columns"]);
  EXPECT_EQ(3, json["features"]);  // size, city=Paris, city=Rome
  EXPECT_EQ("regression", json["task"]);
  EXPECT_DOUBLE_EQ(30.75, json["label_range"]["largest"]);
}

TEST(Inspect, TabSeparatedIsCsvWithTabs) {
  const auto result = pegasos({"inspect", "-", "--json", "--format", "tsv", "--header", "no"},
                              {.input = "1\t2\t0\n3\t4\t1\n"});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ("tab", nlohmann::json::parse(result.out)["csv"]["delimiter"]);
}

TEST(Inspect, NotesSayWhatWasLeftOut) {
  const std::string text = "+1 qid:3 1:1\n-1 qid:3 2:1 1:4\n";
  const auto result = pegasos({"inspect", "-"}, {.input = text});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_TRUE(contains(result.out, "2 rows with a qid (ignored)")) << result.out;
  EXPECT_TRUE(contains(result.out, "1 row with unsorted indices")) << result.out;
  const auto json = nlohmann::json::parse(pegasos({"inspect", "-", "--json"}, {.input = text}).out);
  EXPECT_EQ(2, json["notes"]["rows_with_qid"]);
  EXPECT_EQ(1, json["notes"]["rows_reordered"]);
}

TEST(Inspect, ShowsWhatSpeaksForEachClass) {
  const TemporaryFolder folder;
  const auto data = folder.file(
      "a.csv", "ball,vote,chip,y\n1,0,0,sport\n0,1,0,politics\n0,0,1,tech\n1,0,0.5,sport\n");
  const auto model = folder.path("m");
  EXPECT_EXIT_CODE(0, pegasos({"train", data, model, "-q", "--scale", "none"}));
  const auto people = pegasos({"inspect", model, "--top", "1"});
  EXPECT_TRUE(contains(people.out, "  politics  vote +")) << people.out;
  const auto json = nlohmann::json::parse(pegasos({"inspect", model, "--top", "0", "--json"}).out);
  const auto& of_tech = json.at("largest_weights").at("tech");
  EXPECT_EQ(of_tech.at("positive").at(0).at("feature"), "chip");
  EXPECT_EQ(of_tech.at("negative").size(), 2U);
}

// What a run writes that holds no seconds.
std::vector<std::string> written_by_a_run(const TemporaryFolder& folder,
                                          const std::map<std::string, std::string>& environment) {
  const std::string table =
      "price,note,label\n1.5,TITLE in IT,yes\n\"1,234.5\",istanbul,no\n2e3,\xc4\xb0stanbul,yes\n"
      "0.25,TITLE,no\n7,it,yes\n8.125,in,no\n";
  const RunOptions with{.input = table, .environment = environment, .folder = folder.path("")};
  std::vector<std::string> all;
  const auto say = [&](std::vector<std::string> arguments) {
    const auto result = pegasos(arguments, with);
    EXPECT_EXIT_CODE(0, result);
    all.push_back(result.out);
  };
  say({"inspect", "-", "--json"});
  say({"convert", "-", "rows.svm"});
  all.push_back(contents_of(folder.path("rows.svm")));
  say({"train", "-", "a.model", "-q", "--column", "note=text"});
  say({"predict", "-", "a.model", "--to", "csv"});
  return all;
}

// Locales with a decimal comma and with a dotless i, made for the test in a folder of its own.
TEST(Inspect, OutputIsTheSameInOtherLocales) {
  const TemporaryFolder folder;
  const auto plain = written_by_a_run(folder, {});
  for (const std::string language : {"de_DE", "tr_TR"}) {
    const std::string locale = language + ".UTF-8";
    const auto made =
        run_program("/usr/bin/localedef", {"-i", language, "-f", "UTF-8", folder.path(locale)});
    if (!std::filesystem::exists(folder.path(locale))) {
      GTEST_SKIP() << "localedef cannot make " << locale << ": " << made.err;
    }
    EXPECT_EQ(plain, written_by_a_run(folder, {{"LC_ALL", locale}, {"LOCPATH", folder.path("")}}))
        << locale;
  }
}

}  // namespace
}  // namespace pegasos::testing
