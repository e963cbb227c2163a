// What a terminal sees and a pipe does not: progress, colour.
#include <set>
#include <sstream>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

using Terminal = RunOptions::Terminal;
constexpr const char* kEscape = "\x1b";

// Long enough for the progress line, which waits 0.3 s, to appear; ended by a signal.
RunResult generate_until(const std::string& shown, RunOptions options) {
  const TemporaryFolder folder;
  options.signals = {SIGINT};
  options.timeout = std::chrono::milliseconds(20'000);
  const auto start = std::chrono::steady_clock::now();
  options.signal_when = [start] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(1500);
  };
  auto result = pegasos({"generate", "--rows", "1G", "-o", folder.path(shown)}, options);
  EXPECT_EQ(std::vector<std::string>{}, files_in(folder.path("")));
  return result;
}

TEST(OnATerminal, ProgressShowsShareRateAndTimeAndGoesAway) {
  const auto result = generate_until("a.svm", {.terminal = Terminal::standard_error});
  EXPECT_EXIT_CODE(130, result);
  EXPECT_TRUE(contains(result.err, "\r")) << result.err;
  for (const char* part : {"generating", " %", " rows/s", " left"}) {
    EXPECT_TRUE(contains(result.err, part)) << part << result.err;
  }
  // The last thing before the parting words clears the line.
  const auto cleared = result.err.rfind("\r\x1b[K");
  ASSERT_NE(std::string::npos, cleared);
  EXPECT_FALSE(contains(result.err.substr(cleared), "rows/s")) << result.err;
}

TEST(OnATerminal, QuietShowsNoProgress) {
  const TemporaryFolder folder;
  RunOptions options{.terminal = Terminal::standard_error, .signals = {SIGINT}};
  const auto start = std::chrono::steady_clock::now();
  options.signal_when = [start] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(800);
  };
  const auto result = pegasos({"generate", "-q", "--rows", "1G", "-o", folder.path("a")}, options);
  EXPECT_FALSE(contains(result.err, "rows/s")) << result.err;
}

TEST(OnATerminal, DumbTerminalsGetNoProgressAndNoColour) {
  const auto result = generate_until(
      "a.svm", {.environment = {{"TERM", "dumb"}}, .terminal = Terminal::standard_error});
  EXPECT_FALSE(contains(result.err, kEscape));
  EXPECT_FALSE(contains(result.err, "rows/s"));
}

TEST(OnAPipe, NothingButPlainTextIsWritten) {
  const auto result = generate_until("a.svm", {});
  EXPECT_FALSE(contains(result.err, kEscape));
  EXPECT_FALSE(contains(result.err, "\r"));
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"--help"}, {"inspect", "-"}, {"nonsense"}, {"inspect", "nofile"}}) {
    const auto plain = pegasos(arguments, {.input = kSmallData});
    EXPECT_FALSE(contains(plain.out + plain.err, kEscape));
  }
}

TEST(OnATerminal, ErrorsAreColouredUnlessNoColorIsSet) {
  const RunOptions coloured{.input = "+1 1:x\n", .terminal = Terminal::standard_error};
  EXPECT_TRUE(contains(pegasos({"inspect", "-"}, coloured).err, kEscape));
  auto plain = coloured;
  plain.environment = {{"NO_COLOR", "1"}};
  const auto result = pegasos({"inspect", "-"}, plain);
  EXPECT_FALSE(contains(result.err, kEscape)) << result.err;
  EXPECT_TRUE(contains(result.err, "<stdin>:1:6: value 'x' is not a number")) << result.err;
}

TEST(OnATerminal, HelpHasBoldHeadings) {
  EXPECT_TRUE(contains(pegasos({"--help"}, {.terminal = Terminal::both}).out, "\x1b[1mExamples"));
}

