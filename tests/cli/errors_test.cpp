// Failures: exit codes 3 and 5, their words, carets and suggestions.
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Errors, BadDataLooksLikeACompilersComplaint) {
  const TemporaryFolder folder;
  folder.file("train.svm", "+1 1:1\n-1 2:2 3:abc 4:1\n");
  const auto result = pegasos({"inspect", "train.svm"}, {.folder = folder.path("")});
  EXPECT_EXIT_CODE(3, result);
  EXPECT_EQ("", result.out);
  const auto lines = lines_of(result.err);
  ASSERT_GE(lines.size(), 3U) << result.err;
  EXPECT_EQ("train.svm:2:10: value 'abc' is not a number", lines[0]);
  EXPECT_EQ("  -1 2:2 3:abc 4:1", lines[1]);
  EXPECT_EQ(lines[1].find("abc"), lines[2].find('^'));
}

TEST(Errors, CaretCountsCharactersNotBytes) {
  const auto result = pegasos({"inspect", "-", "--format", "svmlight"},
                              {.input = "+1 \xc3\xa9\xc3\xa9:1\n-1 1:1\n"});
  EXPECT_EXIT_CODE(3, result);
  const auto after =
      pegasos({"inspect", "-", "--format", "svmlight"}, {.input = "\xc3\xa9\xc3\xa9 1:1 2:x\n"});
  EXPECT_EXIT_CODE(3, after);
  const auto lines = lines_of(after.err);
  ASSERT_GE(lines.size(), 3U) << after.err;
  // Two letters of two bytes stand before: the byte of 'x' is two beyond its place on the screen.
  EXPECT_EQ(lines[1].find('x') - 2, lines[2].find('^')) << after.err;
}

TEST(Errors, AllComplaintsAreShownAndCounted) {
  const std::string text = "+1 1:a\n+1 1:b\n+1 1:c\n";
  const auto all = pegasos({"inspect", "-"}, {.input = text});
  EXPECT_EXIT_CODE(3, all);
  EXPECT_TRUE(contains(all.err, "<stdin>:1:6:"));
  EXPECT_TRUE(contains(all.err, "<stdin>:3:6:"));
  EXPECT_EQ("3 errors", lines_of(all.err).back());
  const auto few = pegasos({"inspect", "-", "--max-errors", "2"}, {.input = text});
  EXPECT_EQ("2 errors", lines_of(few.err).back());
  EXPECT_FALSE(contains(few.err, "<stdin>:3:6:"));
}

TEST(Errors, JsonHasEveryComplaint) {
  const auto result = pegasos({"inspect", "-", "--json"}, {.input = "+1 1:a\n+1 1:b\n"});
  EXPECT_EXIT_CODE(3, result);
  const auto error = nlohmann::json::parse(result.out)["error"];
  EXPECT_EQ("data", error["kind"]);
  EXPECT_EQ(3, error["exit_code"]);
  ASSERT_EQ(2U, error["diagnostics"].size());
  EXPECT_EQ(2, error["diagnostics"][1]["line"]);
  EXPECT_EQ(6, error["diagnostics"][1]["column"]);
}

TEST(Errors, QuietSilencesTalkButNotErrors) {
  const auto result = pegasos({"inspect", "-", "--quiet"}, {.input = "+1 1:a\n"});
  EXPECT_EXIT_CODE(3, result);
  EXPECT_TRUE(contains(result.err, "value 'a' is not a number"));
}

TEST(Errors, MissingFileGetsTheNearestName) {
  const TemporaryFolder folder;
  folder.file("train.svm", kSmallData);
  folder.file("other.csv", "1,2\n");
  const auto result = pegasos({"inspect", "trian.svm"}, {.folder = folder.path("")});
  EXPECT_EXIT_CODE(5, result);
  EXPECT_TRUE(contains(result.err, "Did you mean 'train.svm'?")) << result.err;
  const auto deeper = pegasos({"inspect", folder.path("trian.svm")});
  EXPECT_TRUE(contains(deeper.err, "Did you mean '" + folder.path("train.svm") + "'?"));
  const auto far = pegasos({"inspect", folder.path("nothing-like-it")});
  EXPECT_EXIT_CODE(5, far);
  EXPECT_FALSE(contains(far.err, "Did you mean"));
  const auto no_folder = pegasos({"inspect", folder.path("no/x.svm")});
  EXPECT_TRUE(contains(no_folder.err, "There is no folder")) << no_folder.err;
}

TEST(Errors, FoldersAreNotFiles) {
  const TemporaryFolder folder;
  EXPECT_EXIT_CODE(5, pegasos({"inspect", folder.path("")}));
}

TEST(Errors, ModelInPlaceOfDataIsExplained) {
  const TemporaryFolder folder;
  const auto model = folder.file("a.model", std::string("\x89PGM\r\n\x1a\n", 8) + "rest");
  const auto result = pegasos({"train", model});
  EXPECT_EXIT_CODE(3, result);
  EXPECT_TRUE(contains(result.err, "this is a model, not data")) << result.err;
}

TEST(Errors, CorruptBinaryDataIsBadData) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.bin", std::string("\x89PGD\r\n\x1a\n", 8) + "rest");
  EXPECT_EXIT_CODE(3, pegasos({"inspect", data}));
}

TEST(Errors, FullDiskBehindStandardOutputIsAnIoError) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", kSmallData);
  const RunOptions full{.standard_output = "/dev/full"};
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"inspect", data},
                                             {"inspect", data, "--json"},
                                             {"convert", data, "-", "--to", "svmlight"},
                                             {"generate", "--rows", "10"},
                                             {"--help"},
                                             {"completion", "bash"}}) {
    const auto result = pegasos(arguments, full);
    EXPECT_EXIT_CODE(5, result);
    EXPECT_TRUE(contains(result.err, "No space left on device")) << result.err;
  }
}

TEST(Errors, TooLittleMemoryIsASentence) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers need more address space than the limit leaves";
  const TemporaryFolder folder;
  const auto data = folder.path("big.svm");
  EXPECT_EXIT_CODE(0, pegasos({"generate", "--kind", "blobs", "--rows", "200k", "-o", data}));
  const auto result =
      run_program("/bin/sh", {"-c", std::string("ulimit -v 40000; exec ") + PEGASOS_PROGRAM +
                                        " inspect --threads 1 " + data});
  EXPECT_EXIT_CODE(1, result);
  EXPECT_TRUE(contains(result.err, "not enough memory")) << result.err;
}

TEST(Errors, ReaderThatGoesAwayEndsTheProgramQuietly) {
  // sh -c so that the pipe is broken for real.
  const auto result = run_program(
      "/bin/sh", {"-c", std::string(PEGASOS_PROGRAM) + " generate --rows 100k -q | head -n 1"});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ("", result.err);
}

}  // namespace
}  // namespace pegasos::testing
