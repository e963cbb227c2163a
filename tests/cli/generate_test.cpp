// generate: orders, formats, where the rows go.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Generate, RowsMayBeWrittenAsPeopleDo) {
  for (const auto& [rows, expected] : std::vector<std::pair<std::string, std::size_t>>{
           {"25", 25}, {"2k", 2000}, {"1.5k", 1500}, {"1e3", 1000}, {"0.002M", 2000}}) {
    const auto result = pegasos({"generate", "--kind", "moons", "--rows", rows, "-q"});
    EXPECT_EXIT_CODE(0, result);
    EXPECT_EQ(expected, count_lines(result.out)) << rows;
  }
}

TEST(Generate, EveryKindCanBeInspected) {
  const TemporaryFolder folder;
  for (const auto& [kind, task] :
       std::vector<std::pair<std::string, std::string>>{{"text", "binary"},
                                                        {"blobs", "binary"},
                                                        {"moons", "binary"},
                                                        {"xor", "binary"},
                                                        {"linear", "regression"},
                                                        {"friedman", "regression"}}) {
    for (const char* format : {"svmlight", "csv"}) {
      const auto path = folder.path("a.data");
      EXPECT_EXIT_CODE(0, pegasos({"generate", "--kind", kind, "--features", "50", "--words", "5",
                                   "--rows", "300", "--format", format, "-o", path}));
      const auto seen = pegasos({"inspect", path, "--json"});
      EXPECT_EXIT_CODE(0, seen);
      const auto json = nlohmann::json::parse(seen.out);
      EXPECT_EQ(300, json["rows"]);
      EXPECT_EQ(task, json["task"]) << kind << " " << format;
      EXPECT_EQ(format, json["format"]);
    }
  }
}

TEST(Generate, SameSeedSameBytesOnAnyThreads) {
  const std::vector<std::string> order = {"generate", "--rows", "3k",       "--seed",
                                          "7",        "-q",     "--threads"};
  auto one = order;
  one.push_back("1");
  auto four = order;
  four.push_back("4");
  EXPECT_EQ(pegasos(one).out, pegasos(four).out);
  EXPECT_NE(pegasos(one).out, pegasos({"generate", "--rows", "3k", "--seed", "8", "-q"}).out);
}

TEST(Generate, ExtensionTellsTheFormatAndDashIsStandardOutput) {
  const TemporaryFolder folder;
  EXPECT_EXIT_CODE(
      0, pegasos({"generate", "--kind", "xor", "--rows", "5", "-o", folder.path("a.csv")}));
  const auto csv =
      pegasos({"generate", "--kind", "xor", "--rows", "5", "--format", "csv", "-o", "-"});
  EXPECT_EQ(csv.out, contents_of(folder.path("a.csv")));
  EXPECT_TRUE(csv.out.starts_with("label,")) << csv.out;
  EXPECT_EQ(pegasos({"generate", "--rows", "5"}).out,
            pegasos({"generate", "--rows", "5", "-o", "-"}).out);
}

TEST(Generate, NamesThatCannotBeKeptAreRefused) {
  const auto binary = pegasos({"generate", "-o", "a.bin"});
  EXPECT_EXIT_CODE(2, binary);
  EXPECT_TRUE(contains(binary.err, "pegasos convert - a.bin")) << binary.err;
  const auto packed = pegasos({"generate", "-o", "a.svm.gz"});
  EXPECT_EXIT_CODE(2, packed);
  EXPECT_TRUE(contains(packed.err, "| gzip > a.svm.gz")) << packed.err;
}

TEST(Generate, JsonSaysWhatWasMade) {
  const TemporaryFolder folder;
  const auto result = pegasos({"generate", "--kind", "blobs", "--rows", "10", "--seed", "3", "-o",
                               folder.path("a.svm"), "--json"});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ("blobs", json["kind"]);
  EXPECT_EQ(10, json["rows"]);
  EXPECT_EQ(3, json["seed"]);
}

}  // namespace
}  // namespace pegasos::testing
