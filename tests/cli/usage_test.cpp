// The frame: help, version, exit code 2 and its suggestions, environment variables.
#include <nlohmann/json.hpp>

#include "cli/pegasos_program.h"
#include "pegasos/version.h"

namespace pegasos::testing {
namespace {

const std::vector<std::string> kCommandNames = {"inspect",    "convert", "generate",
                                                "completion", "man",     "help"};

TEST(Usage, HelpOfEveryCommandLeadsWithExamples) {
  for (const auto& name : kCommandNames) {
    const auto help = pegasos({name, "--help"});
    EXPECT_EXIT_CODE(0, help);
    EXPECT_TRUE(help.out.starts_with("pegasos " + name + ": ")) << help.out;
    const auto examples = help.out.find("\nExamples\n");
    const auto usage = help.out.find("\nUsage\n");
    ASSERT_NE(std::string::npos, examples) << name;
    EXPECT_LT(examples, usage) << name;
    EXPECT_EQ("", help.err);
    EXPECT_EQ(help.out, pegasos({"help", name}).out);
    EXPECT_EQ(help.out, pegasos({name, "-h"}).out);
  }
}

TEST(Usage, HelpFitsEightyColumns) {
  for (const auto& name : kCommandNames) {
    std::istringstream lines(pegasos({name, "--help"}).out);
    for (std::string line; std::getline(lines, line);) {
      if (contains(line, "pegasos ")) continue;  // an example is not broken
      EXPECT_LE(line.size(), 80U) << line;
    }
  }
}

TEST(Usage, OverviewNamesEveryCommandAndExitCode) {
  const auto overview = pegasos({"--help"});
  EXPECT_EXIT_CODE(0, overview);
  for (const auto& name : kCommandNames) EXPECT_TRUE(contains(overview.out, "\n  " + name + " "));
  for (const char* code : {"\n  0 ", "\n  5 ", "\n  130 ", "\n  143 "}) {
    EXPECT_TRUE(contains(overview.out, code));
  }
  EXPECT_EQ(overview.out, pegasos({"help"}).out);
}

TEST(Usage, HelpIsGivenWhateverElseIsWrong) {
  const auto help = pegasos({"generate", "--kind", "nonsense", "--help"});
  EXPECT_EXIT_CODE(0, help);
  EXPECT_TRUE(help.out.starts_with("pegasos generate: "));
}

TEST(Usage, VersionIsThatOfTheLibrary) {
  const auto version = pegasos({"--version"});
  EXPECT_EXIT_CODE(0, version);
  EXPECT_TRUE(version.out.starts_with(std::string("pegasos ") + kVersion)) << version.out;
}

TEST(Usage, NothingAtAllShowsTheOverviewAsTalk) {
  const auto nothing = pegasos({});
  EXPECT_EXIT_CODE(2, nothing);
  EXPECT_EQ("", nothing.out);
  EXPECT_TRUE(contains(nothing.err, "\nCommands\n"));
}

struct Slip {
  std::vector<std::string> arguments;
  std::string answer;

