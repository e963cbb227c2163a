// convert: formats, names, and files that appear whole or not at all.
#include <nlohmann/json.hpp>

#include "cli/pegasos_program.h"

namespace pegasos::testing {
namespace {

TEST(Convert, ThereAndBackIsTheSameData) {
  const TemporaryFolder folder;
  const auto text = folder.file("a.svm", "+1 1:0.5 3:2\n-1 2:1 3:-4\n");
  EXPECT_EXIT_CODE(0, pegasos({"convert", text, folder.path("b.bin")}));
  EXPECT_TRUE(contents_of(folder.path("b.bin")).starts_with("\x89PGD\r\n\x1a\n"));
  const auto back = pegasos({"convert", folder.path("b.bin"), "-", "--to", "svmlight"});
  EXPECT_EXIT_CODE(0, back);
  EXPECT_EQ("1 1:0.5 3:2\n-1 2:1 3:-4\n", back.out);
  const auto table = pegasos({"convert", text, "-", "--to", "csv"});
  EXPECT_EQ("label,1,2,3\n1,0.5,0,2\n-1,0,1,-4\n", table.out);
}

TEST(Convert, ExtensionTellsTheFormat) {
  const TemporaryFolder folder;
  const auto text = folder.file("a.svm", kSmallData);
  for (const auto& [name, format] :
       std::vector<std::pair<std::string, std::string>>{{"b.svm", "svmlight"},
                                                        {"b.libsvm", "svmlight"},
                                                        {"b.svmlight", "svmlight"},
                                                        {"b.csv", "csv"},
                                                        {"b.bin", "binary"},
                                                        {"b.pgd", "binary"}}) {
    EXPECT_EXIT_CODE(0, pegasos({"convert", text, folder.path(name)}));
    const auto seen = pegasos({"inspect", folder.path(name), "--json"});
    EXPECT_EQ(format, nlohmann::json::parse(seen.out)["format"]) << name;
  }
  const auto unknown = pegasos({"convert", text, folder.path("b.txt")});
  EXPECT_EXIT_CODE(2, unknown);
  EXPECT_TRUE(contains(unknown.err, "--to svmlight")) << unknown.err;
  EXPECT_EXIT_CODE(2, pegasos({"convert", text, "-"}));
  EXPECT_EXIT_CODE(0, pegasos({"convert", text, folder.path("b.txt"), "--to", "csv"}));
}

TEST(Convert, CompressedNamesAreRefusedWithThePipe) {
  const TemporaryFolder folder;
  folder.file("a b.svm", kSmallData);
  for (const auto& [suffix, program] : std::vector<std::pair<std::string, std::string>>{
           {"gz", "gzip"}, {"bz2", "bzip2"}, {"xz", "xz"}, {"zst", "zstd"}}) {
    const auto result =
        pegasos({"convert", "a b.svm", "out.csv." + suffix}, {.folder = folder.path("")});
    EXPECT_EXIT_CODE(2, result);
    EXPECT_TRUE(contains(
        result.err, "pegasos convert 'a b.svm' - --to csv | " + program + " > out.csv." + suffix))
        << result.err;
  }
  EXPECT_EQ(std::vector<std::string>{"a b.svm"}, files_in(folder.path("")));
}

TEST(Convert, TalkGoesToStandardErrorAndCanBeSilenced) {
  const auto loud = pegasos({"convert", "-", "-", "--to", "svmlight"}, {.input = kSmallData});
  EXPECT_TRUE(contains(loud.err, "3 rows")) << loud.err;
  const auto quiet =
      pegasos({"convert", "-", "-", "--to", "svmlight", "-q"}, {.input = kSmallData});
  EXPECT_EQ("", quiet.err);
  EXPECT_EQ(loud.out, quiet.out);
}

TEST(Convert, JsonSaysWhatWasWritten) {
  const TemporaryFolder folder;
  const auto result =
      pegasos({"convert", "-", folder.path("b.bin"), "--json"}, {.input = kSmallData});
  EXPECT_EXIT_CODE(0, result);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(3, json["rows"]);
  EXPECT_EQ("binary", json["format"]);
  EXPECT_EXIT_CODE(2,
                   pegasos({"convert", "-", "-", "--to", "csv", "--json"}, {.input = kSmallData}));
}

TEST(Convert, FileSizeLimitLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  folder.file("a.svm", kSmallData);
  folder.file("b.bin", "the old file");
  EXPECT_EXIT_CODE(
      0, pegasos({"generate", "--kind", "blobs", "--rows", "20k", "-o", folder.path("big.svm")}));
  for (const char* format : {"binary", "svmlight", "csv"}) {
    const auto result = pegasos({"convert", "big.svm", "b.bin", "--to", format},
                                {.folder = folder.path(""), .file_size_limit = 10'000});
    EXPECT_EXIT_CODE(5, result);
    EXPECT_TRUE(contains(result.err, "'b.bin' was not changed")) << result.err;
    EXPECT_EQ("the old file", contents_of(folder.path("b.bin")));
    EXPECT_EQ((std::vector<std::string>{"a.svm", "b.bin", "big.svm"}), files_in(folder.path("")));
  }
}

TEST(Convert, BadDataLeavesTheOldFile) {
  const TemporaryFolder folder;
  const auto target = folder.file("b.bin", "the old file");
  EXPECT_EXIT_CODE(3, pegasos({"convert", "-", target}, {.input = "+1 1:x\n"}));
  EXPECT_EQ("the old file", contents_of(target));
}

TEST(Convert, BinaryIsNotWrittenToATerminal) {
  const TemporaryFolder folder;
  const auto data = folder.file("a.svm", kSmallData);
  const auto result =
      pegasos({"convert", data, "-", "--to", "binary"}, {.terminal = RunOptions::Terminal::both});
  EXPECT_EXIT_CODE(2, result);
}

}  // namespace
}  // namespace pegasos::testing
