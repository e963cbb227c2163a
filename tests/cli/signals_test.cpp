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
  EXPECT_TRUE(contains(result.err, "'a.svm' was not changed")) << result.err;
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

// Neither has anything to keep when it is stopped, so both end at once.
TEST_P(Signalled, CrossValidationAndReportsEndAtOnce) {
  const TemporaryFolder folder;
  const auto data = folder.path("a.svm");
  EXPECT_EXIT_CODE(0, pegasos({"generate", "--kind", "text", "--rows", "6000", "-o", data, "-q"}));
  EXPECT_EXIT_CODE(
      0, pegasos({"train", data, folder.path("m"), "--kernel", "rbf", "--max-time", "1", "-q"}));
  const std::vector<std::vector<std::string>> commands = {
      {"train", data, "-v", "5", "--kernel", "rbf", "--tol", "1e-12", "-q"},
      {"report", data, folder.path("m"), folder.path("m"), folder.path("m"), folder.path("m")}};
  for (const auto& command : commands) {
    const auto start = std::chrono::steady_clock::now();
    const auto result = pegasos(
        command, {.folder = folder.path(""), .signal_when = after(300), .signals = {GetParam()}});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (result.exit_code == 0) continue;  // it was done before
    EXPECT_EXIT_CODE(128 + GetParam(), result);
    EXPECT_LT(took.count(), 5.0) << command.front();
  }
}

TEST_P(Signalled, ABetterModelMovesAside) {
  const TemporaryFolder folder;
  const auto data = folder.path("a.svm");
  const auto model = folder.path("m");
  EXPECT_EXIT_CODE(0, pegasos({"generate", "--kind", "text", "--rows", "2000", "-o", data, "-q"}));
  EXPECT_EXIT_CODE(0, pegasos({"train", data, model, "--tol", "1e-6", "-q"}));
  const std::string good = contents_of(model);
  const auto result = pegasos(
      {"train", data, model, "--solver", "pegasos", "--tol", "1e-12", "--max-epochs", "1000000"},
      {.signal_when = after(800), .signals = {GetParam()}});
  EXPECT_EXIT_CODE(128 + GetParam(), result);
  EXPECT_TRUE(contains(result.err, "held was better")) << result.err;
  EXPECT_TRUE(good == contents_of(model + ".before"));
}

INSTANTIATE_TEST_SUITE_P(Stop, Signalled, ::testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace pegasos::testing
