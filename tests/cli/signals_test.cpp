// Ctrl-C and SIGTERM: exit codes, no stray files, the old file intact.
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

class Signalled : public ::testing::TestWithParam<int> {};

std::function<bool()> when_a_temporary_appears(const TemporaryFolder& folder) {
  return [where = folder.path("")] {
    for (const auto& name : files_in(where)) {
      if (name.ends_with(".tmp")) return true;
    }
    return false;
  };
}

TEST_P(Signalled, WritingANewFileLeavesNoFile) {
  const TemporaryFolder folder;
  const auto result =
      pegasos({"generate", "--rows", "1G", "-o", folder.path("a.svm")},
              {.signal_when = when_a_temporary_appears(folder), .signals = {GetParam()}});
  EXPECT_EXIT_CODE(128 + GetParam(), result);
  EXPECT_TRUE(contains(result.err, "no file was written")) << result.err;
  EXPECT_EQ(std::vector<std::string>{}, files_in(folder.path("")));
}

TEST_P(Signalled, ReplacingAFileLeavesTheOldOne) {
  const TemporaryFolder folder;
  folder.file("a.svm", "the old file");
  const auto result = pegasos({"generate", "--rows", "1G", "-o", "a.svm"},
                              {.folder = folder.path(""),
                               .signal_when = when_a_temporary_appears(folder),
                               .signals = {GetParam()}});
  EXPECT_EXIT_CODE(128 + GetParam(), result);
  EXPECT_TRUE(contains(result.err, "'a.svm' is as it was before")) << result.err;
  EXPECT_EQ("the old file", contents_of(folder.path("a.svm")));
  EXPECT_EQ(std::vector<std::string>{"a.svm"}, files_in(folder.path("")));
}

std::function<bool()> after(int milliseconds) {
  const auto start = std::chrono::steady_clock::now();
  return [=] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(milliseconds);
  };
}

TEST_P(Signalled, WritingToAPipeNobodyReads) {
  const auto result = pegasos({"generate", "--rows", "1G"}, {.read_output = false,
                                                             .signal_when = after(500),
                                                             .signals = {GetParam()},
                                                             .timeout = std::chrono::seconds(20)});
  EXPECT_FALSE(result.timed_out);
  EXPECT_EXIT_CODE(128 + GetParam(), result);
}

TEST_P(Signalled, WaitingForInputThatDoesNotCome) {
  const auto result = pegasos({"inspect", "-", "--json"}, {.input = kSmallData,
                                                           .keep_input_open = true,
                                                           .signal_when = after(300),
                                                           .signals = {GetParam()},
                                                           .timeout = std::chrono::seconds(20)});
  EXPECT_FALSE(result.timed_out);
  EXPECT_EXIT_CODE(128 + GetParam(), result);
  EXPECT_EQ(128 + GetParam(), nlohmann::json::parse(result.out)["error"]["exit_code"]);
}

TEST_P(Signalled, ReadingAFileForConversion) {
  const TemporaryFolder folder;
  const auto target = folder.file("b.bin", "the old file");
  const auto result = pegasos({"convert", "-", target}, {.input = kSmallData,
                                                         .keep_input_open = true,
                                                         .signal_when = after(300),
                                                         .signals = {GetParam()},
                                                         .timeout = std::chrono::seconds(20)});
  EXPECT_EXIT_CODE(128 + GetParam(), result);
  EXPECT_EQ("the old file", contents_of(target));
}

TEST_P(Signalled, TwiceEndsAtOnce) {
  const auto result = pegasos({"inspect", "-"}, {.keep_input_open = true,
                                                 .signal_when = after(300),
                                                 .signals = {GetParam(), GetParam()},
                                                 .timeout = std::chrono::seconds(20)});
  EXPECT_EXIT_CODE(128 + GetParam(), result);
}

INSTANTIATE_TEST_SUITE_P(Stop, Signalled, ::testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace pegasos::testing
