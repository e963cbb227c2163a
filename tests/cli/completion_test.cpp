// Completion scripts and manual pages, judged by the programs they are for.
#include <sstream>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

bool is_installed(const std::string& program) {
  return run_program("/bin/sh", {"-c", "command -v " + program}).exit_code == 0;
}

// What bash would offer after `words`, the last one being typed.
std::string offered_by_bash(const TemporaryFolder& folder, const std::string& words) {
  std::istringstream split(words.substr(0, words.find_last_of(' ')));
  std::string quoted;
  std::size_t count = 0;
  for (std::string word; split >> word; ++count) quoted += "'" + word + "' ";
  quoted += "'" + words.substr(words.find_last_of(' ') + 1) + "'";
  const std::string script =
      pegasos({"completion", "bash"}).out + "compopt() { :; }\nCOMP_WORDS=(" + quoted +
      ")\nCOMP_CWORD=" + std::to_string(count) + "\n_pegasos\necho \"${COMPREPLY[@]}\"\n";
  const auto result =
      run_program("/bin/bash", {"--norc", "-c", script}, {.folder = folder.path("")});
  EXPECT_EXIT_CODE(0, result);
  EXPECT_EQ("", result.err);
  return result.out.substr(0, result.out.find('\n'));
}

TEST(Completion, BashAcceptsTheScript) {
  const auto script = pegasos({"completion", "bash"});
  EXPECT_EXIT_CODE(0, script);
  const auto checked = run_program("/bin/bash", {"-n"}, {.input = script.out});
  EXPECT_EXIT_CODE(0, checked);
  EXPECT_EQ("", checked.err);
}

TEST(Completion, BashCompletesCommandsFlagsWordsAndFiles) {
  const TemporaryFolder folder;
  folder.file("train.svm", "");
  folder.file("test.svm", "");
  EXPECT_EQ("inspect", offered_by_bash(folder, "pegasos in"));
  EXPECT_EQ("convert completion", offered_by_bash(folder, "pegasos co"));
  EXPECT_EQ("inspect", offered_by_bash(folder, "pegasos --threads 2 in"));
  EXPECT_EQ("--version", offered_by_bash(folder, "pegasos --v"));
  EXPECT_EQ("--index-base --ignore", offered_by_bash(folder, "pegasos inspect --i"));
  EXPECT_EQ("svmlight csv tsv jsonl binary", offered_by_bash(folder, "pegasos inspect --format "));
  EXPECT_EQ("svmlight", offered_by_bash(folder, "pegasos inspect --format = sv"));
  EXPECT_EQ("svmlight csv", offered_by_bash(folder, "pegasos generate --format "));
  EXPECT_EQ("train.svm", offered_by_bash(folder, "pegasos inspect tr"));
  EXPECT_EQ("test.svm", offered_by_bash(folder, "pegasos generate -o te"));
  EXPECT_EQ("bash zsh fish", offered_by_bash(folder, "pegasos completion "));
  EXPECT_EQ("generate", offered_by_bash(folder, "pegasos help gen"));
}

TEST(Completion, EveryFlagOfTheHelpIsInEveryScript) {
  const auto bash = pegasos({"completion", "bash"}).out;
  const auto zsh = pegasos({"completion", "zsh"}).out;
  const auto fish = pegasos({"completion", "fish"}).out;
  for (const char* command : {"inspect", "convert", "generate"}) {
    std::istringstream words(pegasos({command, "--help"}).out);
    for (std::string word; words >> word;) {
      if (!word.starts_with("--") || !std::isalpha(word.back())) continue;
      EXPECT_TRUE(contains(bash, word)) << word;
      EXPECT_TRUE(contains(zsh, word + "[")) << word;
      EXPECT_TRUE(contains(fish, "-l " + word.substr(2) + " ")) << word;
    }
  }
}

TEST(Completion, OtherShellsAcceptTheirScripts) {
  bool tried = false;
  for (const char* shell : {"zsh", "fish"}) {
    const auto script = pegasos({"completion", shell});
    EXPECT_EXIT_CODE(0, script);
    if (!is_installed(shell)) continue;
    tried = true;
    EXPECT_EXIT_CODE(
        0, run_program("/bin/sh", {"-c", std::string(shell) + " -n"}, {.input = script.out}));
  }
  if (!tried) GTEST_SKIP() << "neither zsh nor fish is installed";
}

TEST(ManPage, GroffHasNothingToComplainAbout) {
  if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
  for (const char* command : {"", "inspect", "convert", "generate", "completion", "man", "help"}) {
    std::vector<std::string> arguments = {"man"};
    if (*command != '\0') arguments.emplace_back(command);
    const auto page = pegasos(arguments);
    EXPECT_EXIT_CODE(0, page);
    const auto shown = run_program("/bin/sh", {"-c", "groff -man -ww -Tascii -P-c -P-b -P-u"},
                                   {.input = page.out});
    EXPECT_EXIT_CODE(0, shown);
    EXPECT_EQ("", shown.err) << command;
    EXPECT_TRUE(contains(shown.out, "EXIT STATUS")) << command;
    EXPECT_TRUE(contains(shown.out, "EXAMPLES")) << command;
  }
}

TEST(ManPage, HasTheExamplesOfTheHelp) {
  const auto page = pegasos({"man", "generate"}).out;
  EXPECT_TRUE(contains(page, "pegasos generate \\-\\-kind text \\-\\-rows 200k")) << page;
}

}  // namespace
}  // namespace pegasos::testing