  friend void PrintTo(const Slip& slip, std::ostream* out) {
    for (const auto& argument : slip.arguments) *out << argument << ' ';
  }
};

class MistypedLine : public ::testing::TestWithParam<Slip> {};

TEST_P(MistypedLine, IsExitCodeTwoWithTheWayOut) {
  const auto result = pegasos(GetParam().arguments);
  EXPECT_EXIT_CODE(2, result);
  EXPECT_EQ("", result.out);
  EXPECT_TRUE(contains(result.err, GetParam().answer)) << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    Usage, MistypedLine,
    ::testing::Values(
        Slip{{"inspct", "x"}, "unknown command 'inspct'. Did you mean 'inspect'?"},
        Slip{{"help", "convrt"}, "unknown command 'convrt'. Did you mean 'convert'?"},
        Slip{{"man", "genrate"}, "Did you mean 'generate'?"},
        Slip{{"--quite", "inspect", "x"}, "Did you mean '--quiet'?"},
        Slip{{"inspect", "--jsn", "x"},
             "unknown option '--jsn' for 'pegasos inspect'. Did you mean '--json'?"},
        Slip{{"inspect", "-json", "x"}, "Did you mean '--json'?"},
        Slip{{"inspect", "x", "--formt=csv"}, "Did you mean '--format'?"},
        Slip{
            {"inspect", "x", "--format", "cvs"},
            "--format: 'cvs' is not one of svmlight, csv, tsv, jsonl, binary. Did you mean 'csv'?"},
        Slip{{"inspect", "x", "--delimiter", "semicoln"}, "Did you mean 'semicolon'?"},
        Slip{{"generate", "--kind", "blbs"}, "Did you mean 'blobs'?"},
        Slip{{"completion", "bsh"}, "Did you mean 'bash'?"}, Slip{{"inspect"}, "DATA is missing"},
        Slip{{"convert", "a"}, "TO is missing"},
        Slip{{"convert", "a", "b.svm", "c"}, "unexpected argument 'c'"},
        Slip{{"inspect", "x", "--format"},
             "--format needs a value: svmlight, csv, tsv, jsonl, binary"},
        Slip{{"generate", "--rows", "1.5"}, "--rows: '1.5' is not a whole number"},
        Slip{{"generate", "--rows", "-5"}, "--rows: '-5' is not a whole number"},
        Slip{{"generate", "--rows", "12x"}, "--rows: '12x' is not a whole number"},
        Slip{{"generate", "--rows", "0"}, "--rows: "},
        Slip{{"generate", "--noise", "nan"}, "--noise: 'nan' is not a number"},
        Slip{{"generate", "--words", "0.5"}, "--words: "},
        Slip{{"inspect", "x", "--threads", "0"}, "--threads: must be from 1 to 1024"},
        Slip{{"inspect", "x", "--max-decompressed", "4X"},
             "--max-decompressed: '4X' is not a size"},
        Slip{{"inspect", "x", "--index-base", "2"}, "--index-base: '2' is not one of 0, 1"}));

TEST(Usage, ControlCharactersAreNotRepeatedToTheTerminal) {
  const auto result = pegasos({"inspect", "--\x1b[31mred", "x"});
  EXPECT_EXIT_CODE(2, result);
  EXPECT_FALSE(contains(result.err, "\x1b"));
}

TEST(Usage, GlobalOptionsStandBeforeOrAfterTheCommand) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", kSmallData);
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"--quiet", "convert", data, folder.path("b.bin")},
           {"convert", data, folder.path("b.bin"), "-q"},
           {"--threads", "2", "convert", "-q", data, folder.path("b.bin")}}) {
    const auto result = pegasos(arguments);
    EXPECT_EXIT_CODE(0, result);
    EXPECT_EQ("", result.err);
  }
}

TEST(Usage, FilesMayBeCalledLikeCommands) {
  const TemporaryFolder folder;
  folder.file("inspect", kSmallData);
  const RunOptions there{.folder = folder.path("")};
  EXPECT_EXIT_CODE(0, pegasos({"inspect", "inspect"}, there));
  EXPECT_EXIT_CODE(0, pegasos({"convert", "inspect", "generate", "--to", "csv"}, there));
  EXPECT_EXIT_CODE(0, pegasos({"inspect", "--", "inspect"}, there));
}

TEST(Usage, VectorTargetComesFromTheEnvironment) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", kSmallData);
  EXPECT_EXIT_CODE(0, pegasos({"inspect", data}, {.environment = {{"PEGASOS_SIMD", "scalar"}}}));
  EXPECT_TRUE(contains(pegasos({"--version"}, {.environment = {{"PEGASOS_SIMD", "scalar"}}}).out,
                       "(scalar)"));
  const auto wrong = pegasos({"inspect", data}, {.environment = {{"PEGASOS_SIMD", "scaler"}}});
  EXPECT_EXIT_CODE(2, wrong);
  EXPECT_TRUE(contains(wrong.err, "Did you mean 'scalar'?")) << wrong.err;
  EXPECT_TRUE(contains(wrong.err, "supported: ")) << wrong.err;
}

TEST(Usage, JsonErrorsAreOneObjectOnStandardOutput) {
  const auto result = pegasos({"inspect", "--json", "--nonsense-flag"});
  EXPECT_EXIT_CODE(2, result);
  const auto said = nlohmann::json::parse(result.out);
  EXPECT_EQ("usage", said["error"]["kind"]);
  EXPECT_EQ(2, said["error"]["exit_code"]);
  EXPECT_TRUE(contains(result.err, "--nonsense-flag"));
}

}  // namespace
}  // namespace pegasos::testing