// The plot of --live, in braille or in ASCII, in colour or without.
TEST(OnATerminal, LiveDrawsTheConvergence) {
  const TemporaryFolder folder;
  ASSERT_EQ(pegasos({"generate", "--rows", "300", "-o", folder.path("a.svm")}).exit_code, 0);
  const std::vector<std::string> arguments = {"train",
                                              folder.path("a.svm"),
                                              folder.path("a.model"),
                                              "--live",
                                              "--solver",
                                              "pegasos",
                                              "--max-epochs",
                                              "30",
                                              "--tol",
                                              "0"};
  RunOptions options{.environment = {{"LC_ALL", "C.UTF-8"}}, .terminal = Terminal::standard_error};
  const auto drawn = pegasos(arguments, options);
  EXPECT_EXIT_CODE(0, drawn);
  for (const char* part :
       {"objective", "dual bound", "lemma bound", "seconds", "\u2524", "\xe2\xa0", "\x1b[34m"}) {
    EXPECT_TRUE(contains(drawn.err, part)) << part << drawn.err;
  }
  options.environment = {{"LC_ALL", "C"}, {"NO_COLOR", "1"}};
  const auto plain = pegasos(arguments, options);
  EXPECT_FALSE(contains(plain.err, "\xe2\xa0")) << plain.err;
  EXPECT_FALSE(contains(plain.err, "\x1b[34m")) << plain.err;
  EXPECT_TRUE(contains(plain.err, "ooo")) << plain.err;
  // Dots of one colour would not tell the lines apart, and a row that wraps is not drawn over.
  options.environment = {{"LC_ALL", "C.UTF-8"}, {"NO_COLOR", "1"}};
  for (const int columns : {40, 52, 67}) {
    options.columns = static_cast<unsigned short>(columns);
    const auto narrow = pegasos(arguments, options);
    EXPECT_TRUE(contains(narrow.err, "ooo")) << narrow.err;
    EXPECT_TRUE(contains(narrow.err, "lemma bound")) << narrow.err;
    std::istringstream rows(narrow.err);
    for (std::string row; std::getline(rows, row);) {
      const std::size_t begin = row.rfind("\x1b[K");
      if (begin == std::string::npos) continue;
      EXPECT_LE(row.find_last_not_of(" \r") + 1 - (begin + 3), options.columns) << row;
    }
  }
  const auto piped = pegasos(arguments);
  EXPECT_TRUE(contains(piped.err, "note: --live needs a terminal")) << piped.err;
  EXPECT_FALSE(contains(piped.err, kEscape)) << piped.err;
}

// Of several classifiers --live draws the sums of their objectives and bounds, and --trace has the
// events of each of them.
TEST(OnATerminal, LiveAndTraceFollowSeveralClassifiers) {
  const TemporaryFolder folder;
  const auto data = folder.path("a.svm");
  const auto trace = folder.path("trace.csv");
  ASSERT_EQ(pegasos({"generate", "--kind", "blobs", "--classes", "3", "--rows", "300", "-o", data})
                .exit_code,
            0);
  const auto drawn = pegasos(
      {"train", data, folder.path("a.model"), "--live", "--trace", trace, "--solver", "pegasos",
       "--max-epochs", "30", "--tol", "0"},
      {.environment = {{"LC_ALL", "C"}, {"NO_COLOR", "1"}}, .terminal = Terminal::standard_error});
  EXPECT_EXIT_CODE(0, drawn);
  for (const char* part : {"objective", "dual bound", "seconds", "ooo"}) {
    EXPECT_TRUE(contains(drawn.err, part)) << part << drawn.err;
  }
  std::set<std::string> classifiers;
  std::istringstream lines(contents_of(trace));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  ASSERT_TRUE(line.starts_with("classifier,")) << line;
  while (std::getline(lines, line)) classifiers.insert(line.substr(0, line.find(',')));
  EXPECT_EQ(classifiers.size(), 3U);
}

}  // namespace
}  // namespace pegasos::testing
